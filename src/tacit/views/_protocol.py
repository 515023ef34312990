"""What a view is: kernels between rows, learned without labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np

from tacit._typing import Index, Matrix


@dataclass(frozen=True)
class Reference:
    """The rows that a view is learned from, labeled ones first.

    Attributes
    ----------
    X : ndarray of shape (N, d)
        The rows: standardised columns, or for sparse tables the coordinates of a truncated SVD.
    n_labeled : int
        The first so many rows are the labeled ones. Which labels they have no view may know.
    position : ndarray of int of shape (N,)
        For each row its place among all rows that `fit` was given: those of X, then those of
        X_unlabeled.
    seed : int
        For views with random parts.
    n_rows : int
        Of all rows that `fit` was given; above N where the reference is a sample.
    """

    X: Matrix
    n_labeled: int
    position: Index
    seed: int
    n_rows: int

    def shuffled(self) -> Index:
        """The reference rows in a random order that knows neither the file nor who is labeled.

        Files are often sorted by class: what breaks ties by the order of rows would learn it.
        """
        shuffle = np.random.default_rng(self.seed).permutation(len(self.position))
        return np.argsort(self.position)[shuffle]


# Values of shape (n, C) on rows in the coordinates of `Reference.X`; made of plain arrays and
# scikit-learn objects, so that it can be stored.
RowFunction = Callable[[Matrix], Matrix]


@runtime_checkable
class View(Protocol):
    """Kernels k(x, x') learned from rows without labels.

    Only two things are ever asked: the kernels between labeled rows, by which they are judged, and
    functions sum_i k(x, x_i) c_i over the labeled rows x_i. So no matrix of N x N is needed.
    """

    def fit(self, reference: Reference) -> Self:
        """Learn the geometry of the rows."""

    def blocks(self) -> dict[str, Matrix]:
        """By name, each kernel between the labeled rows: symmetric, of shape (L, L)."""

    def functions(self, duals: Mapping[str, Matrix]) -> tuple[Matrix, RowFunction]:
        """The sum over kernels of k(x, labeled rows) @ dual, for duals of shape (L, C) by name.

        Its values on the reference rows, of shape (N, C), and its extension to any rows.
        """
