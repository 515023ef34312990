"""The first two moments of a table, and a random sample that is drawn while they are taken."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit._typing import Matrix, Vector
from tacit.rows._protocol import Block, Rows
from tacit.rows._sweep import add_each, check_memory, rows_per_block

# A scatter that is found as X'X - n m m' loses as many digits as its diagonal is smaller than
# that of n m m'. Up to this ratio, one digit and a bit, the pass that subtracts the mean is saved.
CANCELLATION = 16.0
# A product of sparse entries takes about 2000 times as long as one of dense numbers (20 to 40 ns
# against 0.02 ns, measured), and a share r of entries saves all but r^2 of the products.
DENSE_ENOUGH = 1 / 32
# Sums of squares beyond this are numbers too, but leave no room for products of them.
LARGEST = 1e-2 * float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Moments:
    """Total weight, mean and scatter of weighted rows.

    The scatter is taken about the mean, because the Gram matrix itself loses the small
    differences of a column with a large mean to rounding.
    """

    weight: float  # the sum of the weights, n for plain rows
    mean: Vector  # (d,), the weighted mean; zeros when there are no rows
    scatter: Matrix  # (d, d), the sum over rows of w (x - mean)(x - mean)'

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
        check_columns(rows.n_features)
        return rows.reduce(moments_of_block, Moments.__add__)


def check_columns(
    n_features: int, advice: str = "use fewer columns (for example TruncatedSVD)"
) -> None:
    """Refuse more columns than their products fit into memory."""
    check_memory(n_features**2, f"the products of {n_features:,} columns", advice)


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
    # Not w @ X, which holds the interpreter where its result is small, and other threads wait.
    mean = np.dot(w, X) / total
    # Some dozen rows tell whether the mean may stay where it is.
    if (mean**2 <= CANCELLATION * X[:: max(1, min(64, len(X) // 64))].var(axis=0)).all():
        scatter = _gram(X, weights) - _square(total, mean)
        if (total * mean**2 <= CANCELLATION * scatter.diagonal()).all():
            return Moments(total, mean, scatter)
    centred = X - mean
    residual = np.dot(w, centred) / total  # what rounding has left of the mean
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
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    w = np.ones(X.shape[0]) if weights is None else weights
    X, shift = _full_columns_centred(X, w)
    mean = np.asarray(w @ X) / total
    if weights is not None:
        X = _rows_times(X, np.sqrt(weights))
    # In CSR format, because the CSC product of the transpose would be in Fortran order.
    scatter = (X.T.tocsr() @ X).toarray()
    scatter -= _square(total, mean)
    return Moments(total, shift + mean, scatter)


def _full_columns_centred(X: Any, w: Vector) -> tuple[Any, Vector]:
    """Sparse rows less the means of their full columns, which keeps the pattern, and these means.

    A column with a share r of entries has n m^2 <= r X'X, by Cauchy and Schwarz, so what cancels is
    bounded unless r is nearly 1. Rows without weight do not count.
    """
    counts = w > 0
    entries = np.bincount(X.indices, np.repeat(counts, np.diff(X.indptr)), minlength=X.shape[1])
    full = entries == counts.sum()
    shift = np.where(full, np.asarray(w @ X) / w.sum(), 0.0)
    if full.any():
        X = sparse.csr_array((X.data - shift[X.indices], X.indices, X.indptr), shape=X.shape)
    return X, shift


def _rows_times(X: Any, factors: Vector) -> Any:
    each = np.repeat(factors, np.diff(X.indptr))
    return sparse.csr_array((X.data * each, X.indices, X.indptr), shape=X.shape)


class CentredRows:
    """Rows in memory less their mean, each times the root of its weight; sparse ones stay sparse.

    What they stand for is X - roots offset', and nothing of that size is made of sparse rows.
    """

    def __init__(self, X: Any, weights: Vector | None = None, centred: bool = True) -> None:
        w = np.ones(X.shape[0]) if weights is None else weights
        self.roots: Vector = np.sqrt(w)
        self.mean: Vector = np.asarray(w @ X) / w.sum() if centred else np.zeros(X.shape[1])
        self.offset: Vector = np.zeros(X.shape[1])
        if isinstance(X, np.ndarray):
            self.X: Any = X - self.mean if centred else X
            if weights is not None:
                self.X = self.roots[:, None] * self.X
            return
        X = X.tocsr().astype(np.float64)
        X.sum_duplicates()
        if centred:
            X, shift = _full_columns_centred(X, w)
            self.offset = self.mean - shift
        self.X = _rows_times(X, self.roots)

    def times(self, B: Matrix) -> Matrix:
        """The rows times B."""
        return np.asarray(self.X @ B - np.multiply.outer(self.roots, self.offset @ B))

    def back(self, C: Matrix) -> Matrix:
        """The transposed rows times C."""
        return np.asarray(self.X.T @ C - np.multiply.outer(self.offset, self.roots @ C))

    def dense(self) -> Matrix:
        """All of their numbers."""
        X = self.X if isinstance(self.X, np.ndarray) else self.X.toarray()
        return np.asarray(X - np.multiply.outer(self.roots, self.offset))

    def gram(self) -> Matrix:
        """The inner products of the rows."""
        n = self.X.shape[0]
        check_memory(n * n, f"the inner products of {n:,} rows", "use fewer rows")
        inner = self.X @ self.X.T
        if isinstance(inner, np.ndarray):
            return inner
        cross = np.multiply.outer(self.X @ self.offset, self.roots)
        square = self.offset @ self.offset * np.multiply.outer(self.roots, self.roots)
        return np.asarray(inner.toarray() - cross - cross.T + square)

    def scatter(self) -> Matrix:
        """The inner products of the columns."""
        inner = self.X.T @ self.X
        if isinstance(inner, np.ndarray):
            return inner
        # The sum of the rows less the offset is zero, or the offset is.
        return np.asarray(inner.toarray() - _square(float(self.roots @ self.roots), self.offset))

    def squares(self) -> Vector:
        """The squared length of each column."""
        if isinstance(self.X, np.ndarray):
            return np.asarray(np.einsum("ij,ij->j", self.X, self.X))
        plain = np.bincount(self.X.indices, self.X.data**2, minlength=self.X.shape[1])
        own = self.offset * (self.roots @ self.roots) - 2.0 * (self.roots @ self.X)
        return np.asarray(np.maximum(plain + self.offset * own, 0.0))

    def over(self, unit: Vector) -> CentredRows:
        """With each column divided by its unit; an infinite one makes it zero."""
        other = object.__new__(CentredRows)
        other.roots, other.mean, other.offset = self.roots, self.mean, self.offset / unit
        if isinstance(self.X, np.ndarray):
            other.X = self.X / unit
        else:
            data = self.X.data / unit[self.X.indices]
            other.X = sparse.csr_array((data, self.X.indices, self.X.indptr), shape=self.X.shape)
        return other


def _gram(X: Matrix, weights: Vector | None) -> Matrix:
    # With the same matrix on both sides NumPy calls syrk, which does half the work of gemm.
    if weights is not None:
        X = X * np.sqrt(weights)[:, None]
    return np.asarray(X.T @ X)


def _square(weight: float, x: Vector) -> Matrix:
    """Weight times x x', symmetric to the last digit."""
    root = np.sqrt(weight) * x
    return np.outer(root, root)


@dataclass(frozen=True)
class Sample:
    """Some rows of a table, in the order of the table."""

    X: Any  # ndarray or scipy.sparse.csr_array, in double precision
    weights: Vector | None  # None stands for ones
    index: NDArray[np.int64]  # the position of each row in the table, ascending

    def __len__(self) -> int:
        return len(self.index)

    @classmethod
    def of(cls, pieces: list[Sample]) -> Sample:
        """All pieces as one; the first is kept even if it is empty, to know the shape."""
        pieces = pieces[:1] + [piece for piece in pieces[1:] if len(piece)]
        weights = [piece.weights for piece in pieces if piece.weights is not None]
        blocks = [piece.X for piece in pieces]
        is_sparse: bool = sparse.issparse(blocks[0])
        return cls(
            sparse.vstack(blocks, format="csr") if is_sparse else np.concatenate(blocks),
            np.concatenate(weights) if weights else None,
            np.concatenate([piece.index for piece in pieces]),
        )


def moments_and_sample(rows: Rows, n_sample: int, seed: int = 0) -> tuple[Moments, Sample]:
    """Moments of `rows` and a uniform random sample of them, in one sweep.

    Whether a row is in the sample depends only on its position in the table and on the seed, not
    on the storage, its blocks or the order in which they are read. So every storage of the same
    table gives the same sample. Only the rows of the sample are kept or travel. `n_sample` is its
    expected size, with a standard deviation below its square root; a table with no more rows is
    taken whole. Columns with NaN or infinity, or numbers too large to be squared, are an error.
    """
    check_columns(rows.n_features)
    kernel = partial(_moments_and_piece, _threshold(rows, n_sample), seed)
    moments, pieces = rows.reduce(kernel, add_each)
    with np.errstate(invalid="ignore", over="ignore"):
        squares = moments.scatter.diagonal() + moments.weight * moments.mean**2
    can_be_squared = squares < LARGEST
    if not can_be_squared.all():
        column = int(np.flatnonzero(~can_be_squared)[0])
        raise ValueError(
            f"Column {column} (counted from 0) contains NaN, infinity or a number too large to be "
            "squared; fill in or leave out such rows, or scale the column."
        )
    return moments, Sample.of(pieces)


def random_sample(rows: Rows, n_sample: int, seed: int) -> Sample:
    """The sample of `moments_and_sample` without the moments."""
    kernel = partial(_piece, _threshold(rows, n_sample), seed)
    return Sample.of(rows.reduce(kernel, operator.add))


def row_hash(index: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """64 random bits for each position: the generator splitmix64 (Steele, Lea & Flood 2014)."""
    # The seed is mixed first, because the streams of nearby seeds are shifted copies otherwise.
    start = _mix(np.array([seed % 2**64], dtype=np.uint64) + _GOLDEN)
    return _mix(start + (index + np.uint64(1)) * _GOLDEN)


def _threshold(rows: Rows, n_sample: int) -> int | None:
    """Below it lies a share n_sample / n_rows of all 64-bit numbers; None for a whole table."""
    return None if rows.n_rows <= n_sample else max(0, n_sample) * 2**64 // rows.n_rows


def _piece(threshold: int | None, seed: int, block: Block) -> list[Sample]:
    """The rows of a block with a hash below the threshold; None for all rows."""
    index = np.arange(block.start, block.start + block.X.shape[0], dtype=np.int64)
    drawn = np.arange(len(index))
    if threshold is not None:
        drawn = np.flatnonzero(row_hash(index.astype(np.uint64), seed) < np.uint64(threshold))
    weights = None if block.weights is None else block.weights[drawn]
    return [Sample(block.X[drawn], weights, index[drawn])]


def _moments_and_piece(
    threshold: int | None, seed: int, block: Block
) -> tuple[Moments, list[Sample]]:
    return moments_of_block(block), _piece(threshold, seed, block)


# The constants of splitmix64: the golden ratio as a fraction of 2**64, and the multipliers of
# Stafford's 13th variant of the finaliser of MurmurHash3.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))
