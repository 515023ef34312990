"""Rows in a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import Vector
from tacit.rows._in_memory import InMemoryRows
from tacit.rows._sweep import BLOCK_NUMBERS

# The most numbers that a block would have if it were dense: a kernel may well return a dense row
# for each of its rows, and 256 MB is enough for it.
MOST_IF_DENSE = 2**25


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
