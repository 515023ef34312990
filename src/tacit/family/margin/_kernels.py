"""Whether a matrix is a kernel."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from tacit._typing import Matrix
from tacit.solver._kernel_ridge import NOT_A_KERNEL

# Rounding of kernels in single precision, relative to the largest number and to the trace.
ROUNDING = 1e-6
SHIFT = 1e-7


def check_kernel(K: Matrix) -> None:
    """Refuse a matrix that is not symmetric and positive semi-definite, up to rounding.

    Inner products of a Hilbert space are both, and without them the objective of a support vector
    machine has no minimum. One Cholesky factorisation, O(n^3 / 3).

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The matrix.

    Raises
    ------
    ValueError
        If it is not.
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
