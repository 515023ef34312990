"""Where the label of one row may lie: an interval for two classes, a simplex for more.

Both are polytopes, and every label is an average of the vertices, the classes. Labels of U rows
have shape (U,) on the interval and (U, K) on the simplex. What belongs to the vertices has shape
(K, U), so that a vertex lies together in memory. The methods of both sets mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask, Matrix, Vector
from tacit.solver._basis import Coefficients


class Interval:
    """[0, 1], the soft label of the second of two classes."""

    n_vertices = 2
    vertices: Matrix = np.array([[0.0], [1.0]])
    centre: Matrix = np.asarray(0.5)  # the mean of the vertices
    variance = 0.25  # their mean squared distance from it

    def weights(self, labels: Matrix) -> Matrix:
        """The part of each vertex in the labels: 1 - u and u."""
        return np.stack([1.0 - labels, labels])

    def labels(self, weights: Matrix) -> Matrix:
        """The labels with these parts of the vertices."""
        return np.asarray(weights[1])

    def slopes(self, values: Matrix) -> Matrix:
        """The slope of each vertex, from those of the labels: 0 and s."""
        return np.stack([np.zeros_like(values), values])

    def decide(self, slopes: Matrix) -> tuple[Mask, Vector, Vector]:
        """The labels (c, n) with the lowest of slopes (c, n), c numbers a label.

        With them come that slope, and by how much the next vertex is above it: |s|.
        """
        s = slopes[0]
        return slopes < 0, np.minimum(s, 0.0), np.abs(s)

    def project(self, values: Matrix) -> Matrix:
        """The nearest label of each value."""
        return np.clip(values, 0.0, 1.0)


class Simplex:
    """Labels of K classes that are not negative and add up to one."""

    def __init__(self, n_classes: int) -> None:
        self.n_vertices = n_classes
        self.vertices: Matrix = np.eye(n_classes)
        self.centre: Matrix = np.full(n_classes, 1.0 / n_classes)
        self.variance = 1.0 - 1.0 / n_classes

    def weights(self, labels: Matrix) -> Matrix:
        return np.ascontiguousarray(labels.T)

    def labels(self, weights: Matrix) -> Matrix:
        return np.ascontiguousarray(weights.T)

    def slopes(self, values: Matrix) -> Matrix:
        return np.ascontiguousarray(values.T)

    def decide(self, slopes: Matrix) -> tuple[Mask, Vector, Vector]:
        """The class with the lowest slope, the first of equals, and how far the next is above."""
        lowest = slopes.min(axis=0)
        chosen = slopes == lowest
        if np.count_nonzero(chosen) != chosen.shape[1]:
            tied = np.flatnonzero(chosen.sum(axis=0) != 1)
            chosen[:, tied] = False
            chosen[slopes[:, tied].argmin(axis=0), tied] = True
        return chosen, lowest, np.where(chosen, np.inf, slopes).min(axis=0) - lowest

    def project(self, values: Matrix) -> Matrix:
        """The nearest point of the simplex: all entries less one threshold, none below zero.

        O(K log K) for each row, by sorting (Held, Wolfe & Crowder 1974).
        """
        # A constant changes nothing; without it, labels of large values would be their rounding.
        values = values - values.max(axis=1, keepdims=True)
        falling = -np.sort(-values, axis=1)
        excess = np.cumsum(falling, axis=1) - 1.0
        n_kept = np.arange(1, self.n_vertices + 1)
        size = (falling * n_kept > excess).sum(axis=1)
        threshold = excess[np.arange(len(values)), size - 1] / size
        return np.asarray(np.maximum(values - threshold[:, None], 0.0))


LabelSet = Interval | Simplex


def label_set(values: Matrix) -> LabelSet:
    """The set for values of that shape: the interval for one column, the simplex for more."""
    if values.ndim == 1 or values.shape[1] == 1:
        return Interval()
    return Simplex(values.shape[1])


@dataclass(frozen=True)
class NearestLabels:
    """From rows to the labels nearest to their values; travels to another process."""

    coefficients: Coefficients

    def __call__(self, X: Any) -> AnyArray:
        values = self.coefficients.values(X)
        return np.asarray(label_set(values).project(values))
