"""Soft labels of unlabeled rows, as numbers or as a rule that fits into few numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from tacit._cached import cached_property
from tacit._typing import Index, Matrix
from tacit.rows import Block, Rows
from tacit.solver._basis import Coefficients
from tacit.solver._label_sets import Interval, Simplex

# From the rows of a block to their labels, one number or one row of numbers for each.
Rule = Callable[[Any], Matrix]


@dataclass(frozen=True)
class LowestRule:
    """A label is the class with the lowest slope, but for a few rows between classes.

    For two classes that is 1 where s = x'coef + intercept < 0 and 0 where s > 0; for more, s has
    one column a class. Rows whose two lowest slopes (0 and s for two classes) differ by no more
    than `margin` are looked up among `near`.
    """

    direction: Coefficients
    margin: float
    near: Matrix  # (m, d), each once
    labels: Matrix  # (m,) or (m, K), those of the near rows

    def __call__(self, X: Any) -> Matrix:
        s = self.direction.values(X)
        kind = Interval() if s.ndim == 1 else Simplex(s.shape[1])
        chosen, _, distance = kind.decide(np.atleast_2d(s.T))
        labels = (chosen[0] if s.ndim == 1 else chosen.T).astype(np.float64)
        where, which = self._find(X, np.flatnonzero(distance <= self._reach))
        labels[where] = self.labels[which]
        return labels

    @cached_property
    def _position(self) -> dict[bytes, int]:
        return {row.tobytes(): position for position, row in enumerate(self.near)}

    def _find(self, X: Any, index: Index) -> tuple[Index, Index]:
        """Which of the rows of X at `index` are near ones, to the last bit, and which of these."""
        if len(index) == 0 or not self._position:
            nowhere = np.zeros(0, dtype=np.intp)
            return nowhere, nowhere
        rows = X[index] if isinstance(X, np.ndarray) else X[index].toarray()
        rows = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # so that -0 is 0
        found = np.array([self._position.get(row.tobytes(), -1) for row in rows], dtype=np.intp)
        return index[found >= 0], found[found >= 0]

    @cached_property
    def _reach(self) -> float:
        """The margin and what rounding may add to it, which differs with the shape of a block."""
        terms = np.abs(self.near) @ np.abs(self.direction.coef) + np.abs(self.direction.intercept)
        return self.margin * (1.0 + 1e-6) + 1e-12 * float(terms.max(initial=0.0))


@dataclass(frozen=True)
class SmoothRule:
    """A label is 1 / (1 + exp(s)), or softmax(-s), with s = x'coef + intercept."""

    direction: Coefficients

    def __call__(self, X: Any) -> Matrix:
        s = self.direction.values(X)
        return np.asarray(expit(-s) if s.ndim == 1 else softmax(-s, axis=1))


@dataclass(frozen=True)
class WithinRule:
    """The labels of a rule for the classes `kept` of `n_classes`, and zero for all others."""

    rule: Rule
    kept: Index
    n_classes: int

    def __call__(self, X: Any) -> Matrix:
        return _spread(self.rule(X), self.kept, self.n_classes)


@dataclass(frozen=True)
class Labeling:
    """Soft labels and the one thing that coefficients need of them."""

    values: Matrix | None  # (U,) or (U, K), the labels; None where only the rule is known
    rule: Rule | None  # gives the label of any row
    mass: Any  # a number or (K,), the sum of weight times label
    total: Matrix  # (d,) or (d, K), the sum over rows of weight times label times row

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

    def within(self, kept: Index, n_classes: int) -> Labeling:
        """The labels of some classes as labels of all `n_classes`."""
        return Labeling(
            None if self.values is None else _spread(self.values, kept, n_classes),
            None if self.rule is None else WithinRule(self.rule, kept, n_classes),
            _spread(self.mass, kept, n_classes),
            _spread(self.total, kept, n_classes),
        )


def _spread(values: Matrix, kept: Index, n_classes: int) -> Matrix:
    """Columns of zeros put between the given ones."""
    whole = np.zeros((*values.shape[:-1], n_classes))
    whole[..., kept] = values
    return whole
