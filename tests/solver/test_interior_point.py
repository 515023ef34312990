import tracemalloc

import numpy as np
import pytest

from tacit.solver import Status, solve
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._problem import Problem
from tests.problems import Table, projected
from tests.solver.known_answers import manufactured


def _gaussian(n_unlabeled, d, n_labeled, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    y = (X @ random.normal(size=d) + 2 * random.normal(size=len(X)) > 0).astype(float)
    return Table(X[:n_labeled], y[:n_labeled], X[n_labeled:], y[n_labeled:])


@pytest.mark.parametrize(("n_unlabeled", "d", "n_labeled"), [(100, 8, 20), (1000, 50, 55)])
def test_about_a_dozen_iterations_reach_a_relative_gap_of_1e10(n_unlabeled, d, n_labeled):
    iterations = []
    for seed in range(5):
        data = _gaussian(n_unlabeled, d, n_labeled, seed)
        solution = projected(data, "labeled", "interior-point", tol=1e-10)[0].solution
        assert solution.is_optimal(1e-10)
        iterations.append(solution.n_iter)
    assert np.median(iterations) <= 13
    assert max(iterations) <= 16


def test_at_most_as_many_labels_as_directions_are_fractional():
    data = _gaussian(500, 10, 15, 0)
    solution = projected(data, "labeled")[0].solution
    assert solution.n_fractional() <= 11


def test_no_matrix_of_the_size_of_all_pairs_of_rows_is_formed():
    problem = manufactured(20_000, 5).problem
    tracemalloc.start()
    try:
        solve_interior_point(problem)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # 20,000 x 20,000 would take 3.2 GB; a few dozen vectors and copies of V take some 10 MB.
    assert peak < 40e6


def test_too_few_iterations_are_reported_and_the_best_labels_returned():
    problem = manufactured(200, 10).problem
    solution = solve(problem, max_iter=2)
    assert solution.status is Status.MAX_ITERATIONS
    assert not solution.is_optimal(1e-8)
    assert solution.gap() < problem.gap(np.full(200, 0.5))


def test_labels_next_to_one_do_not_turn_into_nan():
    # 1 - u rounds to zero for such labels; many equal rows brought this about.
    random = np.random.default_rng(0)
    V = np.repeat(random.normal(size=(6, 3)), 12, axis=0)
    problem = type(manufactured(2, 1).problem)(V, 40.0 * random.normal(size=3))
    solution = solve(problem, tol=1e-14)
    assert np.isfinite(solution.soft_labels).all()
    assert solution.is_optimal(1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_target_missed_by_a_hair_is_solved_for_exactly(seed):
    # All labels are fractional, one of them near its bound, and all multipliers are rounding.
    random = np.random.default_rng(seed)
    V = random.normal(size=(4, 21))
    off = random.normal(size=21)
    off -= V.T @ np.linalg.lstsq(V.T, off, rcond=None)[0]
    u = np.array([0.48, 0.51, 0.97, 0.3])
    problem = Problem(V, V.T @ u + 1e-5 * off / np.linalg.norm(off))
    solution = solve_interior_point(problem)
    assert solution.status is Status.OPTIMAL
    assert solution.n_iter <= 10
    assert np.abs(solution.soft_labels - u).max() < 1e-12


@pytest.mark.parametrize("barely", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("missed_by", [1e-4, 1e-2, 1.0])
def test_labels_that_are_barely_fractional_are_solved_for_exactly(barely, missed_by):
    # Half of the labels are next to their bounds, and no multiplier says that they are not there.
    random = np.random.default_rng(0)
    V = random.normal(size=(8, 12))
    off = random.normal(size=12)
    off -= V.T @ np.linalg.lstsq(V.T, off, rcond=None)[0]
    u = np.array([0.4, 0.5, 0.6, 0.7, barely, 2 * barely, 1 - barely, 1 - 3 * barely])
    problem = Problem(V, V.T @ u + missed_by * off / np.linalg.norm(off))
    solution = solve_interior_point(problem)
    assert solution.status is Status.OPTIMAL
    assert solution.is_optimal(1e-8)
    assert np.abs(solution.soft_labels - u).max() < 1e-8
