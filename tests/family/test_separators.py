"""Sampled separators: local minima within the balance, and a diverse few of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tacit.family import Separators
from tacit.family._s4vm import (
    assign,
    label_bounds,
    representatives,
    sample_separators,
)
from tacit.family._svm import solve_hinge
from tests.family.machines import transductive


def separator_problem(seed=0, n_unlabeled=40, tolerance=0.1):
    problem = transductive(
        6, n_unlabeled, 6, seed, costs=(10.0, 0.1), balanced=False, separation=0.3
    )
    return problem, label_bounds(n_unlabeled, float(problem.y.mean()), tolerance)


def supervised_values(problem):
    n, Z = len(problem.y), problem.features.Z
    return Z[n:] @ (Z[:n].T @ problem.y)


def test_bounds_hold_every_mean_within_the_tolerance_and_no_other():
    for n, mean, tolerance in [(10, 0.0, 0.1), (80, 1 / 6, 0.1), (7, -0.5, 0.3), (30, 0.9, 0.5)]:
        fewest, most = label_bounds(n, mean, tolerance)
        allowed = [k for k in range(n + 1) if abs((2 * k - n) / n - mean) <= tolerance + 1e-9]
        assert (fewest, most) == (allowed[0], allowed[-1])


def test_bounds_that_no_number_meets_give_the_nearest():
    assert label_bounds(3, 0.0, 0.1) == (2, 2)
    assert label_bounds(5, 1.0, 0.0) == (5, 5)


@pytest.mark.parametrize("weighted", [True, False])
def test_assigned_labels_have_the_smallest_loss_within_the_bounds(weighted):
    random = np.random.default_rng(0)
    for _ in range(20):
        problem, bounds = separator_problem(n_unlabeled=8, tolerance=0.3)
        costs = problem.costs.copy()
        if weighted:
            costs[6:] = random.uniform(0.1, 2.0, 8)
        problem = replace(problem, costs=costs)
        values = random.normal(size=8) + random.normal()
        labels = assign(problem, values, bounds)
        assert bounds[0] <= (labels > 0).sum() <= bounds[1]

        def loss(labels, costs=costs, values=values):
            return costs[6:] @ np.maximum(1 - labels * values, 0)

        smallest = min(
            loss(np.array(other))
            for other in product([-1.0, 1.0], repeat=8)
            if bounds[0] <= sum(x > 0 for x in other) <= bounds[1]
        )
        assert loss(labels) == pytest.approx(smallest)


def test_every_separator_is_balanced_distinct_and_the_best_for_its_own_machine():
    problem, bounds = separator_problem()
    found = sample_separators(
        problem, bounds, supervised_values(problem), 30, np.random.default_rng(0)
    )
    assert len(np.unique(found.labels, axis=0)) == len(found.labels) >= 2
    assert found.n_unsettled == 0
    assert found.n_iter >= len(found.labels)
    kept = 0
    for labels in found.labels:
        assert bounds[0] <= (labels > 0).sum() <= bounds[1]
        fit = solve_hinge(problem.with_labels(labels))
        kept += (assign(problem, fit.values[6:], bounds) == labels).all()
    # The search is solved to few digits, so that single rows at the boundary may yet turn.
    assert kept >= 0.7 * len(found.labels)


def test_the_same_seed_gives_the_same_separators():
    problem, bounds = separator_problem()
    values = supervised_values(problem)
    first, second = (
        sample_separators(problem, bounds, values, 12, np.random.default_rng(7)) for _ in range(2)
    )
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.objectives, second.objectives)


def test_a_search_that_is_cut_short_is_counted():
    problem, bounds = separator_problem(n_unlabeled=80)
    found = sample_separators(
        problem, bounds, supervised_values(problem), 10, np.random.default_rng(0), max_iter=1
    )
    assert found.n_unsettled > 0


def test_representatives_are_the_best_of_well_parted_clusters():
    random = np.random.default_rng(0)
    centres = random.choice([-1.0, 1.0], (3, 60))
    labels = np.array([centre.copy() for centre in centres for _ in range(6)])
    for row in labels:
        row[random.integers(60)] *= -1
    objectives = random.uniform(1, 2, len(labels))
    some = representatives(Separators(labels, objectives, 5, 0), 3, np.random.default_rng(1))
    best = {objectives[6 * k : 6 * k + 6].min() for k in range(3)}
    assert set(some.objectives) == best
    assert some.n_iter == 5


def test_fewer_separators_than_clusters_are_all_kept():
    labels = np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = Separators(labels, np.array([1.0, 2.0]), 2, 0)
    assert representatives(found, 10, np.random.default_rng(0)) is found
