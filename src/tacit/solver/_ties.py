"""Among all minimisers, the one nearest to the target in a second metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit._typing import Mask, Matrix
from tacit.solver._labeling import Labeling, LowestRule
from tacit.solver._problem import Problem, RowsProblem, gap_unit, relative
from tacit.solver._solution import Solution, Status
from tacit.solver._zonotope import Zonotope

# A class is decided against by the first metric where its slope is above the lowest of its row by
# more than this part of the largest such difference; those of fractional labels are rounding.
SLOPE_IS_ZERO = 1e-7
# A relative gap of the first metric that rounding on a face does not explain.
SPOILED = 1e-8
# Distinct undecided rows that are solved for in memory at the most.
MOST_TIED = 100_000

Solve = Callable[[Problem], Solution]


def solve_with_ties(first: Problem, second: Problem, solve: Solve) -> Solution:
    """Minimise `first`, and among its minimisers `second`.

    Needed where the labeled rows do not span the space (L < p): the loss on them is flat in some
    directions, so that `first`, on the columns that they determine, does not determine the
    coefficients, and `second`, on the columns in which it is flat, decides.

    Every minimiser u of `first` has the same residual z and the same slopes s = V z, so the set of
    minimisers is: a row has only classes whose slope is the lowest of its row, and V'u = z +
    target. That is a problem again, on the rows with more than one such class and with the columns
    of `first` as equalities. The gap of the combined solution is that of the harder of the two
    stages, and its status is INSIDE only when both targets are reached.
    """
    solution = solve(first)
    if solution.status is Status.EMPTY or not solution.status.is_success:
        return solution
    inside = solution.status is Status.INSIDE
    first, kind = first.centred(), first.label_set
    # Beside rows of large weight the slopes of others are small, and not rounding.
    sizes = np.hypot(*(np.linalg.norm(problem.V, axis=1) for problem in (first, second)))
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    allowed = _lowest(first.excess(solution.dual) / sizes, inside)
    is_open = allowed.sum(axis=0) > 1
    generators = first.V / sizes[:, None]
    longest = float(np.linalg.norm(generators, axis=1).max(initial=0.0))
    if not inside and _independent(
        generators[is_open], allowed[:, is_open], kind.vertices, longest
    ):
        return solution
    decided = kind.labels(np.where(is_open, 0.0, allowed))
    labels = decided.copy()
    labels[is_open] = solution.labels()[is_open]
    reached = first.target if inside else first.residual(labels) + first.target
    nearest = solve(
        Problem(
            np.hstack([first.V[is_open], second.V[is_open]]),
            np.concatenate([reached - first.V.T @ decided, second.target - second.V.T @ decided]),
            n_equalities=first.rank,
            allowed=None if inside or labels.ndim == 1 else allowed[:, is_open].T,
        )
    )
    labels[is_open] = nearest.labels()
    q = solution.dual if first.n_equalities else None
    judged = first.judge(labels, q)
    lost = relative(judged.bound, judged.objective, first.scale)
    is_missed = nearest.infeasibility > 1e-6 * np.sqrt(2.0 * first.scale)
    if is_missed or lost > max(SPOILED, 10.0 * solution.relative_gap()):
        # The face is thinner than rounding, and what the first metric says is all there is; but
        # that its own target is inside says nothing about the second one's.
        return replace(solution, status=Status.STALLED if inside else solution.status)
    status = nearest.status if inside or nearest.status is not Status.INSIDE else Status.OPTIMAL
    both = replace(
        solution,
        soft_labels=labels,
        residual=first.residual(labels),
        status=status,
        n_iter=solution.n_iter + nearest.n_iter,
        stationarity=max(first.kkt_residual(labels, q), nearest.stationarity),
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
    worse = max(lost, nearest.relative_gap())
    return replace(both, duality_gap=worse * gap_unit(judged.objective, first.scale))


def break_ties(
    first: RowsProblem, second: RowsProblem, solution: Solution, solve: Solve
) -> Solution:
    """As `solve_with_ties`, for rows that were swept: `solution` is that of `first`.

    The undecided rows, those between classes, are as a rule the few fractional ones, whose labels
    `first` determines. Where there are more (rows that the labeled rows cannot tell from the
    hyperplane: categories without any label), one sweep collects them, equal rows once, and
    they are solved for in memory. Ties that remain are not passed off as broken: the status is
    STALLED.
    """
    if solution.labeling is None:
        return solution
    kind, zonotope = first.label_set, Zonotope(first.rows, first.functions)

    def excess(V: Matrix) -> Matrix:
        s = kind.slopes(V @ solution.dual)
        return np.asarray(s - s.min(axis=0, initial=np.inf))

    generators = zonotope.generators(first.sample.X, None)
    threshold = SLOPE_IS_ZERO * float(excess(generators).max(initial=0.0))
    sweep = zonotope.sweep([solution.dual], threshold, MOST_TIED)
    solution = replace(solution, n_sweeps=solution.n_sweeps + zonotope.n_sweeps)
    near = sweep.near
    V_first = zonotope.generators(near.X, None)
    allowed = excess(V_first) <= threshold * (1.0 + 1e-9)
    if near.counted.ndim == 2:
        allowed |= near.counted.T > 0.0
    V_first = V_first * near.weights[:, None]
    longest = float(np.linalg.norm(generators, axis=1).max(initial=0.0))
    if _independent(V_first, allowed, kind.vertices, longest):
        return solution
    if len(near) >= MOST_TIED:
        return replace(solution, status=Status.STALLED)
    V_second = Zonotope(second.rows, second.functions).generators(near.X, near.weights)
    # Sums over the decided rows: all of them, less those between classes.
    mass = sweep.mass - near.counted.sum(axis=0)
    total = sweep.total - near.X.T @ near.counted
    at_first, at_second = (
        Zonotope(problem.rows, problem.functions).sum_of(mass, total) for problem in (first, second)
    )
    reached = solution.residual + first.target
    nearest = solve(
        Problem(
            np.hstack([V_first, V_second]),
            np.concatenate([reached - at_first, second.target - at_second]),
            n_equalities=first.rank,
            allowed=None if near.counted.ndim == 1 else allowed.T,
        )
    )
    if not nearest.status.is_success:
        return replace(solution, status=Status.STALLED)
    labels = nearest.labels()
    rule = LowestRule(first.functions.combine(solution.dual), threshold, near.X, labels)
    moved = (labels.T * near.weights).T
    return replace(
        solution,
        soft_labels=None,
        labeling=Labeling(None, rule, mass + moved.sum(axis=0), total + near.X.T @ moved),
        n_iter=solution.n_iter + nearest.n_iter,
        duality_gap=max(solution.relative_gap(), nearest.relative_gap())
        * gap_unit(solution.objective, solution.scale),
    )


def _lowest(excess: Matrix, inside: bool) -> Mask:
    """The classes that the first metric leaves open, for each row."""
    if inside:
        return np.isfinite(excess)
    largest = np.where(np.isfinite(excess), excess, 0.0).max(initial=0.0)
    return np.asarray(excess <= SLOPE_IS_ZERO * largest)


def _independent(generators: Matrix, allowed: Mask, vertices: Matrix, largest: float) -> bool:
    """Whether the labels of these rows are determined by their sum V'u.

    `largest` is the length of the longest generator of all rows.
    """
    n_classes, n_rows = allowed.shape
    reference = allowed.argmax(axis=0)
    others = allowed.copy()
    others[reference, np.arange(n_rows)] = False
    classes, rows = np.nonzero(others)
    if len(rows) == 0:
        return True
    if len(rows) > generators.shape[1] * (n_classes - 1):
        return False
    differences = vertices[classes] - vertices[reference[rows]]
    directions = (generators[rows][:, :, None] * differences[:, None, :]).reshape(len(rows), -1)
    # A generator of rounding errors determines nothing.
    return int(np.linalg.matrix_rank(directions, tol=SLOPE_IS_ZERO * largest)) == len(rows)
