"""The first two moments of a table: all that the constraint set needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows.protocol import Block, Rows


@dataclass(frozen=True)
class Moments:
    """Total weight, mean and scatter of weighted rows.

    The scatter is taken about the mean, because the Gram matrix itself loses the small
    differences of a column with a large mean to rounding.

    Attributes
    ----------
    weight : float
        The sum of the weights, n for plain rows.
    mean : ndarray of shape (d,)
        The weighted mean; zeros when there are no rows.
    scatter : ndarray of shape (d, d)
        The sum over rows of w (x - mean)(x - mean)'.
    """

    weight: float
    mean: Vector
    scatter: Matrix

    def __add__(self, other: Moments) -> Moments:
        """The moments of both tables together (Chan, Golub & LeVeque 1983)."""
        weight = self.weight + other.weight
        if self.weight == 0 or other.weight == 0:
            return other if self.weight == 0 else self
        difference = other.mean - self.mean
        mean = self.mean + difference * (other.weight / weight)
        between = self.weight * other.weight / weight * np.outer(difference, difference)
        return Moments(weight, mean, self.scatter + other.scatter + between)

    @classmethod
    def of(cls, rows: Rows) -> Moments:
        """Moments of `rows`, in one sweep of O(n d^2)."""
        return rows.reduce(_moments_of_block, Moments.__add__)


def _moments_of_block(block: Block) -> Moments:
    X, weights = block.X, block.weights
    total = float(len(X) if weights is None else weights.sum())
    if total == 0:
        d = X.shape[1]
        return Moments(0.0, np.zeros(d), np.zeros((d, d)))
    if weights is None:
        mean = X.mean(axis=0)
        centred = X - mean
        return Moments(total, mean, centred.T @ centred)
    mean = (weights @ X) / total
    centred = X - mean
    return Moments(total, mean, (centred * weights[:, None]).T @ centred)
