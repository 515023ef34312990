"""Features whose inner products are a kernel, so that linear methods are kernel methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.rows import CentredRows
from tacit.solver._basis import RANK_CUT, eigen, low_rank_factor
from tacit.solver._least_squares import SMALL_PENALTY, RowsRidge, is_small

NOT_A_KERNEL = (
    "kernel gives a matrix that is not positive semi-definite; use a function that is a kernel, "
    "or a precomputed matrix of one."
)
# Rounding errors of one entry of the kernel, relative to the largest.
ROUNDING = float(np.finfo(np.float64).eps)
# Those of eigenvalues, of their sum and of the shift of the origin, in units of that and of rows.
SHIFTED = 8
# Below this part of the largest kernel value times its weight, what a penalty makes of residuals
# (times their weights, over the penalty) has the rounding errors of values in its seventh digit.
TINY_PENALTY = 1e-9


@dataclass(frozen=True)
class KernelFeatures:
    """One row of r features for each row of the table, K = F F' up to a shift of the origin.

    The squared length of coefficients is the squared norm of the function, and the shift goes into
    the intercept.
    """

    values: Matrix  # F
    weights: Matrix  # from coefficients of F to those of the kernel between a row and the table's
    means: Vector  # of each column of the kernel; zeros where the origin was not shifted
    # The penalty, by which ridge regressions know the coefficients of the kernel better than by
    # `weights`: they are the residuals over it. Zero where it is none, or too small for that.
    alpha: float
    # The regression by inner products alone, where features are nearly as many as rows. Of them the
    # columns depend on each other as they like, and `weights` are none.
    ridge: RowsRidge | None = None

    @classmethod
    def of(cls, K: Matrix, centred: bool, alpha: float = 0.0) -> KernelFeatures:
        """The principal components of the kernel, in O(n r^2) and O(n^3) at the most.

        Of those that a penalty `alpha` makes harmless only rounding is left out. Otherwise
        components whose eigenvalue is below the square root of the machine precision times the
        largest count as zero, as for the Gram matrix of a linear fit.
        """
        shifted, means = _centred(0.5 * (K + K.T), None, centred)
        # The shift may take most of the kernel away, but not its rounding errors.
        rounding = SHIFTED * len(K) * ROUNDING * float(np.abs(K).max(initial=0.0))
        if float(np.abs(shifted).max(initial=0.0)) <= rounding:
            shifted = np.zeros_like(shifted)  # a constant kernel
        eigenvalues, vectors = eigen(shifted, rounding)
        largest = float(eigenvalues.max(initial=0.0))
        below_zero = max(-eigenvalues.min(initial=0.0), eigenvalues.sum() - np.trace(shifted))
        if max(below_zero, _beside(shifted)) > RANK_CUT * largest + rounding:
            raise ValueError(NOT_A_KERNEL)
        alpha = 0.0 if is_small(alpha, K) else alpha
        kept = eigenvalues > (max(RANK_CUT * largest, rounding) if alpha == 0.0 else rounding)
        roots = np.sqrt(eigenvalues[kept])
        return cls(_plain(vectors[:, kept] * roots), vectors[:, kept] / roots, means, alpha)

    @classmethod
    def of_landmarks(cls, K: Matrix, landmarks: Index) -> KernelFeatures:
        """Those of the functions that some rows span, K between all rows and these (Nystroem)."""
        within = cls.of(K[landmarks], centred=False)
        return cls(_plain(K @ within.weights), within.weights, within.means, 0.0)

    @classmethod
    def of_ridge(
        cls, K: Matrix, weights: Vector | None, alpha: float, centred: bool, n_labeled: int
    ) -> KernelFeatures:
        """Those for ridge regressions with a penalty, of which the first rows have labels.

        Where the kernel tells most rows apart a Cholesky factor does for the principal components,
        in a tenth of the time.
        """
        w = np.ones(len(K)) if weights is None else weights
        largest = max(1.0, float(w.max())) * float(K.diagonal().max())
        if alpha <= SMALL_PENALTY * largest:
            return cls.of(K, centred, alpha if alpha > TINY_PENALTY * largest else 0.0)
        # The factor is not of the centred kernel, which has no full rank.
        F = _plain(low_rank_factor(K))
        if F.shape[1] <= max(len(K) // 2, n_labeled):
            return cls.of(K, centred, alpha)
        if centred:
            F -= w @ F / w.sum()
        rows = CentredRows(F, weights, centred=False)
        gram, means = _centred(K, weights, centred)
        # No factor has the values of a matrix that is not a kernel, in whatever direction.
        probe = np.cos(np.arange(len(K)))
        missing = np.linalg.norm(gram @ probe - rows.times(rows.back(probe)))
        if missing > len(K) ** 1.5 * ROUNDING * largest * np.linalg.norm(probe):
            return cls.of(K, centred, alpha)
        ridge = RowsRidge(gram, rows.roots, alpha, centred, rows)
        return cls(F, np.zeros((len(K), 0)), means, alpha, ridge)


def _plain(F: Matrix) -> Matrix:
    """Without numbers that are nothing beside the largest, and whose squares may be no numbers."""
    size = np.abs(F)
    return np.where(size < ROUNDING**2 * size.max(initial=0.0), 0.0, F)


def _centred(K: Matrix, weights: Vector | None, centred: bool) -> tuple[Matrix, Vector]:
    """The kernel of rows less their mean, times the roots of their weights, and its means."""
    gram, means = K, np.zeros(len(K))
    if centred:
        w = np.ones(len(K)) if weights is None else weights
        means = w @ K / w.sum()
        gram = K - means[:, None]
        gram -= means - w @ means / w.sum()
    if weights is not None:
        gram = gram * np.sqrt(np.multiply.outer(weights, weights))
    return gram, means


def _beside(gram: Matrix) -> float:
    """What is larger beside the diagonal than on it, where kernels have their largest number."""
    largest = max(gram.max(initial=0.0), -gram.min(initial=0.0))
    return float(largest - gram.diagonal().max(initial=0.0))


def fit_kernel_ridge(
    K: Matrix, Y: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
) -> tuple[Matrix, Vector]:
    """Coefficients of the kernel with each row, and the constant; the penalty is not small."""
    gram, means = _centred(K, weights, fit_intercept)
    roots = np.ones(len(K)) if weights is None else np.sqrt(weights)
    ridge = RowsRidge(gram, roots, alpha, fit_intercept)
    try:
        dual = ridge.dual(Y)
    except np.linalg.LinAlgError as error:
        raise ValueError(NOT_A_KERNEL) from error
    # Of the kernel before it was centred, which may have taken most of it away.
    rounding = len(K) * ROUNDING * float(np.abs(K).max(initial=0.0)) * float(roots.max()) ** 2
    # The squared norm of a function is not below zero.
    below_zero = -float(np.vdot(dual, gram @ dual)) / max(float(np.vdot(dual, dual)), 1.0)
    if max(_beside(gram), below_zero) > RANK_CUT * float(np.trace(gram)) + rounding:
        raise ValueError(NOT_A_KERNEL)
    dual = (roots * dual.T).T
    return dual, np.asarray(ridge.level(Y) - means @ dual)
