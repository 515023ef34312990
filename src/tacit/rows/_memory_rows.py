"""Rows in memory: a NumPy array, also one mapped from a file, or a SciPy sparse matrix."""

from __future__ import annotations

import functools
import operator
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import AnyArray, Matrix, Vector
from tacit.rows._protocol import Block, Result
from tacit.rows._sweep import BLOCK_NUMBERS, SweptRows, fold, rows_per_block

# The most numbers that a sparse block would have if it were dense: a kernel may well return a dense
# row for each of its rows, and 256 MB is enough for it.
MOST_IF_DENSE = 2**25
# Blocks that a thread takes at a time: handing them over one by one took a sixth of a sweep.
TOGETHER = 8


class InMemoryRows(SweptRows):
    """Rows of a matrix that can be sliced."""

    def __init__(self, X: Any, weights: Any, block_rows: int) -> None:
        super().__init__(*X.shape)
        self.X = X
        self.weights = _check_weights(weights, X.shape[0])
        self.block_rows = block_rows

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once, as all rows do; a thread takes several blocks at a time and combines them."""

        def part(start: int) -> Result:
            stop = max(start + 1, min(start + step, self.n_rows))
            blocks = map(self._block, range(start, stop, self.block_rows))
            return functools.reduce(combine, map(kernel, blocks))

        step = TOGETHER * self.block_rows
        return fold(part, range(0, max(self.n_rows, 1), step), combine, self._workers())

    def map(self, kernel: Callable[[Any], AnyArray]) -> AnyArray:
        """`kernel` of the rows, as one array."""
        return np.concatenate(self.reduce(lambda block: [kernel(block.X)], operator.add))

    def blocks(self) -> Iterator[Block]:
        """The blocks, one after the other."""
        return map(self._block, self._pieces())

    def _pieces(self) -> Generator[int]:
        yield from range(0, max(self.n_rows, 1), self.block_rows)

    def _block(self, piece: int) -> Block:
        start, stop = piece, min(piece + self.block_rows, self.n_rows)
        weights = None if self.weights is None else self.weights[start:stop]
        return Block(self._slice(start, stop), weights, start)

    @abstractmethod
    def _slice(self, start: int, stop: int) -> Any:
        """The rows from `start` to `stop`, in double precision."""


class NumpyRows(InMemoryRows):
    """Rows of a two-dimensional NumPy array, swept in blocks.

    The blocks of an array in double precision are views, in the memory order of the array. The
    parts of a column in one block lie together in an array in Fortran order, and blocks are tall
    enough that such a part fills pages of memory, so the same blocks serve both orders.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows, in any memory order and any real type; not copied. Of a `numpy.memmap` only the
        blocks at work are read.
    weights : ndarray of shape (n_rows,), optional
        Non-negative weights; None stands for ones.
    """

    X: AnyArray

    def __init__(self, X: AnyArray, weights: Vector | None = None) -> None:
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}; it must be a table of rows and columns.")
        if X.dtype.kind not in "fiub":
            raise TypeError(f"X has type {X.dtype}; it must be an array of real numbers.")
        super().__init__(X, weights, rows_per_block(X.shape[1]))

    def _slice(self, start: int, stop: int) -> Matrix:
        block = np.asarray(self.X[start:stop], dtype=np.float64)
        # BLAS takes numbers at even addresses that lie together along one axis. Of others (every
        # other column; what Dask has read from the network) NumPy would copy each side of a product
        # for itself, and X'X would be neither symmetric nor the same everywhere to the last digit.
        is_fit = block.flags.aligned and block.itemsize in block.strides
        return block if is_fit else np.array(block, order="C")


LONGEST = np.iinfo(np.int32).max


def with_short_indices(X: Any) -> Any:
    """A matrix in CSR form with indices of four bytes, if they fit: trees take no others."""
    is_sparse: bool = sparse.issparse(X)
    if not is_sparse or X.indices.dtype == np.int32 or X.nnz > LONGEST or max(X.shape) > LONGEST:
        return X
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, starts), shape=X.shape)


class CsrRows(InMemoryRows):
    """Rows of a SciPy sparse matrix, swept in blocks that are `csr_array`.

    Parameters
    ----------
    X : scipy.sparse matrix or array of shape (n_rows, n_features)
        The rows, of a floating-point or integer type. Other formats than CSR are converted to it
        once; a matrix in CSR format is not copied unless it has duplicate or unsorted entries.
    weights : ndarray of shape (n_rows,), optional
        Non-negative weights; None stands for ones.
    """

    X: Any

    def __init__(self, X: Any, weights: Vector | None = None) -> None:
        is_sparse: bool = sparse.issparse(X)
        if not is_sparse:
            raise TypeError(f"X is a {type(X).__name__}; it must be a SciPy sparse matrix.")
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}; it must be a table of rows and columns.")
        if X.dtype.kind not in "fiu":
            raise TypeError(
                f"X has type {X.dtype}; it must be a sparse matrix of real numbers, for example "
                "X.astype(float)."
            )
        X = sparse.csr_array(X)
        if not np.isfinite(X.data).all():
            raise ValueError("X contains NaN or infinity; its entries must be finite numbers.")
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        super().__init__(X, weights, _rows_per_block(X))

    def _slice(self, start: int, stop: int) -> Any:
        first, last = self.X.indptr[start], self.X.indptr[stop]
        block: Any = sparse.csr_array((stop - start, self.n_features))
        # Set one by one they stay views; the constructor would copy, to keep less of the whole.
        block.data = self.X.data[first:last].astype(np.float64, copy=False)
        block.indices = self.X.indices[first:last]
        block.indptr = self.X.indptr[start : stop + 1] - first
        block.has_canonical_format = True  # as the whole; finding out again would read it all
        return block


def _rows_per_block(X: Any) -> int:
    n, d = X.shape
    entries = max(1.0, X.nnz / max(1, n))  # in a row
    # The product X'X of b rows costs about b entries^2 and adding it to another d^2, so a block
    # has (d / entries)^2 rows or more.
    wanted = max(BLOCK_NUMBERS / entries, (d / entries) ** 2)
    return max(1, int(min(wanted, MOST_IF_DENSE / max(1, d))))


def _check_weights(weights: Any, n_rows: int) -> Vector | None:
    if weights is None:
        return None
    checked: Vector = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,):
        raise ValueError(
            f"weights has shape {checked.shape}; it must have shape {(n_rows,)}, one weight for "
            "every row."
        )
    return checked
