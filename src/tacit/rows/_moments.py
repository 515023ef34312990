"""The first two moments of a table: all that the constraint set needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import Matrix, Vector
from tacit.rows._protocol import Block, Rows
from tacit.rows._sweep import rows_per_block

# A scatter that is found as X'X - n m m' loses as many digits as its diagonal is smaller than
# that of n m m'. Up to this ratio, one digit and a bit, the pass that subtracts the mean is saved.
CANCELLATION = 16.0
# A product of sparse entries takes about 2000 times as long as one of dense numbers (20 to 40 ns
# against 0.02 ns, measured), and a share r of entries saves all but r^2 of the products.
DENSE_ENOUGH = 1 / 32


@dataclass(frozen=True)
class Moments:
    """Total weight, mean and scatter of weighted rows.

    The scatter is taken about the mean, because the Gram matrix itself loses the small
    differences of a column with a large mean to rounding.

    Attributes
    ----------
    weight : float
        The sum of the weights, n for plain rows.
    mean : ndarray of shape (d,)
        The weighted mean; zeros when there are no rows.
    scatter : ndarray of shape (d, d)
        The sum over rows of w (x - mean)(x - mean)'.
    """

    weight: float
    mean: Vector
    scatter: Matrix

    def __add__(self, other: Moments) -> Moments:
        """The moments of both tables together (Chan, Golub & LeVeque 1983)."""
        weight = self.weight + other.weight
        if self.weight == 0 or other.weight == 0:
            return other if self.weight == 0 else self
        difference = other.mean - self.mean
        mean = self.mean + difference * (other.weight / weight)
        scatter = _square(self.weight * other.weight / weight, difference)
        scatter += self.scatter
        scatter += other.scatter
        return Moments(weight, mean, scatter)

    @classmethod
    def of(cls, rows: Rows) -> Moments:
        """Moments of `rows`, in one sweep of O(n d^2)."""
        return rows.reduce(moments_of_block, Moments.__add__)


def moments_of_block(block: Block) -> Moments:
    """Moments of the rows of one block, dense or sparse."""
    X, weights = block.X, block.weights
    n, d = X.shape
    total = float(n if weights is None else weights.sum())
    if total == 0:
        return Moments(0.0, np.zeros(d), np.zeros((d, d)))
    # NaN and infinity go through silently: whoever asked for the moments finds them there.
    with np.errstate(invalid="ignore", over="ignore"):
        if isinstance(X, np.ndarray):
            return _moments_of_dense(X, weights, total)
        if X.nnz > DENSE_ENOUGH * n * d:
            return _moments_by_parts(X, weights)
        return _moments_of_sparse(X, weights, total)


def _moments_of_dense(X: Matrix, weights: Vector | None, total: float) -> Moments:
    w = np.ones(len(X)) if weights is None else weights
    mean = np.asarray(w @ X) / total
    # Every 16th row tells whether the mean may stay where it is.
    if (mean**2 <= CANCELLATION * X[::16].var(axis=0)).all():
        scatter = _gram(X, weights) - _square(total, mean)
        if (total * mean**2 <= CANCELLATION * scatter.diagonal()).all():
            return Moments(total, mean, scatter)
    centred = X - mean
    residual = np.asarray(w @ centred) / total  # what rounding has left of the mean
    scatter = _gram(centred, weights) - _square(total, residual)
    return Moments(total, mean + residual, scatter)


def _moments_by_parts(X: Any, weights: Vector | None) -> Moments:
    """Moments of sparse rows that are made dense, a few at a time."""
    step = rows_per_block(X.shape[1])
    parts = (slice(start, start + step) for start in range(0, X.shape[0], step))
    blocks = (
        Block(X[part].toarray(), None if weights is None else weights[part], part.start)
        for part in parts
    )
    return reduce(Moments.__add__, map(moments_of_block, blocks))


def _moments_of_sparse(X: Any, weights: Vector | None, total: float) -> Moments:
    n, d = X.shape
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    w = np.ones(n) if weights is None else weights
    # A column with a share r of entries has n m^2 <= r X'X, by Cauchy and Schwarz, so what
    # cancels is bounded unless r is nearly 1. A column that is full, but for rows without weight,
    # is centred, which keeps its pattern.
    counts = w > 0
    entries = np.bincount(X.indices, np.repeat(counts, np.diff(X.indptr)), minlength=d)
    full = entries == counts.sum()
    shift = np.where(full, np.asarray(w @ X) / total, 0.0)
    if full.any():
        X = sparse.csr_array((X.data - shift[X.indices], X.indices, X.indptr), shape=X.shape)
    mean = np.asarray(w @ X) / total
    if weights is not None:
        roots = np.repeat(np.sqrt(weights), np.diff(X.indptr))
        X = sparse.csr_array((X.data * roots, X.indices, X.indptr), shape=X.shape)
    # In CSR format, because the CSC product of the transpose would be in Fortran order.
    scatter = (X.T.tocsr() @ X).toarray()
    scatter -= _square(total, mean)
    return Moments(total, shift + mean, scatter)


def _gram(X: Matrix, weights: Vector | None) -> Matrix:
    # With the same matrix on both sides NumPy calls syrk, which does half the work of gemm.
    if weights is not None:
        X = X * np.sqrt(weights)[:, None]
    return np.asarray(X.T @ X)


def _square(weight: float, x: Vector) -> Matrix:
    """Weight times x x', symmetric to the last digit."""
    root = np.sqrt(weight) * x
    return np.outer(root, root)
