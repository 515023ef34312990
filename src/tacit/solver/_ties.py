"""Among all minimisers, the one nearest to the target in a second metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit._typing import Mask, Vector
from tacit.solver._basis import Coefficients
from tacit.solver._labeling import Labeling, SignRule
from tacit.solver._methods import Method
from tacit.solver._problem import BoxProblem, gap_unit
from tacit.solver._rows_problem import RowsProblem
from tacit.solver._solution import Solution, Status
from tacit.solver._zonotope import Zonotope

# A label is decided by the first metric where its slope is larger than this part of the
# largest; the slopes of fractional labels are zero up to rounding.
SLOPE_IS_ZERO = 1e-7
# Distinct undecided rows that are solved for in memory at the most.
MOST_TIED = 100_000


def solve_with_ties(
    first: BoxProblem, second: BoxProblem, method: Callable[[BoxProblem], Solution]
) -> Solution:
    """Minimise `first`, and among its minimisers `second`.

    Needed where the labeled rows do not span the space (L < p): the loss on them is flat in some
    directions, so that `first` alone does not determine the coefficients.

    Every minimiser u of `first` has the same residual z and the same slopes s = V z, so
    the set of minimisers is: u_i = 1 where s_i < 0, 0 where s_i > 0, and V'u = z + target. That
    is a box problem again, on the labels with s_i = 0 and with the columns of `first` as
    equalities.

    Parameters
    ----------
    first : BoxProblem
        What comes first, on the columns that the labeled rows determine.
    second : BoxProblem
        What decides between ties, on the columns in which `first` is flat.
    method : callable
        Solves one BoxProblem.

    Returns
    -------
    Solution
        Of the combined problem: its gap is that of the harder of the two stages, and its status
        is INSIDE only when both targets are reached.
    """
    solution = method(first)
    labels = solution.soft_labels
    if labels is None or solution.status is Status.EMPTY or not solution.status.is_success:
        return solution
    inside = solution.status is Status.INSIDE
    free = _undecided(first, solution, inside)
    if not inside and _independent(first.V[free]):
        return solution
    u = np.where(free, labels, np.round(labels))
    reached = first.target if inside else first.residual(u) + first.target
    decided = np.where(free, 0.0, u)
    tied = BoxProblem(
        np.hstack([first.V[free], second.V[free]]),
        np.concatenate([reached - decided @ first.V, second.target - decided @ second.V]),
        n_equalities=first.rank,
    )
    nearest = method(tied)
    if nearest.soft_labels is None or nearest.infeasibility > 1e-6 * np.sqrt(2.0 * first.scale):
        # The face is thinner than rounding, and what the first metric says is all there is; but
        # that its own target is inside says nothing about the second one's.
        return replace(solution, status=Status.STALLED if inside else solution.status)
    u[free] = nearest.soft_labels
    q = solution.dual if first.n_equalities else None
    status = nearest.status if inside or nearest.status is not Status.INSIDE else Status.OPTIMAL
    tied_solution = replace(
        solution,
        soft_labels=u,
        residual=first.residual(u),
        status=status,
        n_iter=solution.n_iter + nearest.n_iter,
        stationarity=max(first.kkt_residual(u, q), nearest.stationarity),
        infeasibility=nearest.infeasibility,
    )
    if inside:
        # The first objective is zero, and the second one is what was minimised.
        return replace(
            tied_solution,
            objective=nearest.objective,
            scale=nearest.scale,
            duality_gap=nearest.duality_gap,
        )
    worse = max(first.relative_gap(u, q), nearest.relative_gap())
    return replace(tied_solution, duality_gap=worse * gap_unit(first.objective(u), first.scale))


def break_ties(
    first: RowsProblem, second: RowsProblem, solution: Solution, method: Method
) -> Solution:
    """As `solve_with_ties`, for rows that were swept: `solution` is that of `first`.

    The undecided rows, those on the hyperplane, are as a rule the few fractional ones, whose labels
    `first` determines. Where there are more (rows that the labeled rows cannot tell from the
    hyperplane: categories without any label), one sweep collects them, equal rows once, and
    they are solved for in memory. Ties that remain are not passed off as broken: the status is
    STALLED.
    """
    labeling = solution.labeling
    if labeling is None:
        return solution
    zonotope = Zonotope(first.rows, first.functions)
    slopes = np.abs(zonotope.generators(first.sample.X, None) @ solution.dual)
    threshold = SLOPE_IS_ZERO * float(slopes.max(initial=0.0))
    sweep = zonotope.sweep([solution.dual], threshold, MOST_TIED)
    solution = replace(solution, n_sweeps=solution.n_sweeps + zonotope.n_sweeps)
    near = sweep.near
    V_first = zonotope.generators(near.X, near.weights)
    if _independent(V_first):
        return solution
    if len(near) >= MOST_TIED:
        return replace(solution, status=Status.STALLED)
    V_second = Zonotope(second.rows, second.functions).generators(near.X, near.weights)
    # Sums over the decided rows: all with a negative slope, less the undecided among them.
    undecided = near.weights * (near.s < 0)
    mass, total = sweep.mass - float(undecided.sum()), sweep.total - undecided @ near.X
    at_second = total @ second.functions.coef + mass * second.functions.intercept
    decided = sweep.negative[0] - V_first[near.s < 0].sum(axis=0)
    reached = solution.residual + first.target - decided
    tied = BoxProblem(
        np.hstack([V_first, V_second]),
        np.concatenate([reached, second.target - at_second]),
        n_equalities=first.rank,
    )
    nearest = method.box(tied)
    if not nearest.status.is_success:
        return replace(solution, status=Status.STALLED)
    labels = nearest.labels()
    coef, intercept = zonotope.direction(solution.dual)
    rule = SignRule(Coefficients(coef, intercept), threshold, near.X, labels)
    moved = labels * near.weights
    return replace(
        solution,
        soft_labels=None,
        labeling=Labeling(None, rule, mass + float(moved.sum()), total + moved @ near.X),
        n_iter=solution.n_iter + nearest.n_iter,
        duality_gap=max(solution.relative_gap(), nearest.relative_gap())
        * gap_unit(solution.objective, solution.scale),
    )


def _undecided(problem: BoxProblem, solution: Solution, inside: bool) -> Mask:
    if inside:
        return np.ones(problem.n_labels, dtype=bool)
    slopes: Vector = np.abs(problem.V @ solution.dual)
    return np.asarray(slopes <= SLOPE_IS_ZERO * slopes.max())


def _independent(generators: np.ndarray) -> bool:
    """Whether the labels of these generators are determined by their sum V'u."""
    if len(generators) == 0:
        return True
    if len(generators) > generators.shape[1]:
        return False
    return int(np.linalg.matrix_rank(generators, tol=None)) == len(generators)
