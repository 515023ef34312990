"""Features whose inner products are a kernel, so that linear methods are kernel methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.solver._basis import RANK_CUT, eigen

NOT_A_KERNEL = (
    "kernel gives a matrix that is not positive semi-definite; use a function that is a kernel, "
    "or a precomputed matrix of one."
)
# Below this part of the largest entry of its diagonal, a penalty does not save the kernel matrix
# from its rounding errors. Then a rank rule does.
SMALL_PENALTY = 1e-7
# Rounding errors of one entry of the kernel, relative to the largest.
ROUNDING = float(np.finfo(np.float64).eps)


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

    @classmethod
    def of(cls, K: Matrix, centred: bool, alpha: float = 0.0) -> KernelFeatures:
        """The principal components of the kernel, in O(n r^2) and O(n^3) at the most.

        Of those that a penalty `alpha` makes harmless only rounding is left out. Otherwise
        components whose eigenvalue is below the square root of the machine precision times the
        largest count as zero, as for the Gram matrix of a linear fit.
        """
        means = K.mean(axis=0) if centred else np.zeros(len(K))
        shifted = K - means[:, None] - means[None] + means.mean() if centred else K
        shifted = 0.5 * (shifted + shifted.T)
        eigenvalues, vectors = eigen(shifted)
        largest = float(eigenvalues.max(initial=0.0))
        rounding = len(K) * ROUNDING * float(np.abs(K).max(initial=0.0))
        below_zero = max(-eigenvalues.min(initial=0.0), eigenvalues.sum() - np.trace(shifted))
        # The largest entry of such a matrix stands on its diagonal.
        beside = float(np.abs(shifted).max(initial=0.0) - shifted.diagonal().max(initial=0.0))
        if max(below_zero, beside) > RANK_CUT * largest + rounding:
            raise ValueError(NOT_A_KERNEL)
        if alpha <= SMALL_PENALTY * float(K.diagonal().max(initial=0.0)):
            alpha = 0.0
        # A constant kernel has nothing left but the rounding errors of the shift.
        kept = eigenvalues > (max(RANK_CUT * largest, rounding) if alpha == 0.0 else rounding)
        roots = np.sqrt(eigenvalues[kept])
        return cls(vectors[:, kept] * roots, vectors[:, kept] / roots, means, alpha)

    @classmethod
    def of_landmarks(cls, K: Matrix, landmarks: Index) -> KernelFeatures:
        """Those of the functions that some rows span, K between all rows and these (Nystroem)."""
        within = cls.of(K[landmarks], centred=False)
        return cls(K @ within.weights, within.weights, within.means, 0.0)
