"""A zonotope whose generators stay in their rows and are seen in sweeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import Block, Rows
from tacit.rows._sweep import add_each
from tacit.solver._basis import Coefficients
from tacit.solver._label_sets import Interval, Simplex


@dataclass(frozen=True)
class NearRows:
    """Distinct rows between classes; equal rows count once, with their weights added up."""

    X: Matrix  # (n, d)
    weights: Vector
    distance: Vector  # the difference of the two lowest slopes: |s| for two classes
    counted: Matrix  # (n,) or (n, K), weight times label, as the sweep has counted it

    def __len__(self) -> int:
        return len(self.X)

    def nearest(self, limit: int) -> NearRows:
        """The `limit` nearest rows, nearest first."""
        order = np.argsort(self.distance, kind="stable")[:limit]
        return NearRows(
            self.X[order], self.weights[order], self.distance[order], self.counted[order]
        )

    def distinct(self) -> NearRows:
        """Equal rows put together."""
        # Rows that differ in their distance are different, which is cheap to see.
        if len(self.X) < 2 or len(np.unique(self.distance)) == len(self.distance):
            return self
        X = np.ascontiguousarray(self.X)
        keys = X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        counted = np.zeros((len(first), *self.counted.shape[1:]))
        np.add.at(counted, which, self.counted)
        weights = np.bincount(which, self.weights).astype(np.float64)
        return NearRows(X[first], weights, self.distance[first], counted)

    @classmethod
    def together(cls, pieces: tuple[NearRows, ...], limit: int) -> NearRows:
        """All pieces, each distinct row once, and of these the `limit` nearest, nearest first."""
        whole = cls(
            np.concatenate([piece.X for piece in pieces]),
            np.concatenate([piece.weights for piece in pieces]),
            np.concatenate([piece.distance for piece in pieces]),
            np.concatenate([piece.counted for piece in pieces]),
        )
        return whole.distinct().nearest(limit)


@dataclass(frozen=True)
class Sweep:
    """What one pass over the rows tells about m dual vectors at once.

    All but `minima` is about the first of them, which gives every row the label with the lowest
    slope (see LabelSet.decide). `crossed` is the sum over rows of the lowest slope among the
    classes that the previous dual vector left open, minus the lowest of all.
    """

    minima: Vector  # (m,), sum over rows of the lowest slope: for two classes of min(0, s)
    reached: Matrix  # (r,) or (r, K), V'u: the sum over rows of generator times label
    near: NearRows  # the nearest rows, per unit of weight
    crossed: float
    mass: Any  # a number or (K,), sum of weight times label
    total: Matrix  # (d,) or (d, K), sum of weight times label times row


# A sweep before it is expressed in generators: minima, mass (c,), total (c, d) and what crossed
# over, with c = 1 for two classes and K for more; and near rows in pieces, put together late.
_Raw = tuple[Vector, Matrix, Matrix, float, tuple[NearRows, ...]]


@dataclass(frozen=True)
class _SweepKernel:
    """One block's part of a sweep; a value, so that it can travel to another process."""

    coef: Matrix  # (d, m c), and c more columns for the previous dual vector
    intercept: Vector
    n_columns: int  # c
    threshold: float
    limit: int
    margin: float | None
    shift: Vector | None

    def __call__(self, block: Block) -> _Raw:
        X = block.X if self.shift is None else block.X - self.shift
        # A class a row, so that the lowest of them is found in long vectors.
        if not isinstance(X, np.ndarray):
            slopes = np.ascontiguousarray((X @ self.coef).T)
        elif self.coef.shape[1] == 2:
            # This way round BLAS takes two thirds of the time.
            slopes = np.ascontiguousarray(np.dot(X, self.coef).T)
        else:
            slopes = self.coef.T @ X.T
        slopes += self.intercept[:, None]
        slopes = slopes.reshape(-1, self.n_columns, X.shape[0])
        candidates = slopes if self.margin is None else slopes[:-1]
        kind = Interval() if self.n_columns == 1 else Simplex(self.n_columns)
        decided = [kind.decide(each) for each in candidates]
        chosen, _, distance = decided[0]
        lowest = np.stack([each for _, each, _ in decided])
        weights = block.weights
        crossed = 0.0
        if self.margin is not None:
            each = _crossed(slopes[0], slopes[-1], self.margin)
            crossed = float(each.sum() if weights is None else each @ weights)
        counted = chosen.astype(np.float64)
        if weights is not None:
            counted *= weights
        # Not counted @ X, which holds the interpreter where its result is small.
        total = np.dot(counted, X) if isinstance(X, np.ndarray) else (X.T @ counted.T).T
        minima = lowest.sum(axis=1) if weights is None else lowest @ weights
        near = self._near(block, distance, counted)
        return minima, counted.sum(axis=1), np.asarray(total), crossed, (near,)

    def combine(self, first: _Raw, second: _Raw) -> _Raw:
        """The sums of both, and the near rows of both."""
        near = first[-1] + second[-1]
        if sum(map(len, near)) > 2 * self.limit:
            near = (NearRows.together(near, self.limit),)
        minima, mass, total, crossed = add_each(first[:-1], second[:-1])
        return minima, mass, total, crossed, near

    def _near(self, block: Block, distance: Vector, counted: Matrix) -> NearRows:
        index = np.flatnonzero(distance <= self.threshold)
        rows = block.X[index]
        if not isinstance(rows, np.ndarray):
            rows = rows.toarray()
        rows = np.ascontiguousarray(rows) + 0.0  # so that -0 is 0 wherever rows are compared
        weights = np.ones(len(index)) if block.weights is None else block.weights[index]
        own = counted[0, index] if self.n_columns == 1 else counted[:, index].T
        near = NearRows(rows, weights, distance[index], own)
        return near if len(near) <= self.limit else NearRows.together((near,), self.limit)


def _crossed(slopes: Matrix, previous: Matrix, margin: float) -> Vector:
    """For each row the lowest slope of what `previous` left open, minus the lowest of all."""
    if len(slopes) == 1:
        s, before = slopes[0], previous[0]
        is_other = (np.abs(before) > margin) & ((s < 0) != (before < 0))
        return np.where(is_other, np.abs(s), 0.0)
    is_open = previous - previous.min(axis=0) <= margin
    return np.asarray(np.where(is_open, slopes, np.inf).min(axis=0) - slopes.min(axis=0))


@dataclass
class Zonotope:
    """All V'u with generators v = w (x'coef + intercept), one a row x of weight w.

    `shift` is subtracted from rows before they are multiplied, where their means are so large that
    the differences between rows would be lost to rounding.
    """

    rows: Rows
    functions: Coefficients  # from rows to generators, r columns
    shift: Vector | None = None
    n_sweeps: int = field(default=0, init=False)

    def direction(self, q: Matrix) -> tuple[Matrix, Vector]:
        """Coefficients and intercepts of s = V q on shifted rows."""
        coef = self.functions.coef @ q
        intercept = self.functions.intercept @ q
        if self.shift is not None:
            intercept = intercept + self.shift @ coef
        return coef, intercept

    @property
    def _shifted_intercept(self) -> Vector:
        if self.shift is None:
            return self.functions.intercept
        return np.asarray(self.functions.intercept + self.shift @ self.functions.coef)

    def generators(self, X: Any, weights: Vector | None) -> Matrix:
        """V of given rows."""
        moved = X if self.shift is None else X - self.shift
        V = np.asarray(moved @ self.functions.coef) + self._shifted_intercept
        return V if weights is None else V * weights[:, None]

    def slopes(self, X: Any, q: Matrix) -> Matrix:
        """V q of given rows, per unit of weight."""
        coef, intercept = self.direction(q)
        return np.asarray((X if self.shift is None else X - self.shift) @ coef) + intercept

    def sum_of(self, mass: Any, total: Matrix) -> Matrix:
        """Sum of generator times label, from those of labels and of shifted rows times labels."""
        outer = np.multiply.outer(self._shifted_intercept, mass)
        return np.asarray(self.functions.coef.T @ total + outer)

    def unshifted(self, mass: Any, total: Matrix) -> Matrix:
        """The sum of row times label, from that of shifted rows."""
        return total if self.shift is None else total + np.multiply.outer(self.shift, mass)

    def sweep(
        self,
        candidates: list[Matrix],
        threshold: float,
        limit: int,
        previous: tuple[Matrix, float] | None = None,
    ) -> Sweep:
        """One pass over the rows for all `candidates`, dual vectors.

        Of the rows within `threshold` under the first of them at most `limit` are brought back.
        `previous` is the dual vector that decided the labels before, and the margin within which
        classes were left open by it.
        """
        shape = candidates[0].shape[1:]
        columns = [*candidates, previous[0]] if previous is not None else candidates
        coef, intercept = self.direction(np.column_stack(columns))
        kernel = _SweepKernel(
            np.ascontiguousarray(coef),
            intercept,
            shape[0] if shape else 1,
            threshold,
            limit,
            None if previous is None else previous[1],
            self.shift,
        )
        minima, mass, total, crossed, pieces = self.rows.reduce(kernel, kernel.combine)
        self.n_sweeps += 1
        mass = mass.reshape(shape)[()]
        total = np.ascontiguousarray(total.T.reshape(-1, *shape))
        near = NearRows.together(pieces, limit)
        reached, total_of_rows = self.sum_of(mass, total), self.unshifted(mass, total)
        return Sweep(minima, reached, near, crossed, mass, total_of_rows)
