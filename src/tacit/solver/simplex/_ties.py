"""Among all minimisers of a simplex problem, the one nearest to the target in a second metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit._typing import Mask, Matrix
from tacit.solver._basis import Coefficients
from tacit.solver._labeling import Labeling
from tacit.solver._problem import gap_unit
from tacit.solver._solution import Solution, Status
from tacit.solver._ties import MOST_TIED, SLOPE_IS_ZERO
from tacit.solver.simplex._cells import Cells, NearCells
from tacit.solver.simplex._problem import SimplexProblem
from tacit.solver.simplex._rows_problem import SimplexRowsProblem
from tacit.solver.simplex._rules import LowestRule

Solve = Callable[[SimplexProblem], Solution]


def solve_simplex_with_ties(
    first: SimplexProblem, second: SimplexProblem, method: Solve
) -> Solution:
    """Minimise `first`, and among its minimisers `second`.

    Every minimiser of `first` has the same residual Z and the same slopes s = V Z, so the
    set of minimisers is: p_ik > 0 only where s_ik is the lowest of its row, and V'P = Z + target.
    That is a simplex problem again, with few allowed classes and with the columns of `first` as
    equalities.

    Parameters
    ----------
    first : SimplexProblem
        What comes first, on the columns that the labeled rows determine.
    second : SimplexProblem
        What decides between ties, on the columns in which `first` is flat.
    method : callable
        Solves one SimplexProblem.

    Returns
    -------
    Solution
        Of the combined problem: its gap is that of the harder of the two stages, and its status
        is INSIDE only when both targets are reached.
    """
    solution = method(first)
    if solution.status is Status.EMPTY or not solution.status.is_success:
        return solution
    P = solution.labels()
    inside = solution.status is Status.INSIDE
    first = first.centred()
    allowed = _lowest(first.excess(solution.dual), inside)
    open_rows = allowed.sum(axis=1) > 1
    if not inside and _independent(first.V[open_rows], allowed[open_rows]):
        return solution
    decided = np.where(open_rows[:, None], 0.0, allowed)
    reached = first.target if inside else solution.residual + first.target
    tied = SimplexProblem(
        np.hstack([first.V[open_rows], second.V[open_rows]]),
        np.vstack([reached - first.V.T @ decided, second.target - second.V.T @ decided]),
        n_equalities=first.rank,
        allowed=None if inside else allowed[open_rows],
    )
    nearest = method(tied)
    if nearest.infeasibility > 1e-6 * np.sqrt(2.0 * first.scale):
        # The face is thinner than rounding, and what the first metric says is all there is; but
        # that its own target is inside says nothing about the second one's.
        return replace(solution, status=Status.STALLED if inside else solution.status)
    P = decided
    P[open_rows] = nearest.labels()
    status = nearest.status if inside or nearest.status is not Status.INSIDE else Status.OPTIMAL
    both = replace(
        solution,
        soft_labels=P,
        residual=first.residual(P),
        status=status,
        n_iter=solution.n_iter + nearest.n_iter,
        stationarity=max(first.kkt_residual(P, solution.dual), nearest.stationarity),
        infeasibility=nearest.infeasibility,
    )
    if inside:
        # The first objective is zero, and the second one is what was minimised.
        return replace(
            both,
            objective=nearest.objective,
            scale=nearest.scale,
            duality_gap=nearest.duality_gap,
        )
    own = first.relative_gap(P, solution.dual if first.n_equalities else None)
    worse = max(own, nearest.relative_gap())
    return replace(both, duality_gap=worse * gap_unit(first.objective(P), first.scale))


def break_simplex_ties(
    first: SimplexRowsProblem, second: SimplexRowsProblem, solution: Solution, method: Solve
) -> Solution:
    """As `solve_simplex_with_ties`, for rows that were swept: `solution` is that of `first`.

    One sweep collects the rows that are between classes, equal rows once. As a rule they are the
    few fractional ones, whose labels `first` determines; otherwise they are solved for in
    memory. Ties that remain are not passed off as broken: the status is STALLED.
    """
    if solution.labeling is None:
        return solution
    cells = Cells(first.rows, first.functions)
    excess = _excess(cells.generators(first.sample.X, None) @ solution.dual)
    threshold = SLOPE_IS_ZERO * float(excess.max(initial=0.0))
    sweep = cells.sweep([solution.dual], threshold, MOST_TIED)
    solution = replace(solution, n_sweeps=solution.n_sweeps + cells.n_sweeps)
    near = sweep.near
    assert isinstance(near, NearCells), "cells are swept"
    V_first = cells.generators(near.X, None)
    allowed = _excess(V_first @ solution.dual) <= threshold * (1.0 + 1e-9)
    allowed |= near.chosen > 0.0
    V_first = V_first * near.weights[:, None]
    if _independent(V_first, allowed):
        return solution
    if len(near) >= MOST_TIED:
        return replace(solution, status=Status.STALLED)
    V_second = Cells(second.rows, second.functions).generators(near.X, near.weights)
    # Sums over the decided rows: all of them, less those between classes.
    mass = sweep.mass - near.chosen.sum(axis=0)
    total = sweep.total - near.X.T @ near.chosen
    at_first, at_second = (
        problem.functions.coef.T @ total + np.outer(problem.functions.intercept, mass)
        for problem in (first, second)
    )
    tied = SimplexProblem(
        np.hstack([V_first, V_second]),
        np.vstack([solution.residual + first.target - at_first, second.target - at_second]),
        n_equalities=first.rank,
        allowed=allowed,
    )
    nearest = method(tied)
    if not nearest.status.is_success:
        return replace(solution, status=Status.STALLED)
    labels = nearest.labels()
    coef, intercept = cells.direction(solution.dual)
    rule = LowestRule(Coefficients(coef, intercept), threshold, near.X, labels)
    moved = labels * near.weights[:, None]
    return replace(
        solution,
        soft_labels=None,
        labeling=Labeling(None, rule, mass + moved.sum(axis=0), total + near.X.T @ moved),
        n_iter=solution.n_iter + nearest.n_iter,
        duality_gap=max(solution.relative_gap(), nearest.relative_gap())
        * gap_unit(solution.objective, solution.scale),
    )


def _excess(s: Matrix) -> Matrix:
    return np.asarray(s - s.min(axis=1, keepdims=True, initial=np.inf))


def _lowest(excess: Matrix, inside: bool) -> Mask:
    """The classes that the first metric leaves open, for each row."""
    if inside:
        return np.isfinite(excess)
    largest = np.where(np.isfinite(excess), excess, 0.0).max(initial=0.0)
    return np.asarray(excess <= SLOPE_IS_ZERO * largest)


def _independent(generators: Matrix, allowed: Mask) -> bool:
    """Whether the labels of these rows are determined by their sum V'P."""
    rows, classes = np.nonzero(allowed)
    is_reference = np.concatenate([[True], rows[1:] != rows[:-1]]) if len(rows) else rows > 0
    n_unknown = int((~is_reference).sum())
    if n_unknown == 0:
        return True
    rank, n_classes = generators.shape[1], allowed.shape[1]
    if n_unknown > rank * (n_classes - 1):
        return False
    reference = classes[is_reference]
    rows, classes = rows[~is_reference], classes[~is_reference]
    E = np.eye(n_classes)[classes] - np.eye(n_classes)[reference[rows]]
    directions = (generators[rows][:, :, None] * E[:, None, :]).reshape(n_unknown, -1)
    return int(np.linalg.matrix_rank(directions)) == n_unknown
