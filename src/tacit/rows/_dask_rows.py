"""Rows in a Dask array, on one machine or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import AnyArray
from tacit.rows._memory_rows import CsrRows, NumpyRows
from tacit.rows._protocol import Block, Result
from tacit.rows._sweep import fold, one_blas_thread

# Results combined by one task: wide enough for a low tree, few enough for a worker's memory.
FAN_IN = 8


class DaskRows:
    """Rows of a two-dimensional Dask array, swept where its chunks are.

    A sweep is one task for each chunk and a tree of tasks that combine their results in row order,
    so only the final result travels to the client. The chunks are never gathered.

    Parameters
    ----------
    X : dask.array.Array of shape (n_rows, n_features)
        The rows, in chunks of NumPy or SciPy sparse arrays. Where the lengths of the chunks are
        not known they are computed once, which takes a sweep. Several chunks across the columns
        are joined in each sweep.
    """

    def __init__(self, X: Any) -> None:
        _import_dask()
        if hasattr(X, "to_dask_array"):
            raise TypeError(
                f"X is a Dask {type(X).__name__}; use X.to_dask_array(lengths=True), with the "
                "columns in the order of the features."
            )
        if X.ndim != 2 or np.isnan(X.shape[1]):
            raise ValueError(f"X has shape {X.shape}; it must have rows and known columns.")
        if X.dtype.kind not in "fiub":
            raise TypeError(f"X has type {X.dtype}; it must be an array of real numbers.")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        # The lengths are noted in a copy, because the array of the caller is not ours to change.
        self.X = X.copy().compute_chunk_sizes() if np.isnan(X.shape[0]) else X
        self.n_rows, self.n_features = int(self.X.shape[0]), int(self.X.shape[1])
        self.total_weight = float(self.n_rows)

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all blocks, in row order."""
        delayed = _import_dask().delayed
        shared = [delayed(function, traverse=False) for function in (kernel, combine)]
        chunks, lengths = self.X.to_delayed().ravel(), self.X.chunks[0]
        starts = np.cumsum((0, *lengths)).tolist()
        filled = [i for i, length in enumerate(lengths) if length] or [0]
        parts = [delayed(_sweep)(chunks[i], starts[i], lengths[i], *shared) for i in filled]
        while len(parts) > 1:
            groups = [parts[i : i + FAN_IN] for i in range(0, len(parts), FAN_IN)]
            parts = [delayed(reduce)(shared[1], group) for group in groups]
        result: Result = parts[0].compute()
        return result

    def map(self, kernel: Callable[[Any], AnyArray]) -> Any:
        """`kernel` of the rows, as a Dask array with the same chunks of rows; nothing computed."""
        row = np.zeros((1, self.n_features))
        meta = kernel(sparse.csr_array(row) if sparse.issparse(self.X._meta) else row)[:0]
        shape = (
            {"drop_axis": 1} if meta.ndim == 1 else {"chunks": (self.X.chunks[0], (meta.shape[1],))}
        )
        return self.X.map_blocks(_apply, kernel, dtype=meta.dtype, meta=meta, **shape)


def _in_memory(chunk: Any) -> NumpyRows | CsrRows:
    return CsrRows(chunk) if sparse.issparse(chunk) else NumpyRows(np.asarray(chunk))


def _sweep(
    chunk: Any,
    start: int,
    length: int,
    kernel: Callable[[Block], Result],
    combine: Callable[[Result, Result], Result],
) -> Result:
    """One chunk, in blocks. The other threads of the machine are busy with other chunks."""
    if chunk.shape[0] != length:
        raise ValueError(
            f"A chunk of X_unlabeled has {chunk.shape[0]} rows and its Dask array says {length}; "
            "give the array lengths that are so, for example with X.compute_chunk_sizes()."
        )
    with one_blas_thread():
        blocks = (replace(b, start=start + b.start) for b in _in_memory(chunk).blocks())
        return fold(kernel, blocks, combine, workers=1)


def _apply(chunk: Any, kernel: Callable[[Any], AnyArray]) -> AnyArray:
    with one_blas_thread():
        return _in_memory(chunk).map(kernel)


def _import_dask() -> Any:
    try:
        import dask
        import dask.array
    except ImportError as error:
        raise ImportError("Dask arrays need Dask: pip install 'tacit[dask]'") from error
    return dask
