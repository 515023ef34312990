"""Least squares, plain, ridge and with the second moment of all rows, on one rank rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import Moments, as_rows
from tacit.solver._basis import Basis, Coefficients

# Penalties that leave-one-out chooses from, in units of the mean squared length of a centred
# column: a quarter of a decade apart, from none to speak of to nothing but the intercept.
LOO_GRID = np.logspace(-6.0, 4.0, 41)


def fit_least_squares(basis: Basis, X: Any, Y: Matrix, weights: Vector | None) -> Coefficients:
    """The coefficients that minimise sum w ||x'beta - y||^2 + alpha ||beta||^2.

    `basis` must be that of the rows X. One step of refinement makes up for the squaring of the
    condition number in the Gram matrix. Y may have several columns, each its own problem.
    """
    B = basis.functions
    Z = B.values(X)
    weighted = Z if weights is None else Z * weights[:, None]
    theta = weighted.T @ Y
    fitted = B.combine(theta)
    penalty = basis.alpha * (B.coef.T @ fitted.coef)
    theta = theta + weighted.T @ (Y - fitted.values(X)) - penalty
    return B.combine(theta)


def leave_one_out_alpha(
    X: Matrix, Y: Matrix, weights: Vector | None, fit_intercept: bool = True
) -> float:
    """The ridge penalty with the smallest leave-one-out squared error.

    All penalties share one eigendecomposition: leaving row i out multiplies its residual by
    1 / (1 - h_i), h the leverages (Allen's PRESS, as in scikit-learn's RidgeCV).
    O(min(L, d)^2 max(L, d)) and no refit.
    """
    w = np.ones(len(X)) if weights is None else weights
    X, Y, w = X[w > 0], Y[w > 0], w[w > 0]
    root = np.sqrt(w)[:, None]
    Y = Y.reshape(len(Y), -1)
    if fit_intercept:
        X = X - (w @ X) / w.sum()
    unit = float((w @ X**2).sum()) / max(1, X.shape[1])
    if unit == 0.0:
        return 0.0
    scores, squares = _principal_scores(root * X)
    constant = w / w.sum() if fit_intercept else np.zeros(len(w))
    centred = root * (Y - (w @ Y) / w.sum()) if fit_intercept else root * Y
    # One column a penalty.
    inverse = 1.0 / (squares[:, None] + LOO_GRID * unit)
    kept = 1.0 - constant[:, None] - scores**2 @ inverse
    errors = np.zeros(len(LOO_GRID))
    for target in centred.T:
        residuals = target[:, None] - scores @ (inverse * (scores.T @ target)[:, None])
        errors += ((residuals / kept) ** 2).sum(axis=0)
    return float(LOO_GRID[int(np.argmin(errors))] * unit)


def _principal_scores(X: Matrix) -> tuple[Matrix, Vector]:
    """X in its principal directions, orthogonal columns, and their squared lengths.

    From the smaller Gram matrix: squaring loses what is eight decades below the largest length,
    which the smallest penalty of the grid covers.
    """
    if len(X) <= X.shape[1]:
        squares, left = np.linalg.eigh(X @ X.T)
        squares = np.maximum(squares, 0.0)
        return left * np.sqrt(squares), squares
    squares, right = np.linalg.eigh(X.T @ X)
    return X @ right, np.maximum(squares, 0.0)


def supervised_basis(
    X: Any, weights: Vector | None, alpha: float, fit_intercept: bool
) -> tuple[Basis, Moments]:
    """The basis of the labeled rows, and their moments."""
    moments = Moments.of(as_rows(X, weights))
    return Basis.of(moments, alpha, fit_intercept), moments
