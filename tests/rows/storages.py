"""One table in every kind of storage, and kernels to sweep over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import (
    Block,
    CsrRows,
    DaskRows,
    NumpyRows,
    ParquetRows,
    _memory_rows,
    _moments,
    _parquet_rows,
    _sweep,
)
from tests.optional import da, pa, pq

N_ROWS, N_FEATURES = 1003, 7
NAMES = [f"x{j}" for j in range(N_FEATURES)]


def table(n_rows: int = N_ROWS, seed: int = 0) -> np.ndarray:
    """Numbers that single precision holds exactly, of different scales, half of them zero."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, N_FEATURES)) * np.logspace(-2, 2, N_FEATURES) + 0.5
    X[random.uniform(size=X.shape) < 0.5] = 0.0
    return X.astype(np.float32).astype(np.float64)


def write_parquet(path: Any, X: Any, names: list[str] | None = None, **options: Any) -> Any:
    names = [f"x{j}" for j in range(X.shape[1])] if names is None else names
    columns = [pa.array(np.ascontiguousarray(column)) for column in X.T]
    pq.write_table(pa.table(columns, names=names), path, **options)
    return path


def memory_map(folder: Any, X: np.ndarray) -> np.ndarray:
    mapped = np.memmap(folder / "table.bin", dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    mapped.flush()
    return np.memmap(folder / "table.bin", dtype=X.dtype, mode="r", shape=X.shape)


@contextmanager
def swept_in(block_rows: int, n_workers: int) -> Iterator[None]:
    """Tables made here have blocks of that many rows, and that many threads, however small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_memory_rows, "rows_per_block", lambda n_features: block_rows)
        patch.setattr(_memory_rows, "_rows_per_block", lambda X: block_rows)
        patch.setattr(_moments, "rows_per_block", lambda n_features: block_rows)
        patch.setattr(_parquet_rows, "_rows_per_batch", lambda n_features: block_rows)
        patch.setattr(_sweep, "MANY_NUMBERS", 0)
        patch.setattr(_sweep, "blas_threads", lambda: n_workers)
        yield


def _in_blocks_of(block_rows: int, rows: Any) -> Any:
    rows.block_rows = block_rows
    return rows


def _parquet_folder(folder: Any, X: np.ndarray) -> ParquetRows:
    parts = folder / "parts"
    parts.mkdir()
    for i, part in enumerate(np.array_split(X.astype(np.float32), 3)):
        write_parquet(parts / f"{i}.parquet", part, row_group_size=113)
    return ParquetRows(parts, batch_rows=37)


def _unknown_lengths(X: np.ndarray) -> Any:
    array = da.from_array(X, chunks=(100, 3))
    return array[da.from_array(np.ones(len(X), dtype=bool), chunks=100)]


STORAGES = {
    "array": lambda folder, X: NumpyRows(X),
    "array in small blocks": lambda folder, X: _in_blocks_of(64, NumpyRows(X)),
    "Fortran order": lambda folder, X: _in_blocks_of(64, NumpyRows(np.asfortranarray(X))),
    "every other row and column": lambda folder, X: NumpyRows(
        X.repeat(2, 0).repeat(2, 1)[::2, ::2]
    ),
    "single precision": lambda folder, X: _in_blocks_of(64, NumpyRows(X.astype(np.float32))),
    "memory map": lambda folder, X: _in_blocks_of(64, NumpyRows(memory_map(folder, X))),
    "memory map in single precision": lambda folder, X: NumpyRows(
        memory_map(folder, X.astype(np.float32))
    ),
    "CSR": lambda folder, X: _in_blocks_of(64, CsrRows(sparse.csr_array(X))),
    "CSR in single precision": lambda folder, X: CsrRows(sparse.csr_matrix(X.astype(np.float32))),
    "CSC": lambda folder, X: CsrRows(sparse.csc_array(X)),
    "COO": lambda folder, X: CsrRows(sparse.coo_array(X)),
    "Parquet file": lambda folder, X: ParquetRows(write_parquet(folder / "a.parquet", X)),
    "Parquet file in odd batches": lambda folder, X: ParquetRows(
        write_parquet(folder / "a.parquet", X, row_group_size=250), batch_rows=77
    ),
    "Parquet folder": _parquet_folder,
    "Dask array": lambda folder, X: DaskRows(da.from_array(X, chunks=(200, N_FEATURES))),
    "Dask array in one chunk": lambda folder, X: DaskRows(da.from_array(X, chunks=-1)),
    "Dask array in many chunks": lambda folder, X: DaskRows(da.from_array(X, chunks=(9, 4))),
    "Dask array of odd chunks": lambda folder, X: DaskRows(
        da.from_array(X.astype(np.float32), chunks=((1, 0, 700, 302), (N_FEATURES,)))
    ),
    "Dask array of unknown length": lambda folder, X: DaskRows(_unknown_lengths(X)),
    "Dask array of sparse chunks": lambda folder, X: DaskRows(
        da.from_array(X, chunks=(200, N_FEATURES)).map_blocks(
            sparse.csr_array, meta=sparse.csr_array((0, N_FEATURES))
        )
    ),
}


@dataclass(frozen=True)
class Product:
    """X'(X beta), the kind of sum that a solver asks for."""

    beta: np.ndarray

    def __call__(self, block: Block) -> np.ndarray:
        return block.X.T @ (block.X @ self.beta)


@dataclass(frozen=True)
class Values:
    """X beta, a number for each row."""

    beta: np.ndarray

    def __call__(self, X: Any) -> np.ndarray:
        return X @ self.beta


def positions(block: Block) -> list[int]:
    """The positions of the rows, to be concatenated."""
    return list(range(block.start, block.start + block.X.shape[0]))
