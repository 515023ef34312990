"""Labels of some of the classes as labels of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Index, Matrix
from tacit.solver._labeling import Labeling, Rule


@dataclass(frozen=True)
class WithinRule:
    """The labels of a rule for some classes, and zero for all others.

    Attributes
    ----------
    rule : callable
        Gives the labels of the classes `kept`.
    kept : ndarray of int
        Their positions.
    n_classes : int
        How many there are in all.
    """

    rule: Rule
    kept: Index
    n_classes: int

    def __call__(self, X: Any) -> Matrix:
        """The labels of the rows X, one column a class."""
        return spread(self.rule(X), self.kept, self.n_classes)


@dataclass(frozen=True)
class ConstantRule:
    """The same label for every row: a number, or one share for each class."""

    label: Matrix

    def __call__(self, X: Any) -> Matrix:
        """The labels of the rows X."""
        return np.tile(self.label, (X.shape[0], *(1,) * np.ndim(self.label)))


def spread(values: Matrix, kept: Index, n_classes: int) -> Matrix:
    """Columns of zeros put between the given ones."""
    whole = np.zeros((*values.shape[:-1], n_classes))
    whole[..., kept] = values
    return whole


def labeling_within(labeling: Labeling, kept: Index, n_classes: int) -> Labeling:
    """A labeling with some of the classes as one with all of them."""
    return Labeling(
        None if labeling.values is None else spread(labeling.values, kept, n_classes),
        None if labeling.rule is None else WithinRule(labeling.rule, kept, n_classes),
        spread(labeling.mass, kept, n_classes),
        spread(labeling.total, kept, n_classes),
    )
