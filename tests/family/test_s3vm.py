"""The semi-supervised support vector machine as a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tacit.family import TransductiveStatus
from tacit.family._s3vm import S3VMClassifier
from tacit.family._s4vm import S4VMClassifier
from tacit.selection import LabeledKFold
from tests.estimators.tables import partly_labeled

DATA = partly_labeled()
PLAIN: tuple[dict[str, Any], ...] = ({}, {"kernel": "rbf"})
KERNELS: dict[str, dict[str, Any]] = {
    "linear": {},
    "rbf": {"kernel": "rbf", "gamma": 0.5},
    # Values of moderate size: the twin keeps its kernel in single precision.
    "poly": {"kernel": "poly", "gamma": 0.1, "degree": 2, "coef0": 1.0},
    "callable": {"kernel": lambda X, Y: rbf_kernel(X, Y, gamma=0.5)},
}


def objective(model: S3VMClassifier, data: Any, squared_norm: float) -> float:
    """The objective by its definition, C = 1 and C_unlabeled = 0.1."""
    X, y = data.labeled
    labeled = np.maximum(1 - (2 * y - 1) * model.decision_function(X), 0).sum()
    unlabeled = np.maximum(1 - np.abs(model.decision_function(data.pool)), 0).sum()
    return float(0.5 * squared_norm + labeled + 0.1 * unlabeled)


@pytest.mark.parametrize("chosen", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_without_unlabeled_rows_it_is_the_supervised_machine(chosen: Any, C: float) -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=20)
    X, y = data.labeled
    model = S3VMClassifier(C=C, **chosen).fit(X, y)
    twin = SVC(C=C, tol=1e-12, **({"kernel": "linear"} | chosen)).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(data.X), twin.decision_function(data.X), atol=1e-6
    )
    assert model.n_iter_ == 0
    assert model.soft_labels_.shape == (0,)
    assert model.solution_.hinge.relative_gap() < 1e-8


def test_scale_and_auto_are_those_of_scikit_learn() -> None:
    X, y = partly_labeled(n_labeled=40, n_unlabeled=20).labeled
    for gamma in ("scale", "auto"):
        model = S3VMClassifier(kernel="rbf", gamma=gamma).fit(X, y)
        twin = SVC(gamma=gamma, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), twin.decision_function(X), atol=1e-6)
    thin = S3VMClassifier(kernel="rbf").fit(sparse.csr_array(X), y)
    assert thin.gamma_ == pytest.approx(1 / (4 * X.var()))


@pytest.mark.parametrize("chosen", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("balance", [True, 0.3])
def test_the_mean_decision_on_unlabeled_rows_is_the_one_wanted(chosen: Any, balance: Any) -> None:
    data = partly_labeled(n_labeled=9, n_unlabeled=50)
    model = S3VMClassifier(balance=balance, **chosen).fit(data.X, data.marked)
    mean = 2 * data.labeled[1].mean() - 1 if balance is True else 2 * 0.3 - 1
    assert model.decision_function(data.pool).mean() == pytest.approx(mean, abs=1e-9)


def test_the_objective_is_that_of_the_definition_and_never_rose() -> None:
    for seed in range(5):
        data = partly_labeled(n_unlabeled=80, seed=seed)
        model = S3VMClassifier().fit(data.X, data.marked)
        norm = float((model.coef_**2).sum())
        assert model.objective_ == pytest.approx(objective(model, data, norm), rel=1e-9)
        objectives = np.array(model.solution_.objectives)
        assert (np.diff(objectives) <= 1e-9 * objectives[-1]).all()
        assert objectives[-1] == model.objective_
        rbf = S3VMClassifier(kernel="rbf", gamma=0.5).fit(data.X, data.marked)
        dual = rbf.dual_coef_[0]
        squared = float(dual @ rbf_kernel(rbf.X_fit_, gamma=0.5) @ dual)
        assert rbf.objective_ == pytest.approx(objective(rbf, data, squared), rel=1e-9)


def test_soft_labels_are_the_predictions_on_the_unlabeled_rows() -> None:
    model = S3VMClassifier().fit(DATA.X, DATA.marked)
    np.testing.assert_array_equal(model.predict(DATA.pool), model.soft_labels_)
    assert model.solution_.status is TransductiveStatus.FIXED_POINT
    assert model.n_iter_ >= 3


def test_the_linear_kernel_equals_the_linear_machine_and_wide_tables_work() -> None:
    model = S3VMClassifier().fit(DATA.X, DATA.marked)
    by_kernel = S3VMClassifier(kernel=lambda X, Y: X @ Y.T).fit(DATA.X, DATA.marked)
    np.testing.assert_allclose(
        model.decision_function(DATA.X), by_kernel.decision_function(DATA.X), atol=1e-7
    )
    wide = partly_labeled(n_labeled=6, n_unlabeled=20, n_features=60)
    model = S3VMClassifier().fit(wide.X, wide.marked)
    by_kernel = S3VMClassifier(kernel=lambda X, Y: X @ Y.T).fit(wide.X, wide.marked)
    assert model.coef_.shape == (1, 60)
    np.testing.assert_allclose(
        model.decision_function(wide.X), by_kernel.decision_function(wide.X), atol=1e-7
    )


def test_sparse_rows_give_the_same_machine() -> None:
    X = np.where(np.abs(DATA.X) < 0.4, 0.0, DATA.X)
    for chosen in PLAIN:
        dense = S3VMClassifier(**chosen).fit(X, DATA.marked)
        thin = S3VMClassifier(**chosen).fit(sparse.csr_matrix(X), DATA.marked)
        np.testing.assert_allclose(
            thin.decision_function(sparse.csr_matrix(X)), dense.decision_function(X), atol=1e-7
        )


def test_a_precomputed_kernel_is_between_all_rows_in_the_order_given() -> None:
    new = partly_labeled(seed=9).X
    direct = S3VMClassifier(kernel="rbf", gamma=0.5).fit(DATA.X, DATA.marked)
    model = S3VMClassifier(kernel="precomputed").fit(rbf_kernel(DATA.X, gamma=0.5), DATA.marked)
    np.testing.assert_allclose(
        model.decision_function(rbf_kernel(new, DATA.X, gamma=0.5)),
        direct.decision_function(new),
        atol=1e-7,
    )
    np.testing.assert_array_equal(model.soft_labels_, direct.soft_labels_)
    assert model.dual_coef_.shape == (1, len(DATA.X))


def test_a_precomputed_kernel_with_weights_of_zero() -> None:
    weights = np.ones(len(DATA.X))
    weights[np.flatnonzero(DATA.known)[:2]] = 0
    weights[np.flatnonzero(~DATA.known)[:5]] = 0
    K = polynomial_kernel(DATA.X, degree=2)
    model = S3VMClassifier(kernel="precomputed").fit(K, DATA.marked, sample_weight=weights)
    kept = weights > 0
    part = S3VMClassifier(kernel="precomputed").fit(K[kept][:, kept], DATA.marked[kept])
    np.testing.assert_allclose(
        model.decision_function(K), part.decision_function(K[:, kept]), atol=1e-7
    )
    assert len(model.soft_labels_) == len(DATA.pool)


def test_a_precomputed_kernel_refuses_what_it_cannot_use() -> None:
    K = rbf_kernel(DATA.X)
    model = S3VMClassifier(kernel="precomputed")
    with pytest.raises(ValueError, match="X_unlabeled was given with a precomputed kernel"):
        model.fit(K, DATA.marked, X_unlabeled=K[:3])
    with pytest.raises(ValueError, match="must be a square matrix"):
        model.fit(K[:, :-1], DATA.marked)


@pytest.mark.parametrize("chosen", PLAIN, ids=repr)
def test_marks_and_a_table_of_their_own_are_the_same(chosen: Any) -> None:
    marked = S3VMClassifier(**chosen).fit(DATA.X, DATA.marked)
    apart = S3VMClassifier(**chosen).fit(*DATA.labeled, X_unlabeled=DATA.pool)
    np.testing.assert_array_equal(marked.soft_labels_, apart.soft_labels_)
    np.testing.assert_allclose(
        marked.decision_function(DATA.X), apart.decision_function(DATA.X), atol=1e-9
    )
    for mark in (None, np.nan):
        y = DATA.y.astype(object)
        y[~DATA.known] = mark
        other = S3VMClassifier(**chosen).fit(DATA.X, y)
        np.testing.assert_array_equal(other.soft_labels_, marked.soft_labels_)


def test_labels_may_be_strings_and_the_order_of_classes_changes_nothing() -> None:
    names = np.array(["no", "yes"])[DATA.y].astype(object)
    names[~DATA.known] = None
    model = S3VMClassifier().fit(DATA.X, names)
    plain = S3VMClassifier().fit(DATA.X, DATA.marked)
    np.testing.assert_array_equal(model.classes_, ["no", "yes"])
    np.testing.assert_array_equal(model.predict(DATA.X) == "yes", plain.predict(DATA.X) == 1)
    swapped = S3VMClassifier().fit(DATA.X, np.where(DATA.known, 1 - DATA.y, -1))
    np.testing.assert_allclose(
        swapped.decision_function(DATA.X), -plain.decision_function(DATA.X), atol=1e-7
    )


def test_minus_one_can_be_a_class() -> None:
    y = np.where(DATA.y == 1, 1.0, -1.0)
    y[~DATA.known] = np.nan
    model = S3VMClassifier(unlabeled=None).fit(DATA.X, y)
    np.testing.assert_array_equal(model.classes_, [-1.0, 1.0])


def test_the_order_of_rows_and_the_place_of_zero_change_nothing() -> None:
    plain = S3VMClassifier().fit(DATA.X, DATA.marked)
    order = np.random.default_rng(0).permutation(len(DATA.X))
    mixed = S3VMClassifier().fit(DATA.X[order], DATA.marked[order])
    np.testing.assert_allclose(mixed.coef_, plain.coef_, atol=1e-7)
    assert mixed.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    moved = S3VMClassifier().fit(DATA.X + 10.0, DATA.marked)
    np.testing.assert_allclose(moved.coef_, plain.coef_, atol=1e-7)


def test_weights_are_repetitions() -> None:
    random = np.random.default_rng(0)
    weights = random.integers(0, 4, len(DATA.X))
    weights[DATA.known] = random.integers(1, 4, int(DATA.known.sum()))
    for chosen in PLAIN:
        # A switch turns one of several equal rows, or all the weight of one.
        model = S3VMClassifier(n_switches=0, **chosen)
        weighted = clone(model).fit(DATA.X, DATA.marked, sample_weight=weights)
        repeated = clone(model).fit(
            np.repeat(DATA.X, weights, axis=0), np.repeat(DATA.marked, weights)
        )
        np.testing.assert_allclose(
            weighted.decision_function(DATA.X), repeated.decision_function(DATA.X), atol=1e-6
        )
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)


def test_unlabeled_rows_without_weight_leave_the_supervised_machine() -> None:
    weights = DATA.known.astype(float)
    model = S3VMClassifier().fit(DATA.X, DATA.marked, sample_weight=weights)
    alone = S3VMClassifier().fit(*DATA.labeled)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-8)
    assert len(model.soft_labels_) == len(DATA.pool)
    np.testing.assert_array_equal(model.soft_labels_, model.predict(DATA.pool))


def test_two_moons_are_told_apart_by_two_labels_each() -> None:
    X, y = make_moons(200, noise=0.06, random_state=0)
    partly = np.full(200, -1)
    random = np.random.default_rng(0)
    for label in (0, 1):
        partly[random.choice(np.flatnonzero(y == label), 2, replace=False)] = label
    model = S3VMClassifier(C=10.0, C_unlabeled=1.0, kernel="rbf", gamma=20.0).fit(X, partly)
    known = partly >= 0
    alone = SVC(C=10.0, gamma=20.0).fit(X[known], y[known])
    assert alone.score(X, y) < 0.7
    assert model.score(X, y) > 0.99


def test_it_works_in_pipelines_and_searches() -> None:
    data = partly_labeled(n_labeled=24, n_unlabeled=40)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), S3VMClassifier(n_switches=2)),
        {"s3vmclassifier__C_unlabeled": [0.01, 0.1]},
        cv=LabeledKFold(3),
        error_score="raise",
    )
    search.fit(data.X, data.marked)
    assert search.predict(data.X).shape == (len(data.X),)


def test_three_classes_are_refused_and_leave_an_earlier_fit_in_place() -> None:
    model = S3VMClassifier().fit(DATA.X, DATA.marked)
    expected = model.predict(DATA.X)
    three = partly_labeled(n_classes=3, n_labeled=12)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        model.fit(three.X, three.marked)
    np.testing.assert_array_equal(model.predict(DATA.X), expected)


def test_rows_elsewhere_are_refused_with_a_reason(tmp_path: Any) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet, table

    parquet.write_table(table({f"c{k}": DATA.pool[:, k] for k in range(4)}), tmp_path / "p.parquet")
    with pytest.raises(TypeError, match="needs them in memory"):
        S3VMClassifier().fit(*DATA.labeled, X_unlabeled=tmp_path / "p.parquet")
    with pytest.raises(NotFittedError):
        S3VMClassifier().predict(DATA.X)


def test_too_few_rounds_warn_and_name_what_to_change() -> None:
    data = partly_labeled(n_labeled=6, n_unlabeled=300, seed=1)
    with pytest.warns(ConvergenceWarning, match=r"labels that still change; raise max_iter"):
        S3VMClassifier(max_iter=1, n_switches=0, C_unlabeled=0.02).fit(data.X, data.marked)


def test_a_refit_with_another_kernel_keeps_nothing_of_the_first() -> None:
    model = S3VMClassifier().fit(DATA.X, DATA.marked)
    model.set_params(kernel="rbf").fit(DATA.X, DATA.marked)
    assert not hasattr(model, "coef_")
    model.set_params(kernel="linear").fit(DATA.X, DATA.marked)
    assert not hasattr(model, "dual_coef_")


@pytest.mark.parametrize("estimator", [S3VMClassifier, S4VMClassifier])
@pytest.mark.parametrize("what", ["precomputed", "callable"])
@pytest.mark.parametrize("wrong", ["negative", "not symmetric"])
def test_what_is_no_kernel_is_refused(estimator: Any, what: str, wrong: str) -> None:
    # Had failed: a machine was fitted all the same, with decisions that mean nothing.
    def kernel(X: Any, Y: Any) -> Any:
        K = rbf_kernel(X, Y, gamma=0.5)
        return -K if wrong == "negative" else K * np.linspace(1.0, 2.0, len(Y))

    X = kernel(DATA.X, DATA.X) if what == "precomputed" else DATA.X
    model = estimator(kernel="precomputed" if what == "precomputed" else kernel)
    with pytest.raises(ValueError, match=r"kernel gives a matrix that is not positive semi-def"):
        model.fit(X, DATA.marked)


def test_features_a_thousand_times_as_large_take_no_longer() -> None:
    # Had failed: most of the convex problems were left unsolved, after 100 seconds.
    X, y = load_breast_cancer(return_X_y=True)
    X = 1000.0 * StandardScaler().fit_transform(X)
    model = S3VMClassifier().fit(X, np.where(np.arange(len(y)) < 40, y, -1))
    assert model.solution_.status is TransductiveStatus.FIXED_POINT
    assert model.solution_.hinge.relative_gap() < 1e-8
    assert model.objective_ < 2e-4  # had been 6e-4


@pytest.mark.parametrize("model", [S3VMClassifier(), S4VMClassifier(n_samples=8, random_state=0)])
def test_costs_that_numbers_have_no_digits_for_are_lowered_with_a_warning(model: Any) -> None:
    # Had failed: S4VM divided by zero, and S3VM took minutes.
    data = partly_labeled(n_labeled=20, n_unlabeled=60, n_features=6)
    labels = []
    for unit in (2.0**40, 2.0**60, 2.0**120):
        with pytest.warns(ConvergenceWarning, match=r"lowered C .*scale the features") as caught:
            labels.append(clone(model).fit(unit * data.X, data.marked).soft_labels_)
        assert len(caught) == 1
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])
    with pytest.raises(ValueError, match="too large to be multiplied; scale the features"):
        clone(model).fit(1e160 * data.X, data.marked)
