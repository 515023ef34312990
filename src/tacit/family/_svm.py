"""A support vector machine with given labels: the convex problem, its certificate, its solver."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from tacit._typing import Index, Matrix, Vector
from tacit.solver import Status
from tacit.solver._kernel_features import NOT_A_KERNEL

# Rounding of kernels in single precision, relative to the largest number.
ROUNDING = 1e-6
# The square of the intercept's column, in units of the mean ||x||^2: the intercept is hardly
# penalised, and what is left of the penalty goes with every round.
INTERCEPT = 100.0
# The penalty: the width of the curved part of the smoothed hinge is its inverse, in units of the
# margin. The first is wide enough for few Newton steps from anywhere, growth by ten gives a digit
# or more a round, and the last still leaves half of all digits to the Newton systems.
FIRST_PENALTY, WARM_PENALTY, GROWTH, LAST_PENALTY = 3.0, 10.0, 10.0, 1e6
# Costs are felt in units of 1 / ||x||^2. Above HARD of these the smoothed hinge is as steep as the
# hinge itself, and Newton's method takes hundreds of steps: it then starts as with SOFT of them,
# and the penalty grows on for as much longer, up to MOST_HARD, above which it would cost digits.
SOFT, HARD, MOST_HARD = 1e2, 1e4, 1e6
# The part of a slope that a line search may leave, and its trials at the most.
ENOUGH, TRIALS = 0.3, 60
# What a round's own problem may be off by, as a part of the objective. A gap is measured at the
# dual point, where it is this times the penalty; the last Newton steps are few.
INNER = 1e-10
# More rows off their bounds than this are not worth a dense system of their own.
MOST_FREE = 1500


class Features:
    """Rows as dense features Z, and a column for the intercept where there is one."""

    def __init__(self, Z: Matrix, intercept: bool) -> None:
        self.Z, self.intercept = Z, intercept
        self.mean_square = float((Z * Z).sum() / max(len(Z), 1))
        self.unit = (INTERCEPT * self.mean_square) ** 0.5 or 1.0
        self.columns = np.column_stack([Z, np.full(len(Z), self.unit)]) if intercept else Z
        # Of nearly as many columns as rows, as kernels have them, all products take less time than
        # those that each Newton step asks for.
        is_square = Z.shape[1] <= len(Z) <= 2 * Z.shape[1]
        self.products = self.columns @ self.columns.T if is_square else None


@dataclass(frozen=True)
class HingeProblem:
    """Hinge losses with a penalty: min 1/2 ||w||^2 + sum_i c_i max(0, m_i - s_i (<x_i, w> + b)).

    The signs s are the labels, -1 or 1, the margins m usually 1, and the costs c not negative.
    """

    features: Features
    signs: Vector
    margins: Vector
    costs: Vector

    def violations(self, values: Vector) -> Vector:
        """By how much rows of these decision values miss their margins."""
        return np.asarray(self.margins - self.signs * values)

    def loss(self, values: Vector) -> float:
        """The hinge losses of decision values."""
        return float(self.costs @ np.maximum(self.violations(values), 0.0))

    def feasible(self, alpha: Vector) -> Vector:
        """A dual point near `alpha` that meets the constraints: the heavier side shrinks."""
        alpha = np.clip(alpha, 0.0, self.costs)
        excess = float(self.signs @ alpha) if self.features.intercept else 0.0
        heavy = np.where(self.signs * excess > 0, alpha, 0.0)
        return np.asarray(alpha - heavy * (abs(excess) / heavy.sum() if excess else 0.0))

    def best_intercept(self, values: Vector) -> float:
        """The intercept with the smallest loss, a weighted median; of an interval the middle."""
        if not self.features.intercept:
            return 0.0
        meets = self.signs * self.margins - values
        order = np.argsort(meets, kind="stable")
        climbed = np.cumsum(self.costs[order])
        target = self.costs[self.signs > 0].sum()
        # The slope is zero to rounding between two rows: an interval of equally good intercepts.
        slack = 1e-12 * climbed[-1]
        ends = np.searchsorted(climbed, [target - slack, target + slack])
        return float(meets[order[np.minimum(ends, len(order) - 1)]].mean())

    def measure(self, alpha: Vector) -> HingeSolution:
        """The solution that the dual point `alpha` stands for, and its duality gap."""
        alpha, Z = self.feasible(alpha), self.features.Z
        w = Z.T @ (self.signs * alpha)
        values, squared_norm = Z @ w, float(w @ w)
        b = self.best_intercept(values)
        values = values + b
        return HingeSolution(
            w=w,
            b=b,
            alpha=alpha,
            signs=self.signs,
            values=values,
            squared_norm=squared_norm,
            objective=0.5 * squared_norm + self.loss(values),
            dual_objective=float(self.margins @ alpha) - 0.5 * squared_norm,
            noise=float(np.finfo(float).eps * alpha.sum() ** 2 * self.features.mean_square),
        )


@dataclass(frozen=True)
class HingeSolution:
    """A support vector machine with the certificate of its optimality."""

    w: Vector  #: The normal vector, in the features of the problem.
    b: float  #: The intercept.
    alpha: Vector  #: The dual point, feasible.
    signs: Vector  #: The labels, -1 or 1.
    values: Vector  #: Decision values of all rows.
    squared_norm: float  #: ||w||^2.
    #: Of w and b: a bound of the smallest objective from above, and of alpha: one from below.
    objective: float
    dual_objective: float
    #: What rounding may do to either objective, as with steep kernels, which lose digits.
    noise: float
    status: Status = Status.OPTIMAL  #: Why the solver stopped.
    n_iter: int = 0  #: Newton steps.

    def gap(self) -> float:
        """By how much the objective can be above the smallest at the most."""
        return max(0.0, self.objective - self.dual_objective)

    def relative_gap(self) -> float:
        """The gap as a part of the objective."""
        return self.gap() / self.objective if self.objective > 0 else 0.0

    def is_optimal(self, tol: float) -> bool:
        """Whether the relative gap is at most `tol`, or too small to be told from rounding."""
        return self.gap() <= max(tol * self.objective, self.noise)


def solve_hinge(
    problem: HingeProblem,
    start: HingeSolution | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> HingeSolution:
    """The minimiser of `problem` to a relative duality gap of `tol`.

    The proximal point method on the dual and on the intercept, with Newton's method in each round
    (Li, Sun & Toh, SIAM Journal on Optimization 28, 2018). Only rows on the curved part of the
    smoothed hinge enter the Newton system, usually few: a step costs O(n d) and the cube of the
    smaller of their number and d.
    """
    # 1. A first dual point and what it gives.
    alpha = np.minimum(0.0 if start is None else start.alpha, problem.costs)
    best = problem.measure(alpha)
    at = best if start is None else replace(start, alpha=alpha)
    penalty = FIRST_PENALTY if start is None else WARM_PENALTY
    unit, last, mean_square = problem.costs, LAST_PENALTY, problem.features.mean_square
    hardness = float(unit.max(initial=0.0)) * mean_square
    if hardness > HARD:
        unit = np.minimum(unit, SOFT / mean_square)
        last *= min(hardness, MOST_HARD) / SOFT
    n_iter, stalled = 0, 0
    while best.relative_gap() > tol and n_iter < max_iter and stalled < 3:
        # 2. One proximal step from it.
        enough = INNER * best.objective
        alpha, steps = _proximal_step(problem, at, penalty * unit, enough, max_iter - n_iter)
        n_iter += steps
        # 3. Keep it where it is better, and be bolder in any case.
        found = problem.measure(alpha)
        if found.relative_gap() > tol:
            polished = problem.measure(_polished(problem, alpha))
            found = min(found, polished, key=HingeSolution.gap)
        stalled = 0 if found.gap() < 0.9 * best.gap() or penalty < last else stalled + 1
        best, at = min(best, found, key=HingeSolution.gap), found
        penalty = min(penalty * GROWTH, last)
    status = Status.MAX_ITERATIONS if n_iter >= max_iter else Status.STALLED
    return replace(best, status=Status.OPTIMAL if best.is_optimal(tol) else status, n_iter=n_iter)


def _proximal_step(
    problem: HingeProblem, at: HingeSolution, penalty: Vector, enough: float, max_iter: int
) -> tuple[Vector, int]:
    """The dual values after one proximal step, and the Newton steps that it took.

    Its own dual is the hinge problem with a smoothed loss, in which the intercept, in its unit,
    pays its squared distance to the last one. It is solved until it can fall by `enough`.
    """
    features, costs, signs = problem.features, problem.costs, problem.signs
    columns = features.columns
    x, centre = at.w, np.zeros_like(at.w)
    if features.intercept:
        x, centre = np.append(x, at.b / features.unit), np.append(centre, at.b / features.unit)
    values, is_last, n_iter = at.values, False, 0
    while n_iter < max_iter and not is_last:
        n_iter += 1
        # 1. The gradient at x, and the rows on the curved part of their loss.
        raw = at.alpha + penalty * problem.violations(values)
        alpha = np.minimum(np.maximum(raw, 0.0), costs)
        free = np.flatnonzero((raw > 0.0) & (raw < costs))
        gradient = x - centre - columns.T @ (signs * alpha)
        # 2. The Newton direction.
        direction = -_newton(features, free, penalty[free], gradient)
        along = columns @ direction
        # 3. A step along it. The decrement is twice what a quadratic would still fall by; the
        # last step is taken on trust, as slopes are rounding noise by then.
        is_last = -float(gradient @ direction) <= enough
        length = 1.0
        if not is_last:
            slope = float((x - centre) @ direction), float(direction @ direction)
            length = _line_search(raw, signs * along, penalty, costs, slope)
        x, values = x + length * direction, values + length * along
    raw = at.alpha + penalty * problem.violations(values)
    return np.clip(raw, 0.0, costs), n_iter


def _line_search(
    raw: Vector, change: Vector, penalty: Vector, costs: Vector, of_norm: tuple[float, float]
) -> float:
    """A length at which the slope is ENOUGH of what it was, or less; 1 if that serves."""

    def slope(length: float) -> float:
        a = np.minimum(np.maximum(raw - length * bend, 0.0), costs)
        return of_norm[0] + length * of_norm[1] - float(change @ a)

    bend = penalty * change
    enough = ENOUGH * abs(slope(0.0))
    length, low, high = 1.0, 0.0, np.inf
    for _ in range(TRIALS):
        value = slope(length)
        if abs(value) <= enough:
            return length
        low, high = (length, high) if value < 0.0 else (low, length)
        length = 4.0 * low if np.isinf(high) else 0.5 * (low + high)
    return low


def _newton(features: Features, free: Index, penalty: Vector, gradient: Vector) -> Vector:
    """(I + X'DX)^-1 gradient, X the free rows and D their penalties, by rows or by columns."""
    rows = features.columns[free]
    if len(rows) < rows.shape[1]:
        products = features.products
        M = rows @ rows.T if products is None else products[free[:, None], free]
        M.flat[:: len(M) + 1] += 1.0 / penalty
        return gradient - rows.T @ _solve(M, rows @ gradient) if len(rows) else gradient
    H = rows.T @ (rows * penalty[:, None])
    H.flat[:: len(H) + 1] += 1.0
    return _solve(H, gradient)


def _polished(problem: HingeProblem, alpha: Vector) -> Vector:
    """The dual point that is exact if all bounds at `alpha` are right: the others meet margins."""
    features, signs = problem.features, problem.signs
    free = np.flatnonzero((alpha > 0.0) & (alpha < problem.costs))
    n = len(free)
    if not 0 < n <= MOST_FREE:
        return alpha
    Z = features.Z[free]
    right = (signs * problem.margins)[free] - Z @ (features.Z.T @ (signs * alpha))
    M = Z @ Z.T
    if features.intercept:
        # The border has the size of the products, whatever the units of the rows.
        border = np.full(n, float(np.abs(M).max()) or 1.0)
        M = np.block([[M, border[:, None]], [border[None, :], np.zeros((1, 1))]])
        right = np.append(right, -border[0] * float(signs @ alpha))
    correction = linalg.lstsq(M, right, cond=1e-11, lapack_driver="gelsy", check_finite=False)[0]
    polished = alpha.copy()
    polished[free] += signs[free] * correction[:n]
    return np.asarray(polished)


def _solve(M: Matrix, right: Vector) -> Vector:
    """M^-1 right for a positive definite M."""
    # LAPACK itself: these systems are small, and the checks of its wrappers would cost the most.
    _, solution, failed = lapack.dposv(M, right, lower=1)
    if failed:
        # Rounding of a kernel that is not quite positive; a shift of its size repairs it.
        shifted = M + 1e-10 * float(np.abs(M.diagonal()).max()) * np.eye(len(M))
        solution = linalg.lstsq(shifted, right, check_finite=False)[0]
    return np.asarray(solution)


def kernel_features(K: Matrix) -> Matrix:
    """Features whose inner products are K, by a pivoted Cholesky factor, O(n^2 rank).

    Refuses a matrix that is not symmetric and positive semi-definite, up to rounding: without that
    the objective of a support vector machine has no minimum.
    """
    largest = float(np.abs(K).max(initial=0.0))
    factor, pivots, rank, _ = lapack.dpstrf(K, lower=1, tol=-1.0)
    Z = np.zeros_like(K)
    Z[pivots - 1] = np.tril(factor)
    Z = Z[:, :rank]
    if float(np.abs(Z @ Z.T - K).max(initial=0.0)) > ROUNDING * largest:
        raise ValueError(NOT_A_KERNEL)
    return Z
