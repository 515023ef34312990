"""The active-set method on the simplex beside the interior-point method."""

from __future__ import annotations

import numpy as np
import pytest

from tacit._typing import Matrix
from tacit.solver import SimplexProblem, Status, solve_simplex_interior_point
from tacit.solver.kernel import solve_simplex_active_set


def problem(
    seed: int, n: int = 40, rank: int = 43, spread: float = 0.3, n_classes: int = 3
) -> tuple[SimplexProblem, Matrix]:
    random = np.random.default_rng(seed)
    V = random.normal(size=(n, rank)) / np.arange(1, rank + 1) ** 0.5
    values = 1.0 / n_classes + spread * random.normal(size=(n, n_classes))
    values += (1.0 - values.sum(axis=1, keepdims=True)) / n_classes
    return SimplexProblem(V, V.T @ values), values


# Few labels at zero, many of them, and equations without a unique answer.
@pytest.mark.parametrize(("rank", "spread"), [(43, 0.2), (43, 0.8), (30, 0.2)])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_it_finds_what_the_interior_point_method_finds(
    rank: int, spread: float, n_classes: int
) -> None:
    found = 0
    for seed in range(8):
        simplex, values = problem(seed, rank=rank, spread=spread, n_classes=n_classes)
        ours = solve_simplex_active_set(simplex, values)
        if ours is None:
            continue
        found += 1
        theirs = solve_simplex_interior_point(simplex, tol=1e-12)
        assert ours.status in (Status.OPTIMAL, Status.INSIDE)
        assert ours.is_optimal(1e-8)
        assert ours.labels().min() >= 0.0
        np.testing.assert_allclose(ours.labels().sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(ours.residual, theirs.residual, atol=1e-6)
    assert found >= 4


def test_labels_of_another_solver_are_a_start() -> None:
    simplex, values = problem(3)
    first = solve_simplex_interior_point(simplex)
    again = solve_simplex_active_set(simplex, values, start=first.labels())
    assert again is not None
    assert again.n_iter <= 2
    np.testing.assert_allclose(again.labels(), first.labels(), atol=1e-6)


def test_values_on_the_simplex_are_the_answer() -> None:
    simplex, values = problem(0, spread=0.02)
    solution = solve_simplex_active_set(simplex, values)
    assert solution is not None
    assert solution.status is Status.INSIDE
    np.testing.assert_array_equal(solution.labels(), values)


def test_it_says_none_rather_than_something_wrong() -> None:
    simplex, values = problem(1)
    settled = solve_simplex_active_set(simplex, values)
    assert settled is not None
    assert settled.n_iter > 1
    assert solve_simplex_active_set(simplex, values, max_iter=1) is None
