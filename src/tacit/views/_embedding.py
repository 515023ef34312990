"""Kernels, and views that are kernels on what a transformer makes of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel, manhattan_distances

from tacit._typing import Matrix
from tacit.views._protocol import Reference, RowFunction

# Blocks of rows times labeled rows, so that a kernel's columns take 32 MB at a time.
BLOCK_ENTRIES = 2**22
KINDS = ("linear", "gaussian", "laplacian")


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

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; it must be one of {', '.join(KINDS)}.")

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


DEFAULT_KERNELS = (Kernel("linear"), Kernel("gaussian", 0.3), Kernel("gaussian"))


@dataclass(frozen=True)
class EmbeddingFunction:
    """A sum of kernel functions of transformed rows."""

    transformer: Any
    labeled: Any
    kernels: list[tuple[Kernel, Matrix]]

    def __call__(self, X: Matrix) -> Matrix:
        """Values of shape (n, C)."""
        return expand(self.kernels, transformed(self.transformer, X), self.labeled)


class EmbeddingView(BaseEstimator):
    """Kernels on the output of a transformer that is fitted without labels.

    Parameters
    ----------
    transformer : scikit-learn transformer or None
        Maps rows to coordinates, dense or sparse; None takes the rows as they are. Where it has no
        `random_state` it gets one.
    kernels : sequence of Kernel
        Kernels on the coordinates.
    """

    def __init__(
        self, transformer: Any = None, kernels: Sequence[Kernel] = DEFAULT_KERNELS
    ) -> None:
        self.transformer = transformer
        self.kernels = kernels

    def fit(self, reference: Reference) -> EmbeddingView:
        """Fit the transformer on all rows."""
        self.transformer_ = fitted_transformer(self.transformer, reference)
        self._rows = transformed(self.transformer_, reference.X)
        self.labeled_ = self._rows[: reference.n_labeled]
        scaled = [kernel.scaled_to(self.labeled_) for kernel in self.kernels]
        self.kernels_ = {kernel.name: kernel for kernel in scaled}
        return self

    def blocks(self) -> dict[str, Matrix]:
        """The kernels between the labeled rows."""
        rows = self.labeled_
        return {name: kernel(rows, rows) for name, kernel in self.kernels_.items()}

    def functions(self, duals: Mapping[str, Matrix]) -> tuple[Matrix, RowFunction]:
        """Values on the reference rows, and the function; new rows go through the transformer."""
        kernels = [(self.kernels_[name], dual) for name, dual in duals.items()]
        values = expand(kernels, self._rows, self.labeled_)
        return values, EmbeddingFunction(self.transformer_, self.labeled_, kernels)


def fitted_transformer(transformer: Any, reference: Reference) -> Any:
    """A fitted clone of a transformer, or None."""
    if transformer is None:
        return None
    return seeded(transformer, reference.seed).fit(reference.X[reference.shuffled()])


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every `random_state` that is None, of inner parts too, is the seed."""
    estimator = clone(estimator)
    unset = [name for name, value in estimator.get_params().items() if value is None]
    names = [name for name in unset if name.split("__")[-1] == "random_state"]
    return estimator.set_params(**dict.fromkeys(names, seed))


def transformed(transformer: Any, X: Any) -> Any:
    """What a fitted transformer makes of rows, or without one the rows."""
    if transformer is None:
        return X
    embedded: Any = transformer.transform(X)
    embedded = embedded if issparse(embedded) else np.asarray(embedded)
    if embedded.ndim != 2 or embedded.shape[0] != X.shape[0]:
        shape = embedded.shape
        raise ValueError(
            f"{transformer!r} turned {X.shape[0]} rows into an array of shape {shape}; a view "
            "needs a row of coordinates for every row."
        )
    if not is_finite(embedded):
        raise ValueError(f"{transformer!r} turned rows into NaN or infinity; scale X, or mend it.")
    return embedded


def is_finite(values: Any) -> bool:
    """Whether an array or a sparse matrix has neither NaN nor infinity."""
    return bool(np.isfinite(values.tocsr().data if hasattr(values, "tocsr") else values).all())
