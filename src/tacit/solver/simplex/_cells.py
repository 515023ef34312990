"""Sums over the cells of many classes, seen in sweeps over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Mask, Matrix, Vector
from tacit.rows import Block
from tacit.solver._zonotope import NearRows, Sweep, Zonotope


@dataclass(frozen=True)
class NearCells(NearRows):
    """Distinct rows between classes.

    `s` is the difference of the two lowest slopes, and `chosen`, of shape (n, K), the weight that
    the sweep has counted for each class.
    """

    chosen: Matrix

    def nearest(self, limit: int) -> NearCells:
        """The `limit` rows with the smallest difference, nearest first."""
        order = np.argsort(self.s, kind="stable")[:limit]
        return NearCells(self.X[order], self.weights[order], self.s[order], self.chosen[order])

    def distinct(self) -> NearCells:
        """Equal rows put together."""
        # Rows that differ in s are different, which is cheap to see.
        if len(self.X) < 2 or len(np.unique(self.s)) == len(self.s):
            return self
        X = np.ascontiguousarray(self.X)
        keys = X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        chosen = np.zeros((len(first), self.chosen.shape[1]))
        np.add.at(chosen, which, self.chosen)
        weights = np.bincount(which, self.weights).astype(np.float64)
        return NearCells(X[first], weights, self.s[first], chosen)


def _joined(pieces: tuple[NearCells, ...], limit: int) -> NearCells:
    """All pieces, each distinct row once, and of these the `limit` nearest, nearest first."""
    whole = NearCells(
        np.concatenate([piece.X for piece in pieces]),
        np.concatenate([piece.weights for piece in pieces]),
        np.concatenate([piece.s for piece in pieces]),
        np.concatenate([piece.chosen for piece in pieces]),
    )
    return whole.distinct().nearest(limit)


@dataclass(frozen=True)
class _Raw:
    """A sweep before it is expressed in generators; near rows in pieces, put together late."""

    minima: Vector
    mass: Matrix
    total: Matrix
    near: tuple[NearCells, ...]
    crossed: float
    limit: int

    def __add__(self, other: _Raw) -> _Raw:
        near = self.near + other.near
        if len(near) > 1 and sum(map(len, near)) > 2 * self.limit:
            near = (_joined(near, self.limit),)
        return _Raw(
            self.minima + other.minima,
            self.mass + other.mass,
            self.total + other.total,
            near,
            self.crossed + other.crossed,
            self.limit,
        )


@dataclass(frozen=True)
class _CellsKernel:
    """One block's part of a sweep; a value, so that it can travel to another process."""

    coef: Matrix  # (d, m K), and K more columns for the previous dual matrix
    intercept: Vector
    n_classes: int
    threshold: float
    limit: int
    margin: float | None
    shift: Vector | None

    def __call__(self, block: Block) -> _Raw:
        X = block.X if self.shift is None else block.X - self.shift
        weights = np.ones(X.shape[0]) if block.weights is None else block.weights
        # A class a row, so that the lowest of them is found in long vectors.
        if isinstance(X, np.ndarray):
            slopes = self.coef.T @ X.T
        else:
            slopes = np.ascontiguousarray((X @ self.coef).T)
        slopes += self.intercept[:, None]
        K = self.n_classes
        groups = slopes.reshape(-1, K, X.shape[0])
        candidates = groups if self.margin is None else groups[:-1]
        lowest = candidates.min(axis=1)
        chosen = np.stack(
            [_first_lowest(s, low) for s, low in zip(candidates, lowest, strict=True)]
        )
        crossed = 0.0
        if self.margin is not None:
            previous = groups[-1]
            allowed = previous - previous.min(axis=0) <= self.margin
            within = np.where(allowed, candidates[0], np.inf).min(axis=0)
            crossed = float(weights @ (within - lowest[0]))
        first = chosen[0]
        second = np.where(first, np.inf, candidates[0]).min(axis=0)
        counted = chosen.reshape(-1, X.shape[0]).astype(np.float64)
        if block.weights is not None:
            counted *= weights
        total = counted @ X if isinstance(X, np.ndarray) else (X.T @ counted.T).T
        return _Raw(
            minima=lowest @ weights,
            mass=counted.sum(axis=1).reshape(-1, K),
            total=np.asarray(total).reshape(-1, K, X.shape[1]),
            near=(self._near(block, second - lowest[0], counted[:K]),),
            crossed=crossed,
            limit=self.limit,
        )

    def _near(self, block: Block, difference: Vector, counted: Matrix) -> NearCells:
        index = np.flatnonzero(difference <= self.threshold)
        rows = block.X[index]
        if not isinstance(rows, np.ndarray):
            rows = rows.toarray()
        rows = np.ascontiguousarray(rows) + 0.0  # so that -0 is 0 wherever rows are compared
        weights = np.ones(len(index)) if block.weights is None else block.weights[index]
        near = NearCells(rows, weights, difference[index], counted[:, index].T).distinct()
        return near if len(near) <= self.limit else near.nearest(self.limit)


def _first_lowest(slopes: Matrix, lowest: Vector) -> Mask:
    """Where a class is the lowest of its row, and the first of equals."""
    chosen = slopes == lowest
    if np.count_nonzero(chosen) != chosen.shape[1]:
        tied = np.flatnonzero(chosen.sum(axis=0) != 1)
        chosen[:, tied] = False
        chosen[slopes[:, tied].argmin(axis=0), tied] = True
    return np.asarray(chosen)


class Cells(Zonotope):
    """As Zonotope, for K classes: a dual matrix Q puts each row into the class of the lowest v'Q.

    A sweep's `minima` then are sums of the lowest slopes, `negative` has shape (m, r, K), one sum
    of generators for each class, `mass` shape (K,), `total` shape (d, K), and `crossed` is the sum
    over rows of the lowest slope among the classes that the previous dual matrix left open, minus
    the lowest of all.
    """

    def sweep(
        self,
        candidates: list[Matrix],
        threshold: float,
        limit: int,
        previous: tuple[Matrix, float] | None = None,
    ) -> Sweep:
        """One pass over the rows for all `candidates`, dual matrices of shape (r, K)."""
        columns = [*candidates, previous[0]] if previous is not None else candidates
        coef, intercept = self.direction(np.hstack(columns))
        n_classes = candidates[0].shape[1]
        kernel = _CellsKernel(
            np.ascontiguousarray(coef),
            intercept,
            n_classes,
            threshold,
            limit,
            None if previous is None else previous[1],
            self.shift,
        )
        raw = self.rows.reduce(kernel, _Raw.__add__)
        self.n_sweeps += 1
        sums = self.sum_of(raw.mass, raw.total)
        mass, total = raw.mass[0], raw.total[0].T
        if self.shift is not None:
            total = total + np.outer(self.shift, mass)
        near = _joined(raw.near, limit)
        return Sweep(
            raw.minima,
            np.swapaxes(sums, 1, 2),
            near,
            raw.crossed,
            mass,
            np.ascontiguousarray(total),
        )
