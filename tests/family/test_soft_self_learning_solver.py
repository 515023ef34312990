"""Soft-label self-learning: the semismooth Newton method and its duality gap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from tacit.family._soft_self_learning import (
    SoftSelfLearningResult,
    curvature,
    solve_soft_self_learning,
)
from tacit.rows import Moments, NumpyRows
from tacit.solver import Basis, ConstraintSet, LabeledRows, Status
from tacit.solver._label_sets import Interval, NearestLabels, Simplex
from tacit.solver._least_squares import fit_least_squares
from tests.estimators.tables import partly_labeled
from tests.problems import KINDS, table


def solved(
    X: Any, Y: Any, X_u: Any, alpha: float = 0.0, block_rows: int | None = None, **options: Any
) -> SoftSelfLearningResult:
    moments = Moments.of(NumpyRows(X))
    basis = Basis.of(moments, alpha)
    start = fit_least_squares(basis, X, Y, None)
    rows = NumpyRows(X_u)
    if block_rows is not None:
        rows.block_rows = block_rows
    constraints = ConstraintSet.of(LabeledRows(X, Y, None), moments, rows, alpha)
    return solve_soft_self_learning(constraints, start, basis.rank, **options)


def objective(X: Any, Y: Any, X_u: Any, alpha: float, coef: Any, intercept: Any) -> float:
    values = X_u @ coef + intercept
    labels: Any = Interval() if values.ndim == 1 else Simplex(values.shape[1])
    distance = values - labels.project(values)
    loss = ((X @ coef + intercept - Y) ** 2).sum() + (distance**2).sum()
    return 0.5 * float(loss + alpha * (coef**2).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_it_is_optimal_on_every_kind_of_table(kind: str, alpha: float) -> None:
    for seed in range(4):
        data = table(kind, seed)
        result = solved(data.X, data.y, data.X_u, alpha)
        assert result.status in (Status.OPTIMAL, Status.INSIDE)
        assert result.is_optimal(1e-8)
        answer = result.coefficients
        value = objective(data.X, data.y, data.X_u, alpha, answer.coef, answer.intercept)
        assert result.objective == pytest.approx(value, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_general_optimiser_finds_no_smaller_objective(n_classes: int, alpha: float) -> None:
    for seed in range(3):
        data = partly_labeled(12, 60, 3, n_classes, seed, noise=0.7)
        X, y = data.labeled
        Y = y.astype(float) if n_classes == 2 else (y[:, None] == np.arange(n_classes)) * 1.0
        result = solved(X, Y, data.pool, alpha)
        shape = (4,) if n_classes == 2 else (4, n_classes)

        def loss(
            flat: Any, shape: Any = shape, X: Any = X, Y: Any = Y, pool: Any = data.pool
        ) -> float:
            beta = flat.reshape(shape)
            return objective(X, Y, pool, alpha, beta[1:], beta[0])

        best = minimize(loss, np.zeros(int(np.prod(shape))), options={"gtol": 1e-8})
        assert result.objective <= best.fun + 1e-12
        assert result.objective >= best.fun - 1e-6
        beta = np.concatenate(
            [np.asarray(result.coefficients.intercept)[None], result.coefficients.coef]
        )
        np.testing.assert_allclose(beta, best.x.reshape(shape), atol=1e-3)


def test_the_gap_bounds_the_distance_to_the_minimum_when_stopped_early() -> None:
    early = 0
    for seed in range(6):
        data = partly_labeled(8, 80, 5, seed=seed, noise=0.5)
        X, y = data.labeled
        exact = solved(X, y.astype(float), data.pool)
        for n in (1, 2, 3):
            rough = solved(X, y.astype(float), data.pool, max_iter=n)
            assert rough.objective - exact.objective <= rough.gap() + 1e-12
            if not rough.status.is_success:
                assert rough.status is Status.MAX_ITERATIONS
                assert rough.n_iter == n
                early += 1
    assert early >= 6


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_answer_does_not_depend_on_the_blocks(n_classes: int) -> None:
    data = partly_labeled(4, 90, 6, n_classes, seed=2)
    X, y = data.labeled
    Y = y.astype(float) if n_classes == 2 else (y[:, None] == np.arange(n_classes)) * 1.0
    whole = solved(X, Y, data.pool)
    for n in (1, 7, 64):
        parts = solved(X, Y, data.pool, block_rows=n)
        np.testing.assert_allclose(parts.coefficients.coef, whole.coefficients.coef, atol=1e-8)


def test_with_few_labels_the_minimiser_nearest_to_the_supervised_solution_is_taken() -> None:
    moved = 0
    for seed in range(12):
        data = table("fewer labels than columns", seed)
        moments = Moments.of(NumpyRows(data.X))
        start = fit_least_squares(Basis.of(moments), data.X, data.y, None)
        result = solved(data.X, data.y, data.X_u)
        assert result.is_optimal(1e-8)
        rows = np.vstack([data.X, data.X_u])
        before, after = start.values(rows), result.coefficients.values(rows)
        labels = np.concatenate([data.y, np.clip(after[len(data.y) :], 0.0, 1.0)])
        # Any other minimiser gives labeled rows and rows outside the same values, and leaves the
        # others inside. Moving towards the start in such directions must not be possible.
        fixed = np.abs(after - labels) > 1e-9
        fixed[: len(data.y)] = True
        at_bound = np.abs(after - labels) <= 1e-9
        at_bound &= (np.abs(after) < 1e-7) | (np.abs(after - 1.0) < 1e-7)
        Z = np.column_stack([np.ones(len(rows)), rows])
        held = Z[fixed | at_bound]
        _, singular, right = np.linalg.svd(held, full_matrices=True)
        rank = int((singular > 1e-9 * singular.max()).sum())
        free = Z @ right[rank:].T
        if free.shape[1]:
            assert np.abs(free.T @ (before - after)).max() < 1e-5
            moved += int(np.abs(before - after).max() > 1e-3)
    assert moved >= 1


def test_values_that_are_labels_leave_the_supervised_solution_as_it_is() -> None:
    data = table("supervised solution inside", 0)
    result = solved(data.X, data.y, data.X_u)
    start = fit_least_squares(Basis.of(Moments.of(NumpyRows(data.X))), data.X, data.y, None)
    assert result.status is Status.INSIDE
    assert result.n_iter == 0
    np.testing.assert_array_equal(result.coefficients.coef, start.coef)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_projection_onto_the_simplex_is_the_nearest_point(n_classes: int) -> None:
    random = np.random.default_rng(0)
    values = random.normal(0.3, 1.0, size=(50, n_classes))
    labels = Simplex(n_classes)
    nearest = labels.project(values)
    np.testing.assert_allclose(nearest.sum(axis=1), 1.0)
    assert (nearest >= 0.0).all()
    for corner in np.eye(n_classes):
        # The angle to every corner is obtuse, which is what nearest means.
        assert (((values - nearest) * (corner - nearest)).sum(axis=1) <= 1e-12).all()
    np.testing.assert_allclose(labels.project(nearest), nearest, atol=1e-15)


def test_the_curvature_is_the_derivative_of_the_residual() -> None:
    labels = Simplex(4)
    values = np.random.default_rng(1).normal(0.3, 0.5, size=(20, 4))
    kept = (labels.project(values) > 0.0).astype(float)
    assert len(np.unique(kept, axis=0)) > 3
    found = np.array([[curvature(kept, k, j) for j in range(4)] for k in range(4)])
    small = 1e-6
    for value, own in zip(values, found.T, strict=True):
        around = value + small * np.eye(4)
        change = around - labels.project(around) - (value - labels.project(value[None])[0])
        np.testing.assert_allclose(change / small, own, atol=1e-6)


def test_nearest_labels_of_one_column_are_clipped_values() -> None:
    data = partly_labeled()
    X, y = data.labeled
    coefficients = fit_least_squares(
        Basis.of(Moments.of(NumpyRows(X))), X, y.astype(np.float64), None
    )
    values = coefficients.values(data.pool)
    labels = NearestLabels(coefficients)(data.pool)
    np.testing.assert_array_equal(labels, np.clip(values, 0.0, 1.0))
    assert (labels != values).any()
