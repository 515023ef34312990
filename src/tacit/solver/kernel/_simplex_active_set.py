"""The active-set method for more than two classes: labels on the simplex, few of them zero."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from tacit._typing import Mask, Matrix
from tacit.solver._solution import Solution, Status
from tacit.solver.kernel._active_set import ACCURATE, FEW, MOST_CHANGES, NAME, REGULARISATION
from tacit.solver.simplex._polish import Finished
from tacit.solver.simplex._problem import SimplexProblem

# Order of the equations of the free labels, at the most: half a gigabyte.
LARGEST = 8000


def solve_simplex_active_set(
    problem: SimplexProblem,
    values: Matrix,
    tol: float = 1e-8,
    max_iter: int = MOST_CHANGES,
    start: Matrix | None = None,
) -> Solution | None:
    """Solve `problem`, whose target is V'values, or say None.

    As `solve_active_set`: the objective is 1/2 tr (P - values)'Q(P - values) with Q = V V', and
    without bounds `values` is its minimiser. Labels in a set are zero and the others solved for
    exactly; one that is negative enters the set, and one whose slope is below that of the free
    classes of its row leaves it, until nothing changes. With m labels at zero one Cholesky factor
    of Q, O(U^3 / 3), serves all iterations, O(U^2 m + m^3 / 3) each; where Q is singular or m is
    not small it is one of order U (K - 1) - m for each of them.

    Parameters
    ----------
    problem : SimplexProblem
        What to solve, without equalities, all classes allowed.
    values : ndarray of shape (U, K)
        What V' maps to the target; rows add up to one.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=50
        Changes of the active set at the most.
    start : ndarray of shape (U, K), optional
        Labels to begin with.

    Returns
    -------
    Solution or None
        With status OPTIMAL or INSIDE; None where the sets do not settle, or not at the tolerance.
    """
    problem = problem.centred()
    if (values >= 0.0).all():
        return Solution.of(problem, values, status=Status.INSIDE, solver=NAME, n_iter=0)
    Q = problem.V @ problem.V.T
    diagonal = np.einsum("ii->i", Q)
    diagonal += REGULARISATION * float(diagonal.mean())
    zero = values < 0.0
    if start is not None:
        slopes = Q @ (start - values)
        # Against the mean slope of the row, so that one class at least is not above it.
        above = slopes - (start * slopes).sum(axis=1, keepdims=True)
        zero = start < above / float(diagonal.mean())
    few_zeros, free = _FewZeros(Q), _Free(Q)
    for n_iter in range(min(max_iter, MOST_CHANGES)):
        # 1. The labels and their slopes, with these at zero.
        step = few_zeros.step(values, zero)
        if step is None:
            step = free.step(values, zero)
        if step is None:
            return None
        P, slopes = values + step, Q @ step
        # 2. Which of them contradict the set?
        level = np.where(zero, -np.inf, slopes).max(axis=1, keepdims=True)
        changed = np.where(zero, slopes > level, P < 0.0)
        if (changed == zero).all():
            found = Finished(_on_simplex(np.where(zero, 0.0, P)), None)
            status = Status.INSIDE if found.is_reached(problem) else Status.OPTIMAL
            solution = Solution.of(problem, found.P, status=status, solver=NAME, n_iter=n_iter + 1)
            return solution if solution.is_optimal(tol) else None
        zero = changed
    return None


class _FewZeros:
    """Steps from one factor of Q, as long as few labels are at zero.

    The slopes Q D of a step D whose rows add up to zero are equal on the free classes of a row. So
    D = Q^-1 Y C, where Y is what the slopes at the zeros have in excess and C takes out the mean of
    a row, and Y solves the equations that D must meet at the zeros.
    """

    def __init__(self, Q: Matrix) -> None:
        self.Q = Q
        self.factor: Matrix | None = None
        self.usable = True

    def step(self, values: Matrix, zero: Mask) -> Matrix | None:
        """The step that takes labels to zero, or None where it takes another way."""
        rows, classes = np.nonzero(zero)
        if not self.usable or len(rows) > FEW * zero.size:
            return None
        n_classes = zero.shape[1]
        distinct, which = np.unique(rows, return_inverse=True)
        columns = np.zeros((len(zero), len(distinct)))
        columns[distinct, np.arange(len(distinct))] = 1.0
        centring = np.eye(n_classes) - 1.0 / n_classes
        try:
            if self.factor is None:
                self.factor = _cholesky(self.Q)
            half = solve_triangular(self.factor, columns, lower=True, check_finite=False)
            inverse = half.T @ half
            among = inverse[np.ix_(which, which)] * centring[np.ix_(classes, classes)]
            inner = _cholesky(among)
        except np.linalg.LinAlgError:
            self.usable = False
            return None
        wanted = -values[zero]
        excess = np.zeros((len(distinct), n_classes))
        excess[which, classes] = cho_solve((inner, True), wanted, check_finite=False)
        step = solve_triangular(
            self.factor, half @ (excess @ centring), lower=True, trans="T", check_finite=False
        )
        # Rounding errors of an inverse that hardly exists show on the labels that it must hit.
        missed = np.abs(step[zero] - wanted).max(initial=0.0)
        self.usable = bool(missed <= ACCURATE * np.abs(wanted).max(initial=0.0))
        step[zero] = wanted
        return np.asarray(step) if self.usable else None


class _Free:
    """Steps of the free labels: differences between the free classes of a row and one of them."""

    def __init__(self, Q: Matrix) -> None:
        self.Q = Q

    def step(self, values: Matrix, zero: Mask) -> Matrix | None:
        """The step that takes labels to zero, or None where its equations are too many."""
        each = np.arange(len(values))
        largest = np.where(zero, -np.inf, values).argmax(axis=1)
        moving = ~zero
        moving[each, largest] = False
        rows, classes = np.nonzero(moving)
        if len(rows) > LARGEST:
            return None
        step = np.where(zero, -values, 0.0)
        step[each, largest] = -step.sum(axis=1)
        if len(rows) == 0:
            return step
        same = (classes[:, None] == classes) + 0.0
        same -= classes[:, None] == largest[rows]
        same -= largest[rows][:, None] == classes
        same += largest[rows][:, None] == largest[rows]
        try:
            factor = _cholesky(self.Q[np.ix_(rows, rows)] * same)
        except np.linalg.LinAlgError:
            return None
        for _ in range(2):  # the second round removes the rounding errors of the first
            slopes = self.Q @ step
            along = slopes[rows, largest[rows]] - slopes[rows, classes]
            change = np.zeros_like(step)
            change[rows, classes] = cho_solve((factor, True), along, check_finite=False)
            change[each, largest] = -change.sum(axis=1)
            step += change
        return np.asarray(step)


def _on_simplex(P: Matrix) -> Matrix:
    P = np.maximum(P, 0.0)
    return np.asarray(P / P.sum(axis=1, keepdims=True))


def _cholesky(matrix: Matrix) -> Matrix:
    return np.asarray(cholesky(matrix, lower=True, check_finite=False))
