"""Least squares, plain, ridge and with the second moment of all rows, on one rank rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dpotri

from tacit._cached import cached_property
from tacit._typing import Matrix, Vector
from tacit.rows import Block, CentredRows, Moments, Rows, as_rows
from tacit.rows._moments import LARGEST
from tacit.solver._basis import RANK_CUT, Basis, Coefficients

# Penalties that leave-one-out chooses from, in units of the mean squared length of a centred
# column: a quarter of a decade apart, from none to speak of to nothing but the intercept.
LOO_GRID = np.logspace(-6.0, 4.0, 41)
# Below this part of the largest entry of its diagonal, a penalty does not save a Gram matrix from
# its rounding errors. Then a rank rule does.
SMALL_PENALTY = 1e-7
# Up to so many columns, matrices of their order take milliseconds, also where rows are fewer.
FEW_COLUMNS = 1000
# Above this multiple of it values are so small that rounding errors of a difference are not.
LARGE_PENALTY = 1e3
# Inner products tell directions whose square with the penalty is above this part of the largest.
KNOWN = 1e-6
# Rows of so many numbers are made dense to find the others.
MOST_NUMBERS = 2**26


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
    """Ridge regression or, without a penalty, the shortest; how many coefficients are determined.

    Of fewer rows L than columns in the space of the labels, O(L^2 d) and nothing of order d^2,
    unless columns would be lost there.
    """
    _check_squares(X, weights)
    is_wide = X.shape[0] < X.shape[1]
    rows = CentredRows(X, weights, fit_intercept) if is_wide else None
    if rows is None or loses_columns(rows.squares(), alpha):
        basis = Basis.of(Moments.of(as_rows(X, weights)), alpha, fit_intercept)
        return fit_least_squares(basis, X, Y, weights), basis.n_determined
    if alpha == 0.0:
        basis = Basis.of_rows(rows, fit_intercept)
        return fit_least_squares(basis, X, Y, weights), basis.rank
    ridge = RowsRidge(rows.gram(), rows.roots, alpha, fit_intercept, rows)
    return ridge.coefficients(Y), X.shape[1] + fit_intercept


def _check_squares(X: Any, weights: Vector | None) -> None:
    """An error that names the column whose squares, added up, are no numbers any more."""
    total = float(X.shape[0] if weights is None else weights.sum())
    most: Any = abs(X).max(axis=0)
    largest = np.ravel(most.toarray() if sparse.issparse(X) else most)
    # With some room above the smallest number, for the digits of squares and for coefficients,
    # which are as large as columns are small.
    limits = np.finfo(np.float64)
    is_large = largest > np.sqrt(LARGEST / max(total, 1.0))
    is_small = (largest > 0.0) & (largest < np.sqrt(limits.tiny / limits.eps))
    for is_bad, size in ((is_large, "large"), (is_small, "small")):
        if is_bad.any():
            raise ValueError(
                f"Column {int(is_bad.argmax())} (counted from 0) has numbers too {size} to be "
                "squared and added up with their weights; scale it."
            )


def is_small(alpha: float, gram: Matrix) -> bool:
    """Whether the penalty is none, or too small for equations in the Gram matrix itself."""
    return alpha <= SMALL_PENALTY * float(gram.diagonal().max(initial=0.0))


def loses_columns(squares: Vector, alpha: float) -> bool:
    """Whether rows lose some column, of these squared lengths, beside another.

    Beside the penalty columns may be lost, and a penalty that is not small beside all of them makes
    up for it. Of many columns, matrices of their order would cost more than that is worth.
    """
    if len(squares) > FEW_COLUMNS:
        return False
    largest = float(squares.max(initial=0.0))
    is_lost = (squares < RANK_CUT**2 * largest) & (squares > RANK_CUT * alpha)
    return 0.0 < alpha <= SMALL_PENALTY * largest and bool(is_lost.any())


def column_squares(X: Any, others: Rows, fit_intercept: bool) -> Vector:
    """The squared length of each column, but for a factor of the number of rows, in one sweep."""

    def extremes(block: Block) -> Matrix:
        ends: tuple[Any, Any] = block.X.max(axis=0), -block.X.min(axis=0)
        return np.stack([np.ravel(e.toarray() if hasattr(e, "toarray") else e) for e in ends])

    ends = extremes(Block(X, None, 0))
    if others.n_rows:
        ends = np.maximum(ends, others.reduce(extremes, np.maximum))
    return np.asarray(ends.sum(axis=0) if fit_intercept else np.abs(ends).max(axis=0)) ** 2


@dataclass(frozen=True)
class Principal:
    """Rows less their mean in their principal directions: left * lengths @ right'."""

    left: Matrix
    lengths: Vector
    right: Matrix | None  # None where inner products told the others

    @classmethod
    def of(cls, gram: Matrix, alpha: float, rows: CentredRows | None) -> Principal:
        """All but rounding, from the inner products where these with a penalty know all directions.

        They know the squares of lengths, and lose what is below the root of the machine precision.
        The rows themselves do not.
        """
        squares, left = np.linalg.eigh(gram)
        limit, largest = len(left) * np.finfo(np.float64).eps, squares.max(initial=0.0)
        n_unknown = int(np.sum(squares + alpha <= KNOWN * largest))
        # Rows less their mean have no part in the direction of the constant.
        is_lost = rows is not None and n_unknown > bool(rows.mean.any())
        if rows is not None and is_lost and np.prod(rows.X.shape) <= MOST_NUMBERS:
            left, lengths, right = np.linalg.svd(rows.dense(), full_matrices=False)
            seen = lengths > limit * lengths.max(initial=0.0)
            return cls(left[:, seen], lengths[seen], right[seen].T)
        # Rows that are combinations of others have no part of their own.
        seen = squares > limit * largest
        return cls(left[:, seen], np.sqrt(squares[seen]), None)

    def solve(self, right: Matrix, alpha: float) -> Matrix:
        """(gram + alpha I)^-1 of this, but for what no row has a part in."""
        return np.asarray(self.left @ ((self.left.T @ right).T / (self.lengths**2 + alpha)).T)

    def fit(self, centred: Matrix, alpha: float) -> Matrix:
        """Coefficients of the principal directions in a ridge regression to these targets."""
        shrunk = self.lengths / (self.lengths**2 + alpha)
        return np.asarray((shrunk * (self.left.T @ centred).T).T)


@dataclass(frozen=True)
class RowsRidge:
    """Ridge regression in the space of the rows, from their inner products alone: O(n^3)."""

    gram: Matrix  # of rows less their mean (with an intercept), each times the root of its weight
    roots: Vector
    alpha: float
    fit_intercept: bool
    rows: CentredRows | None = None  # these rows, where coefficients of columns are asked for

    @cached_property
    def constant(self) -> Vector:
        """The direction that an intercept fits, of length one, and zero without an intercept."""
        return np.asarray(self.fit_intercept * self.roots / np.linalg.norm(self.roots))

    @cached_property
    def factor(self) -> Matrix:
        """The Cholesky factor of gram + alpha I; a LinAlgError where that is not positive.

        As large as other directions, that of the constant does not drown them in its rounding.
        """
        if (self.roots == self.roots[0]).all():
            shifted = self.gram + self.largest * self.constant[0] ** 2
        else:
            shifted = self.gram + np.multiply.outer(self.largest * self.constant, self.constant)
        np.einsum("ii->i", shifted)[:] += self.alpha
        return np.asarray(cholesky(shifted.T, lower=True, overwrite_a=True, check_finite=False))

    @cached_property
    def principal(self) -> Principal:
        """Principal directions, for penalties that are small."""
        return Principal.of(self.gram, self.alpha, self.rows)

    def _by_factor(self, right: Matrix) -> Matrix:
        return np.asarray(cho_solve((self.factor, True), right, check_finite=False))

    def _solve(self, right: Matrix) -> Matrix:
        if not is_small(self.alpha, self.gram):
            return self._by_factor(right)
        return self.principal.solve(right, self.alpha)

    @property
    def largest(self) -> float:
        """The largest entry of the diagonal of the Gram matrix."""
        return float(self.gram.diagonal().max(initial=0.0))

    def level(self, Y: Matrix) -> Matrix:
        """The mean of each column of the targets, with an intercept."""
        weights = self.roots**2
        return np.asarray(
            weights @ Y / weights.sum() if self.fit_intercept else np.zeros(Y.shape[1:])
        )

    def dual(self, Y: Matrix) -> Matrix:
        """(gram + alpha I)^-1 of the centred targets, with one step of refinement."""
        centred = self._centred(Y)
        dual = self._by_factor(centred)
        return dual + self._by_factor(centred - self.gram @ dual - self.alpha * dual)

    def coefficients(self, Y: Matrix) -> Coefficients:
        """Those of the rows' columns, with one step of refinement as in `fit_least_squares`."""
        rows, centred = self.rows, self._centred(Y)
        assert rows is not None, "the caller has looked"
        if is_small(self.alpha, self.gram) and self.principal.right is not None:
            coef = self.principal.right @ self.principal.fit(centred, self.alpha)
        else:
            dual = self._solve(centred)
            coef = rows.back(dual)
            coef = coef + rows.back(self._solve(centred - rows.times(coef) - self.alpha * dual))
        return Coefficients(coef, self.level(Y) - rows.mean @ coef)

    def _centred(self, Y: Matrix) -> Matrix:
        return np.asarray((self.roots * (Y - self.level(Y)).T).T)

    def metric(self, n_known: int, of_all: bool) -> Matrix:
        """Q with d'Q d the squared change of the fit by changes d of all but the first targets.

        In the metric of all rows, with the penalty, or in that of the first rows alone. With H the
        part of the hat matrix between the others it is H or H - H^2, O(n^3).
        """
        others, constant = self.roots[n_known:], self.constant[n_known:]
        is_large = self.alpha > LARGE_PENALTY * self.largest
        # H or 1 - H, whichever is known to more digits.
        if is_large:
            half = 0.5 * self._solve(self.gram[:, n_known:])[n_known:]
        else:
            half, _ = dpotri(self.factor[n_known:, n_known:], lower=True)
            half *= self.alpha
            np.einsum("ii->i", half)[:] *= 0.5
        part = half + half.T
        if self.fit_intercept:
            share = 1.0 if is_large else -self.alpha / (self.alpha + self.largest)
            part += np.outer(share * constant, constant)
        if not of_all:
            part -= part @ part.T
        elif not is_large:
            part = np.eye(len(part)) - part
        return part if (others == 1.0).all() else np.asarray(others[:, None] * part * others)


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
