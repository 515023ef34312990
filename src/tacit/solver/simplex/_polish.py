"""The last step to the exact answer on the simplex, once fractional labels are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._typing import Index, Mask, Matrix
from tacit.solver._polish import REACHED, unit_of_multipliers
from tacit.solver._walk import MANY_FREE, ROUNDING, on_simplex, walk
from tacit.solver.simplex._curvature import Factor, Pairs
from tacit.solver.simplex._problem import SimplexProblem

# Rounds of the exact solve: the first is off by the ridge that makes it solvable, the others by
# ever less of it.
ROUNDS = 4
RIDGE = 1e-13
# Weight on the equalities in the method of multipliers; each round divides what is missing by
# about this much.
EQUALITY_WEIGHT = 1e4
EQUALITY_ROUNDS = 8


@dataclass(frozen=True)
class Finished:
    """Labels P, and the dual matrix that they need where there are equalities."""

    P: Matrix
    Q: Matrix | None

    def is_reached(self, problem: SimplexProblem) -> bool:
        """Whether V'P is the target, equalities and all, up to rounding."""
        size = float(np.linalg.norm(problem.residual(self.P)))
        return size <= REACHED * float(np.sqrt(2.0 * problem.whole().scale))


def finish(
    problem: SimplexProblem, pairs: Pairs, now: Finished, multipliers: Matrix, near: bool
) -> Finished | None:
    """The exact answer, if the iterate is near enough to tell it; `near` if it may be zero."""
    if near:
        reached = reach(problem, pairs, now.P)
        if reached is not None:
            return reached
    return refine(problem, now, _fractional(problem, now, multipliers))


def settle(
    problem: SimplexProblem, now: Finished, multipliers: Matrix, tol: float
) -> Finished | None:
    """Walk to labels with a relative gap of at most `tol`, or say None.

    For problems without equalities only.
    """
    if problem.n_equalities:
        return None
    free = _fractional(problem, now, multipliers)
    free[np.arange(len(free)), now.P.argmax(axis=1)] = True
    allowed = np.ones(free.shape, dtype=bool) if problem.allowed is None else problem.allowed
    share = 1.0 / np.sqrt(problem.counts)
    found = walk(
        problem.V,
        problem.target * share,
        np.diag(share),
        np.where(free & allowed, now.P, 0.0),
        free & allowed,
        allowed,
        lambda P: problem.judge(P).badness <= tol,
    )
    return None if found is None else Finished(found, None)


def _fractional(problem: SimplexProblem, now: Finished, multipliers: Matrix) -> Mask:
    """Labels that are farther from zero than their multiplier is."""
    Q = problem.dual(now.P) if now.Q is None else now.Q
    return np.asarray(multipliers / unit_of_multipliers(problem.V, Q, multipliers) < now.P)


def reach(problem: SimplexProblem, pairs: Pairs, P: Matrix) -> Finished | None:
    """Move P so that V'P equals the target, or say None if a label would leave the simplex.

    A row moves by diag(p) - pp' times its slope, which costs a label the more the closer it is to
    zero. O(U r^2 K^2).
    """
    nothing = np.zeros(problem.target.shape)
    Z = problem.residual(P)
    for _ in range(3):  # the later rounds remove the errors of the first
        try:
            factor = Factor(pairs.curvature(np.ascontiguousarray(P.T)), nothing)
        except np.linalg.LinAlgError:
            return None
        slopes = problem.V @ factor.solve(-Z)
        P = P + P * (slopes - (P * slopes).sum(axis=1, keepdims=True))
        if P.min() < -ROUNDING:
            return None
        P = on_simplex(P)
        Z = problem.residual(P)
    found = Finished(P, None)
    return found if found.is_reached(problem) else None


def refine(problem: SimplexProblem, now: Finished, free: Mask) -> Finished | None:
    """Solve exactly for the labels in `free`, with all others at zero.

    A row with one free class has it; the others move along the differences between their free
    classes, which generically are at most r (K - 1) in number. None when there are too many for
    that to be the answer, or when a label would be negative.
    """
    free = free.copy()
    largest = now.P.argmax(axis=1)
    free[np.arange(len(free)), largest] = True
    if problem.allowed is not None:
        free &= problem.allowed
    moving = free.copy()
    moving[np.arange(len(free)), largest] = False
    rows, classes = np.nonzero(moving)
    if len(rows) > max(2 * problem.rank * (problem.n_classes - 1), MANY_FREE):
        return None
    P = on_simplex(np.where(free, now.P, 0.0))
    if len(rows):
        step = _Differences(problem, rows, classes, largest[rows])
        found = step.solve(P, now.Q)
        if found is None:
            return None
        P, Q = found
    else:
        Q = now.Q
    if P.min(initial=0.0) < -ROUNDING:
        return None
    P = on_simplex(P)
    if Q is not None:
        k = problem.n_equalities
        Q = np.concatenate([Q[:k], problem.residual(P)[k:] / problem.counts])
    return Finished(P, Q)


class _Differences:
    """Directions v (x) (e_k - e_l), one for each free class but the largest of its row."""

    def __init__(
        self, problem: SimplexProblem, rows: Index, classes: Index, largest: Index
    ) -> None:
        self.problem = problem
        self.rows, self.classes, self.largest = rows, classes, largest
        self.V = problem.V[rows]
        self.E = np.zeros((len(rows), problem.n_classes))
        each = np.arange(len(rows))
        self.E[each, classes] = 1.0
        self.E[each, largest] -= 1.0

    def along(self, Z: Matrix) -> Matrix:
        """The inner product of each direction with Z."""
        return np.asarray(((self.V @ Z) * self.E).sum(axis=1))

    def moved(self, P: Matrix, step: Matrix) -> Matrix:
        """P after a step."""
        P = P.copy()
        np.add.at(P, (self.rows, self.classes), step)
        np.add.at(P, (self.rows, self.largest), -step)
        return P

    def solve(self, P: Matrix, Q: Matrix | None) -> tuple[Matrix, Matrix | None] | None:
        """The labels with the smallest objective, the equalities by the method of multipliers."""
        problem, k = self.problem, self.problem.n_equalities
        weight = np.ones(problem.rank)
        weight[:k] = EQUALITY_WEIGHT
        gram = ((self.V * weight) @ self.V.T) * ((self.E / problem.counts) @ self.E.T)
        diagonal = np.einsum("ii->i", gram)
        diagonal += RIDGE * float(diagonal.sum())
        factor, failed = dpotrf(gram.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            return None
        dual = np.zeros_like(problem.target) if Q is None else Q.copy()
        Z = problem.residual(P) / problem.counts
        for _ in range(EQUALITY_ROUNDS if k else ROUNDS):
            pull = np.concatenate([dual[:k] + EQUALITY_WEIGHT * Z[:k], Z[k:]])
            step, _ = dpotrs(factor, -self.along(pull), lower=True)
            P = self.moved(P, step)
            Z = problem.residual(P) / problem.counts
            dual[:k] += EQUALITY_WEIGHT * Z[:k]
        return P, (dual if k else None)
