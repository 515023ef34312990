"""Features whose inner products are the kernel, for fits without a penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.solver._basis import RANK_CUT, Coefficients
from tacit.solver.kernel._ridge import NOT_A_KERNEL, Expansion


@dataclass(frozen=True)
class KernelFeatures:
    """One row of r features for each row of the table, K = F F' up to a shift of the origin.

    Linear methods on F are kernel methods: the squared length of coefficients is the squared norm
    of the function, and the shift goes into the intercept.

    Attributes
    ----------
    values : ndarray of shape (n, r)
        F.
    weights : ndarray of shape (n, r)
        From coefficients of F to those of the expansion in the kernel.
    means : ndarray of shape (n,)
        The mean of each column of the kernel; zeros where the origin was not shifted.
    """

    values: Matrix
    weights: Matrix
    means: Vector

    @classmethod
    def of(cls, K: Matrix, centred: bool) -> KernelFeatures:
        """The principal components of the kernel, by one eigendecomposition of O(n^3).

        Components whose eigenvalue is below the square root of the machine precision times the
        largest count as zero, as for the Gram matrix of a linear fit.
        """
        means = K.mean(axis=0) if centred else np.zeros(len(K))
        shifted = K - means[:, None] - means[None] + means.mean() if centred else K
        eigenvalues, vectors = np.linalg.eigh(0.5 * (shifted + shifted.T))
        largest = float(np.abs(eigenvalues).max(initial=0.0))
        if eigenvalues.min(initial=0.0) < -RANK_CUT * largest:
            raise ValueError(NOT_A_KERNEL)
        # A constant kernel has nothing left but the rounding errors of the shift.
        kept = eigenvalues > RANK_CUT * max(largest, RANK_CUT * float(np.abs(K).max(initial=0.0)))
        roots = np.sqrt(eigenvalues[kept])
        return cls(vectors[:, kept] * roots, vectors[:, kept] / roots, means)

    def expansion(self, coefficients: Coefficients) -> Expansion:
        """The function with these coefficients of the features."""
        dual = self.weights @ coefficients.coef
        if self.means.any():
            # Centred components sum to zero, but only to the rounding errors of the smallest of
            # them, which large coefficients would carry into every value.
            dual = dual - dual.mean(axis=0)
        return Expansion(dual, np.asarray(coefficients.intercept - self.means @ dual))
