"""The active-set method beside the interior-point method."""

from __future__ import annotations

import numpy as np

from tacit.solver import BoxProblem, Status, solve
from tacit.solver.kernel import solve_active_set


def problem(seed: int, n: int = 40, spread: float = 0.6) -> tuple[BoxProblem, np.ndarray]:
    random = np.random.default_rng(seed)
    V = random.normal(size=(n, n + 3))
    values = random.normal(0.5, spread, size=n)
    return BoxProblem(V, values @ V), values


def test_it_finds_what_the_interior_point_method_finds() -> None:
    found = 0
    for seed in range(12):
        box, values = problem(seed)
        ours = solve_active_set(box, values)
        if ours is None:
            continue
        found += 1
        theirs = solve(box)
        assert ours.status is Status.OPTIMAL
        assert ours.is_optimal(1e-8)
        np.testing.assert_allclose(ours.labels(), theirs.labels(), atol=1e-5)
    assert found >= 8


def test_labels_of_another_solver_are_a_start() -> None:
    box, values = problem(3)
    first = solve(box)
    again = solve_active_set(box, values, start=first.labels())
    assert again is not None
    assert again.n_iter <= 2
    np.testing.assert_allclose(again.labels(), first.labels(), atol=1e-6)


def test_values_inside_the_cube_are_the_answer() -> None:
    box, values = problem(0, spread=0.05)
    solution = solve_active_set(box, values)
    assert solution is not None
    assert solution.status is Status.INSIDE
    np.testing.assert_array_equal(solution.labels(), values)


def test_it_says_none_rather_than_something_wrong() -> None:
    box, values = problem(1)
    settled = solve_active_set(box, values)
    assert settled is not None
    assert settled.n_iter > 1
    assert solve_active_set(box, values, max_iter=1) is None
