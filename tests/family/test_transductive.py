"""The semi-supervised machine: objectives fall, and answers are local minima."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tacit.family import TransductiveStatus
from tacit.family._s3vm import descend, minimise
from tacit.family._svm import solve_hinge
from tests.family.machines import transductive


def supervised_start(problem):
    n = len(problem.y)
    Z = problem.features.Z
    return np.where(Z[n:] @ (Z[:n].T @ problem.y / n) + problem.mean > 0, 1.0, -1.0)


def objective(problem, w, b):
    values = problem.features.Z @ w + b
    n = len(problem.y)
    labeled = problem.costs[:n] @ np.maximum(1 - problem.y * values[:n], 0)
    unlabeled = problem.costs[n:] @ np.maximum(1 - np.abs(values[n:]), 0)
    return 0.5 * w @ w + labeled + unlabeled


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_the_objective_never_rises_from_round_to_round(seed, balanced):
    problem = transductive(8, 150, 4, seed, balanced=balanced)
    random = np.random.default_rng(seed)
    result = descend(problem, random.choice([-1.0, 1.0], 150))
    assert result.status is TransductiveStatus.FIXED_POINT
    assert result.n_iter == len(result.objectives) >= 2
    assert (np.diff(result.objectives) <= 1e-9 * result.objective).all()


@pytest.mark.parametrize("balanced", [True, False])
def test_the_result_is_what_it_says(balanced):
    problem = transductive(8, 60, 4, 3, balanced=balanced)
    result = minimise(problem, {"start": supervised_start(problem)})
    b = problem.mean if balanced else result.hinge.b
    assert result.objective == pytest.approx(objective(problem, result.hinge.w, b), rel=1e-12)
    values = problem.features.Z[8:] @ result.hinge.w + b
    np.testing.assert_array_equal(np.sign(values), result.labels)
    if balanced:
        assert values.mean() == pytest.approx(problem.mean, abs=1e-12)


def test_no_point_nearby_is_better():
    problem = transductive(8, 60, 4, 4)
    result = minimise(problem, {"start": supervised_start(problem)})
    random = np.random.default_rng(0)
    for size in (1e-6, 1e-4, 1e-2):
        for _ in range(40):
            moved = result.hinge.w + size * random.normal(size=4)
            assert objective(problem, moved, problem.mean) >= result.objective * (1 - 1e-9)


def test_few_rows_are_mostly_solved_to_the_global_minimum():
    hits = 0
    for seed in range(12):
        problem = transductive(4, 7, 2, seed, costs=(1.0, 0.5))
        labelings = (np.array(labels) for labels in product([-1.0, 1.0], repeat=7))
        smallest = min(solve_hinge(problem.with_labels(labels)).objective for labels in labelings)
        result = minimise(problem, {"start": supervised_start(problem)})
        assert result.objective >= smallest * (1 - 1e-9)
        hits += result.objective <= smallest * (1 + 1e-6)
    assert hits >= 10


def test_switching_and_more_starts_never_make_it_worse():
    gains = 0
    for seed in range(8):
        problem = transductive(8, 80, 5, seed, costs=(1.0, 0.3))
        start = supervised_start(problem)
        alone = descend(problem, start)
        plain = minimise(problem, {"start": start}, n_switches=0)
        switched = minimise(problem, {"start": start}, n_switches=40)
        assert plain.objective <= alone.objective * (1 + 1e-7)
        assert switched.objective <= plain.objective * (1 + 1e-9)
        gains += switched.objective < alone.objective * (1 - 1e-6)
    assert gains >= 1


def test_too_few_rounds_are_said_to_be_too_few():
    problem = transductive(8, 150, 4, 0)
    labels = np.random.default_rng(0).choice([-1.0, 1.0], 150)
    result = descend(problem, labels, max_iter=1)
    assert result.status is TransductiveStatus.MAX_ITERATIONS
    assert not result.status.is_success
    assert result.n_iter == 1


def test_the_objective_is_the_smallest_over_labels():
    problem = transductive(6, 30, 3, 1)
    result = minimise(problem, {"start": supervised_start(problem)})
    random = np.random.default_rng(0)
    for _ in range(20):
        labels = random.choice([-1.0, 1.0], 30)
        convex = problem.with_labels(labels)
        values = result.hinge.values
        assert 0.5 * result.hinge.squared_norm + convex.loss(values) >= result.objective - 1e-12
    own = problem.with_labels(result.labels)
    assert 0.5 * result.hinge.squared_norm + own.loss(result.hinge.values) == pytest.approx(
        result.objective, rel=1e-12
    )
