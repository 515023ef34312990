"""Kernels on what a transformer makes of the rows: the simplest kind of view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from tacit._typing import Matrix
from tacit.views._kernels import Kernel, expand
from tacit.views._protocol import Reference, RowFunction

DEFAULT_KERNELS = (Kernel("linear"), Kernel("gaussian", 0.3), Kernel("gaussian"))


@dataclass(frozen=True)
class EmbeddingFunction:
    """A sum of kernel functions of transformed rows."""

    transformer: Any
    labeled: Any
    kernels: list[tuple[Kernel, Matrix]]

    def __call__(self, X: Matrix) -> Matrix:
        """Values of shape (n, C)."""
        return expand(self.kernels, _transformed(self.transformer, X), self.labeled)


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
        self._rows = _transformed(self.transformer_, reference.X)
        self.labeled_ = self._rows[: reference.n_labeled]
        scaled = [kernel.scaled_to(self.labeled_) for kernel in self.kernels]
        self.kernels_ = {kernel.name: kernel for kernel in scaled}
        return self

    def blocks(self) -> dict[str, Matrix]:
        """The kernels between the labeled rows."""
        return {
            name: kernel(self.labeled_, self.labeled_) for name, kernel in self.kernels_.items()
        }

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


def _transformed(transformer: Any, X: Any) -> Any:
    embedded = X if transformer is None else transformer.transform(X)
    if getattr(embedded, "ndim", 0) != 2 or embedded.shape[0] != X.shape[0]:
        shape = np.shape(embedded)
        raise ValueError(
            f"{transformer!r} turned {X.shape[0]} rows into an array of shape {shape}; a view "
            "needs a row of coordinates for every row."
        )
    return embedded
