"""Kernel least squares and its implicitly constrained twin."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.estimators._kernel import KernelLeastSquaresClassifier
from tacit.estimators._kernel_icls import KernelICLSClassifier
from tacit.rows import NumpyRows
from tacit.selection import LabeledKFold
from tacit.solver import Status
from tests.estimators.tables import PartlyLabeled, partly_labeled
from tests.optional import da
from tests.problems import project_kernel

BOTH: tuple[Any, ...] = (KernelLeastSquaresClassifier, KernelICLSClassifier)


def moons(n_labeled: int = 16, n_unlabeled: int = 60, seed: int = 0) -> PartlyLabeled:
    X, y = make_moons(n_labeled + n_unlabeled, noise=0.2, random_state=seed)
    known = np.arange(len(y)) < n_labeled
    return PartlyLabeled(X, y, known)


DATA = moons()
FOUR = partly_labeled(n_labeled=20, n_unlabeled=70, n_features=3, n_classes=4, seed=3)
EITHER = pytest.mark.parametrize("table", [DATA, FOUR], ids=["two classes", "four classes"])


def gaussian(X: Any, Y: Any) -> Any:
    return rbf_kernel(X, Y, gamma=2.0)


@pytest.mark.parametrize("alpha", [0.0, 0.4, 6.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_labeled", [4, 12, 24])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_linear_kernel_is_the_linear_classifier(
    alpha: float, intercept: bool, n_labeled: int, weighted: bool, n_classes: int
) -> None:
    atol = 1e-7 if n_classes == 2 else 1e-6
    for seed in range(2):
        table = partly_labeled(n_labeled, 40, n_classes=n_classes, seed=seed, noise=0.8)
        weights = np.random.default_rng(seed).uniform(0.2, 2.0, len(table.X)) if weighted else None
        fitted = [
            model.fit(table.X, table.marked, sample_weight=weights)
            for model in (
                KernelICLSClassifier("linear", alpha=alpha, fit_intercept=intercept),
                ICLSClassifier(alpha, fit_intercept=intercept),
                KernelLeastSquaresClassifier("linear", alpha, fit_intercept=intercept),
                LeastSquaresClassifier(alpha, fit_intercept=intercept),
            )
        ]
        kernel, linear, kernel_twin, twin = (m.decision_function(table.X) for m in fitted)
        np.testing.assert_allclose(kernel, linear, atol=atol)
        np.testing.assert_allclose(kernel_twin, twin, atol=1e-9)
        ours, theirs = fitted[0].certificate_, fitted[1].certificate_
        assert ours.worst_change == pytest.approx(theirs.worst_change, abs=atol)
        assert ours.best_change == pytest.approx(theirs.best_change, abs=atol)
        assert ours.supervised_in_set == theirs.supervised_in_set


@pytest.mark.parametrize("n_labeled", [4, 12, 24])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_a_penalty_the_linear_kernel_is_the_projected_classifier(
    n_labeled: int, n_classes: int
) -> None:
    table = partly_labeled(n_labeled, 40, n_classes=n_classes, seed=1)
    ours = KernelICLSClassifier("linear", "all", alpha=0.0).fit(table.X, table.marked)
    linear = ProjectedLeastSquaresClassifier().fit(table.X, table.marked)
    np.testing.assert_allclose(
        ours.decision_function(table.X),
        linear.decision_function(table.X),
        atol=1e-7 if n_classes == 2 else 1e-6,
    )
    guaranteed = linear.certificate_.guaranteed_improvement
    assert ours.certificate_.guaranteed_improvement == pytest.approx(guaranteed, abs=1e-9)


def test_the_supervised_twin_is_kernel_ridge_regression() -> None:
    X, y = DATA.labeled
    ours = KernelLeastSquaresClassifier("rbf", 0.3, gamma=2.0, fit_intercept=False).fit(X, y)
    ridge = KernelRidge(alpha=0.3, kernel="rbf", gamma=2.0).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(DATA.X) + 0.5, ridge.predict(DATA.X))


def test_the_constant_is_not_penalised() -> None:
    X, y = DATA.labeled
    model = KernelLeastSquaresClassifier("rbf", alpha=1e9).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, y.mean(), atol=1e-6)


@pytest.mark.parametrize("metric", ["labeled", "all"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_kernel_ridge_regression_on_the_soft_labels_gives_the_model_back(
    metric: Any, alpha: float, intercept: bool, weighted: bool
) -> None:
    model = KernelICLSClassifier("rbf", metric, alpha=alpha, gamma=2.0, fit_intercept=intercept)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(DATA.X)) if weighted else None
    model.fit(DATA.X, DATA.marked, sample_weight=weights)
    assert model.solution_.status is Status.OPTIMAL
    labels = np.concatenate([DATA.y[DATA.known], model.soft_labels_])
    n = len(labels)
    w = np.ones(n) if weights is None else weights
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = rbf_kernel(DATA.X, gamma=2.0) + alpha * np.diag(1.0 / w)
    system[n, n] = 0.0
    if not intercept:
        system[:n, n] = system[n, :n] = 0.0
        system[n, n] = 1.0
    answer = np.linalg.solve(system, np.append(labels, 0.0))
    values = rbf_kernel(DATA.X, gamma=2.0) @ answer[:n] + answer[n]
    np.testing.assert_allclose(model.decision_function(DATA.X) + 0.5, values, atol=1e-8)


def penalised(model: Any, X: Any, y: Any, weights: Any = None) -> float:
    """The penalised loss of a fitted model on some rows."""
    residual = model.decision_function(X) + 0.5 - y
    K = rbf_kernel(model.X_fit_, gamma=model.gamma)
    norm = model.dual_coef_[0] @ K @ model.dual_coef_[0]
    return float((residual**2).sum() + model.alpha * norm)


def test_no_labeling_gives_a_smaller_penalised_loss_on_the_labeled_rows() -> None:
    model = KernelICLSClassifier("rbf", alpha=0.05, gamma=2.0).fit(DATA.X, DATA.marked)
    X, y = DATA.labeled
    best = penalised(model, X, y)
    random = np.random.default_rng(0)
    K = rbf_kernel(DATA.X, gamma=2.0)
    n, size = len(y), len(K)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = K + 0.05 * np.eye(size)
    system[size, size] = 0.0
    near = model.soft_labels_ + 0.05 * random.normal(size=(100, size - n))
    far = random.integers(0, 2, size=(100, size - n))
    for labels in np.clip(np.concatenate([near, far]), 0.0, 1.0):
        answer = np.linalg.solve(system, np.concatenate([y, labels, [0.0]]))
        dual, values = answer[:size], K[:n] @ answer[:size] + answer[size]
        loss = ((values - y) ** 2).sum() + 0.05 * dual @ K @ dual
        assert loss >= best - 1e-9


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", gaussian])
@pytest.mark.parametrize("alpha", [0.0, 0.7, "loo"])
@pytest.mark.parametrize("intercept", [True, False])
@EITHER
def test_without_unlabeled_rows_it_is_the_supervised_twin(
    kernel: Any, alpha: Any, intercept: bool, table: PartlyLabeled
) -> None:
    X, y = table.labeled
    model = KernelICLSClassifier(kernel, alpha=alpha, fit_intercept=intercept).fit(X, y)
    twin = KernelLeastSquaresClassifier(kernel, alpha, fit_intercept=intercept).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(table.X), twin.decision_function(table.X), atol=1e-9
    )
    assert model.alpha_ == pytest.approx(twin.alpha_)
    assert model.soft_labels_.shape == ((0,) if table is DATA else (0, 4))
    assert model.solution_.status is Status.EMPTY
    assert model.n_iter_ == 0


@pytest.mark.parametrize("metric", ["labeled", "all"])
@EITHER
def test_values_that_are_labels_leave_the_supervised_classifier_as_it_is(
    metric: Any, table: PartlyLabeled
) -> None:
    model = KernelICLSClassifier("rbf", metric, alpha=20.0).fit(table.X, table.marked)
    assert model.solution_.status is Status.INSIDE
    np.testing.assert_array_equal(model.dual_coef_, model.supervised_dual_coef_)
    assert model.certificate_.supervised_in_set is True
    assert model.certificate_.worst_change == model.certificate_.best_change == 0.0
    assert "changes nothing" in str(model.certificate_)


@pytest.mark.parametrize("metric", ["labeled", "all"])
@pytest.mark.parametrize("gamma", [0.5, 20.0])
def test_all_solvers_give_the_same_classifier(metric: Any, gamma: float) -> None:
    models = [
        KernelICLSClassifier("rbf", metric, alpha=0.1, gamma=gamma, solver=solver, tol=1e-6)
        for solver in ("auto", "interior-point", "lbfgsb")
    ]
    first, *others = [m.fit(DATA.X, DATA.marked).decision_function(DATA.X) for m in models]
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-4)


def test_the_supervised_start_is_the_supervised_twin() -> None:
    model = KernelICLSClassifier("rbf", alpha="loo", gamma=2.0).fit(DATA.X, DATA.marked)
    twin = KernelLeastSquaresClassifier("rbf", "loo", gamma=2.0).fit(DATA.X, DATA.marked)
    assert model.alpha_ == pytest.approx(twin.alpha_)
    n = int(DATA.known.sum())
    np.testing.assert_allclose(model.supervised_dual_coef_[:, :n], twin.dual_coef_, atol=1e-9)
    assert not model.supervised_dual_coef_[:, n:].any()


def test_unlabeled_rows_may_be_marked_or_given_apart_and_classes_may_be_strings() -> None:
    marked = KernelICLSClassifier(alpha=0.01).fit(DATA.X, DATA.marked)
    apart = KernelICLSClassifier(alpha=0.01).fit(*DATA.labeled, X_unlabeled=DATA.pool)
    names = np.where(DATA.known, np.array(["no", "yes"])[DATA.y], "?")
    strings = KernelICLSClassifier(alpha=0.01, unlabeled="?").fit(DATA.X, names)
    expected = marked.decision_function(DATA.X)
    np.testing.assert_allclose(apart.decision_function(DATA.X), expected, atol=1e-9)
    np.testing.assert_allclose(strings.decision_function(DATA.X), expected, atol=1e-9)
    np.testing.assert_allclose(apart.soft_labels_, marked.soft_labels_, atol=1e-7)
    assert set(strings.predict(DATA.X)) == {"no", "yes"}
    assert strings.score(DATA.X, names) > 0.8


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_sparse_rows_give_the_same_answer(estimator: Any, kernel: str) -> None:
    dense = estimator(kernel, alpha=0.1).fit(DATA.X, DATA.marked)
    rows = sparse.csr_array(DATA.X)
    again = estimator(kernel, alpha=0.1).fit(rows, DATA.marked)
    np.testing.assert_allclose(
        again.decision_function(rows), dense.decision_function(DATA.X), atol=1e-8
    )


@pytest.mark.parametrize("estimator", BOTH)
def test_a_precomputed_kernel_and_a_function_give_the_same_answer(estimator: Any) -> None:
    mixed = np.random.default_rng(0).permutation(len(DATA.X))
    X, marked = DATA.X[mixed], DATA.marked[mixed]
    new = moons(seed=3).X
    named = estimator("rbf", gamma=2.0, alpha=0.1).fit(X, marked)
    function = estimator(gaussian, alpha=0.1).fit(X, marked)
    K = rbf_kernel(X, gamma=2.0)
    weights = np.ones(len(X))
    weights[np.flatnonzero(marked >= 0)[0]] = 0.0
    precomputed = estimator("precomputed", alpha=0.1).fit(K, marked)
    expected = named.decision_function(new)
    np.testing.assert_allclose(function.decision_function(new), expected, atol=1e-9)
    between = rbf_kernel(new, X, gamma=2.0)
    np.testing.assert_allclose(precomputed.decision_function(between), expected, atol=1e-9)
    assert precomputed.X_fit_ is None
    assert precomputed.dual_coef_.shape == (1, len(X))
    # A row without weight has no part in it, and keeps its column.
    left_out = clone(precomputed).fit(K, marked, sample_weight=weights)
    other = clone(named).fit(X, marked, sample_weight=weights)
    np.testing.assert_allclose(
        left_out.decision_function(between), other.decision_function(new), atol=1e-9
    )


def test_a_grid_search_takes_a_precomputed_kernel_apart() -> None:
    K = rbf_kernel(DATA.X, gamma=2.0)
    grid = {"alpha": [0.01, 0.1, 1.0]}
    searches = [
        GridSearchCV(estimator, grid, cv=LabeledKFold(4)).fit(table, DATA.marked)
        for estimator, table in (
            (KernelICLSClassifier("precomputed"), K),
            (KernelICLSClassifier("rbf", gamma=2.0), DATA.X),
        )
    ]
    first, second = (search.cv_results_["mean_test_score"] for search in searches)
    np.testing.assert_allclose(first, second)


def test_the_supervised_twin_takes_more_than_two_classes() -> None:
    table = partly_labeled(30, 20, n_classes=3)
    twin = KernelLeastSquaresClassifier(alpha=0.1).fit(table.X, table.marked)
    assert twin.decision_function(table.X).shape == (50, 3)
    assert twin.score(*table.labeled) > 0.7
    linear = KernelLeastSquaresClassifier("linear", 0.5).fit(table.X, table.marked)
    np.testing.assert_allclose(
        linear.decision_function(table.X),
        LeastSquaresClassifier(0.5).fit(table.X, table.marked).decision_function(table.X),
        atol=1e-9,
    )


def test_predictions_work_on_rows_that_live_elsewhere_and_fits_do_not() -> None:
    model = KernelICLSClassifier(alpha=0.1).fit(DATA.X, DATA.marked)
    blocks = da.from_array(DATA.X, chunks=(7, 2))
    np.testing.assert_array_equal(model.predict(blocks).compute(), model.predict(DATA.X))
    np.testing.assert_array_equal(model.predict(NumpyRows(DATA.X)), model.predict(DATA.X))
    with pytest.raises(TypeError, match="X_unlabeled is a DaskRows; a kernel compares all"):
        model.fit(*DATA.labeled, X_unlabeled=blocks)


def test_a_fitted_model_survives_pickling() -> None:
    model = KernelICLSClassifier(gaussian, alpha=0.1).fit(DATA.X, DATA.marked)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))


def test_the_certificate_tells_the_guarantee_apart_from_the_squared_loss() -> None:
    model = KernelICLSClassifier(metric="all", alpha=0.01).fit(DATA.X, DATA.marked)
    certificate = model.certificate_
    assert certificate.guaranteed_improvement is None
    assert certificate.penalised_improvement is not None
    assert certificate.penalised_improvement > 0.0
    assert "plus the penalty falls by at least" in str(certificate)
    labeled = KernelICLSClassifier(alpha=0.01).fit(DATA.X, DATA.marked)
    assert labeled.certificate_.penalised_improvement is None


@pytest.mark.parametrize("table", [moons(seed=2), FOUR])
def test_too_few_iterations_are_told(table: PartlyLabeled) -> None:
    with pytest.warns(ConvergenceWarning, match=r"duality gap of .* raise max_iter \(now 1\)"):
        KernelICLSClassifier(alpha=0.01, solver="interior-point", max_iter=1).fit(
            table.X, table.marked
        )


@pytest.mark.parametrize("estimator", BOTH)
def test_what_is_no_kernel_is_told(estimator: Any) -> None:
    X, y = DATA.labeled
    with pytest.raises(ValueError, match="not positive semi-definite"):
        estimator(lambda A, B: -polynomial_kernel(A, B), alpha=0.1).fit(X, y)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        estimator(lambda A, B: -polynomial_kernel(A, B), alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="kernel gave an array of shape"):
        estimator(lambda A, B: np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match="NaN or infinity"):
        estimator("poly", degree=500, gamma=1e3).fit(1e3 * X, y)


@pytest.mark.parametrize("alpha", [0.0, 0.001])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_unlabeled", [0, 50])
def test_equal_rows_have_equal_decisions(
    alpha: float, fit_intercept: bool, n_unlabeled: int
) -> None:
    X, y = np.ones((4 + n_unlabeled, 1)), np.array([0, 1, 0, 0] + [-1] * n_unlabeled)
    model = KernelICLSClassifier(alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
    assert np.unique(model.predict(X)).tolist() == [0]


def test_a_matrix_of_distances_is_refused() -> None:
    X, y = np.arange(12.0)[:, None], np.array([0, 1] + [-1] * 10)
    model = KernelICLSClassifier(kernel="precomputed", fit_intercept=False)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        model.fit((X - X.T) ** 2, y)


def test_a_kernel_that_is_none_between_unlabeled_rows_is_told() -> None:
    K = rbf_kernel(DATA.X)
    K[~DATA.known] *= -1.0
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelICLSClassifier("precomputed").fit(K, DATA.marked)


@pytest.mark.parametrize("estimator", BOTH)
def test_a_precomputed_kernel_must_be_square_and_dense_and_whole(estimator: Any) -> None:
    K = rbf_kernel(DATA.X)
    with pytest.raises(ValueError, match="X_unlabeled was given with a precomputed kernel"):
        estimator("precomputed").fit(K, DATA.marked, X_unlabeled=K)
    with pytest.raises(ValueError, match="must be a square matrix"):
        estimator("precomputed").fit(K[:, 1:], DATA.marked)
    with pytest.raises(TypeError, match="sparse input is not supported"):
        estimator("precomputed").fit(sparse.csr_array(K), DATA.marked)


@pytest.mark.parametrize("offset", [1e4, 1e6])
@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_means_far_from_zero_change_no_decision(kernel: str, alpha: float, offset: float) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    y = (X[:, 0] + random.normal(size=60) > 0).astype(int)
    y[12:] = -1
    plain = KernelICLSClassifier(kernel, alpha=alpha).fit(X, y)
    moved = KernelICLSClassifier(kernel, alpha=alpha).fit(X + offset, y)
    expected = plain.decision_function(X)
    np.testing.assert_allclose(moved.decision_function(X + offset), expected, atol=1e-11 * offset)


@pytest.mark.parametrize("offset", [1e3, 1e4, 1e5])
def test_a_precomputed_kernel_far_from_zero_is_one(offset: float) -> None:
    X = np.random.default_rng(0).normal(size=(60, 5))
    y = np.where(np.arange(60) < 20, X[:, 0] > 0, -1)
    expected = KernelICLSClassifier("linear", alpha=0.1).fit(X, y).decision_function(X)
    K = (X + offset) @ (X + offset).T
    found = KernelICLSClassifier("precomputed", alpha=0.1).fit(K, y).decision_function(K)
    np.testing.assert_allclose(found, expected, atol=1e-13 * offset**2)


@pytest.mark.parametrize("n", [9, 60])
def test_rows_that_are_all_alike_have_a_kernel(n: int) -> None:
    X, y = np.full((n, 2), 2.7), np.where(np.arange(n) < 5, np.arange(n) % 2, -1)
    found = KernelICLSClassifier("poly", alpha=0.1).fit(X, y).decision_function(X)
    np.testing.assert_allclose(found, -0.1, atol=1e-9)  # two of five labels


@pytest.mark.parametrize("metric", ["labeled", "all"])
@pytest.mark.parametrize("n_landmarks", [8, 30])
def test_landmarks_give_the_linear_answer_on_features_of_the_functions_they_span(
    n_landmarks: int, metric: Any
) -> None:
    model = KernelICLSClassifier(gamma=2.0, alpha=0.1, metric=metric, n_landmarks=n_landmarks)
    model.fit(DATA.X, DATA.marked)
    assert model.dual_coef_.shape == (1, n_landmarks)
    within = rbf_kernel(model.X_fit_, gamma=2.0)
    values, vectors = np.linalg.eigh(within)
    kept = values > 1e-8 * values.max()
    features = rbf_kernel(DATA.X, model.X_fit_, gamma=2.0) @ vectors[:, kept]
    features /= np.sqrt(values[kept])
    linear = ProjectedLeastSquaresClassifier(metric, alpha=0.1).fit(features, DATA.marked)
    expected = linear.decision_function(features)
    np.testing.assert_allclose(model.decision_function(DATA.X), expected, atol=1e-6)
    if metric == "all":
        promised = model.certificate_.penalised_improvement
        assert promised == pytest.approx(linear.certificate_.penalised_improvement, rel=1e-4)


def test_with_as_many_landmarks_as_rows_nothing_is_left_out() -> None:
    every = KernelICLSClassifier(gamma=2.0, n_landmarks=len(DATA.X)).fit(DATA.X, DATA.marked)
    plain = KernelICLSClassifier(gamma=2.0).fit(DATA.X, DATA.marked)
    np.testing.assert_array_equal(every.dual_coef_, plain.dual_coef_)


def test_the_labeled_rows_are_landmarks_as_far_as_they_go() -> None:
    n = int(DATA.known.sum())
    model = KernelICLSClassifier(gamma=2.0, alpha="loo", n_landmarks=n + 5)
    model.fit(DATA.X, DATA.marked)
    np.testing.assert_array_equal(model.X_fit_[:n], DATA.labeled[0])
    twin = KernelLeastSquaresClassifier(gamma=2.0, alpha=model.alpha_).fit(*DATA.labeled)
    start = rbf_kernel(DATA.X, model.X_fit_, gamma=2.0) @ model.supervised_dual_coef_[0]
    values = start + model.supervised_intercept_[0]
    np.testing.assert_allclose(values, twin.decision_function(DATA.X), atol=1e-5)


def test_landmarks_of_a_precomputed_kernel_are_refused() -> None:
    K = rbf_kernel(DATA.X)
    with pytest.raises(ValueError, match="give the kernel by name or as a function"):
        KernelICLSClassifier("precomputed", n_landmarks=5).fit(K, DATA.marked)


def test_a_kernel_larger_than_memory_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 1e4)
    with pytest.raises(MemoryError, match=r"kernel between .* GB .* n_landmarks"):
        KernelICLSClassifier().fit(DATA.X, DATA.marked)


@pytest.mark.parametrize("metric", ["labeled", "all"])
@pytest.mark.parametrize(("alpha", "intercept"), [(1e-5, True), (1e-5, False), (1e5, False)])
@pytest.mark.parametrize("weighted", [True, False])
def test_inner_products_alone_give_the_projection_on_principal_components(
    metric: Any, alpha: float, intercept: bool, weighted: bool
) -> None:
    signs = np.where(np.arange(len(DATA.X)) % 3 == 0, -1.0, 1.0)  # values on either side of zero
    K = signs[:, None] * rbf_kernel(DATA.X, gamma=20.0) * signs
    weights = np.random.default_rng(0).uniform(0.2, 3.0, len(K)) if weighted else None
    model = KernelICLSClassifier("precomputed", metric, alpha, fit_intercept=intercept)
    model.fit(K, DATA.marked, sample_weight=weights)
    assert model.solution_.solver == "semismooth"
    y = (DATA.marked[DATA.known] == 1).astype(float)
    F, expected = project_kernel(K, y, alpha, metric, intercept, weights)
    assert not expected.inside
    values = expected.coefficients.values(F)
    np.testing.assert_allclose(
        model.decision_function(K) + 0.5, values, atol=1e-7 * np.abs(values).max()
    )


@pytest.mark.parametrize("alpha", [1e-5, 1.0, 1e6])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_supervised_twin_solves_the_equations_of_kernel_ridge_regression(
    alpha: float, intercept: bool
) -> None:
    X, y = DATA.X, DATA.y
    K, n = 50.0 + rbf_kernel(X, gamma=1.0), len(X)  # with a constant that an intercept makes up for
    weights = np.random.default_rng(0).uniform(0.2, 3.0, n)
    model = KernelLeastSquaresClassifier("precomputed", alpha, fit_intercept=intercept)
    model.fit(K, y, sample_weight=weights)
    dual, constant = model.dual_coef_[0], model.intercept_[0] + 0.5
    residuals = weights * (y - K @ dual - constant)
    np.testing.assert_allclose(alpha * dual, residuals, atol=1e-7)
    assert abs(dual.sum()) <= 1e-9 * np.abs(dual).sum() or not intercept
    assert constant == 0.0 or intercept


@pytest.mark.parametrize("metric", ["labeled", "all"])
@pytest.mark.parametrize("alpha", [1e-3, 10.0])
def test_weights_beside_which_a_penalty_is_nothing_leave_the_certificate_true(
    alpha: float, metric: Any
) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(24, 2)), np.r_[0, 1, random.integers(0, 2, 8), np.full(14, -1)]
    weights = np.where(random.random(24) < 0.3, 1e12, 1.0)
    model = KernelICLSClassifier("rbf", metric, alpha).fit(X, y, sample_weight=weights)
    K = rbf_kernel(X, gamma=0.5)
    after = K @ model.dual_coef_[0] + model.intercept_ + 0.5
    before = K @ model.supervised_dual_coef_[0] + model.supervised_intercept_ + 0.5
    change = (after - before) * (after + before - 2.0 * np.where(y < 0, after < before, y))
    worst = weights @ change / weights.sum()
    assert worst == pytest.approx(model.certificate_.worst_change, abs=1e-6)


@pytest.mark.parametrize("weight", [1.0, 1e5])
@pytest.mark.parametrize("seed", range(8))
def test_two_rows_next_to_each_other_have_a_kernel(seed, weight):
    X = (0.3 if weight == 1.0 else 1e-3) * np.random.default_rng(seed).normal(size=(2, 1))
    model = KernelLeastSquaresClassifier(alpha=0.5).fit(X, [0, 1], sample_weight=[weight] * 2)
    np.testing.assert_array_equal(model.predict(X), [0, 1])


@pytest.mark.parametrize("options", [{}, {"metric": "all"}, {"n_landmarks": 6}])
def test_a_row_that_is_far_from_all_others_need_not_count(options):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 27.0]])
    y, there = np.array([0, 1, -1, -1, -1, -1]), np.arange(6) < 5
    model = KernelICLSClassifier(gamma=0.5, **options)
    expected = clone(model).fit(X[:5], y[:5]).decision_function(X[:5])
    found = model.fit(X, y, sample_weight=there).decision_function(X[:5])
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert model.certificate_.n_unlabeled == 3
