"""Rows in a NumPy array, in memory or mapped from a file."""

from __future__ import annotations

import numpy as np

from tacit._typing import AnyArray, Matrix, Vector
from tacit.rows._in_memory import InMemoryRows
from tacit.rows._sweep import rows_per_block


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
        return np.asarray(self.X[start:stop], dtype=np.float64)
