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
