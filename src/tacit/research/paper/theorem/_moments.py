"""Expectations over a distribution as sums over nodes with non-negative weights.

All integrals are taken in probability, E g(x) = ∫ g(Q(u)) du with Q the quantile function: the
nodes then lie where the mass is, whatever location and scale. The interval of u is cut where x is 0
and where P(y = 1 | x) jumps, and each piece is mapped to the whole line by the double-exponential
transformation τ = 1 / (1 + exp(π sinh t)), which tames the infinite quantiles at both ends.

Takahasi and Mori, Double exponential formulas for numerical integration, 1974.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector

# A frozen distribution of scipy.stats, which has no public type.
Distribution = Any
# Values of x and their weights, along the last axis.
Nodes = tuple[Matrix, Matrix]

# Where τ and 1 - τ are negligible: the far tail is followed down to a probability of 1e-100 (below,
# SciPy's quantiles of Student's t are wrong), the near end to the resolution of numbers close to 1.
_FAR = float(np.arcsinh(100 * np.log(10) / np.pi))
_NEAR = float(np.arcsinh(17 * np.log(10) / np.pi))
_N_TAIL = 48
_N_MIDDLE = 32


@contextmanager
def quiet() -> Iterator[None]:
    """Let SciPy overflow at the edges of a distribution without a word."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@dataclass(frozen=True)
class _Piece:
    """One part of the unit interval, between two cuts or beyond the first or last."""

    mass: Any
    quantile: Callable[[Any], Any]  # Of a probability up to `mass`
    low: Any  # Ends of x; one of them may be infinite
    high: Any

    @property
    def far(self) -> float:
        """Where t ends; it begins at -_NEAR."""
        return _NEAR if np.isfinite(self.low).all() and np.isfinite(self.high).all() else _FAR

    def nodes(self, t: Any) -> Nodes:
        """Nodes at the points t; the weights are the density in t."""
        exponent = np.pi * np.sinh(t)
        tau = np.exp(-np.logaddexp(0.0, exponent))
        density = tau * np.exp(-np.logaddexp(0.0, -exponent)) * np.pi * np.cosh(t)
        with quiet():
            x = np.clip(self.quantile(self.mass * tau), self.low, self.high)
        # Without mass, or so far out that SciPy has no quantile, the weight is nothing too.
        edge = np.where(np.isfinite(self.low), self.low, self.high)
        x = np.where(np.isfinite(x) & (self.mass > 0), x, edge)
        return x, np.broadcast_to(self.mass * density, x.shape)


def _pieces(distribution: Distribution, cuts: Sequence[Any]) -> list[_Piece]:
    """The pieces between increasing cuts, the first and last with their infinite ends."""
    below = [distribution.cdf(cut) for cut in cuts]
    found = [_Piece(below[0], distribution.ppf, -np.inf, cuts[0])]
    for i in range(len(cuts) - 1):

        def quantile(u: Any, start: Any = below[i]) -> Any:
            return distribution.ppf(start + u)

        found.append(_Piece(below[i + 1] - below[i], quantile, cuts[i], cuts[i + 1]))
    return [*found, _Piece(distribution.sf(cuts[-1]), distribution.isf, cuts[-1], np.inf)]


def fixed_nodes(distribution: Distribution, cuts: Sequence[Any], fineness: int = 1) -> Nodes:
    """Nodes of a continuous distribution, or the same number for every one of many.

    The trapezoidal rule in t, whose error falls exponentially with the number of nodes, `fineness`
    times as many as are enough for 7 digits. Of many distributions, the parameters and the
    increasing cuts, 0 among them, are columns of shape (n, 1).
    """
    parts = []
    for piece in _pieces(distribution, cuts):
        count = fineness * (_N_MIDDLE if piece.far == _NEAR else _N_TAIL)
        t, step = np.linspace(-_NEAR, piece.far, count, retstep=True)
        x, weight = piece.nodes(t)
        parts.append((x, weight * step))
    return joined(parts)


def joined(parts: Sequence[Nodes]) -> Nodes:
    """All nodes of all parts."""
    x, weight = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    return x, weight


def terms(x: Any, weight: Any, p: Any) -> Any:
    """What is summed over nodes for `Moments`, with p the probabilities P(y = 1 | x) there.

    With and without p the same non-negative terms are added in the same order. Rounding is
    monotone, so 0 <= E max(x, 0) y <= E max(x, 0) holds for the sums that come out, not only up to
    rounding, and beta_star never leaves the interval by the last bit.
    """
    positive, negative = weight * np.maximum(x, 0.0), weight * np.maximum(-x, 0.0)
    second = positive * x - negative * x
    return np.stack([positive, negative, positive * p, negative * p, second, weight * p])


@dataclass(frozen=True)
class Moments:
    """Expectations over x and y of a population; arrays where there are many populations."""

    positive: Any  # E max(x, 0)
    negative: Any  # E max(-x, 0)
    positive_ones: Any  # E max(x, 0) y
    negative_ones: Any  # E max(-x, 0) y
    second: Any  # E x^2
    ones: Any  # E y

    @property
    def lower(self) -> Any:
        """Lower end of C: every negative x has label 1, every positive one 0."""
        return -self.negative / self.second

    @property
    def upper(self) -> Any:
        """Upper end of C: every positive x has label 1, every negative one 0."""
        return self.positive / self.second

    @property
    def beta_star(self) -> Any:
        """The minimiser of the risk, E x y / E x^2."""
        return (self.positive_ones - self.negative_ones) / self.second

    def risk(self, beta: Any) -> Any:
        """E (x beta - y)^2 as the least risk plus E x^2 (beta - beta_star)^2."""
        star = self.beta_star
        return self.ones - self.second * star**2 + self.second * (beta - star) ** 2

    def risk_change(self, before: Any, after: Any) -> Any:
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
