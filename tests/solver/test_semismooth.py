"""The semismooth Newton method beside the interior-point method, for either set of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit._typing import Matrix
from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver import _semismooth as module
from tacit.solver._semismooth import _FewZeros, _step_of_free, solve_semismooth


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
    assert solution.n_iter == 1
    np.testing.assert_allclose(solution.labels(), values, atol=1e-10)


@pytest.mark.parametrize("n_classes", [1, 3])
def test_it_says_none_rather_than_something_wrong(n_classes: int) -> None:
    given, _ = problem(1, n_classes=n_classes)
    settled = solve_semismooth(given)
    assert settled is not None
    assert settled.n_iter > 1
    assert solve_semismooth(given, max_iter=1) is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_ways_to_a_step_lead_to_the_same_one(n_classes: int) -> None:
    given, shares = problem(0, n_classes=n_classes)
    Q = given.V @ given.V.T
    zero = shares < np.quantile(shares, 0.1)
    for unit in (1.0, 1e4):
        few = _FewZeros(Q).step(unit * shares, zero)
        assert few is not None
        np.testing.assert_array_equal(few[zero], -unit * shares[zero])
        np.testing.assert_allclose(few.sum(axis=1), 0.0, atol=1e-9 * unit)
        # The slopes of the free classes of a row are equal.
        slopes = Q @ few
        for row, free in zip(slopes, ~zero, strict=True):
            np.testing.assert_allclose(row[free], row[free][0], atol=1e-8 * unit)
        if n_classes == 2:
            both = _step_of_free(Q, unit * shares, zero)
            assert both is not None
            np.testing.assert_allclose(few, both, atol=1e-8 * unit)


def test_too_many_shares_at_zero_are_left_to_the_other_way_and_too_many_others_to_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, shares = problem(0, n_classes=4)
    Q = given.V @ given.V.T
    few = _FewZeros(Q)
    at_zero = np.zeros(shares.shape, dtype=bool)
    nothing = few.step(shares, at_zero)
    assert nothing is not None
    assert not nothing.any()
    at_zero[:, 0] = True
    assert few.step(shares, at_zero) is not None
    at_zero[0, 1] = True
    assert few.step(shares, at_zero) is None
    # Two classes are free in forty rows, one can move: no more equations than rows.
    at_zero[:, 1] = True
    assert _step_of_free(Q, shares, at_zero) is not None
    monkeypatch.setattr(module, "LARGEST", 10)
    assert _step_of_free(Q, shares, at_zero) is not None
    assert _step_of_free(Q, shares, np.zeros_like(at_zero)) is None
    # One class is free in each row, and nothing is left to solve for.
    at_zero[:, 2] = True
    step = _step_of_free(Q, shares, at_zero)
    assert step is not None
    np.testing.assert_allclose((shares + step)[:, 3], 1.0)


def test_of_two_classes_half_as_many_shares_at_zero_are_few() -> None:
    given, shares = problem(0, n_classes=2)
    few, at_zero = _FewZeros(given.V @ given.V.T), np.zeros(shares.shape, dtype=bool)
    at_zero[:10, 0] = True
    assert few.step(shares, at_zero) is not None
    at_zero[10, 1] = True
    assert few.step(shares, at_zero) is None


def test_an_inverse_that_hardly_exists_is_not_used() -> None:
    _, shares = problem(0, n_classes=2)
    nearly = np.random.default_rng(0).normal(size=(40, 39))
    few = _FewZeros(nearly @ nearly.T + 1e-13 * np.eye(40))
    assert few.step(shares, shares < np.quantile(shares, 0.1)) is None
    assert not few.usable
