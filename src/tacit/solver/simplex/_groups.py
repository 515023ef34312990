"""Classes that labels can bring in line with each other, but not with the others.

Where labels can reach the target as far as the differences between some classes go, these
classes have the same column of the dual at the answer. Every row of one of them then is between all
of them, and no set of near rows is small. So such a group is solved for as one class, and its
rows are shared out within it by a smooth rule, as where the whole target can be reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.rows import Block, Rows
from tacit.rows._protocol import Result
from tacit.solver._basis import Coefficients
from tacit.solver._labeling import Rule
from tacit.solver.simplex._cells import Cells
from tacit.solver.simplex._dense_groups import alike, merged
from tacit.solver.simplex._inside import ReachedClasses, reach_inside_classes
from tacit.solver.simplex._rules import SoftmaxRule

__all__ = ["GroupedRule", "Shared", "SharedRows", "alike", "merged", "share_out", "sizes_of"]

# Columns of the dual of a sample this close, relative to the whole, may well be equal.
ALIKE = 0.03


def sizes_of(groups: list[Index]) -> Vector:
    """How many classes each group has."""
    return np.array([len(members) for members in groups], dtype=np.float64)


@dataclass(frozen=True)
class GroupedRule:
    """The share of a group, times a smooth share within it.

    Attributes
    ----------
    rule : callable
        Gives the shares of the groups.
    groups : tuple of ndarray of int
        The classes of each.
    within : tuple of callable or None
        For each group the shares of its classes; None for a single class.
    """

    rule: Rule
    groups: tuple[Index, ...]
    within: tuple[Rule | None, ...]

    def __call__(self, X: Any) -> Matrix:
        """The labels of the rows X, one column a class."""
        shares = self.rule(X)
        labels = np.zeros((len(shares), sum(map(len, self.groups))))
        for g, (members, within) in enumerate(zip(self.groups, self.within, strict=True)):
            labels[:, members] = shares[:, [g]] * (1.0 if within is None else within(X))
        return labels


@dataclass(frozen=True)
class _SharedKernel:
    """A kernel on rows whose weights are times their share of a group."""

    kernel: Callable[[Block], Any]
    rule: Rule
    group: int

    def __call__(self, block: Block) -> Any:
        share = self.rule(block.X)[:, self.group]
        weights = share if block.weights is None else share * block.weights
        return self.kernel(replace(block, weights=weights))


@dataclass(frozen=True)
class SharedRows:
    """Rows, each with its share of a group as a part of its weight.

    Attributes
    ----------
    rows : Rows
        All rows.
    rule : callable
        Gives the shares of the groups.
    group : int
        Which of them.
    total_weight : float
        The sum of the weights.
    """

    rows: Rows
    rule: Rule
    group: int
    total_weight: float
    is_weighted = True

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows.n_rows

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.rows.n_features

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all blocks, in row order."""
        shared: Callable[[Block], Result] = _SharedKernel(kernel, self.rule, self.group)
        return self.rows.reduce(shared, combine)

    def map(self, kernel: Callable[[Any], AnyArray]) -> Any:
        """`kernel` of the rows, whatever their weights."""
        return self.rows.map(kernel)


@dataclass(frozen=True)
class Shared:
    """How the classes of each group share its rows: labels, and what they leave of the target."""

    rule: GroupedRule
    mass: Vector
    total: Matrix
    residual: Matrix
    n_sweeps: int


def share_out(
    cells: Cells,
    target: Matrix,
    groups: list[Index],
    rule: Rule,
    reached: tuple[Vector, Matrix, Matrix],
    sample: tuple[Any, Matrix, Vector],
) -> Shared | None:
    """Labels within each group that leave the same to all of its classes, or None.

    Parameters
    ----------
    cells : Cells
        The generators.
    target : ndarray of shape (r, K)
        The point to approach.
    groups : list of ndarray of int
        The classes of each group.
    rule : callable
        The shares of the groups.
    reached : mass, total and residual
        Of the groups, one column each.
    sample : rows, generators and weights
        Of a sample, the generators without weights.
    """
    mass, total, residual = reached
    X, generators, weights = sample
    n_classes = target.shape[1]
    whole = Shared(
        GroupedRule(rule, tuple(groups), ()),
        np.zeros(n_classes),
        np.zeros((len(total), n_classes)),
        np.zeros_like(target),
        0,
    )
    within: list[Rule | None] = []
    n_sweeps = 0
    shares = rule(X)
    for g, members in enumerate(groups):
        left = residual[:, g] / len(members)
        whole.residual[:, members] = left[:, None]
        if len(members) == 1:
            whole.mass[members] = mass[g]
            whole.total[:, members] = total[:, [g]]
            within.append(None)
            continue
        part = np.flatnonzero(shares[:, g] * weights > 0.0)
        if len(part) == 0:
            return None
        own = shares[part, g] * weights[part]
        rows = SharedRows(cells.rows, rule, g, float(mass[g]))
        inner = Cells(rows, cells.functions, cells.shift)
        found = reach_inside_classes(
            inner,
            target[:, members] + left[:, None],
            generators[part],
            own * (float(mass[g]) / float(own.sum())),
        )
        n_sweeps += inner.n_sweeps
        if found is None:
            return None
        whole.mass[members] = found.mass
        whole.total[:, members] = found.total
        whole.residual[:, members] += found.residual
        within.append(_smooth(cells, found))
    return replace(whole, rule=replace(whole.rule, within=tuple(within)), n_sweeps=n_sweeps)


def _smooth(cells: Cells, found: ReachedClasses) -> SoftmaxRule:
    functions = cells.functions
    return SoftmaxRule(
        Coefficients(functions.coef @ found.slope, functions.intercept @ found.slope)
    )
