"""The rows as a margin solver sees them: by their features, or by their inner products."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from tacit._typing import Index, Matrix, Vector
from tacit.solver._kernel_ridge import NOT_A_KERNEL

# Up to so many rows all their inner products are kept, 32 megabytes: a search over labelings asks
# for those of the same rows thousands of times.
KEPT_ROWS = 2000
# Rounding of kernels in single precision, relative to the largest number and to the trace.
ROUNDING = 1e-6
SHIFT = 1e-7


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
