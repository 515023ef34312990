"""Populations of Theorem 1 of the paper, and the interval that their unlabeled rows leave open.

One feature x, a label y in {0, 1}, one coefficient and no intercept, and so many unlabeled rows
that the distribution of x is known. Expectations are sums over nodes with non-negative weights. The
nodes are a distribution themselves, for which the theorem holds exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit._cached import cached_property
from tacit._typing import Matrix, Vector

# A frozen distribution of scipy.stats, which has no public type.
Distribution = Any
# As many as give what is printed.
_QUANTILES = (np.arange(100_000) + 0.5) / 100_000


@dataclass(frozen=True, eq=False)
class FinitePopulation:
    """Values of x, their weights and P(y = 1 | x), along the last axis; many populations at once.

    The coefficients that some labeling of the population implies are
    C = [E min(x, 0), E max(x, 0)] / E x^2, the semi-supervised estimate is the supervised one
    clipped to C, and its risk E (x beta - y)^2 is never higher.
    """

    x: Matrix = field(repr=False)
    weight: Matrix = field(repr=False)
    p: Matrix = field(repr=False)

    @cached_property
    def second_moment(self) -> Any:
        """E x^2."""
        return (self.weight * self.x**2).sum(axis=-1)

    @cached_property
    def interval(self) -> tuple[Any, Any]:
        """C, the coefficients that some labeling of the whole population implies."""
        return -self._part(-self.x) / self.second_moment, self._part(self.x) / self.second_moment

    @cached_property
    def beta_star(self) -> Any:
        """The coefficient of least risk, E x y / E x^2; it lies in the interval."""
        ones = self._part(self.x, self.p) - self._part(-self.x, self.p)
        return ones / self.second_moment

    def _part(self, x: Matrix, p: Any = 1.0) -> Any:
        """E max(x, 0) y, where all labels are 1 or have probability p.

        With and without p the same non-negative terms are added in the same order. Rounding is
        monotone, so 0 <= E max(x, 0) y <= E max(x, 0) holds for the sums that come out, not only up
        to rounding, and beta_star never leaves the interval by the last bit.
        """
        return (self.weight * np.maximum(x, 0.0) * p).sum(axis=-1)

    def risk(self, beta: Any) -> Any:
        """E (x beta - y)^2 as the least risk plus E x^2 (beta - beta_star)^2."""
        star, ones = self.beta_star, (self.weight * self.p).sum(axis=-1)
        return ones + self.second_moment * ((np.asarray(beta) - star) ** 2 - star**2)

    def risk_change(self, before: Any, after: Any) -> Any:
        """Risk of `after` minus risk of `before`, with a sign that rounding cannot turn.

        E x^2 (after - before) ((after - beta_star) + (before - beta_star)): no two risks that
        nearly agree are subtracted. Each difference has the sign of the exact difference of the
        numbers given, and a sum of two numbers of one sign keeps it.
        """
        star = self.beta_star
        return self.second_moment * ((after - before) * ((after - star) + (before - star)))

    def beta_semi(self, beta_sup: Any) -> Any:
        """The semi-supervised estimate: the point of the interval nearest to `beta_sup`."""
        return np.clip(beta_sup, *self.interval)


def least_squares(x: Matrix, y: Matrix) -> Vector:
    """beta_sup = (x'x)^+ x'y along the last axis: 0 where every x is 0."""
    second = (x * x).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(second > 0, (x * y).sum(axis=-1) / second, 0.0)


@dataclass(frozen=True)
class Mixture:
    """A mixture of frozen distributions, continuous and discrete ones in any combination."""

    weights: Sequence[float]  # Probabilities of the components, which sum to 1
    components: Sequence[Distribution]

    def __post_init__(self) -> None:
        fit = len(self.weights) == len(self.components) > 0
        if not fit or min(self.weights) < 0 or abs(sum(self.weights) - 1.0) > 1e-9:
            raise ValueError(
                f"weights must be as many as components, non-negative and sum to 1; got "
                f"{self.weights!r} for {len(self.components)} components."
            )

    def rvs(self, size: int, random_state: np.random.Generator) -> Vector:
        """Draw `size` values."""
        counts = random_state.multinomial(size, np.asarray(self.weights) / sum(self.weights))
        drawn = [
            np.asarray(part.rvs(size=count, random_state=random_state), dtype=np.float64)
            for count, part in zip(counts, self.components, strict=True)
        ]
        return random_state.permutation(np.concatenate(drawn))


class Population(FinitePopulation):
    """The joint distribution of one feature x and a label y in {0, 1}.

    `feature` is a frozen distribution of `scipy.stats` or a Mixture of them, with a finite second
    moment, and is taken at 100,000 equally likely quantiles; `probability` gives P(y = 1 | x) for
    an array of x.
    """

    def __init__(
        self, feature: Distribution | Mixture, probability: Callable[[Vector], Vector]
    ) -> None:
        mixture = feature if isinstance(feature, Mixture) else Mixture([1.0], [feature])
        x = np.concatenate([_quantiles(component) for component in mixture.components])
        weight = np.repeat(np.asarray(mixture.weights) / len(_QUANTILES), len(_QUANTILES))
        super().__init__(x, weight, _checked_probability(probability, x))
        self._draw, self._probability = feature.rvs, probability
        if self.second_moment <= 0:
            raise ValueError(
                "feature must not be 0 with probability 1: no coefficient is better than another."
            )

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Vector, Vector]:
        """Draw n labeled rows: the feature, and labels 0.0 and 1.0."""
        x = np.asarray(self._draw(size=n, random_state=rng), dtype=np.float64)
        p = _checked_probability(self._probability, x)
        return x, (rng.random(n) < p).astype(np.float64)


def _checked_probability(probability: Callable[[Vector], Vector], x: Vector) -> Vector:
    p = np.broadcast_to(np.asarray(probability(x), dtype=np.float64), x.shape)
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise ValueError(
            f"probability must give numbers between 0 and 1, got {p[wrong][0]} at x = "
            f"{x[wrong][0]}; clip it."
        )
    return p


def _quantiles(distribution: Distribution) -> Vector:
    if not hasattr(distribution, "dist"):
        raise TypeError(
            "feature must be a frozen distribution of scipy.stats or a Mixture of them, got "
            f"{type(distribution).__name__}."
        )
    with np.errstate(all="ignore"):  # which SciPy may need at the edges of a distribution
        mean, variance = float(distribution.mean()), float(distribution.var())
    if not np.isfinite(mean + variance):
        raise ValueError(
            f"feature must have a finite second moment E x^2, got {distribution.dist.name} with "
            f"mean {mean} and variance {variance}; without one no coefficient but 0 has a finite "
            "risk. Take lighter tails, or cut them."
        )
    return np.asarray(distribution.ppf(_QUANTILES), dtype=np.float64)
