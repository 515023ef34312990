"""The directions in which rows can tell coefficients apart: rank and generalised inverse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpocon, dpotrf, dpstrf, dtrtri

from tacit._typing import Matrix, Vector
from tacit.rows._moments import CentredRows, Moments

# Eigenvalues below this part of the largest count as zero. The paper's Parkinsons result needs
# the cut (that table has collinear columns).
RANK_CUT = float(np.sqrt(np.finfo(np.float64).eps))
# Above this reciprocal condition number no eigenvalue can be near the cut, even where LAPACK's
# estimate is ten times too good, and a Cholesky factor does for a fifth of the time.
SURELY_FULL_RANK = 10.0 * RANK_CUT
# Shorter coefficients stand for the same functions if inner products change by no more than this;
# along directions that no row sees it is rounding that changes them, which can be mended.
SAME_FUNCTIONS = 1e-6
SAME_BUT_FOR_ROUNDING = 1e-2
# A column whose standard deviation is below this part of its mean is constant up to rounding.
CONSTANT_CUT = 1e-10


@dataclass(frozen=True)
class Coefficients:
    """One linear function of a row, or several side by side."""

    coef: Matrix  # (d,) or (d, m), the weight of each feature
    intercept: Vector  # a number or (m,), the constant

    def values(self, X: Any) -> Matrix:
        """The value of each function on each row of X."""
        return np.asarray(X @ self.coef + self.intercept)

    def combine(self, theta: Matrix) -> Coefficients:
        """The functions side by side, added up with weights `theta`."""
        return Coefficients(self.coef @ theta, self.intercept @ theta)

    def stacked(self) -> Matrix:
        """Intercept first, then the coefficients, as one array."""
        return np.concatenate([np.asarray(self.intercept)[None], self.coef])


@dataclass(frozen=True)
class Basis:
    """Functions B of a row that are orthonormal over a table: B'(A + alpha J)B = I.

    A is the table's Gram matrix with the intercept column, J the identity without the intercept's
    entry. B B' is a symmetric generalised inverse of A + alpha J, so that B B'b are least-squares
    coefficients for the right-hand side b, and the shortest ones.
    """

    functions: Coefficients  # B, one function a column
    alpha: float  # the ridge penalty in it

    @property
    def rank(self) -> int:
        """The number of directions that the table determines."""
        return int(self.functions.coef.shape[1])

    @property
    def n_determined(self) -> int:
        """The rank, and the coefficients that only the penalty determines: of constant columns."""
        held = ~self.functions.coef.any(axis=1)
        return self.rank + (int(held.sum()) if self.alpha > 0.0 else 0)

    def inner(self, moments: Moments, other: Coefficients) -> Matrix:
        """B'(A + alpha J) other, with A the Gram matrix of the rows that `moments` describes."""
        own = self.functions
        own_mean = moments.mean @ own.coef + own.intercept
        other_mean = moments.mean @ other.coef + other.intercept
        centred = own.coef.T @ (moments.scatter @ other.coef)
        penalty = self.alpha * (own.coef.T @ other.coef)
        return np.asarray(
            centred + moments.weight * np.multiply.outer(own_mean, other_mean) + penalty
        )

    @classmethod
    def of(cls, moments: Moments, alpha: float = 0.0, fit_intercept: bool = True) -> Basis:
        """The basis of the rows that `moments` describes, by one factorisation of O(d^3).

        The rank is decided after centring (with an intercept) and scaling each column to unit
        length, so that it depends neither on the units of the features nor on their zero.
        Where rank is missing, the shortest coefficients are taken; the intercept has no part in
        that length, for otherwise swapping the classes or moving a feature's zero would change
        the predictions. This is the limit of ridge regression as alpha goes to zero.
        Directions just below the cut, which the rows still see, are used for that only as far as
        the functions stay the same.
        """
        gram = moments.scatter
        centre = moments.mean
        if not fit_intercept:
            gram = gram + moments.weight * np.outer(centre, centre)
            centre = np.zeros_like(centre)
        # A penalty makes no function of a constant column, whose coefficient it holds at zero.
        constant = gram.diagonal() <= moments.weight * (CONSTANT_CUT * centre) ** 2
        gram = gram + alpha * np.eye(len(centre))
        unit = np.sqrt(np.where(constant, 1.0, gram.diagonal()))
        gram = np.where(np.logical_or.outer(constant, constant), 0.0, gram)
        coef = _orthonormal(gram / np.outer(unit, unit), unit)
        coef[constant] = 0.0  # of which orthogonal factors leave rounding
        return cls._with_intercept(coef, centre, moments.weight if fit_intercept else None, alpha)

    @classmethod
    def of_rows(cls, rows: CentredRows, fit_intercept: bool = True) -> Basis:
        """The same of rows fewer than their columns, without a penalty: O(n^2 d), and n d numbers.

        Whatever they determine lies in their span, so that one factorisation of O(n^3) will do.
        """
        weight, squares = float(rows.roots @ rows.roots), rows.squares()
        constant = squares <= weight * (CONSTANT_CUT * rows.mean) ** 2
        scaled = rows.over(np.where(constant, np.inf, np.sqrt(squares)))
        eigenvalues, left = np.linalg.eigh(scaled.gram())
        # Those of zero belong to rows that are combinations of others.
        seen = eigenvalues > len(left) * np.finfo(np.float64).eps * eigenvalues.max(initial=0.0)
        eigenvalues, left = eigenvalues[seen], left[:, seen]
        vectors = scaled.back(left) / np.sqrt(eigenvalues)

        def gram_of(coef: Matrix) -> Matrix:
            values = scaled.times(coef)
            return np.asarray(values.T @ values)

        unit = np.where(constant, 1.0, np.sqrt(squares))
        coef = _shortest(eigenvalues, vectors, _n_cut(eigenvalues), gram_of, unit)
        coef[constant] = 0.0  # of which orthogonal factors leave rounding
        return cls._with_intercept(coef, rows.mean, weight if fit_intercept else None, 0.0)

    @classmethod
    def _with_intercept(
        cls, coef: Matrix, centre: Vector, weight: float | None, alpha: float
    ) -> Basis:
        """With the constant function of rows of this weight, if there is an intercept."""
        intercept = -centre @ coef
        if weight is not None:
            coef = np.hstack([np.zeros((len(centre), 1)), coef])
            intercept = np.concatenate([[1.0 / np.sqrt(weight)], intercept])
        return cls(Coefficients(coef, intercept), alpha)


def _orthonormal(correlation: Matrix, unit: Vector) -> Matrix:
    """Columns that are orthonormal in the norm of the Gram matrix of which this is the scaled one.

    They are as many as its rank, and without a part in its null space.
    """
    factor = _inverse_factor(correlation)
    if factor is not None:
        return factor / unit[:, None]
    eigenvalues, vectors = eigen(correlation)

    def gram_of(coef: Matrix) -> Matrix:
        return np.asarray(coef.T @ correlation @ coef)

    return _shortest(eigenvalues, vectors, _n_cut(eigenvalues), gram_of, unit)


def _n_cut(eigenvalues: Vector) -> int:
    return int(np.sum(eigenvalues <= RANK_CUT * eigenvalues.max(initial=1.0)))


def eigen(matrix: Matrix, rounding: float = -1.0) -> tuple[Vector, Matrix]:
    """Eigenvalues, the smallest first, and vectors; those of zero may be left out."""
    low = low_rank_factor(matrix, rounding)
    if low.shape[1] > len(matrix) // 2:
        eigenvalues, vectors = np.linalg.eigh(matrix)
        return eigenvalues, vectors
    # Few rows and many columns: what this factor leaves out is far below the cut, and the rest
    # takes O(d r^2) instead of O(d^3).
    vectors, roots, _ = np.linalg.svd(low, full_matrices=False)
    return roots[::-1] ** 2, vectors[:, ::-1]


def low_rank_factor(matrix: Matrix, rounding: float = -1.0) -> Matrix:
    """F with F F' = `matrix`, as many columns as its rank.

    By a Cholesky factor with pivots, O(n r^2), which leaves out what is `rounding`: if that is
    negative, what is so beside the largest entry of the diagonal.
    """
    # Transposed, because LAPACK has columns where NumPy has rows.
    factor, order, rank, _ = dpstrf(matrix.T, lower=False, tol=rounding)
    low = np.empty((len(matrix), rank))
    low[order - 1] = np.tril(factor.T[:, :rank])
    return low


def _shortest(
    eigenvalues: Vector,
    vectors: Matrix,
    n_cut: int,
    gram_of: Callable[[Matrix], Matrix],
    unit: Vector,
) -> Matrix:
    """The orthonormal functions of all but the first `n_cut` vectors, with shortest coefficients.

    With W = diag(unit) vectors, any coefficients of the same values on the rows differ from the
    shortest by what is orthogonal to W, and those are W (W'W)^-1 eigenvalues^-1/2.

    A direction below the cut is not always invisible. Where the units of the columns differ
    widely, a little length may cost a long way along it, and what comes back would be another
    function with another norm. Then only those are used that no row sees.
    """
    roots = np.sqrt(eigenvalues[n_cut:])
    seen = len(unit) * np.finfo(np.float64).eps * eigenvalues.max(initial=1.0)
    n_unseen = int(np.sum(eigenvalues[:n_cut] <= seen))
    for n_used in (n_cut, n_unseen):
        if n_used == 0 and vectors.shape[1] == len(vectors):
            break
        Q, R = np.linalg.qr(unit[:, None] * vectors[:, n_used:])
        right = np.vstack([np.zeros((n_cut - n_used, len(roots))), np.diag(1.0 / roots)])
        if not np.abs(R.diagonal()).min(initial=1.0) > 0.0:
            continue
        shorter = Q @ solve_triangular(R, right, trans="T")
        scaled = shorter * unit[:, None]
        product = gram_of(scaled)
        limit = SAME_BUT_FOR_ROUNDING if n_used == n_unseen else SAME_FUNCTIONS
        if np.abs(product - np.eye(len(product))).max(initial=0.0) <= limit:
            # Orthonormal once more, now that it takes little.
            return np.linalg.solve(np.linalg.cholesky(product), shorter.T).T
    return vectors[:, n_cut:] / roots / unit[:, None]


def _inverse_factor(matrix: Matrix) -> Matrix | None:
    """R with R'(matrix)R = I, upper triangular, or None unless it surely has full rank."""
    if len(matrix) == 0:
        return None
    factor, failed = dpotrf(matrix, lower=False)
    if failed:
        return None
    reciprocal, _ = dpocon(factor, np.abs(matrix).sum(axis=0).max(), uplo="U")
    if not reciprocal > SURELY_FULL_RANK:
        return None
    inverse, failed = dtrtri(factor, lower=False)
    return None if failed else np.asarray(inverse)
