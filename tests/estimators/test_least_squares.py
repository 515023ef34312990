"""Supervised least squares against NumPy and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier, RidgeCV

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
)
from tacit.solver._least_squares import LOO_GRID
from tests.estimators.tables import PartlyLabeled, partly_labeled

TABLES = [partly_labeled(n_labeled=30, n_unlabeled=10, seed=seed) for seed in range(3)]
ALPHAS = [0.0, 1e-3, 1.0, 50.0]


def with_intercept(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(X)), X])


@pytest.mark.parametrize("data", TABLES)
def test_coefficients_are_those_of_numpy(data: PartlyLabeled) -> None:
    X, y = data.labeled
    model = LeastSquaresClassifier().fit(X, y)
    beta = np.linalg.lstsq(with_intercept(X), y)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], beta[0] - 0.5, rtol=1e-10, atol=1e-12)
    assert model.rank_ == 5
    assert model.alpha_ == 0.0
    plain = LeastSquaresClassifier(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(plain.coef_[0], np.linalg.lstsq(X, y)[0], rtol=1e-10, atol=1e-12)
    assert plain.intercept_.tolist() == [-0.5]
    assert plain.rank_ == 4


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_a_penalty_means_what_it_means_to_scikit_learn(
    alpha: float, fit_intercept: bool, weighted: bool
) -> None:
    for data in TABLES:
        X, y = data.labeled
        weights = np.random.default_rng(0).uniform(0.1, 5.0, len(y)) if weighted else None
        model = LeastSquaresClassifier(alpha=alpha, fit_intercept=fit_intercept)
        model.fit(X, y, sample_weight=weights)
        ridge = Ridge(alpha=alpha, fit_intercept=fit_intercept, solver="svd")
        ridge.fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(model.coef_[0], ridge.coef_, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(model.intercept_[0] + 0.5, ridge.intercept_, rtol=1e-8)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_predictions_are_those_of_the_ridge_classifier(alpha: float, n_classes: int) -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=200, n_classes=n_classes, seed=n_classes)
    model = LeastSquaresClassifier(alpha=alpha).fit(*data.labeled)
    theirs = RidgeClassifier(alpha=alpha, solver="svd").fit(*data.labeled)
    # Theirs regresses on -1 and 1, so that its coefficients are twice as long.
    their_coef = np.atleast_2d(theirs.coef_)
    np.testing.assert_allclose(2.0 * model.coef_, their_coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(2.0 * model.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(model.predict(data.X), theirs.predict(data.X))
    assert model.decision_function(data.X).shape == theirs.decision_function(data.X).shape


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_more_than_two_classes_are_one_regression_a_class_and_the_largest_wins(
    alpha: float,
) -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=60, n_classes=4)
    X, y = data.labeled
    model = LeastSquaresClassifier(alpha=alpha).fit(X, y)
    assert model.coef_.shape == (4, 4)
    assert model.intercept_.shape == (4,)
    for label in range(4):
        one = LeastSquaresClassifier(alpha=alpha).fit(X, y == label)
        np.testing.assert_allclose(model.coef_[label], one.coef_[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(model.intercept_[label], one.intercept_[0], atol=1e-12)
        np.testing.assert_allclose(
            model.decision_function(data.X)[:, label], one.decision_function(data.X), atol=1e-12
        )
    decisions = model.decision_function(data.X)
    np.testing.assert_array_equal(model.predict(data.X), decisions.argmax(axis=1))
    # With an intercept the values of all classes add up to one in every row.
    np.testing.assert_allclose((decisions + 0.5).sum(axis=1), 1.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_gradient_of_the_penalised_loss_is_zero_and_the_intercept_is_free(
    fit_intercept: bool, weighted: bool
) -> None:
    data = TABLES[0]
    X, y = data.labeled
    weights = np.linspace(0.5, 3.0, len(y)) if weighted else np.ones(len(y))
    model = LeastSquaresClassifier(alpha=3.0, fit_intercept=fit_intercept)
    model.fit(X, y, sample_weight=weights)
    residual = weights * (model.decision_function(X) + 0.5 - y)
    np.testing.assert_allclose(X.T @ residual + 3.0 * model.coef_[0], 0.0, atol=1e-10)
    if fit_intercept:
        assert residual.sum() == pytest.approx(0.0, abs=1e-10)


def test_a_huge_penalty_leaves_only_the_share_of_the_second_class() -> None:
    X, y = TABLES[0].labeled
    y = (np.arange(len(y)) < 6).astype(int)
    model = LeastSquaresClassifier(alpha=1e12).fit(X, y)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, 0.2 - 0.5, atol=1e-9)


def test_the_score_is_the_accuracy() -> None:
    data = TABLES[0]
    model = LeastSquaresClassifier().fit(*data.labeled)
    assert model.score(data.X, data.y) == np.mean(model.predict(data.X) == data.y)


def test_an_estimator_can_be_fitted_again_on_other_data() -> None:
    first, second = TABLES[:2]
    model: Any = LeastSquaresClassifier().fit(*first.labeled).fit(*second.labeled)
    fresh = LeastSquaresClassifier().fit(*second.labeled)
    np.testing.assert_array_equal(model.coef_, fresh.coef_)


def grid(X: np.ndarray, weights: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """The documented penalties: 41 from 1e-6 to 1e4 of a centred column's mean squared length."""
    centred = X - np.average(X, axis=0, weights=weights) if fit_intercept else X
    unit = (weights[:, None] * centred**2).sum() / X.shape[1]
    return np.asarray(np.logspace(-6, 4, 41) * unit)


def brute_force_errors(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, fit_intercept: bool
) -> np.ndarray:
    """The weighted squared error of every penalty, one refit for each row that is left out."""
    errors = []
    for alpha in grid(X, weights, fit_intercept):
        total = 0.0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            beta, constant = ridge(X[rest], y[rest], weights[rest], alpha, fit_intercept)
            total += weights[i] * float(((X[i] @ beta + constant - y[i]) ** 2).sum())
        errors.append(total)
    return np.array(errors)


def ridge(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, alpha: float, fit_intercept: bool
) -> tuple[np.ndarray, Any]:
    mean_X = np.average(X, axis=0, weights=weights) if fit_intercept else np.zeros(X.shape[1])
    mean_y = np.average(y, axis=0, weights=weights) if fit_intercept else 0.0
    Z, t = X - mean_X, y - mean_y
    weighted = weights[:, None] * Z
    beta = np.linalg.solve(weighted.T @ Z + alpha * np.eye(X.shape[1]), weighted.T @ t)
    return beta, mean_y - mean_X @ beta


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_features", [3, 15])
def test_the_penalty_is_the_one_that_refitting_without_each_row_would_choose(
    fit_intercept: bool, weighted: bool, n_classes: int, n_features: int
) -> None:
    data = partly_labeled(n_labeled=16, n_features=n_features, n_classes=n_classes, seed=4)
    X, y = data.labeled
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    targets = np.eye(n_classes)[y]
    targets = targets[:, 1] if n_classes == 2 else targets
    errors = brute_force_errors(X, targets, weights, fit_intercept)
    model = LeastSquaresClassifier(alpha="loo", fit_intercept=fit_intercept)
    model.fit(X, y, sample_weight=weights if weighted else None)
    best = int(errors.argmin())
    assert 0 < best < 40
    np.testing.assert_allclose(model.alpha_, grid(X, weights, fit_intercept)[best], rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_penalty_is_the_one_of_scikit_learn_on_the_same_grid(
    fit_intercept: bool, seed: int
) -> None:
    X, y = partly_labeled(n_labeled=25, n_features=8, seed=seed).labeled
    alphas = grid(X, np.ones(len(X)), fit_intercept)
    theirs = RidgeCV(alphas=alphas, fit_intercept=fit_intercept).fit(X, y)
    model = LeastSquaresClassifier(alpha="loo", fit_intercept=fit_intercept).fit(X, y)
    assert model.alpha_ == pytest.approx(theirs.alpha_, rel=1e-12)
    np.testing.assert_allclose(model.coef_[0], theirs.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_[0] + 0.5, theirs.intercept_, rtol=1e-6)


def test_the_grid_has_41_values_a_quarter_of_a_decade_apart() -> None:
    assert len(LOO_GRID) == 41
    np.testing.assert_allclose(np.diff(np.log10(LOO_GRID)), 0.25)


def test_the_chosen_penalty_follows_the_units_of_the_features() -> None:
    X, y = partly_labeled(n_labeled=25, n_features=8).labeled
    model = LeastSquaresClassifier(alpha="loo").fit(X, y)
    scaled = LeastSquaresClassifier(alpha="loo").fit(1e3 * X, y)
    assert scaled.alpha_ == pytest.approx(1e6 * model.alpha_)
    np.testing.assert_allclose(
        scaled.decision_function(1e3 * X), model.decision_function(X), atol=1e-9
    )


def test_the_chosen_penalty_does_not_depend_on_where_zero_is() -> None:
    X, y = partly_labeled(n_labeled=25, n_features=8).labeled
    model = LeastSquaresClassifier(alpha="loo").fit(X, y)
    moved = LeastSquaresClassifier(alpha="loo").fit(X + 1e5, y)
    assert moved.alpha_ == pytest.approx(model.alpha_)


@pytest.mark.parametrize("estimator", [ICLSClassifier, ProjectedLeastSquaresClassifier])
def test_the_choice_is_made_on_the_labeled_rows_alone(estimator: Any) -> None:
    data = partly_labeled(n_labeled=14, n_features=8)
    supervised = LeastSquaresClassifier(alpha="loo").fit(*data.labeled)
    model = estimator(alpha="loo").fit(data.X, data.marked)
    assert model.alpha_ == supervised.alpha_ > 0
    np.testing.assert_array_equal(model.supervised_coef_, supervised.coef_)
    fixed = estimator(alpha=model.alpha_).fit(data.X, data.marked)
    np.testing.assert_array_equal(model.coef_, fixed.coef_)


def test_constant_features_leave_nothing_to_penalise() -> None:
    X = np.ones((10, 3))
    y = np.arange(10) % 2
    model = LeastSquaresClassifier(alpha="loo").fit(X, y)
    assert model.alpha_ == 0.0
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-12)


def test_two_labeled_rows_are_enough() -> None:
    X = np.array([[0.0, 1.0], [1.0, 3.0]])
    model = LeastSquaresClassifier(alpha="loo").fit(X, [0, 1])
    assert np.isfinite(model.alpha_)
    assert model.predict(X).tolist() == [0, 1]
