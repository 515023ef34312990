"""Where the label of one row may lie: an interval for two classes, a simplex for more.

Both are polytopes, and every label is an average of the vertices, the classes. Labels of U rows
have shape (U,) on the interval and (U, K) on the simplex. What belongs to the vertices has shape
(K, U), so that a vertex lies together in memory. The methods of both sets mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Matrix, Vector
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

    def decide(self, values: Matrix) -> tuple[Matrix, Vector]:
        """The label with the lowest slope, and by how much the next vertex is above it: |s|."""
        return (values < 0).astype(np.float64), np.abs(values)

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

    def decide(self, values: Matrix) -> tuple[Matrix, Vector]:
        """The class with the lowest slope, and the difference to the second lowest."""
        labels = np.zeros_like(values)
        labels[np.arange(len(values)), values.argmin(axis=1)] = 1.0
        lowest = np.partition(values, 1, axis=1)
        return labels, np.asarray(lowest[:, 1] - lowest[:, 0])

    def project(self, values: Matrix) -> Matrix:
        """The nearest point of the simplex: all entries less one threshold, none below zero.

        O(K log K) for each row, by sorting (Held, Wolfe & Crowder 1974).
        """
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
