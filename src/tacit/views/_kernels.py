"""Kernels on coordinates: linear, Gaussian and Laplacian."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel, manhattan_distances

from tacit._typing import Matrix

# Blocks of rows times labeled rows, so that a kernel's columns take 32 MB at a time.
BLOCK_ENTRIES = 2**22


@dataclass(frozen=True)
class Kernel:
    """A kernel on some coordinates of an embedding.

    Attributes
    ----------
    kind : {"linear", "gaussian", "laplacian"}
        ``x'z``, ``exp(-|x - z|^2 / scale)`` or ``exp(-|x - z|_1 / scale)``.
    width : float
        The scale, in units of the median (squared) distance between labeled rows.
    start, stop : int or None
        Which coordinates, as in a slice.
    label : str
        What a table calls it, instead of its kind and width.
    scale : float
        Known after `scaled_to`.
    """

    kind: Literal["linear", "gaussian", "laplacian"]
    width: float = 1.0
    start: int | None = None
    stop: int | None = None
    label: str = ""
    scale: float = 1.0

    @property
    def name(self) -> str:
        """How it is called in a table."""
        if self.label:
            return self.label
        return self.kind if self.kind == "linear" else f"{self.kind}, width {self.width:g}"

    def scaled_to(self, labeled: Any) -> Kernel:
        """The same with the scale that the embedding of the labeled rows gives."""
        if self.kind == "linear":
            return self
        distances = self._distances(self._part(labeled), self._part(labeled))
        above = distances[np.triu_indices(len(distances), 1)]
        # Most rows may coincide, as in tables of few categories; then the mean, and one if all do.
        typical = float(np.median(above)) or float(above.mean()) or 1.0
        return replace(self, scale=self.width * typical)

    def __call__(self, X: Any, labeled: Any) -> Matrix:
        """The kernel between embedded rows and embedded labeled rows."""
        X, labeled = self._part(X), self._part(labeled)
        if self.kind == "linear":
            return np.asarray(linear_kernel(X, labeled, dense_output=True))
        return np.exp(self._distances(X, labeled) / -self.scale)

    def _part(self, X: Any) -> Any:
        return X if self.stop is None else X[:, self.start : self.stop]

    def _distances(self, X: Any, Y: Any) -> Matrix:
        if self.kind == "gaussian":
            return np.asarray(euclidean_distances(X, Y, squared=True))
        if issparse(X):
            return np.asarray(manhattan_distances(X, Y))
        return np.asarray(cdist(X, Y, "cityblock"))


def expand(kernels: list[tuple[Kernel, Matrix]], X: Any, labeled: Any) -> Matrix:
    """The sum over kernels of k(X, labeled) @ dual, in blocks of rows."""
    n, n_columns = X.shape[0], kernels[0][1].shape[1]
    step = max(1, BLOCK_ENTRIES // max(1, labeled.shape[0]))
    values = np.zeros((n, n_columns))
    for start in range(0, n, step):
        block = X[start : start + step]
        for kernel, dual in kernels:
            values[start : start + step] += kernel(block, labeled) @ dual
    return values
