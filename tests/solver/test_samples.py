import numpy as np
import pytest

from tacit.solver import Status, solve
from tests.solver.known_answers import SAMPLES, manufactured

MANUFACTURED = [(1, 1), (4, 8), (50, 5), (300, 1), (2000, 20)]
SOLVERS = ("interior-point", "lbfgsb")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
def test_a_sample_is_solved_to_its_known_answer(make, solver):
    sample = make()
    solution = solve(sample.problem, solver, tol=1e-10)
    assert solution.status.is_success
    np.testing.assert_allclose(solution.residual, sample.residual, atol=1e-9)
    if sample.soft_labels is not None:
        np.testing.assert_allclose(solution.soft_labels, sample.soft_labels, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("n_labels", "rank"), MANUFACTURED)
def test_a_problem_made_from_its_answer_gives_it_back(n_labels, rank, solver):
    sample = manufactured(n_labels, rank, seed=n_labels)
    solution = solve(sample.problem, solver, tol=1e-10)
    assert solution.is_optimal(1e-10)
    np.testing.assert_allclose(solution.residual, sample.residual, atol=1e-8)
    np.testing.assert_allclose(solution.soft_labels, sample.soft_labels, atol=1e-8)


@pytest.mark.parametrize("n_fractional", [0, 1, 5, 30])
def test_the_number_of_fractional_labels_is_found(n_fractional):
    sample = manufactured(400, 31, seed=3, n_fractional=n_fractional)
    assert solve(sample.problem).n_fractional() == n_fractional


def test_a_target_inside_the_zonotope_is_reached_and_said_to_be():
    sample = manufactured(100, 4)
    V = sample.problem.V
    inside = type(sample.problem)(V, np.full(100, 0.4) @ V)
    for solver in SOLVERS:
        solution = solve(inside, solver)
        assert solution.status is Status.INSIDE
        np.testing.assert_allclose(solution.residual, 0.0, atol=1e-10)


def test_an_unknown_solver_is_refused_by_name():
    with pytest.raises(ValueError, match="solver is 'simplex'; it must be one of"):
        solve(manufactured(5, 2).problem, "simplex")
