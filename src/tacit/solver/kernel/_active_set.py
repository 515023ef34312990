"""A primal-dual active-set method for many directions and few labels at their bounds."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from tacit._typing import Mask, Matrix, Vector
from tacit.solver._polish import is_reached
from tacit.solver._problem import BoxProblem
from tacit.solver._solution import Solution, Status

NAME = "active-set"
# Changes of the active set at the most; between three and ten are usual, and a set that still
# changes then goes round in circles.
MOST_CHANGES = 50
# Added to the diagonal relative to its mean, so that equal rows have equal labels. It moves the
# objective by less than the gap can tell.
REGULARISATION = 1e-13
# Part of the labels at bounds up to which solving for their slopes is the cheaper way.
FEW = 0.25
# Accuracy of the step, relative to it, that this way must have.
ACCURATE = 1e-10


def solve_active_set(
    problem: BoxProblem,
    values: Vector,
    tol: float = 1e-8,
    max_iter: int = MOST_CHANGES,
    start: Vector | None = None,
) -> Solution | None:
    """Solve `problem`, whose target is V'values, or say None.

    The objective is 1/2 (u - values)'Q(u - values) with Q = V V'. If Q is regular, as for most
    kernels, the minimiser without bounds is `values` itself, and only labels near those that
    leave [0, 1] are at a bound. Labels at bounds are fixed and the others solved for exactly; one
    that leaves [0, 1] is fixed, and one that is drawn inside is freed, until nothing changes
    (Hintermueller, Ito & Kunisch 2003: a semismooth Newton method). One Cholesky factor of Q serves
    all iterations with few labels at bounds, O(U^2) for each of them; others cost O(U^3 / 3).

    Parameters
    ----------
    problem : BoxProblem
        What to solve, without equalities.
    values : ndarray of shape (U,)
        What V' maps to the target.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=50
        Changes of the active set at the most.
    start : ndarray of shape (U,), optional
        Labels to begin with; the nearest ones to `values` by default.

    Returns
    -------
    Solution or None
        With status OPTIMAL or INSIDE; None where the sets do not settle, or not at the tolerance.
    """
    if ((values >= 0.0) & (values <= 1.0)).all():
        return Solution.of(problem, values, status=Status.INSIDE, solver=NAME, n_iter=0)
    Q = problem.V @ problem.V.T
    diagonal = np.einsum("ii->i", Q)
    diagonal += REGULARISATION * float(diagonal.mean())
    # A label is at a bound if the step against its slope leads beyond.
    pushed = values
    if start is not None:
        pushed = start - Q @ (start - values) / float(diagonal.mean())
    low, high = pushed < 0.0, pushed > 1.0
    quick = _Quick(Q)
    for n_iter in range(min(max_iter, MOST_CHANGES)):
        free = ~(low | high)
        step = np.where(low, -values, np.where(high, 1.0 - values, 0.0))
        if free.any() and not free.all() and not quick.complete(step, free):
            try:
                factor = _cholesky(Q[np.ix_(free, free)])
            except np.linalg.LinAlgError:
                return None
            right = Q[np.ix_(free, ~free)] @ step[~free]
            step[free] = -cho_solve((factor, True), right, check_finite=False)
        u = values + step
        slopes = Q @ step
        new_low = np.where(free, u < 0.0, low & (slopes > 0.0))
        new_high = np.where(free, u > 1.0, high & (slopes < 0.0))
        if (new_low == low).all() and (new_high == high).all():
            u = np.clip(u, 0.0, 1.0)
            status = Status.INSIDE if is_reached(problem, u) else Status.OPTIMAL
            solution = Solution.of(problem, u, status=status, solver=NAME, n_iter=n_iter + 1)
            return solution if solution.is_optimal(tol) else None
        low, high = new_low, new_high
    return None


class _Quick:
    """Steps of the free labels from one factor of Q, as long as few labels are fixed.

    Slopes s = Q step vanish on free labels, so that step = Q^-1 s, and those of the fixed labels
    solve the system with their part of Q^-1.
    """

    def __init__(self, Q: Matrix) -> None:
        self.Q = Q
        self.factor: Matrix | None = None
        self.usable = True

    def complete(self, step: Vector, free: Mask) -> bool:
        """Fill in the steps of the free labels, or say that it takes another way."""
        fixed = np.flatnonzero(~free)
        if not self.usable or len(fixed) > FEW * len(free):
            return False
        try:
            if self.factor is None:
                self.factor = _cholesky(self.Q)
            columns = np.zeros((len(free), len(fixed)))
            columns[fixed, np.arange(len(fixed))] = 1.0
            half = solve_triangular(self.factor, columns, lower=True, check_finite=False)
            inner = _cholesky(half.T @ half)
        except np.linalg.LinAlgError:
            self.usable = False
            return False
        slopes = cho_solve((inner, True), step[fixed], check_finite=False)
        moved = solve_triangular(
            self.factor, half @ slopes, lower=True, trans="T", check_finite=False
        )
        # Rounding errors of an inverse that hardly exists show on the labels that it must hit.
        missed = np.abs(moved[fixed] - step[fixed]).max()
        self.usable = bool(missed <= ACCURATE * np.abs(step[fixed]).max())
        step[free] = moved[free]
        return self.usable


def _cholesky(matrix: Matrix) -> Matrix:
    return np.asarray(cholesky(matrix, lower=True, check_finite=False))
