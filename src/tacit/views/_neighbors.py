"""The nearest rows of a table to given rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from tacit._cached import cached_property
from tacit._typing import Index, Matrix

# Below this, exact search by scikit-learn takes less than a second.
MANY_ROWS = 5000
# Inverted lists: rows are searched for in the lists of the nearest centres. With 4 sqrt(N) lists a
# list and the centres take about as long to go through.
LISTS_PER_ROOT = 4
PROBES = 32
_SINGLE = np.float32


class NeighborIndex:
    """Finds nearest rows: exactly by scikit-learn, or for many rows nearly so by faiss.

    Of the libraries for approximate search (hnswlib, usearch, faiss) only the inverted lists of
    faiss give the same neighbours whatever the number of threads.

    Parameters
    ----------
    X : ndarray of shape (N, d)
        The rows to find.
    """

    def __init__(self, X: Matrix) -> None:
        self.X = X

    def __getstate__(self) -> dict[str, Any]:
        """A stored index is its rows; it is built again when first asked."""
        return {"X": self.X}

    @cached_property
    def _lists(self) -> Any:
        faiss = _faiss() if len(self.X) > MANY_ROWS else None
        return None if faiss is None else _inverted_lists(faiss, self.X)

    @cached_property
    def _exact(self) -> Any:
        return NearestNeighbors().fit(self.X)

    def search(self, X: Matrix, k: int) -> tuple[Matrix, Index]:
        """Distances and positions of the k nearest rows, nearest first, each (n, k)."""
        if self._lists is None:
            distances, index = self._exact.kneighbors(X, k)
            return distances, index
        squares, index = self._lists.search(_single(X), k)
        # With few rows in the lists searched some places stay empty; the nearest stands in.
        index = np.where(index < 0, index[:, :1], index)
        return np.sqrt(np.maximum(squares, 0.0)), np.maximum(index, 0)


def _inverted_lists(faiss: Any, X: Matrix) -> Any:
    rows = _single(X)
    n, d = rows.shape
    # faiss asks for 39 rows a list to place its centre.
    n_lists = min(int(LISTS_PER_ROOT * np.sqrt(n)), n // 39)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_lists)
    index.cp.niter = 5
    index.train(rows[:: max(1, n // (39 * n_lists))])
    index.add(rows)
    index.nprobe = PROBES
    return index


def _single(X: Matrix) -> NDArray[np.float32]:
    return np.ascontiguousarray(X, dtype=_SINGLE)


def _faiss() -> Any:
    """The optional library of the extra `graph`, or None."""
    try:
        import faiss
    except ImportError:
        return None
    return faiss
