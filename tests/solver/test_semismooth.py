"""The semismooth Newton method beside the interior-point method, for either set of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit._typing import Matrix
from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver._semismooth import solve_semismooth


def problem(
    seed: int, n: int = 40, rank: int = 43, spread: float = 0.3, n_classes: int = 3
) -> tuple[Any, Matrix]:
    """Labels in the interval for one class, on the simplex for more."""
    random = np.random.default_rng(seed)
    V = random.normal(size=(n, rank)) / np.arange(1, rank + 1) ** 0.5
    if n_classes == 1:
        values = random.normal(0.5, 2.0 * spread, size=n)
        return Problem(V, V.T @ values), values
    values = 1.0 / n_classes + spread * random.normal(size=(n, n_classes))
    values += (1.0 - values.sum(axis=1, keepdims=True)) / n_classes
    return Problem(V, V.T @ values), values


# Few labels at zero, many of them, and equations without a unique answer.
@pytest.mark.parametrize(("rank", "spread"), [(43, 0.2), (43, 0.8), (30, 0.2)])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 4])
def test_it_finds_what_the_interior_point_method_finds(
    rank: int, spread: float, n_classes: int
) -> None:
    found = 0
    for seed in range(8):
        given, _ = problem(seed, rank=rank, spread=spread, n_classes=n_classes)
        ours = solve_semismooth(given)
        if ours is None:
            continue
        found += 1
        theirs = solve_interior_point(given, tol=1e-12)
        assert ours.status in (Status.OPTIMAL, Status.INSIDE)
        assert ours.is_optimal(1e-8)
        assert ours.labels().min() >= 0.0
        assert ours.labels().max() <= 1.0
        if n_classes > 1:
            np.testing.assert_allclose(ours.labels().sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(ours.residual, theirs.residual, atol=1e-6)
    assert found >= 4


@pytest.mark.parametrize("n_classes", [1, 3])
def test_values_that_are_labels_are_the_answer(n_classes: int) -> None:
    given, values = problem(0, spread=0.02, n_classes=n_classes)
    solution = solve_semismooth(given)
    assert solution is not None
    assert solution.status is Status.INSIDE
    np.testing.assert_allclose(solution.labels(), values, atol=1e-10)


@pytest.mark.parametrize("n_classes", [1, 3])
def test_it_says_none_rather_than_something_wrong(n_classes: int) -> None:
    given, _ = problem(1, n_classes=n_classes)
    settled = solve_semismooth(given)
    assert settled is not None
    assert settled.n_iter > 1
    assert solve_semismooth(given, max_iter=1) is None
