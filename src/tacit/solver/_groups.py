"""Classes that labels can bring in line with each other, but not with the others.

Where labels can reach the target as far as the differences between some classes go, these
classes have the same column of the dual at the answer. Every row of one of them then is between all
of them, and no set of near rows is small. So such a group is solved for as one class, and its
rows are shared out within it, by a smooth rule where they are swept. This is the one thing that
more than two classes need besides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.rows import Block, Rows
from tacit.rows._protocol import Result
from tacit.solver._inside import reach_inside
from tacit.solver._labeling import Labeling, Rule
from tacit.solver._zonotope import Zonotope

# Columns of the dual this close on a sample, relative to all of it, may be equal at the answer.
ALIKE = 0.03


def alike(Q: Matrix, threshold: float) -> list[Index]:
    """Groups of columns of Q that a chain of close ones connects, in the order of the columns."""
    distance = np.linalg.norm(Q[:, :, None] - Q[:, None, :], axis=0)
    close = distance <= threshold * float(np.linalg.norm(Q))
    n_groups, group = connected_components(close, directed=False)
    return [np.flatnonzero(group == name) for name in range(n_groups)]


def new_groups(Q: Matrix, tried: list[list[list[int]]]) -> list[Index] | None:
    """Groups that Q suggests, neither all classes in one nor each on its own, and not yet tried."""
    groups = alike(Q, ALIKE)
    named = [members.tolist() for members in groups]
    if not 1 < len(groups) < Q.shape[1] or named in tried:
        return None
    tried.append(named)
    return groups


def merged(columns: Matrix, groups: list[Index]) -> Matrix:
    """The sum of the columns of each group."""
    return np.column_stack([columns[:, members].sum(axis=1) for members in groups])


def sizes_of(groups: list[Index]) -> Vector:
    """How many classes each group has."""
    return np.array([len(members) for members in groups], dtype=np.float64)


def spread_out(columns: Matrix, groups: list[Index]) -> Matrix:
    """The column of its group for each class."""
    whole = np.zeros((len(columns), sum(map(len, groups))))
    for g, members in enumerate(groups):
        whole[:, members] = columns[:, [g]]
    return whole


@dataclass(frozen=True)
class GroupedRule:
    """The share of a group, times a smooth share within it."""

    rule: Rule  # gives the shares of the groups
    groups: tuple[Index, ...]  # the classes of each
    within: tuple[Rule | None, ...]  # the shares of its classes; None for a single class

    def __call__(self, X: Any) -> Matrix:
        labels = spread_out(self.rule(X), list(self.groups))
        for members, within in zip(self.groups, self.within, strict=True):
            if within is not None:
                labels[:, members] *= within(X)
        return labels


@dataclass(frozen=True)
class SharedRows:
    """Rows, each with its share of a group, which `rule` gives, as a part of its weight."""

    rows: Rows
    rule: Rule
    group: int
    total_weight: float

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    @property
    def n_features(self) -> int:
        return self.rows.n_features

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        rule, group = self.rule, self.group

        def shared(block: Block) -> Result:
            share = rule(block.X)[:, group]
            weights = share if block.weights is None else share * block.weights
            return kernel(replace(block, weights=weights))

        return self.rows.reduce(shared, combine)

    def map(self, kernel: Callable[[Any], AnyArray]) -> Any:
        return self.rows.map(kernel)


def split_groups(
    zonotope: Zonotope,
    target: Matrix,
    groups: list[Index],
    labeling: Labeling,
    residual: Matrix,
    sample: tuple[Any, Matrix, Vector],
) -> tuple[Labeling, Matrix] | None:
    """Labels within each group that leave the same to all of its classes, or None.

    `labeling` and `residual` are those of the groups, one column each; `sample` has rows,
    generators without weights, and weights. Returns the labels of the classes and their residual.
    """
    X, generators, weights = sample
    rule = labeling.rule
    assert rule is not None, "the labels of the groups are a rule"
    shares = rule(X)
    left = spread_out(residual / sizes_of(groups), groups)
    mass, total = spread_out(labeling.mass[None], groups)[0], spread_out(labeling.total, groups)
    rules: list[Rule | None] = []
    aim = target + left
    for g, members in enumerate(groups):
        if len(members) == 1:
            rules.append(None)
            continue
        part = np.flatnonzero(shares[:, g] * weights > 0.0)
        if len(part) == 0:
            return None
        own = shares[part, g] * weights[part]
        weight = float(labeling.mass[g])
        inner = Zonotope(
            SharedRows(zonotope.rows, rule, g, weight), zonotope.functions, zonotope.shift
        )
        found = reach_inside(
            inner, aim[:, members], generators[part], own * (weight / float(own.sum()))
        )
        zonotope.n_sweeps += inner.n_sweeps
        if found is None:
            return None
        mass[members], total[:, members] = found.labeling.mass, found.labeling.total
        left[:, members] += found.residual
        rules.append(found.labeling.rule)
    return Labeling(None, GroupedRule(rule, tuple(groups), tuple(rules)), mass, total), left
