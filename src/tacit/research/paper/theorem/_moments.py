"""The six expectations that the theorem is about, for one population or for many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.research.paper.theorem._integration import Nodes


@dataclass(frozen=True)
class Moments:
    """Expectations over x and y of a population; arrays where there are many populations.

    Attributes
    ----------
    positive, negative : ndarray
        E max(x, 0) and E max(-x, 0).
    positive_ones, negative_ones : ndarray
        E max(x, 0) y and E max(-x, 0) y.
    second : ndarray
        E x^2.
    ones : ndarray
        E y.
    """

    positive: Vector
    negative: Vector
    positive_ones: Vector
    negative_ones: Vector
    second: Vector
    ones: Vector

    @classmethod
    def of(cls, nodes: Nodes, p: Matrix) -> Moments:
        """Sum over nodes, with p the probabilities P(y = 1 | x) there.

        With and without p the same non-negative terms are added in the same order. Rounding is
        monotone, so 0 <= E max(x, 0) y <= E max(x, 0) holds for the numbers that come out, not
        only up to rounding, and beta_star never leaves the interval by the last bit.
        """
        positive = nodes.weight * np.maximum(nodes.x, 0.0)
        negative = nodes.weight * np.maximum(-nodes.x, 0.0)
        return cls(
            positive.sum(axis=-1),
            negative.sum(axis=-1),
            (positive * p).sum(axis=-1),
            (negative * p).sum(axis=-1),
            (positive * nodes.x - negative * nodes.x).sum(axis=-1),
            (nodes.weight * p).sum(axis=-1),
        )

    @property
    def lower(self) -> Vector:
        """Lower end of C: every negative x has label 1, every positive one 0."""
        return -self.negative / self.second

    @property
    def upper(self) -> Vector:
        """Upper end of C: every positive x has label 1, every negative one 0."""
        return self.positive / self.second

    @property
    def beta_star(self) -> Vector:
        """The minimiser of the risk, E x y / E x^2."""
        return (self.positive_ones - self.negative_ones) / self.second

    def risk(self, beta: Vector) -> Vector:
        """E (x beta - y)^2 as the least risk plus E x^2 (beta - beta_star)^2."""
        star = self.beta_star
        return self.ones - self.second * star**2 + self.second * (beta - star) ** 2

    def risk_change(self, before: Vector, after: Vector) -> Vector:
        """Risk of `after` minus risk of `before`, with a sign that rounding cannot turn.

        E x^2 (after - before) ((after - beta_star) + (before - beta_star)): no two risks that
        nearly agree are subtracted. Each difference has the sign of the exact difference of the
        numbers given, and a sum of two numbers of one sign keeps it.
        """
        star = self.beta_star
        return self.second * ((after - before) * ((after - star) + (before - star)))


def least_squares(x: Matrix, y: Matrix) -> Vector:
    """beta_sup = (x'x)^+ x'y along the last axis: 0 where every x is 0."""
    second = (x * x).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(second > 0, (x * y).sum(axis=-1) / second, 0.0)
