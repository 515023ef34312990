"""Soft labels of more than two classes, as a rule that fits into few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import softmax

from tacit._typing import Matrix
from tacit.solver._basis import Coefficients
from tacit.solver._labeling import KnownRows


@dataclass(frozen=True)
class LowestRule:
    """A label is the class with the lowest slope, but for a few rows between classes.

    Attributes
    ----------
    direction : Coefficients
        s = x'coef + intercept, one column a class.
    margin : float
        Rows whose two lowest slopes differ by no more than this are looked up among `near`.
    near : ndarray of shape (m, d)
        These rows, each once.
    labels : ndarray of shape (m, K)
        Their labels.
    """

    direction: Coefficients
    margin: float
    near: Matrix
    labels: Matrix

    def __call__(self, X: Any) -> Matrix:
        """The labels of the rows X, one column a class."""
        s = np.asarray(X @ self.direction.coef) + self.direction.intercept
        labels = np.zeros_like(s)
        labels[np.arange(len(s)), s.argmin(axis=1)] = 1.0
        lowest = np.partition(s, 1, axis=1)[:, :2]
        index = np.flatnonzero(lowest[:, 1] - lowest[:, 0] <= self._reach)
        where, which = self._known.find(X, index)
        labels[where] = self.labels[which]
        return labels

    @cached_property
    def _known(self) -> KnownRows:
        return KnownRows(self.near)

    @cached_property
    def _reach(self) -> float:
        """The margin and what rounding may add to it, which differs with the shape of a block."""
        terms = np.abs(self.near) @ np.abs(self.direction.coef) + np.abs(self.direction.intercept)
        return self.margin * (1.0 + 1e-6) + 1e-12 * float(terms.max(initial=0.0))


@dataclass(frozen=True)
class SoftmaxRule:
    """A label is softmax(-s) with s = x'coef + intercept, one column a class."""

    direction: Coefficients

    def __call__(self, X: Any) -> Matrix:
        """The labels of the rows X, one column a class."""
        s = np.asarray(X @ self.direction.coef) + self.direction.intercept
        return np.asarray(softmax(-s, axis=1))
