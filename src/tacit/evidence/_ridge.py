"""Kernel ridge regression on the labels, with its exact leave-one-out, for many penalties at once.

With an unpenalised constant the fit solves (K + alpha I) c + b 1 = Y, 1'c = 0, so that c = P Y with

    P = H^-1 - H^-1 1 1' H^-1 / (1' H^-1 1),    H = K + alpha I,

and the residual of row i in the fit without row i is c_i / P_ii (docs/theory/evidence.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector

# In units of the kernel's variance on the labeled rows: from interpolation to nearly a constant.
ALPHAS = np.logspace(-4.0, 2.0, 7)


@dataclass(frozen=True)
class RidgePath:
    """The fits of one kernel for all penalties."""

    left_out: Matrix  # (A, L, C): by penalty and labeled row, the prediction without this row
    dual: Matrix  # (A, L, C), the coefficients of the kernel functions
    intercept: Matrix  # (A, C)


def kernel_scale(K: Matrix) -> float:
    """The mean squared distance of the rows from their mean, in the space of the kernel.

    Kernels divided by it can be added: each has the same say. One for a constant kernel.
    """
    scale = float(np.trace(K) / len(K) - K.mean())
    return scale if scale > 1e-12 * float(np.abs(K).max(initial=1e-300)) else 1.0


def ridge_path(K: Matrix, Y: Matrix, weights: Vector, alphas: Vector = ALPHAS) -> RidgePath:
    """Fits and exact leave-one-out predictions for all penalties, by one decomposition.

    Of a kernel (L, L), targets (L, C) and positive weights of the rows.
    """
    # Rows times the roots of their weights: then weights need no further mention.
    roots = np.sqrt(weights)[:, None]
    values, Q = np.linalg.eigh(roots * K * roots.T)
    inverse = 1.0 / (np.maximum(values, 0.0) + alphas[:, None])  # (A, L)
    ones, targets = Q.T @ roots[:, 0], Q.T @ (roots * Y)
    h_ones = (inverse * ones) @ Q.T  # H^-1 1 for every penalty
    h_targets = np.einsum("lm,am,mc->alc", Q, inverse, targets, optimize=True)
    total = (inverse * ones**2).sum(axis=1)
    intercept = np.einsum("am,m,mc->ac", inverse, ones, targets) / total[:, None]
    dual = h_targets - h_ones[:, :, None] * intercept[:, None, :]
    diagonal = inverse @ (Q**2).T - h_ones**2 / total[:, None]
    left_out = Y - dual / np.maximum(diagonal, 1e-300)[:, :, None] / roots
    return RidgePath(left_out, roots * dual, intercept)
