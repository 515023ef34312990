"""A population of one feature and two classes, known exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tacit._typing import Vector
from tacit.research.paper.theorem._moments import Distribution, Moments, fixed_nodes, quiet, terms

# Times the nodes of a problem among thousands: enough for 12 digits where P(y = 1 | x) is smooth.
_FINENESS = 400
# Further values of a discrete distribution are not looked at.
_MAX_ATOMS = 1_000_000
# Where SciPy's own mean and variance and the quadrature differ by more, one of them is wrong.
_AGREEMENT = 1e-6


@dataclass(frozen=True)
class Mixture:
    """A mixture of frozen distributions, continuous and discrete ones in any combination.

    Attributes
    ----------
    weights : sequence of float
        Probabilities of the components, which sum to 1.
    components : sequence of frozen distributions of `scipy.stats`
        The components.
    """

    weights: Sequence[Any]
    components: Sequence[Distribution]

    def __post_init__(self) -> None:
        """Check that the weights are probabilities of the components."""
        if len(self.weights) != len(self.components) or len(self.components) == 0:
            raise ValueError(
                f"weights and components must be as many, at least one; got {len(self.weights)} "
                f"weights and {len(self.components)} components."
            )
        if any(np.any(np.asarray(weight) < 0) for weight in self.weights) or not np.allclose(
            sum(self.weights), 1.0, rtol=0, atol=1e-9
        ):
            raise ValueError(
                f"weights must be non-negative and sum to 1, got {self.weights!r}; "
                "divide them by their sum."
            )

    def mean(self) -> Any:
        """Expectation."""
        return sum(w * part.mean() for w, part in zip(self.weights, self.components, strict=True))

    def var(self) -> Any:
        """Variance."""
        pairs = zip(self.weights, self.components, strict=True)
        return sum(w * (part.var() + part.mean() ** 2) for w, part in pairs) - self.mean() ** 2

    def rvs(self, size: int, random_state: np.random.Generator) -> Vector:
        """Draw `size` values."""
        counts = random_state.multinomial(size, np.asarray(self.weights) / sum(self.weights))
        drawn = [
            np.asarray(part.rvs(size=count, random_state=random_state), dtype=np.float64)
            for count, part in zip(counts, self.components, strict=True)
        ]
        return random_state.permutation(np.concatenate(drawn))


class Sample(NamedTuple):
    """Labeled rows drawn from a population: the feature, and labels 0.0 and 1.0."""

    x: Vector
    y: Vector


@dataclass(frozen=True)
class Population:
    """The joint distribution of one feature x and a label y in {0, 1}.

    The setting of Theorem 1 of the paper: a least-squares classifier with one coefficient and no
    intercept, and so many unlabeled rows that the distribution of x is known. The coefficients
    that some labeling of the population implies are C = [E min(x, 0), E max(x, 0)] / E x^2, the
    semi-supervised estimate is the supervised one clipped to C, and its risk E (x beta - y)^2 is
    never higher.

    Attributes
    ----------
    feature : frozen distribution of `scipy.stats`, or Mixture
        Of x, with a finite second moment.
    probability : callable
        P(y = 1 | x) for an array of x, between 0 and 1.
    breakpoints : tuple of float
        Where `probability` jumps, beside 0. A jump that is not named costs digits: four are left.

    Notes
    -----
    Expectations are sums over nodes in the quantiles of x (over the values of a discrete
    distribution), to about 12 digits where SciPy's quantiles have as many.

    References
    ----------
    Krijthe and Loog, Implicitly Constrained Semi-Supervised Least Squares Classification, IDA
    2015, Theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> from tacit.research.paper.theorem import Population
    >>> population = Population(stats.uniform(-1, 2), lambda x: np.where(x > 0, 0.9, 0.3))
    >>> lower, upper = population.interval
    >>> print(f"{lower:.4f} <= {population.beta_star:.4f} <= {upper:.4f}")
    -0.7500 <= 0.4500 <= 0.7500
    """

    feature: Distribution | Mixture
    probability: Callable[[Vector], Vector]
    breakpoints: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Integrate at once, so that what cannot be integrated is refused here."""
        if self.second_moment <= 0:
            raise ValueError(
                "feature must not be 0 with probability 1: no coefficient is better than another."
            )

    @cached_property
    def _moments(self) -> Moments:
        mixture = (
            self.feature if isinstance(self.feature, Mixture) else Mixture([1], [self.feature])
        )
        pairs = zip(mixture.weights, mixture.components, strict=True)
        return Moments(*sum(weight * self._integrals(component) for weight, component in pairs))

    def _integrals(self, distribution: Distribution) -> Vector:
        """The moments of one component, refused where E x^2 is not that of the component."""
        if not hasattr(distribution, "dist"):
            raise TypeError(
                "feature must be a frozen distribution of scipy.stats or a Mixture of them, got "
                f"{type(distribution).__name__}."
            )
        name = distribution.dist.name
        with quiet():
            mean, variance = float(distribution.mean()), float(distribution.var())
        exact = variance + mean**2
        if not np.isfinite(exact):
            raise ValueError(
                f"feature must have a finite second moment E x^2, got {name} "
                f"with mean {mean} and variance {variance}; without one no coefficient but 0 has a "
                "finite risk. Take lighter tails, or cut them."
            )
        if hasattr(distribution, "pmf"):
            x = _atoms(distribution, mean, np.sqrt(variance))
            weight = np.asarray(distribution.pmf(x), dtype=np.float64)
        else:
            cuts = sorted({0.0, *(float(point) for point in self.breakpoints)})
            x, weight = fixed_nodes(distribution, cuts, _FINENESS)
        moments: Vector = terms(x, weight, self._checked_probability(x)).sum(axis=-1)
        mass, second = weight.sum(), moments[4]
        if not (abs(mass - 1) <= _AGREEMENT and abs(second - exact) <= _AGREEMENT * exact):
            raise ValueError(
                f"feature could not be integrated: the quadrature of {name} "
                f"finds a total probability of {mass:.9g} and E x^2 = {second:.9g}, SciPy's mean "
                f"and variance say 1 and {exact:.9g}. Its tails may be too heavy, or its values "
                "not a whole number apart; take lighter tails, or shift by a whole number."
            )
        return moments

    def _checked_probability(self, x: Vector) -> Vector:
        p = np.broadcast_to(np.asarray(self.probability(x), dtype=np.float64), x.shape)
        if not ((p >= 0) & (p <= 1)).all():
            wrong = x[~((p >= 0) & (p <= 1))][0]
            raise ValueError(
                f"probability must give numbers between 0 and 1, got "
                f"{p[x == wrong][0]} at x = {wrong}; clip it."
            )
        return p

    @property
    def second_moment(self) -> float:
        """E x^2."""
        return float(self._moments.second)

    @property
    def interval(self) -> tuple[float, float]:
        """C, the coefficients that some labeling of the whole population implies."""
        return float(self._moments.lower), float(self._moments.upper)

    @property
    def beta_star(self) -> float:
        """The coefficient of least risk, E x y / E x^2; it lies in the interval."""
        return float(self._moments.beta_star)

    def risk(self, beta: Any) -> Any:
        """E (x beta - y)^2, for a number or an array of them."""
        return self._moments.risk(np.asarray(beta, dtype=np.float64))

    def risk_change(self, before: float, after: float) -> float:
        """Risk of `after` minus risk of `before`, with a sign that rounding cannot turn."""
        return float(self._moments.risk_change(before, after))

    def beta_semi(self, beta_sup: float) -> float:
        """The semi-supervised estimate: the point of the interval nearest to `beta_sup`."""
        lower, upper = self.interval
        return min(max(float(beta_sup), lower), upper)

    def sample(self, n: int, rng: np.random.Generator) -> Sample:
        """Draw n labeled rows."""
        x = np.asarray(self.feature.rvs(size=n, random_state=rng), dtype=np.float64)
        return Sample(x, (rng.random(n) < self._checked_probability(x)).astype(np.float64))


def _atoms(distribution: Distribution, mean: float, deviation: float) -> Vector:
    """The values of a discrete distribution, but those beyond 40 deviations."""
    reach = min(40.0 * (1.0 + deviation), _MAX_ATOMS / 2)
    low, high = np.clip((np.floor(mean) - reach, mean + reach), *distribution.support())
    return np.arange(np.floor(low), high + 1.0)
