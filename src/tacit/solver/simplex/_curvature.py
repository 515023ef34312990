"""The matrix that the methods for many classes share: a sum over pairs of classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._typing import Index, Mask, Matrix

# Added to the diagonal for directions that no label can move, relative to its mean.
REGULARISATION = 1e-15


@dataclass(frozen=True)
class Pairs:
    """Which rows can be between which two classes.

    The labels p of a row that follow its slopes s by dp = M ds, with M = diag(w) - w w' / sum(w),
    do so by pairs of classes: M = sum over k < l of w_k w_l / sum(w) (e_k - e_l)(e_k - e_l)'.
    Summed like this nothing cancels, where a difference would lose all digits of a label near one.

    Attributes
    ----------
    V : ndarray of shape (U, r)
        The generators.
    allowed : ndarray of bool of shape (U, K) or None
        The classes of each row; None for all.
    n_classes : int
        K.
    """

    V: Matrix
    allowed: Mask | None
    n_classes: int

    @cached_property
    def members(self) -> list[tuple[int, int, Index | slice, Matrix]]:
        """For each pair of classes the rows that can have both, and their generators."""
        found: list[tuple[int, int, Index | slice, Matrix]] = []
        for k in range(self.n_classes):
            for m in range(k + 1, self.n_classes):
                if self.allowed is None:
                    found.append((k, m, slice(None), self.V))
                    continue
                rows = np.flatnonzero(self.allowed[:, k] & self.allowed[:, m])
                if len(rows):
                    found.append((k, m, rows, self.V[rows]))
        return found

    def curvature(self, W: Matrix) -> Matrix:
        """The sum over rows of M (x) v v', its upper half, from weights W of shape (K, U)."""
        total = W.sum(axis=0)

        def blocks() -> Iterator[tuple[int, int, Matrix]]:
            for k, m, rows, V in self.members:
                weights = W[k, rows] / total[rows] * W[m, rows]
                scaled = V * np.sqrt(weights)[:, None]
                yield k, m, scaled.T @ scaled

        return assemble(blocks(), self.n_classes, self.V.shape[1])


def assemble(blocks: Iterable[tuple[int, int, Matrix]], n_classes: int, rank: int) -> Matrix:
    """The sum over pairs (k, l, G), k < l, of (e_k - e_l)(e_k - e_l)' (x) G, its upper half."""
    whole = np.zeros((n_classes, rank, n_classes, rank))
    diagonal = np.zeros((n_classes, rank, rank))
    for k, m, gram in blocks:
        diagonal[k] += gram
        diagonal[m] += gram
        whole[k, :, m] = -gram
    for k in range(n_classes):
        whole[k, :, k] = diagonal[k]
    return whole.reshape(n_classes * rank, n_classes * rank)


class Factor:
    """The Cholesky factor of a curvature, given by its upper half, with diag(soft) added.

    `soft` has shape (r, K). On equalities it is zero, and there the mean over the classes is held
    by a projector instead, because no labels move it.
    """

    def __init__(self, matrix: Matrix, soft: Matrix, ridge: float = 0.0) -> None:
        rank, n_classes = soft.shape
        self.shape = (n_classes, rank)
        diagonal = np.einsum("ii->i", matrix)
        unit = float(diagonal.mean()) if len(diagonal) else 0.0
        hard = np.flatnonzero(soft[:, 0] == 0.0)
        if len(hard) and unit > 0.0:
            whole = matrix.reshape(n_classes, rank, n_classes, rank)
            whole[:, hard, :, hard] += unit / n_classes
        diagonal += soft.T.ravel()
        diagonal += (REGULARISATION + ridge) * float(diagonal.sum())
        # The transpose is in Fortran order, so that nothing is copied.
        self.factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            raise np.linalg.LinAlgError("The Newton system is not positive definite.")

    def solve(self, right: Matrix) -> Matrix:
        """The solution for a right-hand side of shape (r, K), in that shape."""
        solution, _ = dpotrs(self.factor, np.ascontiguousarray(right.T).ravel(), lower=True)
        return np.asarray(solution).reshape(self.shape).T
