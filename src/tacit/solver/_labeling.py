"""Soft labels of unlabeled rows, as numbers or as a rule that fits into p numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from tacit._typing import Index, Matrix, Vector
from tacit.rows import Block, Rows
from tacit.solver._basis import Coefficients


class KnownRows:
    """Finds rows again, to the last bit, among a few that are known.

    Parameters
    ----------
    known : ndarray of shape (m, d)
        The rows, each once.
    """

    def __init__(self, known: Matrix) -> None:
        self._position = {row.tobytes(): position for position, row in enumerate(known)}

    def find(self, X: Any, index: Index) -> tuple[Index, Index]:
        """Which of the rows of X at `index` are known, and their positions among the known."""
        if len(index) == 0 or not self._position:
            nowhere = np.zeros(0, dtype=np.intp)
            return nowhere, nowhere
        rows = X[index] if isinstance(X, np.ndarray) else X[index].toarray()
        rows = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # so that -0 is 0
        found = np.array([self._position.get(row.tobytes(), -1) for row in rows], dtype=np.intp)
        return index[found >= 0], found[found >= 0]


@dataclass(frozen=True)
class SignRule:
    """A label is the side of a hyperplane, but for a few rows next to it.

    Attributes
    ----------
    direction : Coefficients
        s = x'coef + intercept; the label is 1 where s < 0 and 0 where s > 0.
    margin : float
        Rows with |s| at most this are looked up among `near`.
    near : ndarray of shape (m, d)
        These rows, each once.
    labels : ndarray of shape (m,)
        Their labels.
    """

    direction: Coefficients
    margin: float
    near: Matrix
    labels: Vector

    def __call__(self, X: Any) -> Vector:
        """The labels of the rows X."""
        s = np.asarray(X @ self.direction.coef) + self.direction.intercept
        labels = (s < 0).astype(np.float64)
        index = np.flatnonzero(np.abs(s) <= self._reach)
        where, which = self._known.find(X, index)
        labels[where] = self.labels[which]
        return labels

    @cached_property
    def _known(self) -> KnownRows:
        return KnownRows(self.near)

    @cached_property
    def _reach(self) -> float:
        """The margin and what rounding may add to it, which differs with the shape of a block."""
        terms = np.abs(self.near) @ np.abs(self.direction.coef) + abs(self.direction.intercept)
        return self.margin * (1.0 + 1e-6) + 1e-12 * float(terms.max(initial=0.0))


@dataclass(frozen=True)
class SmoothRule:
    """A label is 1 / (1 + exp(s)) with s = x'coef + intercept."""

    direction: Coefficients

    def __call__(self, X: Any) -> Vector:
        """The labels of the rows X."""
        return np.asarray(expit(-(np.asarray(X @ self.direction.coef) + self.direction.intercept)))


# From the rows of a block to their labels, one number or one row of numbers for each.
Rule = Callable[[Any], Matrix]


@dataclass(frozen=True)
class Labeling:
    """Soft labels and the one thing that coefficients need of them.

    Attributes
    ----------
    values : ndarray of shape (U,) or (U, K) or None
        The labels; None where only the rule is known.
    rule : callable or None
        Gives the label of any row.
    mass : float or ndarray of shape (K,)
        The sum of weight times label.
    total : ndarray of shape (d,) or (d, K)
        The sum over rows of weight times label times row.
    """

    values: Matrix | None
    rule: Rule | None
    mass: Any
    total: Matrix

    @classmethod
    def of_values(cls, rows: Rows, values: Matrix) -> Labeling:
        """From labels in the order of the rows, or several columns of them: one sweep."""

        def kernel(block: Block) -> Matrix:
            part = values[block.start : block.start + block.X.shape[0]]
            if block.weights is not None:
                part = (part.T * block.weights).T
            return np.concatenate([part.sum(axis=0)[None], np.asarray(block.X.T @ part)])

        summed = rows.reduce(kernel, np.add)
        return cls(values, None, summed[0], summed[1:])

    def of_rows(self, rows: Rows) -> Any:
        """The labels of `rows`, in their order and as their storage's kind of array."""
        if self.values is not None:
            return self.values
        if self.rule is None:
            raise ValueError("This labeling has neither values nor a rule.")
        return rows.map(self.rule)
