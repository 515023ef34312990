"""What the matrix-free projection is made of, beside the matrices that it does without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import lsq_linear

from tacit.rows import CentredRows
from tacit.solver import Status
from tacit.solver import _matrix_free as module
from tacit.solver._least_squares import fit_supervised
from tacit.solver._matrix_free import (
    MatrixFree,
    NearInverse,
    Unexplained,
    conjugate_gradients,
)

ALPHA, L, U, D = 0.1, 15, 30, 60
metrics = pytest.mark.parametrize("of_all", [False, True])
intercepts = pytest.mark.parametrize("fit_intercept", [True, False])


def rows() -> tuple[Any, Any, Any, Any]:
    """Sparse rows, labels of the first, and weights, of which one is zero."""
    random = np.random.default_rng(0)
    X = np.where(random.random((L + U, D)) < 0.2, random.random((L + U, D)), 0.0)
    X[:, 4] = 30.0 + np.arange(L + U) % 4
    y = (np.arange(L) % 2).astype(float)
    X[:L, 0] = y
    X[L:, 0] = random.integers(0, 2, U) * 1.3
    w = random.uniform(0.3, 2.0, L + U)
    w[-1] = 0.0
    return sparse.csr_array(X), X, y, w


def operator(fit_intercept: bool) -> tuple[Unexplained, Any]:
    """What multiplies T, and the matrix itself."""
    X, dense, _, w = rows()
    known, others = (CentredRows(X[p], w[p], fit_intercept) for p in (slice(L), slice(L, None)))
    T = Unexplained.of(known, others, ALPHA, fit_intercept)
    design = np.sqrt(w)[:, None] * np.column_stack([np.full(L + U, fit_intercept), dense])
    penalty = ALPHA * np.diag(np.r_[0.0 if fit_intercept else 1.0, np.ones(D)])
    return T, ALPHA * design[L:] @ np.linalg.solve(
        design[:L].T @ design[:L] + penalty, design[L:].T
    )


def solver_of(fit_intercept: bool, of_all: bool) -> tuple[MatrixFree, Any, Any, Any]:
    """The method, T, Q, and the start."""
    X, _, y, w = rows()
    start, _ = fit_supervised(X[:L], y, w[:L], ALPHA, fit_intercept)
    T, matrix = operator(fit_intercept)
    inverse = np.linalg.inv(matrix + ALPHA * np.eye(U))
    Q = matrix @ inverse if of_all else ALPHA * inverse @ matrix @ inverse
    return MatrixFree(T, start.values(X[L:]), of_all), matrix, 0.5 * (Q + Q.T), start


def best_labels(solver: MatrixFree, Q: Any) -> tuple[Any, float]:
    """Changes of labels with the lowest objective, by another method."""
    eigenvalues, vectors = np.linalg.eigh(Q)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    counted = solver.T.roots > 0.0
    bounds = solver.lower[counted], solver.upper[counted]
    found = lsq_linear(root.T[:, counted], np.zeros(U), bounds, method="bvls", tol=1e-15)
    d = np.zeros(U)
    d[counted] = found.x
    return d, 0.5 * float(d @ Q @ d)


@intercepts
def test_products_are_those_of_the_matrix(fit_intercept: bool) -> None:
    T, matrix = operator(fit_intercept)
    Y = np.random.default_rng(1).normal(size=(3, U))
    for y in Y:
        np.testing.assert_allclose(T.times(y), matrix @ y, atol=1e-9)
    some = np.array([2, 7, 20])
    np.testing.assert_allclose(
        T.among(some).times(Y[0, :3]), matrix[np.ix_(some, some)] @ Y[0, :3], atol=1e-9
    )


@intercepts
@pytest.mark.parametrize("m", [5, 60])
def test_the_preconditioner_has_the_columns_with_the_largest_squares(
    fit_intercept: bool, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_COLUMNS", m)
    T, _ = operator(fit_intercept)
    near = NearInverse(T)
    moved = T.X.toarray()
    squares = (moved**2).sum(axis=0)
    # One for four rows at the most.
    assert len(near.columns) == min(m, U // 4)
    assert squares[near.columns].min() >= np.delete(squares, near.columns).max()
    rest = (np.delete(moved, near.columns, axis=1) ** 2).sum(axis=1)
    least = 1e-3 * (moved**2).sum(axis=1).mean()
    np.testing.assert_allclose(near.rest, np.maximum(rest, least))
    # Of the columns that it has it is the inverse, with the rest on the diagonal.
    w = T.roots**2
    kept = np.zeros(D, dtype=bool)
    kept[near.columns] = True
    known = T.known.dense() if not fit_intercept else T.known.X.toarray()
    own = known + np.outer(T.known.roots, T.shift - T.known.offset) if fit_intercept else known
    design = np.column_stack([T.known.roots * fit_intercept, np.where(kept, own, 0.0)])
    Z = np.column_stack([T.roots * fit_intercept, np.where(kept, moved, 0.0)])
    penalty = ALPHA * np.diag(np.r_[0.0 if fit_intercept else 1.0, np.ones(D)])
    part = ALPHA * Z @ np.linalg.solve(design.T @ design + penalty, Z.T)
    y = np.random.default_rng(1).normal(size=U)
    for index, extra in (
        (None, 0.0),
        (None, 0.7),
        (np.array([1, 5, 9]), np.array([0.1, 0.2, 0.3])),
    ):
        i = np.arange(U) if index is None else index
        whole = part[np.ix_(i, i)] + np.diag(near.rest[i] + extra)
        np.testing.assert_allclose(near.of(index, extra)(whole @ y[i]), y[i], atol=1e-8)
    assert w.min() == 0.0


@intercepts
def test_with_all_columns_it_is_nearly_the_inverse(fit_intercept: bool) -> None:
    T, matrix = operator(fit_intercept)
    near, y = NearInverse(T), np.random.default_rng(1).normal(size=U)
    steps = []

    def count(left: Any, size: float) -> bool:
        steps.append(size)
        return bool(np.linalg.norm(left) <= 1e-9)

    shifted = matrix + np.eye(U)
    found = conjugate_gradients(lambda x: shifted @ x, shifted @ y, near.of(extra=1.0), count)
    np.testing.assert_allclose(found, y, atol=1e-8)
    assert len(steps) <= 30
    steps.clear()
    again = conjugate_gradients(lambda x: shifted @ x, shifted @ y, near.of(extra=1.0), count, y)
    np.testing.assert_allclose(again, y, atol=1e-12)
    assert len(steps) == 1


@intercepts
@metrics
def test_changes_of_labels_have_the_objective_and_the_coefficients_of_ridge_regression(
    fit_intercept: bool, of_all: bool
) -> None:
    solver, matrix, Q, start = solver_of(fit_intercept, of_all)
    X, dense, y, w = rows()
    labels = np.random.default_rng(1).uniform(size=U)
    labels[-1] = start.values(X[L:])[-1]  # of no weight
    d = solver.T.roots * (labels - solver.values)
    np.testing.assert_allclose(solver.lower, -solver.T.roots * solver.values)
    np.testing.assert_allclose(solver.upper - solver.lower, solver.T.roots)
    h = np.linalg.solve(matrix + ALPHA * np.eye(U), d)
    half = 0.5 * float(d @ Q @ d)
    assert solver.objective(d, h) == pytest.approx(half, rel=1e-8)
    z = solver.residual(h)
    assert 0.5 * float(z @ z) == pytest.approx(half, rel=1e-8)
    all_of_it = float(d @ matrix @ np.linalg.solve(matrix + ALPHA * np.eye(U), d))
    assert solver.squared_change(h) == pytest.approx(all_of_it, rel=1e-8)
    change = solver.coefficients(h)
    roots = np.sqrt(w)
    design = roots[:, None] * np.column_stack([np.full(L + U, fit_intercept), dense])
    penalty = ALPHA * np.diag(np.r_[0.0 if fit_intercept else 1.0, np.ones(D)])
    beta = np.linalg.solve(
        design.T @ design + penalty, design.T @ (roots * np.concatenate([y, labels]))
    )
    np.testing.assert_allclose(start.coef + change.coef, beta[1:], atol=1e-8)
    if fit_intercept:
        assert start.intercept + change.intercept == pytest.approx(beta[0], abs=1e-6)


@intercepts
@metrics
def test_slopes_of_the_rows_held_are_solved_for(fit_intercept: bool, of_all: bool) -> None:
    solver, matrix, Q, _ = solver_of(fit_intercept, of_all)
    counted = np.arange(U - 1)
    inverse = np.linalg.inv(matrix[:-1, :-1])
    whole = np.eye(U - 1) + ALPHA * inverse
    if not of_all:
        whole = matrix[:-1, :-1] / ALPHA + 2.0 * np.eye(U - 1) + ALPHA * inverse
    np.testing.assert_allclose(whole @ Q[:-1, :-1], np.eye(U - 1), atol=1e-6)
    index = counted[::5]
    missing = np.random.default_rng(1).normal(size=len(index))
    found = solver._correction(index, missing)
    left = whole[np.ix_(index, index)] @ found - missing
    assert np.linalg.norm(left) <= 1e-2 * np.linalg.norm(missing)
    s = np.zeros(U)
    s[index] = found
    for accuracy in (1e-2, 1e-8):
        d, h = solver._changes(s, np.zeros(U), accuracy)
        error = np.linalg.norm(d[:-1] - whole @ s[:-1])
        assert error <= 3.0 * accuracy * np.linalg.norm(d)
    np.testing.assert_allclose(matrix @ h, s, atol=1e-6)


@intercepts
@metrics
def test_the_unit_is_the_objective_of_random_labels(fit_intercept: bool, of_all: bool) -> None:
    solver, _, Q, _ = solver_of(fit_intercept, of_all)
    random = np.random.default_rng(0).integers(0, 2, U)
    d = solver.T.roots * (random - solver.values)
    assert solver.unit() == pytest.approx(0.5 * float(d @ Q @ d), rel=1e-2)


@intercepts
@metrics
def test_labels_are_the_best_and_their_gap_shows_it(fit_intercept: bool, of_all: bool) -> None:
    solver, matrix, Q, _ = solver_of(fit_intercept, of_all)
    told: list[str] = []
    solution, y = solver.solve(1e-8, 100, told.append)
    d, best = best_labels(solver, Q)
    assert best > 0.0
    assert solution.status is Status.OPTIMAL
    assert solution.is_optimal(1e-8)
    assert solution.objective == pytest.approx(best, rel=1e-7)
    labels = solution.labels()
    assert 0.0 == labels.min() < labels.max() == 1.0
    moved = solver.T.roots * (labels - solver.values)
    np.testing.assert_allclose(moved, d, atol=1e-5)
    np.testing.assert_allclose(matrix @ y + ALPHA * y, moved, atol=1e-8)
    np.testing.assert_allclose(solution.residual, solver.residual(y))
    assert solution.dual is solution.residual
    assert solution.stationarity <= 1e-6
    assert solution.n_iter == len(told) <= 8
    assert solution.n_sweeps <= 2 * solver.n_products <= 1500
    n_held = int(((labels == 0.0) | (labels == 1.0)).sum())
    assert told[-1] == f"round {len(told)}: {n_held} labels at a bound, 0 changed"


@intercepts
@metrics
def test_the_gap_of_any_slopes_bounds_what_is_left(fit_intercept: bool, of_all: bool) -> None:
    solver, matrix, Q, _ = solver_of(fit_intercept, of_all)
    d, best = best_labels(solver, Q)
    h = np.linalg.lstsq(matrix, Q @ d)[0]
    side = np.where(d <= solver.lower + 1e-9, -1, np.where(d >= solver.upper - 1e-9, 1, 0))
    side[-1] = 0
    random = np.random.default_rng(1)
    unit = solver.unit()
    for off in (0.0, 1e-4, 1e-2):
        near = h + off * np.abs(h).mean() * random.normal(size=U)
        solution, y = solver._judge(near, side, unit, 3)
        labels = solution.labels()
        moved = solver.T.roots * (labels - solver.values)
        left = 0.5 * float(moved @ Q @ moved) - best
        assert left - 1e-9 <= solution.gap()
        assert solution.gap() <= (1e-7 if off == 0.0 else 1e3 * off)
        assert 0.0 <= labels.min() <= labels.max() <= 1.0
        np.testing.assert_array_equal(labels[side != 0], side[side != 0] > 0)
        slopes = matrix @ near
        weights = solver.T.roots
        own = float(labels @ np.maximum(weights * slopes, 0.0))
        own += float((1.0 - labels) @ np.maximum(-weights * slopes, 0.0))
        change = near * ALPHA + (slopes if of_all else slopes * 2.0 + matrix @ slopes / ALPHA)
        own += (0.5 if of_all else 0.125) * float(((moved - change) ** 2).sum())
        assert solution.gap() == pytest.approx(own, rel=1e-6, abs=1e-9)
        assert solution.objective == pytest.approx(0.5 * float(slopes @ change), rel=1e-6)
        assert (solution.n_iter, solution.scale) == (3, unit)
        # (T + alpha I)^-1 of the changes that these slopes have.
        np.testing.assert_allclose(matrix @ y + ALPHA * y, change, atol=1e-6)
        up = np.maximum(weights * slopes, 0.0) / unit
        down = np.maximum(-weights * slopes, 0.0) / unit
        off_by = np.maximum(np.minimum(labels, up), np.minimum(1.0 - labels, down)).max()
        assert solution.stationarity == pytest.approx(off_by, abs=1e-9)


@metrics
def test_values_that_are_labels_are_inside(of_all: bool) -> None:
    T, _ = operator(True)
    solver = MatrixFree(T, np.linspace(0.1, 0.9, U), of_all)
    solution, y = solver.solve(1e-8, 100, lambda text: None)
    assert solution.status is Status.INSIDE
    np.testing.assert_allclose(solution.labels(), solver.values, atol=1e-9)
    np.testing.assert_allclose(y, 0.0, atol=1e-9)


def test_rows_that_are_combinations_of_others_are_refused() -> None:
    X, _, _, w = rows()
    for n_columns, is_refused in ((U - 2, True), (U - 1, False), (U, False)):
        few = X[:, :n_columns]
        known, others = (CentredRows(few[p], w[p], True) for p in (slice(L), slice(L, None)))
        T = Unexplained.of(known, others, ALPHA, True)
        seen = len(np.unique(T.X.indices))
        if seen + 1 < U:
            assert is_refused
            with pytest.raises(np.linalg.LinAlgError, match="combinations of others"):
                MatrixFree(T, np.zeros(U), False)
        else:
            MatrixFree(T, np.zeros(U), False)


def test_labeled_rows_that_the_penalty_does_not_tell_apart_are_refused() -> None:
    X, _, _, w = rows()
    twice = sparse.csr_array(sparse.vstack([X[:L], X[:1]]))
    known, others = CentredRows(twice, None, True), CentredRows(X[L:], w[L:], True)
    largest = float(known.gram().diagonal().max())
    Unexplained.of(known, others, 1e-6 * largest, True)
    with pytest.raises(np.linalg.LinAlgError):
        Unexplained.of(known, others, 1e-9 * largest, True)


def test_random_labels_that_are_as_good_as_any_are_refused() -> None:
    X, _, _, _ = rows()
    known = CentredRows(X[:L], None, True)
    T = Unexplained.of(known, CentredRows(X[L:], np.zeros(U) + 0.0, False), ALPHA, True)
    with pytest.raises(np.linalg.LinAlgError, match="as good as any"):
        MatrixFree(T, np.zeros(U), False).solve(1e-8, 100, lambda text: None)
