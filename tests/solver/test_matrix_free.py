"""Sparse tables with too many rows and columns for a matrix, beside the routes that have one."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import CentredRows, as_rows
from tacit.solver import LabeledRows, Status, _many_columns
from tacit.solver import _matrix_free as _matrix_free_module
from tacit.solver._least_squares import RowsRidge, fit_supervised
from tacit.solver._many_columns import project_in_span, project_matrix_free
from tacit.solver._matrix_free import (
    NAME,
    MatrixFree,
    NearInverse,
    Unexplained,
    conjugate_gradients,
)
from tacit.solver._method import Method


def _table(n: int, d: int, n_entries: int = 20, seed: int = 0) -> tuple[Any, Any]:
    """Frequent and rare columns, some of them with the class."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    columns = (d * random.random((n, n_entries)) ** 2).astype(np.int64)
    columns[:, :4] = 2 * random.integers(0, 10, (n, 4)) + y[:, None]
    rows = np.repeat(np.arange(n), n_entries)
    X = sp.csr_array((random.random(n * n_entries), (rows, columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, y


def _matrix_free(monkeypatch: Any, is_used: bool) -> None:
    monkeypatch.setattr(_many_columns, "MANY_ROWS", 0 if is_used else 10**9)


def _operator(X: Any, n_labeled: int, alpha: float, fit_intercept: bool, weights: Any) -> Any:
    parts = [slice(None, n_labeled), slice(n_labeled, None)]
    known, rows = (CentredRows(X[part], weights[part], fit_intercept) for part in parts)
    return Unexplained.of(known, rows, alpha, fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_products_are_those_of_the_schur_complement(fit_intercept):
    X, _ = _table(60, 90, 8)
    X = X.toarray()
    X[:, 7] = 40.0 + np.arange(60) % 3  # a full column far from zero
    weights, alpha = np.linspace(0.3, 2.0, 60), 0.2
    T = _operator(sp.csr_array(X), 20, alpha, fit_intercept, weights)
    design = np.column_stack([np.ones(60), X]) if fit_intercept else X
    design *= np.sqrt(weights)[:, None]
    penalty = alpha * np.eye(design.shape[1])
    if fit_intercept:
        penalty[0, 0] = 0.0
    known, rows = design[:20], design[20:]
    expected = alpha * rows @ np.linalg.solve(known.T @ known + penalty, rows.T)
    np.testing.assert_allclose(
        np.column_stack([T.times(column) for column in np.eye(40)]), expected, atol=1e-9
    )
    some = np.array([3, 8, 30])
    np.testing.assert_allclose(
        T.among(some).times(np.ones(3)), expected[np.ix_(some, some)].sum(axis=1), atol=1e-9
    )


def test_the_preconditioner_is_the_inverse_where_it_has_all_columns():
    X, _ = _table(400, 60, 8)
    T = _operator(X, 50, 0.3, True, np.ones(400))
    near = NearInverse(T)
    assert len(near.columns) == 60
    y = np.random.default_rng(0).normal(size=350)
    right = T.times(y) + (near.rest + 0.5) * y
    np.testing.assert_allclose(near.of(extra=0.5)(right), y, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-4, 0.05, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("metric", ["labeled", "all"])
def test_products_alone_give_what_the_inner_products_give(
    monkeypatch, metric, fit_intercept, weighted, alpha
):
    X, y = _table(260, 700)
    y[90:] = -1
    rows = np.arange(260)
    rows[[120, 121, 122]] = 200, 201, 3  # some rows twice, one of them labeled
    X = X[rows]
    weights = np.random.default_rng(1).uniform(0.2, 3.0, 260) if weighted else None
    if weighted:
        weights[150] = 0.0
    model = ProjectedLeastSquaresClassifier(metric, alpha=alpha, fit_intercept=fit_intercept)
    _matrix_free(monkeypatch, True)
    model.fit(X, y, sample_weight=weights)
    ours, certificate, coef = model.solution_, model.certificate_, model.coef_
    assert ours.solver == NAME
    assert ours.status is Status.OPTIMAL
    assert ours.relative_gap() <= 1e-8
    assert 0.5 * np.vdot(ours.residual, ours.residual) == pytest.approx(ours.objective)
    _matrix_free(monkeypatch, False)
    model.fit(X, y, sample_weight=weights)
    theirs = model.solution_
    assert theirs.solver != NAME
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-7)
    assert 0.0 < ours.scale < 1.5 * theirs.scale
    np.testing.assert_allclose(coef, model.coef_, atol=2e-6)
    assert certificate.worst_change == pytest.approx(model.certificate_.worst_change, abs=1e-6)
    improvement = certificate.penalised_improvement
    if metric == "all":
        assert improvement == pytest.approx(model.certificate_.penalised_improvement, rel=1e-6)
        assert improvement > 0.0


@pytest.mark.parametrize("alpha", [0.01, 0.5])
def test_the_answer_is_that_of_a_bounded_least_squares_solver(monkeypatch, alpha):
    X, y = _table(150, 400)
    y[50:] = -1
    _matrix_free(monkeypatch, True)
    model = ICLSClassifier(alpha).fit(X, y)
    assert model.solution_.solver == NAME
    design, penalty = np.column_stack([np.ones(150), X.toarray()]), alpha * np.eye(401)
    penalty[0, 0] = 0.0
    S, A = design[:50].T @ design[:50] + penalty, design.T @ design + penalty
    start = np.concatenate([model.supervised_intercept_ + 0.5, model.supervised_coef_[0]])
    V = np.linalg.cholesky(S).T @ np.linalg.solve(A, design[50:].T)
    found = lsq_linear(V, V @ (design[50:] @ start), (0.0, 1.0), method="bvls", tol=1e-14)
    assert model.solution_.objective == pytest.approx(found.cost, rel=1e-7)
    assert model.soft_labels_.min() >= 0.0
    assert model.soft_labels_.max() <= 1.0
    np.testing.assert_allclose(model.soft_labels_, found.x, atol=1e-4)
    beta = np.linalg.solve(A, design.T @ np.concatenate([y[:50] == 1, model.soft_labels_]))
    np.testing.assert_allclose(model.coef_[0], beta[1:], atol=1e-9)
    assert model.intercept_[0] == pytest.approx(beta[0] - 0.5)


@pytest.mark.parametrize("tol", [1e-2, 1e-5])
def test_the_gap_bounds_what_is_left_at_any_tolerance(monkeypatch, tol):
    X, y = _table(200, 500)
    y[60:] = -1
    _matrix_free(monkeypatch, True)
    exact = ICLSClassifier(0.02).fit(X, y).solution_
    loose = ICLSClassifier(0.02, tol=tol).fit(X, y).solution_
    assert loose.relative_gap() <= tol
    assert 0.0 <= loose.objective - exact.objective + exact.gap() <= loose.gap() + 2 * exact.gap()


def test_unlabeled_rows_beyond_the_columns_are_refused_or_right():
    X, y = _table(300, 80)
    targets = (y[:70] == 1) * 1.0
    start, _ = fit_supervised(X[:70], targets, None, 0.1, True)
    labeled, rows = LabeledRows(X[:70], targets, None), as_rows(X[70:])
    settings = labeled, rows, start, 0.1, True, "labeled", Method()
    theirs = project_in_span(*settings)
    try:
        ours = project_matrix_free(*settings)
    except np.linalg.LinAlgError:
        return
    assert ours.solution.objective == pytest.approx(theirs.solution.objective, rel=1e-6)


def test_labeled_rows_that_a_penalty_does_not_tell_apart_are_left_to_other_ways(monkeypatch):
    X, y = _table(200, 500)
    X = sp.csr_array(sp.vstack([X[:1], X]))
    y = np.concatenate([y[:1], y])
    y[60:] = -1
    _matrix_free(monkeypatch, True)
    model = ICLSClassifier(1e-9).fit(X, y)
    assert model.solution_.solver != NAME
    assert model.solution_.status.is_success


def test_rows_by_the_thousand_take_no_square_matrix():
    X, y = _table(4500, 20_000, 40)
    y[400:] = -1
    tracemalloc.start()
    model = ICLSClassifier(1e-3).fit(X, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert model.solution_.solver == NAME
    assert model.solution_.is_optimal(1e-8)
    assert most < 4500**2 * 8 / 2


def test_more_classes_are_refused_where_memory_has_no_room(monkeypatch):
    X, y = _table(260, 700)
    y[:90:3] = 2
    y[90:] = -1
    _matrix_free(monkeypatch, True)
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 1e6)
    with pytest.raises(MemoryError, match=r"The inner products of 260 rows take .* GB.*use fewer"):
        ICLSClassifier(1e-3).fit(X, y)


def test_the_objective_of_random_labels_is_near_its_mean():
    X, y = _table(260, 700)
    targets = (y[:90] == 1) * 1.0
    start, _ = fit_supervised(X[:90], targets, None, 0.05, True)
    values, weights = start.values(X[90:]), np.ones(260)
    unit = MatrixFree(_operator(X, 90, 0.05, True, weights), values, False).unit()
    rows = CentredRows(X, weights, True)
    Q = RowsRidge(rows.gram(), rows.roots, 0.05, True, rows).metric(90, of_all=False)
    mean = 0.5 * (0.5 - values) @ Q @ (0.5 - values) + 0.125 * np.trace(Q)
    assert unit == pytest.approx(mean, rel=0.3)


@pytest.mark.parametrize("n_unlabeled", [1, 2])
def test_unlabeled_rows_that_are_their_own_mean_are_no_division_by_zero(monkeypatch, n_unlabeled):
    X, y = _table(260, 700)
    values = LeastSquaresClassifier(0.05).fit(X[:200], y[:200]).decision_function(X[200:])
    rows = np.append(np.arange(200), np.full(n_unlabeled, 200 + values.argmin()))
    marked = np.append(y[:200], np.full(n_unlabeled, -1))
    _matrix_free(monkeypatch, True)
    model = ICLSClassifier(0.05).fit(X[rows], marked)
    assert model.solution_.status is Status.OPTIMAL
    assert model.soft_labels_.tolist() == [0.0] * n_unlabeled


@pytest.mark.parametrize(("tol", "max_iter"), [(1e-8, 1), (1e-8, 3), (1e-15, 1000)])
def test_rounds_at_the_most_and_rounding_end_a_fit(monkeypatch, tol, max_iter):
    X, y = _table(260, 700)
    y[90:] = -1
    _matrix_free(monkeypatch, True)
    exact = ICLSClassifier(0.05).fit(X, y).solution_
    with pytest.warns(ConvergenceWarning, match="raise tol" if tol < 1e-8 else "raise max_iter"):
        solution = ICLSClassifier(0.05, tol=tol, max_iter=max_iter).fit(X, y).solution_
    assert solution.solver == NAME
    assert solution.n_iter <= max_iter
    assert solution.status is (Status.STALLED if tol < 1e-8 else Status.MAX_ITERATIONS)
    assert 0.0 <= solution.objective - exact.objective + exact.gap() <= solution.gap() + exact.gap()


def test_conjugate_gradients_that_get_nowhere_are_an_error(monkeypatch):
    def same(x: Any) -> Any:
        return x

    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        conjugate_gradients(lambda x: -x, np.ones(3), same, lambda left, size: False)
    monkeypatch.setattr(_matrix_free_module, "MOST_STEPS", 2)
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        conjugate_gradients(lambda x: np.arange(1, 6) * x, np.ones(5), same, lambda *_: False)


def test_more_products_than_a_matrix_would_be_worth_are_an_error(monkeypatch):
    X, _ = _table(60, 90, 8)
    solver = MatrixFree(_operator(X, 20, 0.2, True, np.ones(60)), np.full(40, 0.5), of_all=True)
    monkeypatch.setattr(_matrix_free_module, "MOST_PRODUCTS", solver.n_products)
    with pytest.raises(np.linalg.LinAlgError, match="more products"):
        solver.times(np.ones(40))
