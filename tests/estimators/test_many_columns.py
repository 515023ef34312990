"""More columns than labels: fits in the space of the labels, beside independent dense ones."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from benchmarks.columns import dense_table, sparse_table
from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
    TacitClassifier,
)
from tacit.rows import CentredRows, Moments, as_rows
from tacit.solver import Basis, Status


def _sparse_table(n: int, d: int, n_entries: int, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    columns = random.integers(0, d, (n, n_entries))
    columns[:, 0] = y  # one that tells
    rows = np.repeat(np.arange(n), n_entries)
    X = sp.csr_array((random.random(n * n_entries), (rows, columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, y


def _dense_ridge(X: Any, y: Any, weights: Any, alpha: float, fit_intercept: bool) -> Any:
    """Intercept and coefficients, the penalty as so many rows of the value zero."""
    d = X.shape[1]
    root = np.sqrt(weights)
    design = np.column_stack([root * fit_intercept, root[:, None] * X])
    penalty = np.sqrt(alpha) * np.column_stack([np.zeros(d), np.eye(d)])
    right = np.concatenate([root * y, np.zeros(d)])
    return np.linalg.lstsq(np.vstack([design, penalty]), right, rcond=1e-14)[0]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_column_in_large_units_does_not_drown_the_others(form: Any, fit_intercept: bool) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(6, 9)) * np.r_[1e8, np.ones(8)]
    y = np.array([0, 1, 0, 1, -1, -1])
    model = ICLSClassifier(alpha=0.1, fit_intercept=fit_intercept).fit(form(X), y)
    unit = np.r_[1e-8, np.ones(8)]  # orthogonal factors want columns of one size

    def ridge(rows: Any, targets: Any) -> Any:
        design = np.column_stack([np.full(len(rows), float(fit_intercept)), rows * unit])
        penalty = np.sqrt(0.1) * np.column_stack([np.zeros(9), np.diag(unit)])
        right = np.concatenate([targets, np.zeros(9)])
        beta = np.linalg.lstsq(np.vstack([design, penalty]), right, rcond=1e-14)[0]
        return beta[1:] * unit

    # Both the start and the answer are ridge fits to labels that are known.
    np.testing.assert_allclose(
        X @ model.supervised_coef_[0], X @ ridge(X[:4], y[:4]), rtol=1e-6, atol=1e-8
    )
    labels = np.concatenate([y[:4], model.soft_labels_])
    np.testing.assert_allclose(X @ model.coef_[0], X @ ridge(X, labels), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_fit_in_the_space_of_the_labels_is_that_of_all_columns(form, fit_intercept, alpha):
    X, y = _sparse_table(12, 40, 6)
    X = X.toarray()
    X[:, 5] += 1e3  # a full column far from zero
    weights = np.linspace(0.5, 2.0, len(y))
    model = LeastSquaresClassifier(alpha, fit_intercept).fit(form(X), y, sample_weight=weights)
    expected = _dense_ridge(X, y, weights, alpha, fit_intercept)
    values = X @ expected[1:] + expected[0]
    np.testing.assert_allclose(model.decision_function(form(X)) + 0.5, values, atol=1e-7)
    if alpha:
        np.testing.assert_allclose(model.coef_[0], expected[1:], atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_basis_of_few_rows_is_that_of_their_gram_matrix(form, fit_intercept):
    X = _sparse_table(10, 30, 5)[0].toarray()
    X[:, 3] = 7.0  # constant
    X[4] = X[2]
    X[:, 9] *= 1e4
    weights = np.linspace(0.5, 2.0, len(X))
    ours = Basis.of_rows(CentredRows(form(X), weights, fit_intercept), fit_intercept)
    theirs = Basis.of(Moments.of(as_rows(X, weights)), 0.0, fit_intercept)
    assert ours.rank == theirs.rank
    inverses = [b.functions.stacked() @ b.functions.stacked().T for b in (ours, theirs)]
    np.testing.assert_allclose(*inverses, rtol=1e-6, atol=1e-6 * np.abs(inverses[1]).max())


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shape", [(15, 60), (60, 15)])
def test_leave_one_out_chooses_for_sparse_rows_what_it_chooses_for_dense_ones(shape, fit_intercept):
    X, y = _sparse_table(*shape, 6)
    sparse = LeastSquaresClassifier("loo", fit_intercept).fit(X, y)
    dense = LeastSquaresClassifier("loo", fit_intercept).fit(X.toarray(), y)
    assert sparse.alpha_ == pytest.approx(dense.alpha_)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-9)


@pytest.mark.parametrize("estimator", [LeastSquaresClassifier, ICLSClassifier])
def test_a_hundred_thousand_sparse_columns_take_no_square_matrix(estimator):
    X, y = _sparse_table(300, 100_000, 30)
    y[40:] = -1
    model = estimator("loo").fit(X, y)
    assert model.coef_.shape == (1, 100_000)
    if estimator is ICLSClassifier:
        assert model.solution_.status is Status.INSIDE
        np.testing.assert_array_equal(model.coef_, model.supervised_coef_)
        values = X[40:] @ model.coef_[0] + model.intercept_[0] + 0.5
        np.testing.assert_allclose(model.soft_labels_, values, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_values_that_are_labels_lead_back_to_the_supervised_solution(n_classes):
    random = np.random.default_rng(1)
    X, y = random.normal(size=(80, 140)), random.integers(0, n_classes, 80)
    y[30:] = -1
    model = ICLSClassifier(2000.0).fit(X, y)
    assert model.solution_.status is Status.INSIDE
    assert model.solution_.solver == "values"
    assert model.certificate_.supervised_in_set
    targets = np.eye(n_classes)[y[:30]] if n_classes > 2 else (y[:30] == 1) * 1.0
    labels = np.concatenate([targets, model.soft_labels_]).reshape(80, -1)
    for k, column in enumerate(labels.T):
        beta = _dense_ridge(X, column, np.ones(80), 2000.0, True)
        np.testing.assert_allclose(model.coef_[k], beta[1:], atol=1e-9)


def _penalised_loss(coef: Any, intercept: Any, X: Any, Y: Any, alpha: float) -> float:
    """Half the sum over the classes, as in the certificate; `coef_` decides at zero."""
    values = X @ coef.T + intercept + 0.5
    loss = ((values - Y.reshape(len(X), -1)) ** 2).sum() + alpha * (coef**2).sum()
    return float(loss / (2 if len(coef) > 1 else 1))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("n_features", "alpha"), [(4, 0.5), (6, "loo"), (90, 1e-3), (90, 0.1)])
def test_the_penalised_projection_lowers_the_penalised_loss_whatever_the_labels(
    n_features, alpha, n_classes
):
    random = np.random.default_rng(n_features)
    X = random.normal(size=(70, n_features)) * np.linspace(1.0, 3.0, n_features)
    y = random.integers(0, n_classes, 70)
    X[:, 0] += 2.0 * y
    targets = np.eye(n_classes)[y[:20]] if n_classes > 2 else (y[:20] == 1) * 1.0
    marked = np.where(np.arange(70) < 20, y, -1)
    model = ProjectedLeastSquaresClassifier(alpha=alpha).fit(X, marked)
    certificate, alpha = model.certificate_, model.alpha_
    assert model.solution_.is_optimal(1e-8)
    assert certificate.guaranteed_improvement is None
    improvement = certificate.penalised_improvement
    assert (improvement > 0.0) == (not certificate.supervised_in_set)
    labels = [np.concatenate([targets, model.soft_labels_])]
    for hard in random.integers(0, n_classes, (50, 50)):
        guess = np.eye(n_classes)[hard] if n_classes > 2 else hard * 1.0
        labels.append(np.concatenate([targets, guess]))
    start = model.supervised_coef_, model.supervised_intercept_
    falls = [
        _penalised_loss(*start, X, Y, alpha)
        - _penalised_loss(model.coef_, model.intercept_, X, Y, alpha)
        for Y in labels
    ]
    assert min(falls) >= 70 * improvement - 1e-9
    # Its own labels attain the bound, and give the model by ridge regression on all rows.
    assert falls[0] == pytest.approx(70 * improvement, rel=1e-6, abs=1e-9)
    for k, column in enumerate(labels[0].reshape(70, -1).T):
        beta = _dense_ridge(X, column, np.ones(70), alpha, True)
        np.testing.assert_allclose(model.coef_[k], beta[1:], atol=1e-6)
    assert str(certificate).count("plus the penalty") == (not certificate.supervised_in_set)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("metric", ["labeled", "all"])
def test_the_span_of_the_rows_gives_the_projection_of_all_columns(metric, fit_intercept, weighted):
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 80)) * np.linspace(0.3, 4.0, 80) + 1.0
    y = np.where(np.arange(60) < 25, random.integers(0, 2, 60), -1)
    y[:2] = 0, 1
    weights = random.uniform(0.2, 3.0, 60) if weighted else None
    chosen: dict[str, Any] = {"alpha": 0.01, "fit_intercept": fit_intercept}
    models = [
        ProjectedLeastSquaresClassifier(metric, solver=solver, **chosen).fit(
            form(X), y, sample_weight=weights
        )
        for solver in ("auto", "interior-point")
        for form in (np.asarray, sp.csr_array)
    ]
    assert not models[0].certificate_.supervised_in_set
    for model in models[1:]:
        np.testing.assert_allclose(model.coef_, models[0].coef_, atol=1e-6)
        np.testing.assert_allclose(model.soft_labels_, models[0].soft_labels_, atol=1e-5)


def test_a_penalty_in_the_start_alone_is_warned_of_where_the_set_fits_any_labels():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 40)), random.integers(0, 2, 30)
    y[15:] = -1
    with pytest.warns(UserWarning, match=r'40 columns for 30 rows.*penalty="everywhere"'):
        ProjectedLeastSquaresClassifier(alpha=1.0, penalty="start").fit(X, y)


def test_labels_of_new_rows_stay_those_of_ridge_where_columns_are_as_many_as_rows():
    changed = {"everywhere": 0, "start": 0}
    for seed in range(6):
        random = np.random.default_rng(seed)
        X = random.standard_gamma(1.0, size=(388, 365)) ** 2
        y = (X[:, :5].sum(axis=1) + random.normal(size=388) > 10.0).astype(int)
        marked = np.where(np.arange(188) < 60, y[:188], -1)
        ridge = LeastSquaresClassifier("loo").fit(X[:60], y[:60]).predict(X[188:])
        for penalty in changed:
            model = ProjectedLeastSquaresClassifier(alpha="loo", penalty=penalty)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                model.fit(X[:188], marked)
            changed[penalty] += int((model.predict(X[188:]) != ridge).sum())
    assert changed["everywhere"] <= 0.05 * 6 * 200
    assert changed["start"] > 0.1 * 6 * 200


def test_more_columns_than_memory_are_refused_before_anything_is_allocated():
    X, y = _sparse_table(300, 100_000, 30)
    y[20:] = -1
    with pytest.raises(MemoryError, match=r"100,000 columns take 80\.0 GB.*TruncatedSVD"):
        ICLSClassifier(0.0, solver="interior-point").fit(X, y)


ASKING: list[tuple[Any, str, str, dict[str, Any]]] = [
    (ICLSClassifier(), "alpha=0", 'alpha="loo"', {"alpha": "loo"}),
    (
        ICLSClassifier("loo", class_prior=[0.5, 0.5]),
        "class_prior",
        "class_prior=None",
        {"class_prior": None},
    ),
    (
        ICLSClassifier("loo", solver="lbfgsb"),
        'solver="lbfgsb"',
        'solver="auto"',
        {"solver": "auto"},
    ),
    (
        ProjectedLeastSquaresClassifier(alpha="loo", penalty="start"),
        'penalty="start"',
        'penalty="everywhere"',
        {"penalty": "everywhere"},
    ),
    (
        ProjectedLeastSquaresClassifier(alpha="loo", penalty="start", class_prior="labeled"),
        'penalty="start" and class_prior',
        'penalty="everywhere" and class_prior=None',
        {"penalty": "everywhere", "class_prior": None},
    ),
    (
        ProjectedLeastSquaresClassifier("euclidean", "loo"),
        'metric="euclidean"',
        'metric="all"',
        {"metric": "all"},
    ),
    (
        ProjectedLeastSquaresClassifier(start=LeastSquaresClassifier("loo")),
        "alpha=0 and start",
        'alpha="loo" and start=None',
        {"alpha": "loo", "start": None},
    ),
    (
        SelfLearningClassifier(LeastSquaresClassifier()),
        "alpha=0",
        'alpha="loo"',
        {"estimator__alpha": "loo"},
    ),
]


@pytest.mark.parametrize(("model", "asking", "instead", "changes"), ASKING)
def test_a_refusal_names_what_asks_for_the_matrix_and_what_to_change(
    model: Any, asking: str, instead: str, changes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = _sparse_table(100, 1200, 8)
    y[20:] = -1
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 100e6)  # 115 MB for the columns
    advice = f"with {asking} they are needed, so use {instead}, or fewer columns .*TruncatedSVD"
    with pytest.raises(MemoryError, match=rf"1,200 columns take .*{advice}"):
        model.fit(X, y)
    model.set_params(**changes).fit(X, y)  # so the advice is true


def test_of_as_many_rows_as_columns_no_parameter_is_said_to_ask_for_the_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = np.random.default_rng(0).normal(size=(70, 60)), np.arange(70) % 2
    y[20:] = -1
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 80 * 50**2)
    with pytest.raises(MemoryError, match=r"memory free; use fewer columns [^,]*TruncatedSVD\)\.$"):
        ICLSClassifier().fit(X, y)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n_classes", "n_features", "alpha", "inside"),
    [(2, 140, 200.0, True), (2, 140, 10.0, False), (6, 30, 60.0, True), (6, 90, 0.01, False)],
)
def test_labels_near_the_values_of_the_start_tell_what_the_interior_point_method_tells(
    n_classes, n_features, alpha, inside, weighted
):
    random = np.random.default_rng(5)
    X, y = random.normal(size=(1200, n_features)), random.integers(0, n_classes, 1200)
    X[:, 0] += 0.5 * y
    marked = np.where(np.arange(1200) < 150, y, -1)
    weights = random.uniform(0.2, 3.0, 1200) if weighted else None
    ours = ICLSClassifier(alpha).fit(X, marked, sample_weight=weights)
    theirs = ICLSClassifier(alpha, solver="interior-point").fit(X, marked, sample_weight=weights)
    assert ours.certificate_.supervised_in_set == theirs.certificate_.supervised_in_set == inside
    assert (ours.solution_.solver == "nearest") == inside
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    labels = np.asarray(ours.soft_labels_).reshape(1050, -1)
    assert labels.min() >= 0.0
    assert labels.max() <= 1.0
    targets = np.eye(n_classes)[y[:150]] if n_classes > 2 else (y[:150, None] == 1) * 1.0
    w = np.ones(1200) if weights is None else weights
    for k, column in enumerate(np.concatenate([targets, labels]).T):
        beta = _dense_ridge(X, column, w, alpha, True)
        np.testing.assert_allclose(ours.coef_[k], beta[1:], atol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_classes", "fit_intercept"), [(2, False), (2, True), (3, True)])
def test_sparse_rows_beyond_many_columns_need_no_matrix_to_see_a_start_inside(
    monkeypatch, n_classes, fit_intercept, weighted
):
    random = np.random.default_rng(3)
    X = sp.csr_array(sp.random_array((2500, 300), density=0.05, rng=random))
    X = X + sp.csr_array(np.eye(300)[[7]].repeat(2500, axis=0) * 30.0)  # full, far from zero
    y, alpha = random.integers(0, n_classes, 2500), 0.1 if n_classes == 2 else 3.0
    marked = np.where(np.arange(2500) < 100, y, -1)
    weights = random.uniform(0.2, 3.0, 2500) if weighted else None
    monkeypatch.setattr("tacit.solver._nearest_labels.WIDE", 200)
    with monkeypatch.context() as patch:
        patch.setattr("tacit.rows._sweep._free_bytes", lambda: 1e6)  # 300 x 300 is too much
        model = ICLSClassifier(alpha, fit_intercept=fit_intercept)
        model.fit(X, marked, sample_weight=weights)
    assert model.solution_.solver == "nearest"
    assert model.certificate_.supervised_in_set
    labels = model.soft_labels_.reshape(2400, -1)
    assert labels.min() >= 0.0
    assert labels.max() <= 1.0
    targets = np.eye(n_classes)[y[:100]] if n_classes > 2 else (y[:100, None] == 1) * 1.0
    w = np.ones(2500) if weights is None else weights
    for k, column in enumerate(np.concatenate([targets, labels]).T):
        beta = _dense_ridge(X.toarray(), column, w, alpha, fit_intercept)
        np.testing.assert_allclose(model.coef_[k], beta[1:], atol=1e-7)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_no_draw_of_wide_sparse_rows_needs_a_matrix_of_their_columns(fit_intercept: bool) -> None:
    X, y = _sparse_table(400, 100_000, 60)
    X.data **= 3  # some columns are hardly there beside others
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(400)[:40]
        model = LeastSquaresClassifier("loo", fit_intercept=fit_intercept).fit(X[rows], y[rows])
        assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("classifier", [TacitClassifier(["linear", "forest"]), ICLSClassifier()])
def test_sparse_indices_of_eight_bytes_are_as_good_as_those_of_four(classifier: Any) -> None:
    X, y = _sparse_table(60, 40, 5)
    long = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    assert long.indices.dtype == np.int64
    marked = np.where(np.arange(60) < 20, y, -1)
    if "random_state" in classifier.get_params():
        classifier.set_params(random_state=0)
    expected = classifier.fit(X, marked).decision_function(X)
    np.testing.assert_array_equal(classifier.fit(long, marked).decision_function(long), expected)


def test_labels_beyond_memory_are_refused_before_their_inner_products_are_formed() -> None:
    X = sp.csr_array((np.ones(400_000), np.arange(400_000), np.arange(400_001)))
    with pytest.raises(MemoryError, match=r"inner products of 400,000 rows take 1,280\.0 GB"):
        CentredRows(X).gram()


def _assert_is_optimal(model: Any, X: Any, y: Any, is_inside: bool, of_all: bool) -> None:
    """Dense and without the solver: where its labels lead, and what no labels could be below it by.

    The objective is convex, so that it lies above its tangent at these labels, whose minimum over
    all labels is found row by row.
    """
    n, K = len(y) - len(model.soft_labels_), len(model.classes_)
    X = X.astype(np.float64) if isinstance(X, np.ndarray) else X.toarray()
    D = np.column_stack([np.ones(len(y)), X])
    J = model.alpha_ * np.diag(np.r_[0.0, np.ones(X.shape[1])])
    S, A = D[:n].T @ D[:n] + J, D.T @ D + J
    known = np.eye(K)[y[:n]] if K > 2 else y[:n, None]
    u = model.soft_labels_.reshape(-1, known.shape[1])
    assert u.min() >= 0.0
    assert u.max() <= 1.0
    if K > 2:
        np.testing.assert_allclose(u.sum(axis=1), 1.0, atol=1e-9)

    start = np.linalg.solve(S, D[:n].T @ known)
    answer = np.linalg.solve(A, D.T @ np.concatenate([known, u]))
    own = np.vstack([model.intercept_ + 0.5, model.coef_.T])
    np.testing.assert_allclose(D @ own, D @ answer, atol=1e-8)
    M, change = A if of_all else S, answer - start
    slopes = D[n:] @ np.linalg.solve(A, M @ change)
    lowest = slopes.min(axis=1) if K > 2 else np.minimum(slopes, 0.0)
    gap = float(np.vdot(slopes, u) - lowest.sum())
    # Relative to the change if the labels were zero; the solvers' own 1e-8 is of another unit.
    most = np.linalg.solve(A, D[n:].T @ (D[n:] @ start))
    unit, distance = float(np.vdot(most, M @ most)), float(np.vdot(change, M @ change))
    assert gap <= 1e-7 * unit
    assert model.certificate_.supervised_in_set == is_inside == (distance < 1e-12 * unit)


def _assert_projections_are_optimal(X: Any, y: Any, n_labeled: int, is_inside: bool) -> None:
    marked = np.where(np.arange(len(y)) < n_labeled, y, -1)
    _assert_is_optimal(ICLSClassifier("loo").fit(X, marked), X, y, is_inside, of_all=False)
    model = ProjectedLeastSquaresClassifier(alpha="loo").fit(X, marked)
    _assert_is_optimal(model, X, y, is_inside, of_all=True)


@pytest.mark.parametrize("many_rows", [4000, 0], ids=["inner products", "matrix-free"])
@pytest.mark.parametrize(("n_labeled", "is_inside"), [(60, True), (200, False)])
def test_wide_sparse_rows_are_projected_to_the_dense_optimum(
    n_labeled: int, is_inside: bool, many_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.solver._many_columns.MANY_ROWS", many_rows)
    X, y = sparse_table(600, 1200, 30)
    _assert_projections_are_optimal(X, y, n_labeled, is_inside)


@pytest.mark.parametrize(
    ("n", "d", "n_labeled", "distance", "is_inside"),
    [
        (1000, 64, 30, 3.0, True),
        (1000, 200, 30, 6.0, True),
        (1000, 200, 100, 6.0, False),
        (300, 600, 20, 3.0, True),
        (300, 600, 40, 6.0, False),
    ],
)
def test_embeddings_in_single_precision_are_projected_to_the_dense_optimum(
    n: int, d: int, n_labeled: int, distance: float, is_inside: bool
) -> None:
    X, y = dense_table(n, d, 2, distance, bytes_each=4)
    assert X.dtype == np.float32
    _assert_projections_are_optimal(X, y, n_labeled, is_inside)


@pytest.mark.parametrize(
    ("n_classes", "n", "d", "n_labeled", "distance", "is_inside"),
    [
        (10, 600, 48, 60, 5.0, False),
        (10, 1200, 96, 60, 1.0, True),
        (10, 200, 300, 60, 5.0, False),
        (26, 900, 16, 260, 5.0, False),
        (100, 900, 20, 600, 5.0, False),
    ],
)
def test_many_classes_are_projected_to_the_dense_optimum(
    n_classes: int, n: int, d: int, n_labeled: int, distance: float, is_inside: bool
) -> None:
    X, y = dense_table(n, d, n_classes, distance, bytes_each=8)
    assert len(np.unique(y[:n_labeled])) == n_classes
    _assert_projections_are_optimal(X, y, n_labeled, is_inside)


def _one_long_column(n: int, d: int, n_labeled: int, small: float, large: float) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    y, X = random.integers(0, 2, n), np.zeros((n, d))
    for i in range(n):
        X[i, random.integers(1, d, 3)] = small * random.random(3)
        X[i, 1 + 2 * random.integers(0, 4) + y[i]] = small * random.random()
    X[:, 0] = large * (1.0 + 0.2 * random.random(n))
    return X, y, np.where(np.arange(n) < n_labeled, y, -1)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("shape", "sizes", "alpha", "fit_intercept"),
    [
        ((100, 152, 80), (0.1, 5.0), 1e-6, False),
        ((300, 1500, 80), (1.0, 100.0), 1e-3, False),
        ((300, 1500, 80), (1.0, 1e4), "loo", True),
        ((400, 3000, 40), (0.1, 1e4), 1e-4, True),
    ],
)
def test_a_long_column_leaves_the_answer_the_ridge_fit_of_its_labels(
    form, shape, sizes, alpha, fit_intercept
):
    X, y, marked = _one_long_column(*shape, *sizes)
    model = ICLSClassifier(alpha, fit_intercept=fit_intercept).fit(form(X), marked)
    assert model.solution_.status is Status.OPTIMAL
    targets = np.concatenate([y[: shape[2]], model.soft_labels_])
    ridge = Ridge(alpha=model.alpha_, fit_intercept=fit_intercept, solver="svd").fit(X, targets)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, ridge.predict(X), atol=1e-7)


def test_columns_that_rounding_loses_are_warned_of(monkeypatch):
    monkeypatch.setattr("tacit.solver._least_squares.MOST_NUMBERS", 0)
    X, _, marked = _one_long_column(300, 1500, 80, 1.0, 1e8)
    with pytest.warns(ConvergenceWarning, match=r"scale the columns or raise alpha, for rounding"):
        model = ICLSClassifier(1e-3).fit(X, marked)
    assert model.solution_.status is Status.STALLED
    assert not model.certificate_.supervised_in_set


@pytest.mark.parametrize("alpha", [1e-7, 1e-8, 1e-10])
def test_rows_that_are_nearly_equal_with_other_labels_are_fitted_as_by_singular_values(alpha):
    random = np.random.default_rng(0)
    X = random.normal(size=(3, 9))[[0, 1, 2, 0, 1]] + 1e-7 * random.normal(size=(5, 9))
    y = np.array([0, 1, 0, 1, 0])
    model = LeastSquaresClassifier(alpha, fit_intercept=False).fit(X, y)
    ridge = Ridge(alpha=alpha, fit_intercept=False, solver="svd").fit(X, y)
    np.testing.assert_allclose(model.coef_[0], ridge.coef_, atol=1e-6 * np.abs(ridge.coef_).max())
