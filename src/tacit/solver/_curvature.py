"""The matrix that all Newton steps on the dual share: a sum over pairs of classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._cached import cached_property
from tacit._typing import Index, Mask, Matrix

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
    def pairs(self) -> list[tuple[int, int, Index | slice, Matrix]]:
        """For each pair of classes the rows that can have both, and their generators."""
        found: list[tuple[int, int, Index | slice, Matrix]] = []
        for k, m in combinations(range(self.n_classes), 2):
            if self.allowed is None:
                found.append((k, m, slice(None), self.V))
                continue
            rows = np.flatnonzero(self.allowed[:, k] & self.allowed[:, m])
            if len(rows):
                found.append((k, m, rows, self.V[rows]))
        return found

    def at(self, W: Matrix) -> Matrix:
        """The matrix, its upper half, from weights W of shape (K, U)."""
        total, rank = W.sum(axis=0), self.V.shape[1]
        total[total == 0.0] = 1.0  # rows without weight have no curvature
        whole = np.zeros((self.n_classes, rank, self.n_classes, rank))
        for k, m, rows, V in self.pairs:
            scaled = V * np.sqrt(W[k, rows] / total[rows] * W[m, rows])[:, None]
            gram = scaled.T @ scaled
            if self.is_interval:
                return np.asarray(gram)
            whole[k, :, k] += gram
            whole[m, :, m] += gram
            whole[k, :, m] = -gram
        return whole.reshape(self.n_classes * rank, self.n_classes * rank)


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
