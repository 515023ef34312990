"""Collinear and constant columns, fewer rows than columns, and features in any units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.solver import Status
from tests.estimators.tables import ALL, IMPLICIT, partly_labeled

DATA = partly_labeled(n_labeled=16)


def shortest(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """The shortest coefficients among all that fit best, and their intercept, by the SVD."""
    coef = np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean())
    return coef, float(y.mean() - X.mean(axis=0) @ coef)


@pytest.mark.parametrize("n_labeled", [2, 3, 5, 9, 11])
@pytest.mark.parametrize("seed", range(3))
def test_with_fewer_rows_than_columns_the_coefficients_are_those_of_the_pseudo_inverse(
    n_labeled: int, seed: int
) -> None:
    X, y = partly_labeled(n_labeled=n_labeled, n_features=10, seed=seed).labeled
    model = LeastSquaresClassifier().fit(X, y)
    coef, intercept = shortest(X, y)
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(model.intercept_[0] + 0.5, intercept, rtol=1e-7, atol=1e-10)
    assert model.rank_ == min(n_labeled, 11)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, y, atol=1e-9)
    # scikit-learn takes the same one of the many.
    theirs = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_[0], theirs.coef_, rtol=1e-7, atol=1e-10)
    plain = LeastSquaresClassifier(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(plain.coef_[0], np.linalg.pinv(X) @ y, rtol=1e-7, atol=1e-10)


def test_with_fewer_rows_than_columns_it_is_where_a_vanishing_penalty_leads() -> None:
    X, y = partly_labeled(n_labeled=5, n_features=10).labeled
    model = LeastSquaresClassifier().fit(X, y)
    distances = [
        float(np.abs(LeastSquaresClassifier(alpha=alpha).fit(X, y).coef_ - model.coef_).max())
        for alpha in (1e-1, 1e-3, 1e-5)
    ]
    assert distances[0] > 10 * distances[1] > 100 * distances[2]
    assert distances[2] < 1e-6


@pytest.mark.parametrize("estimator", ALL)
def test_with_fewer_labels_than_columns_neither_zero_nor_the_order_of_classes_matters(
    estimator: Any,
) -> None:
    data = partly_labeled(n_labeled=4, n_features=6)
    decisions = estimator().fit(data.X, data.marked).decision_function(data.X)
    moved = estimator().fit(data.X + 7.0, data.marked)
    np.testing.assert_allclose(moved.decision_function(data.X + 7.0), decisions, atol=1e-7)
    swapped = estimator().fit(data.X, np.where(data.known, 1 - data.y, -1))
    np.testing.assert_allclose(swapped.decision_function(data.X), -decisions, atol=1e-7)


@pytest.mark.parametrize("estimator", ALL)
def test_a_constant_column_changes_no_prediction(estimator: Any) -> None:
    wider = np.column_stack([DATA.X[:, :2], np.full(len(DATA.X), 3.7), DATA.X[:, 2:]])
    model = estimator().fit(DATA.X, DATA.marked)
    constant = estimator().fit(wider, DATA.marked)
    np.testing.assert_allclose(
        constant.decision_function(wider), model.decision_function(DATA.X), atol=1e-8
    )


@pytest.mark.parametrize("estimator", ALL)
def test_a_column_that_follows_from_others_changes_no_prediction(estimator: Any) -> None:
    wider = np.column_stack([DATA.X, DATA.X[:, 0] - 2.0 * DATA.X[:, 1] + 3.0, DATA.X[:, 2]])
    model = estimator().fit(DATA.X, DATA.marked)
    collinear = estimator().fit(wider, DATA.marked)
    np.testing.assert_allclose(
        collinear.decision_function(wider), model.decision_function(DATA.X), atol=1e-7
    )


def test_collinear_columns_share_the_coefficient_by_the_pseudo_inverse() -> None:
    X, y = DATA.labeled
    wider = np.column_stack([X, X[:, 0], np.full(len(X), 2.0)])
    model = LeastSquaresClassifier().fit(wider, y)
    coef, intercept = shortest(wider, y)
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(model.intercept_[0] + 0.5, intercept, rtol=1e-7, atol=1e-10)
    assert model.coef_[0, 0] == pytest.approx(model.coef_[0, 4])
    assert model.coef_[0, 5] == 0.0
    assert model.rank_ == 5


@pytest.mark.parametrize("factor", [1e9, 1e-9])
@pytest.mark.parametrize("column", [0, 3])
@pytest.mark.parametrize("estimator", ALL)
def test_the_unit_of_a_column_changes_no_prediction(
    estimator: Any, column: int, factor: float
) -> None:
    units = np.ones(4)
    units[column] = factor
    model = estimator().fit(DATA.X, DATA.marked)
    scaled = estimator().fit(DATA.X * units, DATA.marked)
    np.testing.assert_allclose(
        scaled.decision_function(DATA.X * units), model.decision_function(DATA.X), atol=1e-8
    )
    np.testing.assert_allclose(scaled.coef_ * units, model.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(scaled.predict(DATA.X * units), model.predict(DATA.X))


@pytest.mark.parametrize("estimator", ALL)
def test_a_large_offset_of_a_feature_changes_no_prediction(estimator: Any) -> None:
    offsets = np.array([1e7, 0.0, -1e7, 0.0])
    moved = DATA.X + offsets
    near = moved - offsets  # the same rows, as far as 1e7 leaves digits for them
    model = estimator().fit(near, DATA.marked)
    far = estimator().fit(moved, DATA.marked)
    np.testing.assert_allclose(far.coef_, model.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        far.decision_function(moved), model.decision_function(near), atol=1e-6
    )


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e8])
def test_a_large_offset_changes_nothing_where_columns_outnumber_rows(offset: float) -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(20, 30)), random.integers(0, 2, 20)
        y[:2], y[8:] = (0, 1), -1
        plain, moved = ICLSClassifier().fit(X, y), ICLSClassifier().fit(X + offset, y)
        assert moved.certificate_.supervised_in_set == plain.certificate_.supervised_in_set
        np.testing.assert_allclose(
            moved.decision_function(X + offset), plain.decision_function(X), atol=1e-13 * offset
        )


def test_without_an_intercept_the_unit_does_not_matter_either() -> None:
    units = np.array([1e9, 1.0, 1e-9, 1.0])
    model = LeastSquaresClassifier(fit_intercept=False).fit(*DATA.labeled)
    X, y = DATA.labeled
    scaled = LeastSquaresClassifier(fit_intercept=False).fit(X * units, y)
    np.testing.assert_allclose(scaled.coef_ * units, model.coef_, rtol=1e-8)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("solver", ["interior-point", "lbfgsb"])
def test_with_fewer_labels_than_columns_the_answer_is_the_same_from_either_solver(
    estimator: Any, solver: str
) -> None:
    data = partly_labeled(n_labeled=5, n_unlabeled=40, n_features=8)
    model = estimator(solver=solver).fit(data.X, data.marked)
    again = estimator().fit(data.X[::-1], data.marked[::-1])
    np.testing.assert_allclose(
        model.decision_function(data.X), again.decision_function(data.X), atol=1e-5
    )


def test_without_any_information_in_the_features_the_share_of_a_class_decides() -> None:
    X = np.full((10, 2), 5.0)
    y = np.array([1, 1, 1, 0, -1, -1, -1, -1, -1, -1])
    for model in (LeastSquaresClassifier(), ICLSClassifier(), ProjectedLeastSquaresClassifier()):
        model.fit(X, y)
        np.testing.assert_allclose(model.decision_function(X) + 0.5, 0.75, atol=1e-8)
        assert set(model.predict(X)) == {1}


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("n_features", [4, 30])
@pytest.mark.parametrize(
    ("scale", "weight", "word"),
    [(1e160, 1.0, "large"), (1e150, 1e12, "large"), (1e-150, 1.0, "small")],
)
def test_columns_that_cannot_be_squared_with_their_weights_are_named(
    estimator: Any, n_features: int, scale: float, weight: float, word: str
) -> None:
    data = partly_labeled(n_labeled=12, n_unlabeled=1, n_features=n_features)
    X = data.X.copy()
    X[:, 2] *= scale
    weights = np.where(np.arange(len(X)) % 2 == 0, 1.0, weight)
    with pytest.raises(ValueError, match=f"Column 2 .* too {word} to be squared"):
        estimator().fit(X, data.marked, sample_weight=weights)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_unlabeled_rows_that_cannot_be_squared_are_an_error_and_no_overflow(
    fit_intercept: bool,
) -> None:
    X = np.random.default_rng(0).normal(size=(300, 2)) + 1e8
    y = np.r_[0, 1, np.full(298, -1)]
    with pytest.raises(ValueError, match="too large to be squared"):
        ICLSClassifier(fit_intercept=fit_intercept).fit(8e144 * X, y)
    ICLSClassifier(fit_intercept=fit_intercept).fit(5e143 * X, y)


@pytest.mark.parametrize("scale", [1e20, 1e8, 1e-8, 1e-20])
@pytest.mark.parametrize("n_scaled", [1, 3])
def test_whether_the_start_is_a_member_does_not_depend_on_metric_or_units(
    scale: float, n_scaled: int
) -> None:
    unit = np.where(np.arange(3) < n_scaled, scale, 1.0)
    claims = set()
    for seed in range(8):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(16, 3)), np.r_[0, 1, random.integers(0, 2, 6), np.full(8, -1)]
        by_metric = [
            ProjectedLeastSquaresClassifier(metric).fit(X * unit, y).certificate_
            for metric in ("all", "euclidean")
        ]
        assert by_metric[0].supervised_in_set == by_metric[1].supervised_in_set
        assert "at least 0 " not in str(by_metric[0]) + str(by_metric[1])
        claims.add(by_metric[0].supervised_in_set)
    assert claims == {True, False}


def test_a_penalty_that_is_rounding_beside_a_column_leaves_its_ties_to_be_broken() -> None:
    # The labeled rows do not see the only column, and beside 1e8 the penalty is nothing either.
    X, y = np.array([[0.0], [0.0], [0.0], [1e8], [0.0]]), np.array([0, 1, -1, -1, -1])
    model = ICLSClassifier(alpha=0.1).fit(X, y, sample_weight=[2.0, 1.9, 0.7, 1.1, 1.9])
    every = LeastSquaresClassifier(alpha=0.1)  # rows of both labels, weighted by them
    weights, labels = np.array([2.0, 1.9, 0.7, 1.1, 1.9]), np.r_[0.0, 1.0, model.soft_labels_]
    every.fit(np.vstack([X, X]), [0] * 5 + [1] * 5,
              sample_weight=np.r_[weights * (1.0 - labels), weights * labels])  # fmt: skip
    np.testing.assert_allclose(every.decision_function(X), model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_large_constant_column_has_no_coefficient(seed: int) -> None:
    random = np.random.default_rng(seed)
    X, weights = 100.0 + random.integers(0, 2, size=(3, 7)), random.uniform(0.5, 2.0, 3)
    X[:, 0] = 1e77
    model = LeastSquaresClassifier().fit(X, [0, 1, 0], sample_weight=weights)
    other = LeastSquaresClassifier().fit(X[:, 1:], [0, 1, 0], sample_weight=weights)
    assert model.coef_[0, 0] == 0.0
    np.testing.assert_allclose(model.coef_[:, 1:], other.coef_, atol=1e-9)


@pytest.mark.filterwarnings("ignore:ICLSClassifier stopped")
@pytest.mark.parametrize("seed", [10, 29, 89])
def test_ties_of_rows_beside_others_of_large_weight_do_not_spoil_the_labeled_loss(
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, size=(102, 2)) + 1e5 * random.choice([-1.0, 1.0], size=2)
    weights = random.uniform(0.5, 2.0, size=102)
    weights[2:][random.random(100) < 0.3] = 1e12
    y = np.r_[0, 1, np.full(100, -1)]
    solution = ICLSClassifier().fit(X, y, sample_weight=weights).solution_
    assert solution.relative_gap() <= 1e-8 or not solution.status.is_success


def test_with_a_penalty_a_column_that_only_unlabeled_rows_vary_in_counts_in_the_loss() -> None:
    random = np.random.default_rng(1)
    X = random.integers(0, 2, size=(14, 4)).astype(float)
    X[:4] = [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 0]]
    y = np.array([0, 1, 1, 0] + [-1] * 10)
    model = ICLSClassifier(alpha=0.1).fit(X, y)
    assert model.supervised_coef_[0, 0] == 0.0
    # The same in plain NumPy, and what another solver finds.
    D = np.column_stack([np.ones(14), X])
    J = np.diag([0.0, 0.1, 0.1, 0.1, 0.1])
    S, A, b = D[:4].T @ D[:4] + J, D.T @ D + J, D[:4].T @ y[:4]
    W, offset = np.linalg.solve(A, D[4:].T), np.linalg.solve(A, b) - np.linalg.solve(S, b)

    def loss(u: np.ndarray) -> tuple[float, np.ndarray]:
        change = offset + W @ u
        return 0.5 * float(change @ S @ change), W.T @ (S @ change)

    other = minimize(loss, np.full(10, 0.5), jac=True, bounds=[(0.0, 1.0)] * 10, tol=1e-16)
    assert loss(model.soft_labels_)[0] <= other.fun * (1.0 + 1e-9)


@pytest.mark.parametrize("weights", [None, [0.9, 0.5, 0.7]])
def test_directions_that_the_set_has_lost_and_the_start_has_not_are_told(weights: Any) -> None:
    X = 1e8 + np.random.default_rng(0).normal(size=(3, 3))  # squares of 1e16 beside those of one
    model = ProjectedLeastSquaresClassifier(alpha=0.1, fit_intercept=False)
    with pytest.warns(ConvergenceWarning, match="scale the columns or raise alpha"):
        model.fit(X, [0, 1, -1], sample_weight=weights)
    assert model.solution_.status is Status.STALLED
    assert model.certificate_.supervised_in_set is None  # it is not known
