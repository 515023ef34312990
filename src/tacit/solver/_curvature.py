"""The matrix that all Newton steps on the dual share: a sum over pairs of classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._cached import cached_property
from tacit._typing import Mask, Matrix, Vector

# Added to the diagonal for directions that no label can move, relative to the trace.
REGULARISATION = 1e-15


@dataclass(frozen=True)
class Curvature:
    """The sum over rows of M (x) v v', where the weights p of a row's vertices answer by dp = M ds.

    M = diag(w) - w w' / sum(w) is a sum over pairs of vertices, of w_k w_l / sum(w) times
    (e_k - e_l)(e_k - e_l)'. Summed like this nothing cancels, where a difference would lose all
    digits of a label near one. For two classes there is one pair, and one matrix of order r.
    """

    V: Matrix  # (U, r)
    n_classes: int
    allowed: Mask | None = None  # (U, K), the classes of each row; None for all
    is_interval: bool = False  # whether the label of two classes is one number

    @cached_property
    def _pairs(self) -> _Pairs | None:
        """The pairs of classes that rows can have; None where they are too many to be listed."""
        if self.allowed is None:
            return None
        n_open = self.allowed.sum(axis=1)
        if (n_open * (n_open - 1)).sum() > self.n_classes * len(self.V):
            return None
        return _Pairs(self.V, self.allowed)

    def at(self, W: Matrix) -> Matrix:
        """The matrix, its upper half, from weights W of shape (K, U)."""
        V, r = self.V, self.V.shape[1]
        total = W.sum(axis=0)
        total[total == 0.0] = 1.0  # rows without weight have no curvature
        if self.is_interval:
            scaled = V * np.sqrt(W[0] / total * W[1])[:, None]
            return np.asarray(scaled.T @ scaled)
        if self._pairs is not None:
            return self._pairs.at(W, total)
        # The weight of all other classes, added up where a difference would cancel.
        others, heaviest, rest = total - W, W.argmax(axis=0)[None], W.copy()
        np.put_along_axis(rest, heaviest, 0.0, axis=0)
        np.put_along_axis(others, heaviest, rest.sum(axis=0)[None], axis=0)
        Z = (V[:, None, :] * (W / np.sqrt(total)).T[:, :, None]).reshape(len(V), -1)
        whole = np.asarray(Z.T @ Z)
        np.negative(whole, out=whole)
        for k, own in enumerate(np.sqrt(W / total * others)):
            scaled = V * own[:, None]
            whole[k * r : (k + 1) * r, k * r : (k + 1) * r] = scaled.T @ scaled
        return whole


class _Pairs:
    """The same where rows have few classes each: those of each pair of classes lie together."""

    def __init__(self, V: Matrix, allowed: Mask) -> None:
        self.n_classes = allowed.shape[1]
        n_open = allowed.sum(axis=1)
        order = np.argsort(~allowed, axis=1, kind="stable")[:, : n_open.max(initial=0)]
        found = [
            (np.flatnonzero(n_open > j), i, j) for j in range(order.shape[1]) for i in range(j)
        ]
        rows = np.concatenate([rows for rows, _, _ in found] or [np.zeros(0, dtype=np.intp)])
        first = np.concatenate([order[rows, i] for rows, i, _ in found] or [rows])
        second = np.concatenate([order[rows, j] for rows, _, j in found] or [rows])
        pair = first * self.n_classes + second
        sort = np.argsort(pair, kind="stable")
        self.rows, self.first, self.second = rows[sort], first[sort], second[sort]
        pairs, starts = np.unique(pair[sort], return_index=True)
        self.slices = [slice(a, b) for a, b in pairwise([*starts.tolist(), len(sort)])]
        self.k, self.m = np.divmod(pairs, self.n_classes)
        self.V = V[self.rows]
        ends = np.arange(self.n_classes)[:, None]
        self.has = ((self.k == ends) | (self.m == ends)).astype(np.float64)

    def at(self, W: Matrix, total: Vector) -> Matrix:
        rank, K, rows = self.V.shape[1], self.n_classes, self.rows
        roots = np.sqrt(W[self.first, rows] / total[rows] * W[self.second, rows])
        scaled = self.V * roots[:, None]
        grams = np.zeros((len(self.slices), rank, rank))
        for gram, part in zip(grams, self.slices, strict=True):
            np.matmul(scaled[part].T, scaled[part], out=gram)
        whole = np.zeros((K, rank, K, rank))
        whole[self.k, :, self.m] = -grams
        own = (self.has @ grams.reshape(-1, rank * rank)).reshape(K, rank, rank)
        every = np.arange(K)
        whole[every, :, every] = own
        return whole.reshape(K * rank, K * rank)


class Factor:
    """The Cholesky factor of a curvature, given by its upper half, with diag(soft) added.

    `soft` has the shape of the dual, (r,) or (r, K). On equalities it is zero, and there the mean
    over several classes is held by a projector instead, because no labels move it.
    """

    def __init__(self, matrix: Matrix, soft: Matrix, ridge: float = 0.0) -> None:
        self.shape = soft.T.shape
        diagonal = np.einsum("ii->i", matrix)
        if soft.ndim == 2:
            hard = np.flatnonzero(soft[:, 0] == 0.0)
            unit = float(diagonal.mean()) if len(diagonal) else 0.0
            if len(hard) and unit > 0.0:
                whole = matrix.reshape(2 * self.shape)
                whole[:, hard, :, hard] += unit / self.shape[0]
        diagonal += soft.T.ravel()
        diagonal += (REGULARISATION + ridge) * float(diagonal.sum())
        # LAPACK itself: the wrappers around it take as long as a small system. The transpose is in
        # Fortran order, so that nothing is copied.
        self.factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            raise np.linalg.LinAlgError("The Newton system is not positive definite.")

    def solve(self, right: Matrix) -> Matrix:
        """The solution for a right-hand side in the shape of the dual, in that shape."""
        solution, _ = dpotrs(self.factor, np.ascontiguousarray(right.T).ravel(), lower=True)
        return np.asarray(solution).reshape(self.shape).T
