"""Least squares, plain, ridge and with the second moment of all rows, on one rank rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import Matrix, Vector
from tacit.rows import CentredRows, Moments, as_rows
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


def fit_supervised(
    X: Any, Y: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
) -> tuple[Coefficients, int]:
    """Ridge regression or, without a penalty, the shortest least squares, and the rank.

    Of fewer rows L than columns in the space of the labels, O(L^2 d) and nothing of order d^2.
    """
    _check_squares(X, weights)
    if X.shape[0] >= X.shape[1]:
        basis = Basis.of(Moments.of(as_rows(X, weights)), alpha, fit_intercept)
        return fit_least_squares(basis, X, Y, weights), basis.rank
    rows = CentredRows(X, weights, fit_intercept)
    if alpha == 0.0:
        basis = Basis.of_rows(rows, fit_intercept)
        return fit_least_squares(basis, X, Y, weights), basis.rank
    return _fit_ridge(rows, Y, alpha, fit_intercept), X.shape[1] + fit_intercept


def _check_squares(X: Any, weights: Vector | None) -> None:
    """An error that names the column whose squares, added up, are no numbers any more."""
    total = float(X.shape[0] if weights is None else weights.sum())
    most: Any = abs(X).max(axis=0)
    largest = np.ravel(most.toarray() if sparse.issparse(X) else most)
    # With some room below the largest number, for products, and above the smallest, for the digits
    # of squares and for coefficients, which are as large as columns are small.
    limits = np.finfo(np.float64)
    is_large = largest > np.sqrt(1e-2 * limits.max / max(total, 1.0))
    is_small = (largest > 0.0) & (largest < np.sqrt(limits.tiny / limits.eps))
    for is_bad, size in ((is_large, "large"), (is_small, "small")):
        if is_bad.any():
            raise ValueError(
                f"Column {int(is_bad.argmax())} (counted from 0) has numbers too {size} to be "
                "squared and added up with their weights; scale it."
            )


def _fit_ridge(rows: CentredRows, Y: Matrix, alpha: float, fit_intercept: bool) -> Coefficients:
    """(K + alpha I)^-1 of the centred targets, K the Gram matrix of the rows, taken back by X'."""
    weights = rows.roots**2
    level = np.asarray(weights @ Y / weights.sum() if fit_intercept else np.zeros(Y.shape[1:]))
    centred = (rows.roots * (Y - level).T).T
    squares, left = np.linalg.eigh(rows.gram())
    # Rows that are combinations of others have no part of their own in X'.
    seen = squares > len(left) * np.finfo(np.float64).eps * squares.max(initial=0.0)
    squares, left = squares[seen], left[:, seen]

    def solve(right: Matrix) -> Matrix:
        return np.asarray(left @ ((left.T @ right).T / (squares + alpha)).T)

    dual = solve(centred)
    coef = rows.back(dual)
    # One step of refinement, as in `fit_least_squares`.
    coef = coef + rows.back(solve(centred - rows.times(coef) - alpha * dual))
    return Coefficients(coef, level - rows.mean @ coef)


def leave_one_out_alpha(
    X: Any, Y: Matrix, weights: Vector | None, fit_intercept: bool = True
) -> float:
    """The ridge penalty with the smallest leave-one-out squared error.

    All penalties share one eigendecomposition: leaving row i out multiplies its residual by
    1 / (1 - h_i), h the leverages (Allen's PRESS, as in scikit-learn's RidgeCV).
    O(min(L, d)^2 max(L, d)) and no refit.
    """
    w = np.ones(X.shape[0]) if weights is None else weights
    X, Y, w = X[w > 0], Y[w > 0], w[w > 0]
    root = np.sqrt(w)[:, None]
    Y = Y.reshape(len(Y), -1)
    rows = CentredRows(X, w, fit_intercept)
    unit = float(rows.squares().sum()) / max(1, X.shape[1])
    if unit == 0.0:
        return 0.0
    scores, squares = _principal_scores(rows)
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


def _principal_scores(rows: CentredRows) -> tuple[Matrix, Vector]:
    """The rows in their principal directions, orthogonal columns, and their squared lengths.

    From the smaller Gram matrix: squaring loses what is eight decades below the largest length,
    which the smallest penalty of the grid covers.
    """
    n, d = rows.X.shape
    if n <= d:
        squares, left = np.linalg.eigh(rows.gram())
        squares = np.maximum(squares, 0.0)
        return left * np.sqrt(squares), squares
    squares, right = np.linalg.eigh(rows.scatter())
    return rows.times(right), np.maximum(squares, 0.0)
