"""Coordinates in which the scatter of all rows is the identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

from tacit._typing import Matrix, Vector
from tacit.rows import Moments
from tacit.solver._basis import Basis, Coefficients


@dataclass(frozen=True)
class Space:
    """Whitened coordinates z of a row x.

    Linear discriminant analysis looks the same in all coordinates. In these, the penalty and the
    rank are taken care of once: the scatter of all rows plus alpha times the identity is the
    identity of order r, and the pooled scatter of classes differs from it in K directions only.

    Attributes
    ----------
    functions : Coefficients
        z as a function of x.
    lift : ndarray of shape (d, r)
        x - mean as a function of z.
    mean : ndarray of shape (d,)
        The mean of all rows, where z is zero.
    total_weight : float
        N, the weight of all rows.
    penalty : ndarray of shape (r, r)
        alpha times the identity of x, in the coordinates z.
    log_volume : float
        The logarithm of the volume, in x, of the unit cube of z.
    """

    functions: Coefficients
    lift: Matrix
    mean: Vector
    total_weight: float
    penalty: Matrix
    log_volume: float

    @classmethod
    def of(cls, moments: Moments, alpha: float = 0.0) -> Space:
        """From the moments of all rows, O(d^3)."""
        check_finite(moments)
        functions = Basis.of(moments, alpha).functions
        functions = Coefficients(functions.coef[:, 1:], functions.intercept[1:])
        P = functions.coef
        lift = moments.scatter @ P + alpha * P
        penalty = alpha * (P.T @ P)
        return cls(functions, lift, moments.mean, moments.weight, penalty, _log_volume(lift))

    @property
    def rank(self) -> int:
        """r, the number of directions in which the rows vary."""
        return int(self.lift.shape[1])

    def coordinates(self, X: Any) -> Matrix:
        """The coordinates of the rows X."""
        return self.functions.values(X)

    def sums(self, v: Matrix) -> Matrix:
        """Class weights and sums of x - mean, with the sums in these coordinates."""
        return np.column_stack([v[:, 0], v[:, 1:] @ self.functions.coef])

    def form(self, scatter: Matrix) -> Matrix:
        """A scatter matrix of x in these coordinates."""
        P = self.functions.coef
        return np.asarray(P.T @ scatter @ P)

    def discriminants(self, in_space: Matrix) -> Coefficients:
        """Functions of x from functions of z, given as constants and slopes (K, 1 + r)."""
        combined = self.functions.combine(in_space[:, 1:].T)
        return Coefficients(combined.coef, combined.intercept + in_space[:, 0])


def _log_volume(lift: Matrix) -> float:
    """The logarithm of the volume that the columns span, whatever the units of the rows.

    Rows in falling order and pivoted columns make the error of each row small beside that row
    (Cox & Higham 1998); the determinant of lift'lift would square the ratio of the units.
    """
    if lift.size == 0:
        return 0.0
    order = np.argsort(-np.abs(lift).max(axis=1))
    triangle = qr(lift[order], mode="r", pivoting=True)[0]
    return float(np.log(np.abs(triangle.diagonal())).sum())


def check_finite(moments: Moments) -> None:
    """Refuse NaN and infinity, which rows that live elsewhere show only here."""
    if not (np.isfinite(moments.mean).all() and np.isfinite(moments.scatter).all()):
        raise ValueError(
            "X_unlabeled contains NaN, infinity or numbers too large to be squared; fill in or "
            "leave out such rows."
        )


def scaled(moments: Moments, weight: float) -> Moments:
    """The moments of rows whose weights are multiplied by `weight`."""
    return Moments(weight * moments.weight, moments.mean, weight * moments.scatter)
