"""The search over soft labels, against certificates, other solvers and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from tacit.family._simplex_interior_point import best_of_starts, gap_of, solve_simplex
from tacit.solver import Status
from tests.family.class_moments import classes

CASES = [
    {"n_classes": 2, "seed": 1},
    {"n_classes": 2, "n_unlabeled": 1},
    {"n_classes": 3, "n_features": 4, "weighted": True, "seed": 2},
    {"n_classes": 5, "n_features": 2, "n_labeled": 20, "seed": 3},
    {"n_classes": 2, "n_features": 6, "n_labeled": 4, "alpha": 1.0, "seed": 4},
    {"n_classes": 3, "n_features": 12, "n_labeled": 40, "n_unlabeled": 300, "seed": 5},
]


def uniform(problem):
    K = len(problem.labeled)
    return np.full((len(problem.rows), K), 1.0 / K)


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("kind", ["implicit", "pessimistic"])
def test_the_gap_is_met_and_the_labels_are_labels(kind, case):
    problem = classes(**case).problem(kind)
    solution = solve_simplex(problem, uniform(problem))
    assert solution.status is Status.OPTIMAL
    assert solution.is_optimal(1e-10)
    u = solution.soft_labels
    assert (u >= 0.0).all()
    np.testing.assert_allclose(u.sum(axis=1), 1.0, rtol=1e-12)
    # As measured here, not as the solver believes.
    v = problem.moments(u)
    np.testing.assert_allclose(solution.moments, v)
    slopes = problem.rows @ problem.objective.gradient(v).T
    best = np.sum(slopes * u) - slopes.min(axis=1).sum()
    assert best <= 1e-10 * problem.total_weight * (1.0 + 1e-6)
    assert solution.gap() == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_no_labeling_beats_the_pessimistic_solution_by_more_than_the_gap(case):
    data = classes(**case)
    problem = data.problem("pessimistic")
    solution = solve_simplex(problem, uniform(problem))
    for seed in range(10):
        for labels in (data.labels(seed), data.labels(seed, "hard")):
            value = problem.objective.value(problem.moments(labels))
            assert solution.objective <= value + solution.gap()


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_convex_problem_has_one_answer_from_every_start(case):
    data = classes(**case)
    problem = data.problem("pessimistic")
    values = [solve_simplex(problem, data.labels(seed)).objective for seed in range(3)]
    np.testing.assert_allclose(values, values[0], atol=2e-10 * problem.total_weight)


@pytest.mark.parametrize("kind", ["implicit", "pessimistic"])
def test_a_general_solver_finds_nothing_better_from_there(kind):
    data = classes(n_classes=2, n_features=2, n_unlabeled=12, seed=6)
    problem = data.problem(kind)
    solution = solve_simplex(problem, uniform(problem))

    def objective(second):
        u = np.column_stack([1.0 - second, second])
        slopes = problem.slopes(u)
        return problem.objective.value(problem.moments(u)), slopes[:, 1] - slopes[:, 0]

    second = solution.soft_labels[:, 1]
    other = minimize(objective, second, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * 12)
    assert other.fun >= solution.objective - 1e-8


def test_starts_find_the_best_of_a_grid_of_labelings():
    # Not convex, so this is what the starts are for; the grid holds all hard labelings.
    for seed in range(5):
        data = classes(n_classes=2, n_features=2, n_labeled=8, n_unlabeled=7, seed=seed)
        problem = data.problem("implicit")
        solution = best_of_starts(problem, [uniform(problem), data.labels(seed)])
        grid = [
            problem.objective.value(problem.moments(np.eye(2)[list(codes)]))
            for codes in itertools.product([0, 1], repeat=7)
        ]
        assert solution.objective <= min(grid) + 1e-8


def test_the_best_start_wins_and_all_steps_count():
    differed = 0
    for seed in range(6):
        data = classes(n_classes=2, n_features=3, n_labeled=8, seed=seed)
        problem = data.problem("implicit")
        starts = [uniform(problem), data.labels(0), data.labels(1)]
        alone = [solve_simplex(problem, start) for start in starts]
        best = best_of_starts(problem, starts)
        labels = np.array([solution.soft_labels for solution in alone])
        if np.ptp(labels, axis=0).max() > 1e-3:
            differed += 1
            alone.append(solve_simplex(problem, labels.mean(axis=0)))
        assert best.objective == min(solution.objective for solution in alone)
        assert best.n_iter == sum(solution.n_iter for solution in alone)
    assert 0 < differed < 6


def test_starts_that_agree_need_no_mean_of_their_answers():
    problem = classes(n_classes=2, n_features=3, seed=8).problem("implicit")
    once = solve_simplex(problem, uniform(problem))
    assert best_of_starts(problem, [uniform(problem)] * 2).n_iter == 2 * once.n_iter


@pytest.mark.parametrize("kind", ["implicit", "pessimistic"])
def test_too_few_steps_are_told(kind):
    problem = classes(n_classes=3, seed=9).problem(kind)
    solution = solve_simplex(problem, uniform(problem), max_iter=2)
    assert solution.status is Status.MAX_ITERATIONS
    assert not solution.status.is_success
    assert solution.n_iter == 2
    assert not solution.is_optimal(1e-10)
    assert solution.relative_gap() == solution.gap() / problem.total_weight > 1e-10


def test_the_gap_is_zero_only_where_every_label_is_the_best():
    slopes = np.array([[1.0, 2.0], [3.0, 0.0]])
    assert gap_of(np.array([[1.0, 0.0], [0.0, 1.0]]), slopes) == 0.0
    assert gap_of(np.array([[0.5, 0.5], [0.0, 1.0]]), slopes) == 0.5
    assert gap_of(np.array([[0.0, 1.0], [1.0, 0.0]]), slopes) == 4.0
