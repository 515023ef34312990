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

Probability = Callable[[Vector], Vector]
# A frozen distribution of scipy.stats, which has no public type.
Distribution = Any

# Where τ and 1 - τ are negligible: the far tail is followed down to a probability of 1e-100 (below,
# SciPy's quantiles of Student's t are wrong), the near end to the resolution of numbers close to 1.
_FAR = float(np.arcsinh(100 * np.log(10) / np.pi))
_NEAR = float(np.arcsinh(17 * np.log(10) / np.pi))
_N_FIXED_TAIL = 48
_N_FIXED_MIDDLE = 32
_MAX_ATOMS = 1_000_000
_MAX_ROUNDS = 60
# A probability that oscillates in a heavy tail would otherwise be followed through every period.
_MAX_PANELS = 2_000


@contextmanager
def quiet() -> Iterator[None]:
    """Let SciPy overflow at the edges of a distribution without a word."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@dataclass(frozen=True)
class Nodes:
    """A distribution as nodes x and their weights, along the last axis."""

    x: Matrix
    weight: Matrix

    def scaled(self, factor: Any) -> Nodes:
        """The same nodes with all weights multiplied."""
        return Nodes(self.x, self.weight * factor)


def join(parts: Sequence[Nodes]) -> Nodes:
    """All nodes of all parts."""
    return Nodes(
        np.concatenate([part.x for part in parts], axis=-1),
        np.concatenate([part.weight for part in parts], axis=-1),
    )


@dataclass(frozen=True)
class _Piece:
    """One part of the unit interval: its mass, its quantiles, and the range of t to integrate."""

    mass: Any
    quantile: Callable[[Any], Any]
    edge: Any
    far: float

    def nodes(self, t: Vector) -> Nodes:
        """Nodes at the points t; the weights are the density in t."""
        exponent = np.pi * np.sinh(t)
        tau = np.exp(-np.logaddexp(0.0, exponent))
        density = tau * np.exp(-np.logaddexp(0.0, -exponent)) * np.pi * np.cosh(t)
        with quiet():
            x = self.quantile(self.mass * tau)
        weight = np.broadcast_to(self.mass * density, x.shape)
        # Without mass, or so far out that SciPy has no quantile, the weight is nothing too.
        return Nodes(np.where(np.isfinite(x) & (self.mass > 0), x, self.edge), weight)


def _pieces(distribution: Distribution, cuts: Sequence[Any]) -> list[_Piece]:
    """The pieces between increasing cuts, the first and last with their infinite ends."""
    below = [distribution.cdf(cut) for cut in cuts]
    first, last = cuts[0], cuts[-1]
    pieces = [_Piece(below[0], lambda u: np.minimum(distribution.ppf(u), first), first, _FAR)]
    for i in range(len(cuts) - 1):

        def quantile(
            u: Any, start: Any = below[i], low: Any = cuts[i], up: Any = cuts[i + 1]
        ) -> Any:
            return np.clip(distribution.ppf(start + u), low, up)

        pieces.append(_Piece(below[i + 1] - below[i], quantile, cuts[i], _NEAR))
    above = distribution.sf(last)
    pieces.append(_Piece(above, lambda v: np.maximum(distribution.isf(v), last), last, _FAR))
    return pieces


def fixed_nodes(distribution: Distribution, cuts: Sequence[Any]) -> Nodes:
    """The same number of nodes for every one of many continuous distributions.

    The trapezoidal rule in t, whose error falls exponentially with the number of nodes. Parameters
    of the distribution and increasing cuts, 0 among them, are columns of shape (n, 1).
    """
    parts = []
    for piece in _pieces(distribution, cuts):
        count = _N_FIXED_TAIL if piece.far == _FAR else _N_FIXED_MIDDLE
        t, step = np.linspace(-_NEAR, piece.far, count, retstep=True)
        parts.append(piece.nodes(t).scaled(step))
    return join(parts)


def _lobatto(n: int) -> tuple[Vector, Vector]:
    """Nodes and weights of the Gauss-Lobatto rule on [-1, 1]."""
    polynomial = np.polynomial.Legendre.basis(n - 1)
    points = np.concatenate([[-1.0], np.sort(polynomial.deriv().roots().real), [1.0]])
    return points, 2.0 / (n * (n - 1) * polynomial(points) ** 2)


def adaptive_nodes(
    distribution: Distribution, probability: Probability, cuts: Sequence[float], tolerance: float
) -> Nodes:
    """Nodes for one continuous distribution that also resolve P(y = 1 | x).

    Gauss-Lobatto panels in t, halved until the integrals of p, |x|, x p and x^2 over a panel and
    over its halves agree within `tolerance` of 1, E |x|, E |x| and E x^2. A jump that nobody
    announced costs some forty halvings; it is seen wherever it is, because the ends of a panel are
    nodes.
    """
    points, weights = _lobatto(12)

    def evaluate(piece: _Piece, panels: Matrix) -> tuple[Nodes, Matrix]:
        middle, half = panels.mean(axis=1)[:, None], (panels[:, 1:] - panels[:, :1]) / 2
        nodes = piece.nodes(middle + half * points)
        nodes = Nodes(nodes.x, nodes.weight * (half * weights))
        p = probability(nodes.x)
        columns = [p, np.abs(nodes.x), nodes.x * p, nodes.x * nodes.x]
        return nodes, np.stack([(nodes.weight * column).sum(axis=1) for column in columns], axis=1)

    begun: list[tuple[_Piece, Matrix, Matrix]] = []
    for piece in _pieces(distribution, cuts):
        edges = np.linspace(-_NEAR, piece.far, 17)
        panels = np.stack([edges[:-1], edges[1:]], axis=1)
        begun.append((piece, panels, evaluate(piece, panels)[1]))
    whole = np.sum([np.abs(integral).sum(axis=0) for _, _, integral in begun], axis=0)
    # p <= 1 and |x p| <= |x|. Measured against themselves, tiny integrals would be followed into
    # tails where SciPy's quantiles are noise.
    allowed = tolerance * np.array([1.0, whole[1], whole[1], whole[3]])

    kept: list[Nodes] = []
    for piece, panels, integral in begun:
        for round_number in range(_MAX_ROUNDS):
            middle = panels.mean(axis=1)
            halves = np.stack([panels[:, 0], middle, middle, panels[:, 1]], axis=1).reshape(-1, 2)
            nodes, parts = evaluate(piece, halves)
            apart = np.abs(parts.reshape(len(panels), 2, -1).sum(axis=1) - integral)
            last = round_number == _MAX_ROUNDS - 1 or len(panels) > _MAX_PANELS
            done = np.repeat((apart <= allowed).all(axis=1) | last, 2)
            kept.append(Nodes(nodes.x[done].ravel(), nodes.weight[done].ravel()))
            panels, integral = halves[~done], parts[~done]
            if not len(panels):
                break
    return join(kept)


def atoms(distribution: Distribution) -> Nodes:
    """The values of a discrete distribution and their probabilities.

    An infinite support is followed to twice the distance at which what is left is less likely than
    1e-16, but no further than half a million values.
    """
    low, high = (float(end) for end in distribution.support())
    middle = min(max(float(np.floor(distribution.ppf(0.5))), low), high)
    low = max(low, middle - _reach(lambda k: float(distribution.cdf(middle - k))))
    high = min(high, middle + _reach(lambda k: float(distribution.sf(middle + k))))
    x = low + np.arange(int(high - low) + 1, dtype=np.float64)
    return Nodes(x, np.asarray(distribution.pmf(x), dtype=np.float64))


def _reach(tail: Callable[[float], float]) -> float:
    distance = 16.0
    while tail(distance) > 1e-16 and distance < _MAX_ATOMS / 4:
        distance *= 2
    return 2 * distance


def is_discrete(distribution: Distribution) -> bool:
    """Whether it has a probability mass function."""
    return hasattr(distribution, "pmf")


@dataclass(frozen=True)
class Moments:
    """Expectations over x and y of a population; arrays where there are many populations."""

    positive: Vector  # E max(x, 0)
    negative: Vector  # E max(-x, 0)
    positive_ones: Vector  # E max(x, 0) y
    negative_ones: Vector  # E max(-x, 0) y
    second: Vector  # E x^2
    ones: Vector  # E y

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
