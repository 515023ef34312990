import itertools

import numpy as np
import pytest

from tacit.solver import Problem, Status, solve
from tacit.solver._solution import Solution
from tests.solver.known_answers import manufactured


@pytest.fixture
def problem():
    random = np.random.default_rng(5)
    return Problem(random.normal(size=(9, 3)), random.normal(size=3) * 4)


def test_the_scale_is_the_mean_objective_over_all_labelings(problem):
    labelings = itertools.product([0.0, 1.0], repeat=problem.n_labels)
    mean = np.mean([problem.objective(np.array(u)) for u in labelings])
    np.testing.assert_allclose(problem.scale, mean)


def test_the_gap_formula_of_the_labels_is_the_difference_of_primal_and_dual(problem):
    u = np.random.default_rng(0).uniform(size=problem.n_labels)
    q = problem.residual(u)
    dual = -0.5 * q @ q - q @ problem.target + np.minimum(problem.V @ q, 0.0).sum()
    np.testing.assert_allclose(problem.gap(u), problem.objective(u) - dual)


def test_the_gap_at_another_dual_vector_is_the_difference_too():
    random = np.random.default_rng(1)
    problem = Problem(random.normal(size=(9, 3)), random.normal(size=3), n_equalities=1)
    u, q = random.uniform(size=9), random.normal(size=3)
    dual = -0.5 * q[1:] @ q[1:] - q @ problem.target + np.minimum(problem.V @ q, 0.0).sum()
    np.testing.assert_allclose(problem.gap(u, q), problem.objective(u) - dual)


def test_half_the_squared_distance_to_the_optimum_is_at_most_the_gap(problem):
    best = solve(problem, tol=1e-12).residual
    random = np.random.default_rng(2)
    for _ in range(50):
        u = random.uniform(size=problem.n_labels)
        assert 0.5 * np.sum((problem.residual(u) - best) ** 2) <= problem.gap(u) + 1e-12


def test_the_kkt_residual_is_zero_at_the_optimum_only(problem):
    u = solve(problem, tol=1e-12).soft_labels
    assert problem.kkt_residual(u) < 1e-12
    assert problem.kkt_residual(np.full(problem.n_labels, 0.5)) > 1e-3


def test_is_optimal_judges_the_gap_and_not_the_status():
    sample = manufactured(40, 4)
    centre = np.full(40, 0.5)
    claimed = Solution.of(sample.problem, centre, status=Status.OPTIMAL, solver="none", n_iter=0)
    assert not claimed.is_optimal()
    assert claimed.gap() > 0
    assert claimed.kkt_residual() > 0


def test_labels_that_are_not_numbers_are_never_called_optimal():
    # A gap of NaN once was clipped to zero, and the solver reported success.
    sample = manufactured(40, 4)
    broken = Solution.of(
        sample.problem, np.full(40, np.nan), status=Status.OPTIMAL, solver="none", n_iter=0
    )
    assert not broken.is_optimal()


def test_shapes_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="V must be"):
        Problem(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="n_equalities is 4"):
        Problem(np.zeros((3, 2)), np.zeros(2), n_equalities=4)
