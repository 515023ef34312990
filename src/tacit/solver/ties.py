"""Among all minimisers, the one nearest to the target in a second metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit._typing import Mask, Vector
from tacit.solver.problem import BoxProblem
from tacit.solver.solution import Solution, Status

# A label is decided by the first metric where its slope is larger than this part of the
# largest; the slopes of fractional labels are zero up to rounding.
SLOPE_IS_ZERO = 1e-7


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
        # The face is thinner than rounding: what the first metric says is all there is.
        return solution
    u[free] = nearest.soft_labels
    status = nearest.status if inside or nearest.status is not Status.INSIDE else Status.OPTIMAL
    return replace(
        solution,
        soft_labels=u,
        residual=first.residual(u),
        status=status,
        n_iter=solution.n_iter + nearest.n_iter,
        duality_gap=max(first.gap(u), 0.0),
        stationarity=max(first.kkt_residual(u), nearest.stationarity),
        infeasibility=nearest.infeasibility,
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
