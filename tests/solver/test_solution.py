"""What a solution and its labels say of themselves, and settings that are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit.rows import NumpyRows
from tacit.solver import Coefficients, Problem, Status, solve_interior_point, solve_working_set
from tacit.solver._labeling import Labeling, LowestRule, SmoothRule
from tacit.solver._lbfgsb import solve_lbfgsb
from tacit.solver._method import Method
from tacit.solver._solution import Solution
from tacit.solver._ties import solve_with_ties
from tests.solver.test_search import drawn

RANDOM = np.random.default_rng(0)
SOLUTION = solve_interior_point(Problem(RANDOM.normal(size=(20, 3)), RANDOM.normal(size=3)))
DIRECTION = Coefficients(np.ones(2), np.zeros(()))


def test_labels_that_are_a_rule_are_not_given_as_numbers() -> None:
    known = replace(SOLUTION, soft_labels=None)
    with pytest.raises(ValueError, match="labels are a rule"):
        known.labels()


def test_fractional_labels_of_a_rule_are_those_of_its_near_rows() -> None:
    near = LowestRule(DIRECTION, 0.1, np.eye(2), np.array([0.25, 1.0]))
    labeling = Labeling(None, near, 0.0, np.zeros(2))
    assert replace(SOLUTION, soft_labels=None, labeling=labeling).n_fractional() == 1
    smooth = replace(labeling, rule=SmoothRule(DIRECTION))
    with pytest.raises(ValueError, match="smooth rule"):
        replace(SOLUTION, soft_labels=None, labeling=smooth).n_fractional()


def test_a_labeling_needs_values_or_a_rule() -> None:
    with pytest.raises(ValueError, match="neither values nor a rule"):
        Labeling(None, None, 0.0, np.zeros(2)).of_rows(NumpyRows(np.eye(2)))


def test_a_solver_that_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"solver is 'newton'; it must be one of .*'lbfgsb'"):
        Method("newton")


def test_the_recipe_of_the_paper_is_for_two_classes() -> None:
    with pytest.raises(ValueError, match="for two classes, and there are 3"):
        solve_lbfgsb(Problem(np.ones((4, 2)), np.zeros((2, 3))))


def test_rows_without_generators_are_not_for_the_working_set() -> None:
    problem = drawn(2, 1.0)
    nothing = Coefficients(0.0 * problem.functions.coef, 0.0 * problem.functions.intercept)
    with pytest.raises(ValueError, match="no generators"):
        solve_working_set(replace(problem, functions=nothing, target=0.0 * problem.target))


def test_of_no_rows_there_are_no_ties_to_break() -> None:
    empty = Problem(np.zeros((0, 3)), np.zeros(3))
    assert solve_with_ties(empty, empty, Method().dense).status is Status.EMPTY


@pytest.mark.parametrize("status", Status)
def test_a_tolerance_is_met_or_there_was_nothing_to_do_or_it_is_no_success(status: Status) -> None:
    succeeded = status in (Status.OPTIMAL, Status.INSIDE, Status.EMPTY)
    assert status.is_success == succeeded
    known = replace(SOLUTION, status=status, duality_gap=0.0)
    assert known.is_settled() == succeeded
    build, arguments = status.__reduce__()
    assert build(*arguments) is status


@pytest.mark.parametrize("shape", [(3,), (3, 4)])
def test_a_solution_is_measured_on_its_problem(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    problem = Problem(random.normal(size=(20, 3)), 4.0 * random.normal(size=shape)).centred()
    u = problem.uniform()
    settings = {"status": Status.OPTIMAL, "solver": "some", "n_iter": 7}
    found = Solution.of(problem, u, **settings)  # type: ignore[arg-type]
    judged = problem.judge(u)
    assert (found.solver, found.n_iter, found.status) == ("some", 7, Status.OPTIMAL)
    assert (found.n_sweeps, found.labeling) == (0, None)
    assert found.labels() is u
    assert found.objective == judged.objective
    assert found.gap() == found.duality_gap == judged.bound
    assert found.relative_gap() == min(judged.relative_gap, 1.0)
    assert found.scale == problem.scale
    assert found.infeasibility == 0.0
    assert found.kkt_residual() == found.stationarity == problem.kkt_residual(u)
    np.testing.assert_array_equal(found.dual, problem.dual(u))
    np.testing.assert_array_equal(found.residual, problem.residual(u))
    # A dual vector of its own is taken as it is.
    q = problem.dual(u) + 0.1 * random.normal(size=shape)
    other = Solution.of(problem, u, q=q, **settings)  # type: ignore[arg-type]
    assert other.dual is q
    assert other.gap() == problem.judge(u, q).bound
    assert other.stationarity == problem.kkt_residual(u, q) != found.stationarity


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.STALLED])
def test_labels_that_reach_the_target_are_inside_if_they_are_a_success(status: Status) -> None:
    V = np.random.default_rng(1).normal(size=(20, 3))
    for far, is_inside in ((0.0, status is Status.OPTIMAL), (1.0, False)):
        problem = Problem(V, V.sum(axis=0) / 2.0 + far)
        found = Solution.of(problem, problem.uniform(), status=status, solver="", n_iter=0)
        assert found.status is (Status.INSIDE if is_inside else status)


def test_labels_by_a_rule_that_reach_the_target_leave_what_rounding_leaves() -> None:
    labeling = Labeling(None, SmoothRule(DIRECTION), 0.0, np.zeros(2))
    found = Solution.inside(labeling, np.array([3e-9, 4e-9]), "some", 2.0, 6)
    assert found.status is Status.INSIDE
    assert found.labeling is labeling
    assert found.soft_labels is None
    assert found.objective == found.gap() == pytest.approx(12.5e-18)
    assert found.is_optimal(1e-8)
    assert found.is_settled()
    assert (found.n_iter, found.n_sweeps, found.scale) == (6, 6, 2.0)
    assert found.stationarity == found.infeasibility == 0.0
    assert found.dual.tolist() == [0.0, 0.0]


def test_attempts_are_counted_together() -> None:
    found = replace(SOLUTION, n_iter=3, n_sweeps=5).after(replace(SOLUTION, n_iter=20, n_sweeps=40))
    assert (found.n_iter, found.n_sweeps) == (23, 45)


def test_it_is_optimal_if_gap_and_equalities_are_within_the_tolerance() -> None:
    known = replace(SOLUTION, scale=8.0, objective=2.0, duality_gap=2e-6, infeasibility=4e-6)
    assert known.relative_gap() == 1e-6
    assert known.is_optimal(1e-6)  # the unit of equalities is four
    assert not known.is_optimal(0.99e-6)
    assert not replace(known, infeasibility=4.01e-6).is_optimal(1e-6)
    assert not replace(known, duality_gap=2.01e-6).is_optimal(1e-6)
    assert not replace(known, infeasibility=0.0).is_optimal()
    assert replace(known, infeasibility=0.0, duality_gap=2e-8).is_optimal()
    # Objectives next to nothing are judged by the scale.
    assert replace(known, objective=0.0).relative_gap() == pytest.approx(2e-6 / 8e-4)


def test_it_is_settled_where_no_more_than_rounding_is_open() -> None:
    known = replace(SOLUTION, status=Status.OPTIMAL, scale=1.0, objective=2.0)
    assert replace(known, duality_gap=2e-8).is_settled()
    assert not replace(known, duality_gap=2.1e-8).is_settled()


def test_fractional_rows_are_counted_whatever_their_classes() -> None:
    u = np.array([0.0, 1e-10, 2e-9, 0.5, 1.0 - 2e-9, 1.0 - 1e-10, 1.0])
    known = replace(SOLUTION, soft_labels=u)
    assert known.n_fractional() == 3
    assert known.n_fractional(0.1) == 1
    P = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [1.0 - 1e-10, 1e-10, 0.0]])
    assert replace(SOLUTION, soft_labels=P).n_fractional() == 2
    with pytest.raises(ValueError, match="smooth rule"):
        replace(SOLUTION, soft_labels=None, labeling=None).n_fractional()
