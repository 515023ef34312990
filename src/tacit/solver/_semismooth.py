"""A semismooth Newton method for many directions, and few labels at their bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from tacit._cached import cached_property
from tacit._typing import Mask, Matrix
from tacit.solver._problem import Problem
from tacit.solver._solution import Solution, Status

NAME = "semismooth"
# Changes of the active set at the most; between three and ten are usual, and a set that still
# changes then goes round in circles.
MOST_CHANGES = 50
# Added to the diagonal relative to its mean, so that equal rows have equal labels. It moves the
# objective by less than the gap can tell.
REGULARISATION = 1e-13
# Part of the shares at zero up to which solving for their slopes is the cheaper way; of two classes
# half of it, for the equations of the other way are half as many for each of them.
FEW = 0.25
# Accuracy of the step, relative to it, that this way must have.
ACCURATE = 1e-10
# Order of the equations of the free shares, at the most: half a gigabyte, or that of Q itself.
LARGEST = 8000


@dataclass(frozen=True)
class Quadratic:
    """An objective of labels u, 1/2 tr (u - values)'Q(u - values)."""

    values: Matrix
    Q: Matrix


def solve_semismooth(
    problem: Problem,
    tol: float = 1e-8,
    max_iter: int = MOST_CHANGES,
    quadratic: Quadratic | None = None,
) -> Solution | None:
    """Solve `problem`, or say None.

    A label is a share for each class: P = [1 - u, u] for two classes. The objective is
    1/2 tr (P - values)'Q(P - values) with Q = V V', where the minimiser without bounds has the
    `values`: the `quadratic`, if that is known. If Q is regular, as for most kernels, only rows
    near those whose values are no shares have one at zero. Shares in the active set are zero and
    the others solved for exactly; one that is negative enters the set, and one whose slope is below
    that of the free classes of its row leaves it, until nothing changes (Hintermueller, Ito &
    Kunisch 2003). With m shares at zero one Cholesky factor of Q, O(U^3 / 3), serves all
    iterations, O(U^2 m + m^3 / 3) each; where m is not small it is one of order U (K - 1) - m for
    each of them.

    The problem has no equalities and all classes are allowed. The status is OPTIMAL or INSIDE, and
    the answer None where the sets do not settle, or not at the tolerance.
    """
    problem = problem.centred()
    Q = problem.V @ problem.V.T if quadratic is None else quadratic.Q.copy()
    diagonal = np.einsum("ii->i", Q)
    diagonal += REGULARISATION * float(diagonal.mean())
    few_zeros = _FewZeros(Q)
    values = _without_bounds(problem, few_zeros) if quadratic is None else quadratic.values
    if values is None:
        return None
    shares = values if values.ndim == 2 else np.column_stack([1.0 - values, values])
    zero = shares < 0.0
    for n_iter in range(min(max_iter, MOST_CHANGES)):
        # 1. The shares and their slopes, with these at zero.
        step = few_zeros.step(shares, zero)
        if step is None:
            step = _step_of_free(Q, shares, zero)
        if step is None:
            return None
        P, slopes = shares + step, Q @ step
        # 2. Which of them contradict the set?
        level = np.where(zero, -np.inf, slopes).max(axis=1, keepdims=True)
        changed = np.where(zero, slopes > level, P < 0.0)
        if (changed == zero).all():
            P = np.maximum(np.where(zero, 0.0, P), 0.0)
            P /= P.sum(axis=1, keepdims=True)
            labels, status = P if values.ndim == 2 else P[:, 1], Status.OPTIMAL
            found = Solution.of(problem, labels, status=status, solver=NAME, n_iter=n_iter + 1)
            return found if found.is_optimal(tol) else None
        zero = changed
    return None


def _without_bounds(problem: Problem, few_zeros: _FewZeros) -> Matrix | None:
    """The minimiser without bounds, or None where there is none."""
    values = problem.uniform()
    try:
        for _ in range(2):  # the second round removes the rounding errors of the first
            values -= few_zeros.solve(problem.V @ problem.residual(values))
            if values.ndim == 2:
                values += (1.0 - values.sum(axis=1, keepdims=True)) / problem.n_classes
    except np.linalg.LinAlgError:
        return None
    return values


class _FewZeros:
    """Steps from one factor of Q, as long as few shares are at zero.

    The slopes Q D of a step D whose rows add up to zero are equal on the free classes of a row. So
    D = Q^-1 Y C, where Y is what the slopes at the zeros have in excess and C takes out the mean of
    a row, and Y solves the equations that D must meet at the zeros.
    """

    def __init__(self, Q: Matrix) -> None:
        self.Q = Q
        self.usable = True

    @cached_property
    def factor(self) -> Matrix:
        """The Cholesky factor of Q."""
        return _cholesky(self.Q)

    def solve(self, right: Matrix) -> Matrix:
        """Q^-1 right."""
        return np.asarray(cho_solve((self.factor, True), right, check_finite=False))

    def step(self, shares: Matrix, zero: Mask) -> Matrix | None:
        """The step that takes shares to zero, or None where it takes another way."""
        rows, classes = np.nonzero(zero)
        n_classes = zero.shape[1]
        limit = FEW * zero.size * (0.5 if n_classes == 2 else 1.0)
        if not self.usable or len(rows) > limit:
            return None
        if len(rows) == 0:
            return np.zeros_like(shares)
        distinct, which = np.unique(rows, return_inverse=True)
        columns = np.zeros((len(zero), len(distinct)))
        columns[distinct, np.arange(len(distinct))] = 1.0
        centring = np.eye(n_classes) - 1.0 / n_classes
        try:
            half = solve_triangular(self.factor, columns, lower=True, check_finite=False)
            inverse = half.T @ half
            among = inverse[np.ix_(which, which)] * centring[np.ix_(classes, classes)]
            inner = _cholesky(among)
        except np.linalg.LinAlgError:
            self.usable = False
            return None
        wanted = -shares[zero]
        excess = np.zeros((len(distinct), n_classes))
        excess[which, classes] = cho_solve((inner, True), wanted, check_finite=False)
        step = solve_triangular(
            self.factor, half @ (excess @ centring), lower=True, trans="T", check_finite=False
        )
        # Rounding errors of an inverse that hardly exists show on the shares that it must hit.
        error = np.abs(step[zero] - wanted).max(initial=0.0)
        self.usable = bool(error <= ACCURATE * np.abs(wanted).max(initial=0.0))
        step[zero] = wanted
        return np.asarray(step) if self.usable else None


def _step_of_free(Q: Matrix, shares: Matrix, zero: Mask) -> Matrix | None:
    """The step that takes shares to zero, or None where its equations are too many.

    A row moves along the differences between its free classes and the largest of them.
    """
    each = np.arange(len(shares))
    largest = np.where(zero, -np.inf, shares).argmax(axis=1)
    moving = ~zero
    moving[each, largest] = False
    rows, classes = np.nonzero(moving)
    if len(rows) > max(LARGEST, len(Q)):
        return None
    step = np.where(zero, -shares, 0.0)
    step[each, largest] = -step.sum(axis=1)
    if len(rows) == 0:
        return step
    differences = np.eye(shares.shape[1])[classes] - np.eye(shares.shape[1])[largest[rows]]
    try:
        factor = _cholesky(Q[np.ix_(rows, rows)] * (differences @ differences.T))
    except np.linalg.LinAlgError:
        return None
    for _ in range(2):  # the second round removes the rounding errors of the first
        slopes = Q @ step
        along = slopes[rows, largest[rows]] - slopes[rows, classes]
        change = np.zeros_like(step)
        change[rows, classes] = cho_solve((factor, True), along, check_finite=False)
        change[each, largest] = -change.sum(axis=1)
        step += change
    return np.asarray(step)


def _cholesky(matrix: Matrix) -> Matrix:
    return np.asarray(cholesky(matrix, lower=True, check_finite=False))
