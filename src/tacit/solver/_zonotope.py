"""A zonotope whose generators stay in their rows and are seen in sweeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import Block, Rows
from tacit.solver._basis import Coefficients


@dataclass(frozen=True)
class NearRows:
    """Distinct rows next to a hyperplane, with their total weight and signed distance.

    Equal rows count once: they share their label, so their weights add up.
    """

    X: Matrix
    weights: Vector
    s: Vector

    def __len__(self) -> int:
        """The number of distinct rows."""
        return len(self.X)

    def nearest(self, limit: int) -> NearRows:
        """The `limit` rows with the smallest |s|, nearest first."""
        order = np.argsort(np.abs(self.s), kind="stable")[:limit]
        return NearRows(self.X[order], self.weights[order], self.s[order])

    @classmethod
    def together(cls, pieces: tuple[NearRows, ...], limit: int) -> NearRows:
        """All pieces, each distinct row once, and of these the `limit` nearest, nearest first."""
        X = np.concatenate([piece.X for piece in pieces])
        weights = np.concatenate([piece.weights for piece in pieces])
        s = np.concatenate([piece.s for piece in pieces])
        return distinct(X, weights, s).nearest(limit)


def distinct(X: Matrix, weights: Vector, s: Vector) -> NearRows:
    """Equal rows of X put together."""
    # Rows that differ in s are different, which is cheap to see.
    if len(X) < 2 or len(np.unique(s)) == len(s):
        return NearRows(X, weights, s)
    X = np.ascontiguousarray(X)
    keys = X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    added = np.bincount(which, weights).astype(np.float64)
    return NearRows(X[first], added, s[first])


@dataclass(frozen=True)
class Sweep:
    """What one pass over the rows tells about m dual vectors at once.

    With s_j = V q_j for each of them (for more than two classes see Cells):

    Attributes
    ----------
    minima : ndarray of shape (m,)
        Sum over rows of min(0, s_j).
    negative : ndarray of shape (m, r)
        Sum of the generators with s_j < 0.
    near : NearRows
        The rows with the smallest |s_0| per unit of weight.
    crossed : float
        Sum of |s_0| over the rows that lie on another side than under the previous dual vector,
        those within `margin` of it not counted.
    mass : float
        The weight of the rows with s_0 < 0.
    total : ndarray of shape (d,)
        Their weighted sum.
    """

    minima: Vector
    negative: Matrix
    near: NearRows
    crossed: float
    mass: Any
    total: Matrix


@dataclass(frozen=True)
class _Raw:
    """A sweep before it is expressed in generators; near rows in pieces, put together late."""

    minima: Vector
    mass: Vector
    total: Matrix
    near: tuple[NearRows, ...]
    crossed: float
    limit: int

    def __add__(self, other: _Raw) -> _Raw:
        near = self.near + other.near
        if len(near) > 1 and sum(map(len, near)) > 2 * self.limit:
            near = (NearRows.together(near, self.limit),)
        return _Raw(
            self.minima + other.minima,
            self.mass + other.mass,
            self.total + other.total,
            near,
            self.crossed + other.crossed,
            self.limit,
        )


@dataclass(frozen=True)
class _SweepKernel:
    """One block's part of a sweep; a value, so that it can travel to another process."""

    coef: Matrix
    intercept: Vector
    threshold: float
    limit: int
    margin: float | None
    shift: Vector | None

    def __call__(self, block: Block) -> _Raw:
        X = block.X if self.shift is None else block.X - self.shift
        s = np.asarray(X @ self.coef) + self.intercept
        weights = block.weights
        crossed = 0.0
        if self.margin is not None:
            previous, s = s[:, -1], s[:, :-1]
            away = np.abs(previous) > self.margin
            flipped = np.flatnonzero(away & ((s[:, 0] < 0) != (previous < 0)))
            distance = np.abs(s[flipped, 0])
            crossed = float(distance.sum() if weights is None else weights[flipped] @ distance)
        is_negative = (s < 0).astype(np.float64)
        if weights is not None:
            is_negative *= weights[:, None]
        return _Raw(
            minima=np.einsum("ik,ik->k", is_negative, s),
            mass=is_negative.sum(axis=0),
            total=np.asarray((X.T @ is_negative).T),
            near=(self._near(block, s[:, 0]),),
            crossed=crossed,
            limit=self.limit,
        )

    def _near(self, block: Block, s: Vector) -> NearRows:
        index = np.flatnonzero(np.abs(s) <= self.threshold)
        rows = block.X[index]
        if not isinstance(rows, np.ndarray):
            rows = rows.toarray()
        rows = np.ascontiguousarray(rows) + 0.0  # so that -0 is 0 wherever rows are compared
        weights = np.ones(len(index)) if block.weights is None else block.weights[index]
        near = distinct(rows, weights, s[index])
        return near if len(near) <= self.limit else near.nearest(self.limit)


@dataclass
class Zonotope:
    """V'[0, 1]^U with generators v = w (x'coef + intercept), one a row.

    Attributes
    ----------
    rows : Rows
        The rows x and weights w.
    functions : Coefficients
        The linear map from rows to generators, r columns.
    shift : ndarray of shape (d,) or None
        Subtracted from rows before they are multiplied, where their means are so large that the
        differences between rows would be lost to rounding.
    n_sweeps : int
        Passes over the rows so far.
    """

    rows: Rows
    functions: Coefficients
    shift: Vector | None = None
    n_sweeps: int = field(default=0, init=False)

    @property
    def rank(self) -> int:
        """The number of columns r."""
        return int(self.functions.coef.shape[1])

    def direction(self, q: Matrix) -> tuple[Matrix, Vector]:
        """Coefficients and intercepts of s = V q on shifted rows."""
        coef = self.functions.coef @ q
        intercept = self.functions.intercept @ q
        if self.shift is not None:
            intercept = intercept + self.shift @ coef
        return coef, intercept

    def generators(self, X: Any, weights: Vector | None) -> Matrix:
        """V of given rows."""
        if self.shift is None:
            V = np.asarray(X @ self.functions.coef) + self.functions.intercept
        else:
            moved = self.functions.intercept + self.shift @ self.functions.coef
            V = np.asarray((X - self.shift) @ self.functions.coef) + moved
        return V if weights is None else V * weights[:, None]

    def sum_of(self, mass: Any, total: Matrix) -> Matrix:
        """The sum of generators, from the weight and the sum of their shifted rows."""
        moved = self.functions.intercept
        if self.shift is not None:
            moved = moved + self.shift @ self.functions.coef
        return np.asarray(total @ self.functions.coef + np.multiply.outer(mass, moved))

    def sweep(
        self,
        candidates: list[Matrix],
        threshold: float,
        limit: int,
        previous: tuple[Matrix, float] | None = None,
    ) -> Sweep:
        """One pass over the rows for all `candidates`.

        Parameters
        ----------
        candidates : list of ndarray of shape (r,)
            Dual vectors.
        threshold : float
            Rows within this distance of the first candidate's hyperplane are near.
        limit : int
            The most near rows to bring back.
        previous : (ndarray, float), optional
            The dual vector that decided the labels before, and the margin within which rows were
            not decided by it.
        """
        columns = [*candidates, previous[0]] if previous is not None else candidates
        coef, intercept = self.direction(np.stack(columns, axis=1))
        kernel = _SweepKernel(
            np.ascontiguousarray(coef),
            intercept,
            threshold,
            limit,
            None if previous is None else previous[1],
            self.shift,
        )
        raw = self.rows.reduce(kernel, _Raw.__add__)
        self.n_sweeps += 1
        negative = self.sum_of(raw.mass, raw.total)
        mass, total = float(raw.mass[0]), raw.total[0]
        if self.shift is not None:
            total = total + mass * self.shift
        near = NearRows.together(raw.near, limit)
        return Sweep(raw.minima, negative, near, raw.crossed, mass, total)
