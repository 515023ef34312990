"""The kind of rows that belongs to a table."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import Vector
from tacit.rows._dask_rows import DaskRows
from tacit.rows._memory_rows import CsrRows, NumpyRows
from tacit.rows._parquet_rows import ParquetRows
from tacit.rows._protocol import Rows


def as_rows(X: Any, weights: Vector | None = None) -> Rows:
    """The rows of a table, by what the table is.

    Parameters
    ----------
    X : ndarray, scipy.sparse matrix, Dask array, path of Parquet data, pyarrow dataset, or Rows
        The table. Rows are returned as they are; a string or a `pathlib.Path` is the path of a
        Parquet file or of a folder of them.
    weights : ndarray of shape (n_rows,), optional
        Non-negative weights, for tables in memory only; None stands for ones.

    Returns
    -------
    Rows
        The table, not copied.
    """
    if isinstance(X, np.ndarray):
        return NumpyRows(X, weights)
    is_sparse: bool = sparse.issparse(X)
    if is_sparse:
        return CsrRows(X, weights)
    if weights is not None:
        raise ValueError(
            f"weights were given for a {type(X).__name__}; only NumPy arrays and SciPy sparse "
            "matrices can have weights."
        )
    if is_parquet(X):
        return ParquetRows(X)
    if is_dask(X):
        return DaskRows(X)
    if isinstance(X, Rows):
        return X
    raise TypeError(
        f"X is a {type(X).__name__}; it must be a NumPy array, a SciPy sparse matrix, a Dask "
        "array, the path of a Parquet file or of a folder of them, a pyarrow dataset, or an object "
        "with the methods of tacit.rows.Rows."
    )


def is_parquet(X: Any) -> bool:
    """Whether X says where Parquet files are: a path or a dataset of pyarrow."""
    # By the name of the module, so that a package is only imported by who uses it.
    return isinstance(X, str | os.PathLike) or type(X).__module__ == "pyarrow._dataset"


def is_dask(X: Any) -> bool:
    """Whether X is Dask's."""
    return type(X).__module__.partition(".")[0] == "dask"
