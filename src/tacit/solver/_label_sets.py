"""Where the label of one row may lie: an interval for two classes, a simplex for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tacit._typing import AnyArray, Matrix, Vector
from tacit.solver._basis import Coefficients


class LabelSet(Protocol):
    """A convex set of labels with what Newton's method needs to know of its projection.

    Values and labels have one row a row of data and m columns, m = 1 for two classes.
    """

    def project(self, values: Matrix) -> Matrix:
        """The nearest label of each value."""

    def support(self, slopes: Matrix) -> Vector:
        """For each row of slopes, the largest inner product with a label."""

    def pieces(self, values: Matrix, projected: Matrix) -> AnyArray:
        """A number for each row that names the linear piece of the projection it is on.

        Zero where the value is itself a label and its neighbours are.
        """

    def curvature(self, piece: int) -> Matrix:
        """I - P, where P is the m x m derivative of the projection on that piece."""


@dataclass(frozen=True)
class Interval:
    """[0, 1], the soft label of the second of two classes."""

    def project(self, values: Matrix) -> Matrix:
        """Clip to [0, 1]."""
        return np.clip(values, 0.0, 1.0)

    def support(self, slopes: Matrix) -> Vector:
        """max(0, s)."""
        return np.asarray(np.maximum(slopes[:, 0], 0.0))

    def pieces(self, values: Matrix, projected: Matrix) -> AnyArray:
        """1 for a value outside, 0 for one inside."""
        return np.asarray((values != projected)[:, 0], dtype=np.int64)

    def curvature(self, piece: int) -> Matrix:
        """1 outside."""
        return np.ones((1, 1))


@dataclass(frozen=True)
class Simplex:
    """Labels of K classes that are not negative and add up to one."""

    n_classes: int

    def project(self, values: Matrix) -> Matrix:
        """The nearest point of the simplex: all entries less one threshold, none below zero.

        O(K log K) for each row, by sorting (Held, Wolfe & Crowder 1974).
        """
        falling = -np.sort(-values, axis=1)
        excess = np.cumsum(falling, axis=1) - 1.0
        n_kept = np.arange(1, self.n_classes + 1)
        size = (falling * n_kept > excess).sum(axis=1)
        threshold = excess[np.arange(len(values)), size - 1] / size
        return np.asarray(np.maximum(values - threshold[:, None], 0.0))

    def support(self, slopes: Matrix) -> Vector:
        """The largest entry: the corners of the simplex are the classes."""
        return np.asarray(slopes.max(axis=1))

    def pieces(self, values: Matrix, projected: Matrix) -> AnyArray:
        """The classes with positive labels, as the bits of a number."""
        # Python's integers have as many bits as there are classes.
        kind: Any = np.int64 if self.n_classes < 62 else object
        bits = np.array([1 << k for k in range(self.n_classes)], dtype=kind)
        return np.asarray((projected > 0.0).astype(kind) @ bits)

    def curvature(self, piece: int) -> Matrix:
        """The part of R^K in which moving the value does not move its label."""
        kept = np.array([piece >> k & 1 for k in range(self.n_classes)], dtype=np.float64)
        return np.asarray(np.diag(1.0 - kept) + np.outer(kept, kept) / kept.sum())


def label_set(values: Matrix) -> Interval | Simplex:
    """The set for values of that shape: the interval for one column, the simplex for more."""
    if values.ndim == 1 or values.shape[1] == 1:
        return Interval()
    return Simplex(values.shape[1])


@dataclass(frozen=True)
class NearestLabels:
    """From rows to the labels nearest to their values; travels to another process."""

    coefficients: Coefficients

    def __call__(self, X: Any) -> AnyArray:
        """One label for each row, or one for each row and class."""
        values = self.coefficients.values(X)
        return np.asarray(label_set(values).project(values))
