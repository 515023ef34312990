"""A support vector machine with given labels: its rows, the convex problem and its certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from tacit._typing import Index, Matrix, Vector
from tacit.solver._kernel_ridge import NOT_A_KERNEL
from tacit.solver._solution import StopReason

# Up to so many rows all their inner products are kept, 32 megabytes: a search over labelings asks
# for those of the same rows thousands of times.
KEPT_ROWS = 2000
# Rounding of kernels in single precision, relative to the largest number and to the trace.
ROUNDING = 1e-6
SHIFT = 1e-7


class HingeStatus(StopReason):
    """Why the solver stopped."""

    OPTIMAL = "optimal"
    MAX_ITERATIONS = "max_iterations"
    STALLED = "stalled"
    """Rounding errors stopped all progress before the tolerance was met."""

    @property
    def is_success(self) -> bool:
        """Whether the tolerance was met."""
        return self is HingeStatus.OPTIMAL


@dataclass(frozen=True)
class HingeProblem:
    r"""Hinge losses of labeled rows with a quadratic penalty.

    .. math:: \min_{w, b} \tfrac12 \|w\|^2
        + \sum_i c_i \max(0, m_i - s_i(\langle x_i, w\rangle + b))

    The dual, with :math:`\beta_i = s_i\alpha_i`, is

    .. math:: \max_\alpha \sum_i m_i\alpha_i - \tfrac12 \Bigl\|\sum_i \beta_i x_i\Bigr\|^2,
        \qquad 0 \le \alpha_i \le c_i, \quad \sum_i \beta_i = 0,

    the last only where there is an intercept b.

    The signs s are the labels, -1 or 1, the margins m usually 1, and the costs c not negative.
    """

    geometry: Geometry
    signs: Vector
    margins: Vector
    costs: Vector
    intercept: bool

    def violations(self, values: Vector) -> Vector:
        """By how much rows of these decision values miss their margins."""
        return np.asarray(self.margins - self.signs * values)

    def loss(self, values: Vector) -> float:
        """The hinge losses of decision values."""
        return float(self.costs @ np.maximum(self.violations(values), 0.0))

    def feasible(self, alpha: Vector) -> Vector:
        """The dual point near `alpha` that meets the constraints, the sum to rounding."""
        alpha = np.clip(alpha, 0.0, self.costs)
        if not self.intercept:
            return np.asarray(alpha)
        excess = float(self.signs @ alpha)
        # Rows off their bounds take what is wrong, so that those at a bound stay there.
        room = np.where(self.signs * excess > 0, alpha, self.costs - alpha)
        room[(alpha <= 0.0) | (alpha >= self.costs)] = 0.0
        total = float(room.sum())
        if total >= abs(excess):
            return np.asarray(alpha - self.signs * room * (excess / total if total > 0 else 0.0))
        # Shrinking the heavier side keeps every box.
        heavy = self.signs * excess > 0
        weight = float(alpha[heavy].sum())
        alpha[heavy] *= (weight - abs(excess)) / weight
        return np.asarray(alpha)

    def best_intercept(self, values: Vector) -> float:
        """The intercept with the smallest loss; of an interval of these the middle.

        The slope of the loss is a step function of b with a step of c_i where row i meets its
        margin, so that its zero is a weighted median.
        """
        if not self.intercept:
            return 0.0
        meets = self.signs * self.margins - values
        order = np.argsort(meets, kind="stable")
        climbed = np.cumsum(self.costs[order])
        target = self.costs[self.signs > 0].sum()
        # The slope is zero to rounding between two rows: an interval of equally good intercepts.
        slack = 1e-12 * climbed[-1]
        first = int(np.searchsorted(climbed, target - slack))
        last = int(np.searchsorted(climbed, target + slack))
        first, last = min(first, len(order) - 1), min(last, len(order) - 1)
        return float(0.5 * (meets[order[first]] + meets[order[last]]))

    def measure(
        self, alpha: Vector, status: HingeStatus = HingeStatus.OPTIMAL, n_iter: int = 0
    ) -> HingeSolution:
        """The solution that the dual point `alpha` stands for, and its duality gap."""
        alpha = self.feasible(alpha)
        w = self.geometry.combine(self.signs * alpha)
        values = self.geometry.values(w)
        squared_norm = self.geometry.inner(w, w, values)
        b = self.best_intercept(values)
        values = values + b
        return HingeSolution(
            w=w,
            b=b,
            alpha=alpha,
            values=values,
            squared_norm=squared_norm,
            objective=0.5 * squared_norm + self.loss(values),
            dual_objective=float(self.margins @ alpha) - 0.5 * squared_norm,
            status=status,
            n_iter=n_iter,
            noise=float(np.finfo(float).eps * alpha.sum() ** 2 * self.geometry.mean_square()),
        )

    def start_from(self, solution: HingeSolution, signs: Vector) -> HingeSolution:
        """Where to start from a solution for `signs`, some of which have changed."""
        guess = np.where(self.violations(solution.values) > 0.0, self.costs, 0.0)
        return replace(solution, alpha=np.where(self.signs != signs, guess, solution.alpha))


@dataclass(frozen=True)
class HingeSolution:
    """A support vector machine with the certificate of its optimality.

    Attributes
    ----------
    w : ndarray
        The normal vector, as the geometry represents it.
    b : float
        The intercept.
    alpha : ndarray of shape (n,)
        The dual point, feasible.
    values : ndarray of shape (n,)
        Decision values of all rows.
    squared_norm : float
        ||w||^2.
    objective, dual_objective : float
        Of w and b, and of alpha: bounds of the smallest objective from above and below.
    status : HingeStatus
        Why the solver stopped.
    n_iter : int
        Newton steps.
    noise : float
        What rounding may do to either objective: inner products of features far from their origin,
        or of steep kernels, lose digits.
    """

    w: Vector
    b: float
    alpha: Vector
    values: Vector
    squared_norm: float
    objective: float
    dual_objective: float
    status: HingeStatus
    n_iter: int
    noise: float = 0.0

    def gap(self) -> float:
        """By how much the objective can be above the smallest at the most."""
        return max(0.0, self.objective - self.dual_objective)

    def relative_gap(self) -> float:
        """The gap as a part of the objective."""
        return self.gap() / self.objective if self.objective > 0 else 0.0

    def is_optimal(self, tol: float) -> bool:
        """Whether the relative gap is at most `tol`, or too small to be told from rounding."""
        return self.gap() <= max(tol * self.objective, self.noise)


class Features:
    """Rows X with few features, less `origin`: w is a vector of coefficients.

    The difference of a sparse matrix and its origin is never formed.
    """

    def __init__(self, X: Any, origin: Vector) -> None:
        self.is_sparse = sparse.issparse(X)
        self.X = X if self.is_sparse else X - origin
        self.origin = origin if self.is_sparse else np.zeros_like(origin)
        self._mean_square: float | None = None
        self._gram: Matrix | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    def mean_square(self) -> float:
        """The mean of ||x_i||^2."""
        if self._mean_square is None:
            squares = self.X.multiply(self.X) if self.is_sparse else self.X**2
            mean = np.asarray(self.X.mean(axis=0)).ravel()
            shift = self.origin @ (self.origin - 2.0 * mean) if self.is_sparse else 0.0
            self._mean_square = float(squares.sum() / max(self.n_rows, 1) + shift)
        return self._mean_square

    def combine(self, beta: Vector) -> Vector:
        """The vector w = sum_i beta_i x_i."""
        w = np.asarray(self.X.T @ beta)
        return w - beta.sum() * self.origin if self.is_sparse else w

    def values(self, w: Vector) -> Vector:
        """<x_i, w> for every row."""
        values = np.asarray(self.X @ w)
        return values - self.origin @ w if self.is_sparse else values

    def inner(self, w: Vector, v: Vector, values_of_v: Vector) -> float:
        """<w, v>."""
        return float(w @ v)

    def products(self, index: Index) -> Matrix:
        """Inner products among some of the rows."""
        if self.is_sparse or self.n_rows > KEPT_ROWS:
            rows = self._rows(index)
            return np.asarray(rows @ rows.T)
        if self._gram is None:
            self._gram = np.asarray(self.X @ self.X.T)
        return self._gram[np.ix_(index, index)]

    def _rows(self, index: Index) -> Matrix:
        rows = self.X[index]
        return np.asarray(rows.toarray() - self.origin if self.is_sparse else rows)

    def newton(
        self, gradient: Vector, free: Index, curvature: Vector, intercept: Vector
    ) -> tuple[Vector, float]:
        """The step of Newton's method for 1/2 ||w||^2 and curved losses on the `free` rows.

        Solves the system of the matrix [I + X'DX, X'd; d'X, sum(d) + r], where X are the free rows
        and d their `curvature`, for the right-hand side of minus the gradient. `intercept` holds
        the derivative by the intercept and r, or is empty where there is none. Through the smaller
        of two matrices: one row a feature, or one a free row.
        """
        rows = self._rows(free)
        if len(free) < rows.shape[1]:
            u, b = _dual_step(self.products(free), rows @ gradient, curvature, intercept)
            return -gradient - rows.T @ u, b
        return _primal_step(rows, gradient, curvature, intercept)


class Gram:
    """Rows known by their inner products K alone: w is the vector of its weights on the rows."""

    def __init__(self, K: Matrix) -> None:
        self.K = K

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.K)

    def mean_square(self) -> float:
        """The mean of ||x_i||^2."""
        return float(self.K.diagonal().mean())

    def combine(self, beta: Vector) -> Vector:
        """The weights themselves."""
        return beta

    def values(self, w: Vector) -> Vector:
        """<x_i, w> for every row."""
        support = np.flatnonzero(w)
        if 2 * len(support) < len(w):
            return np.asarray(w[support] @ self.K[support])
        return np.asarray(self.K @ w)

    def inner(self, w: Vector, v: Vector, values_of_v: Vector) -> float:
        """<w, v>."""
        return float(w @ values_of_v)

    def products(self, index: Index) -> Matrix:
        """Inner products among some of the rows."""
        return self.K[np.ix_(index, index)]

    def newton(
        self, gradient: Vector, free: Index, curvature: Vector, intercept: Vector
    ) -> tuple[Vector, float]:
        """Through the inner products of the free rows."""
        u, b = _dual_step(self.products(free), self.K[free] @ gradient, curvature, intercept)
        step = -gradient
        step[free] -= u
        return step, b


Geometry = Features | Gram


def centred(K: Matrix, weights: Vector) -> Matrix:
    """Inner products of the rows less their weighted mean; the weights sum to one."""
    mean = K @ weights
    return np.asarray(K - mean[:, None] - mean[None, :] + weights @ mean)


def check_kernel(K: Matrix) -> None:
    """Refuse a matrix that is not symmetric and positive semi-definite, up to rounding.

    Inner products of a Hilbert space are both, and without them the objective of a support vector
    machine has no minimum. One Cholesky factorisation, O(n^3 / 3).
    """
    largest = float(np.abs(K).max(initial=0.0))
    if float(np.abs(K - K.T).max(initial=0.0)) > ROUNDING * largest:
        raise ValueError(NOT_A_KERNEL)
    shifted = K.copy()
    # The trace bounds the largest eigenvalue of a kernel; the zero matrix is one as well.
    shift = SHIFT * max(float(K.trace()), 0.0)
    shifted.flat[:: len(K) + 1] += shift if largest > 0.0 else 1.0
    try:
        linalg.cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError as error:
        raise ValueError(NOT_A_KERNEL) from error


def _primal_step(
    rows: Matrix, gradient: Vector, curvature: Vector, intercept: Vector
) -> tuple[Vector, float]:
    d = rows.shape[1]
    scaled = rows * curvature[:, None]
    if not len(intercept):
        H = rows.T @ scaled
        H.flat[:: d + 1] += 1.0
        return np.asarray(-_solve(H, gradient)), 0.0
    H = np.empty((d + 1, d + 1))
    H[:d, :d] = rows.T @ scaled
    H[d, :d] = H[:d, d] = scaled.sum(axis=0)
    H[d, d] = curvature.sum() + intercept[1]
    H.flat[: d * (d + 1) : d + 2] += 1.0
    step = -_solve(H, np.append(gradient, intercept[0]))
    return step[:d], float(step[d])


def _dual_step(
    K: Matrix, values: Vector, curvature: Vector, intercept: Vector
) -> tuple[Vector, float]:
    """The weights u of the free rows in minus the step less the gradient, and the intercept's."""
    if not len(values):
        return values, float(-intercept[0] / intercept[1]) if len(intercept) else 0.0
    M = K.copy()
    M.flat[:: len(M) + 1] += 1.0 / curvature
    if not len(intercept):
        return np.asarray(_solve(M, -values)), 0.0
    solved = _solve(M, np.column_stack([-values, np.ones(len(values))]))
    u, ones = solved[:, 0], solved[:, 1]
    b = (-intercept[0] - u.sum()) / (ones.sum() + intercept[1])
    return u + b * ones, float(b)


def _solve(M: Matrix, right: Matrix) -> Matrix:
    """M^{-1} right for a positive definite M."""
    # LAPACK itself: these systems are small, and the checks of its wrappers would cost the most.
    _, solution, failed = lapack.dposv(M, right, lower=1)
    if failed:
        # Rounding of a kernel that is not quite positive; a shift of its size repairs it.
        shifted = M + 1e-10 * float(np.abs(M.diagonal()).max()) * np.eye(len(M))
        solution = linalg.lstsq(shifted, right, check_finite=False)[0]
    return np.asarray(solution)
