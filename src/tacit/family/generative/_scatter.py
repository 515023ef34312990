"""The pooled scatter of classes in coordinates in which that of all rows is the identity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix
from tacit.solver._basis import RANK_CUT


class UnboundedLikelihoodError(ValueError):
    """The pooled covariance is singular, so that the likelihood has no maximum."""

    def __init__(self) -> None:
        super().__init__(
            "The pooled within-class covariance is singular: in some direction the rows of every "
            "class are all the same, or so close that their variance is below 1e-8 of that of all "
            "rows (as when some rows are a million times farther away), and the likelihood has no "
            "maximum. Set alpha > 0, for example alpha=1.0 on standardised features, use fewer "
            "features, or bring distant rows and rows in other units to the scale of the rest."
        )


@dataclass(frozen=True)
class Scatter:
    """W = I - sum over classes of s s' / n, with what is needed of it.

    W is the identity but for K directions, so that its determinant and inverse take a matrix of
    order K (Woodbury) and no factorisation of order r.

    Attributes
    ----------
    means : ndarray of shape (K, r)
        s / n of each class.
    spread : ndarray of shape (K, r)
        s / sqrt(n) of each class: W = I - spread'spread.
    core : ndarray of shape (K, K)
        The inverse of I - spread spread'.
    log_determinant : float
        log |W|.
    singular : ndarray of shape (k, r)
        Orthonormal directions in which W is zero although the means of the classes differ.
    """

    means: Matrix
    spread: Matrix
    core: Matrix
    log_determinant: float
    singular: Matrix

    @classmethod
    def of(cls, v: Matrix, drop: bool = False) -> Scatter:
        """From weights and sums of the classes, O(K^2 r).

        W is judged by its eigenvalues relative to all rows, whose scatter is the identity, so that
        the verdict depends neither on units nor on directions. A singular W is refused, or with
        `drop` its singular directions are left out: the inverse is the pseudo-inverse, and the
        determinant that of the rest.
        """
        spread = v[:, 1:] / np.sqrt(v[:, :1])
        between, vectors = np.linalg.eigh(spread @ spread.T)
        kept = 1.0 - between > RANK_CUT
        if not (drop or kept.all()):
            raise UnboundedLikelihoodError
        # W = I - C'C has the inverse I + C' (I - CC')^{-1} C; minus one over the eigenvalue of CC'
        # takes the direction out of the identity.
        factors = np.where(kept, 1.0 - between, -between)
        core = (vectors / factors) @ vectors.T
        directions = (vectors[:, ~kept] / np.sqrt(between[~kept])).T @ spread
        log_determinant = float(np.log(factors[kept]).sum())
        return cls(v[:, 1:] / v[:, :1], spread, core, log_determinant, directions)

    @property
    def within(self) -> Matrix:
        """W."""
        return np.asarray(np.eye(self.spread.shape[1]) - self.spread.T @ self.spread)

    @property
    def trace_of_inverse(self) -> float:
        """The trace of the inverse of W."""
        return float(self.spread.shape[1] + np.sum(self.core * (self.spread @ self.spread.T)))

    @property
    def inverse(self) -> Matrix:
        """The inverse of W, O(K r^2)."""
        return np.asarray(np.eye(self.spread.shape[1]) + self.spread.T @ self.core @ self.spread)

    def solve(self, rows: Matrix) -> Matrix:
        """Each of `rows` times the inverse of W, O(K r) a row."""
        return np.asarray(rows + (rows @ self.spread.T) @ self.core @ self.spread)
