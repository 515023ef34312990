"""Theorem 1 of the paper put to the test on random problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import expit

from tacit._typing import Matrix, Vector
from tacit.research.paper._population import FinitePopulation, least_squares

# Each distribution is taken at so many quantiles, equally likely.
_QUANTILES = (np.arange(200) + 0.5) / 200
_MAX_LABELED = 50
# Uniform numbers that a distribution and a conditional probability are made of.
_N_PARAMETERS, _N_COEFFICIENTS = 9, 6

# Distribution, the range of its shift (in scales; whole numbers for discrete ones), and those of
# its shape parameters.
Range = tuple[float, float]
FAMILIES: dict[str, tuple[Any, Range, tuple[Range, ...]]] = {
    "normal": (stats.norm, (-2, 2), ()),
    "uniform": (stats.uniform, (-1.5, 0.5), ()),
    "exponential": (stats.expon, (-3, 1), ()),
    "gamma": (stats.gamma, (-4, 1), ((0.3, 5),)),
    "lognormal": (stats.lognorm, (-3, 1), ((0.1, 1.5),)),
    "Student t": (stats.t, (-2, 2), ((2.5, 12),)),
    "Laplace": (stats.laplace, (-2, 2), ()),
    "beta": (stats.beta, (-1.2, 0.5), ((0.4, 5), (0.4, 5))),
    "Weibull": (stats.weibull_min, (-3, 1), ((0.5, 4),)),
    "logistic": (stats.logistic, (-3, 3), ()),
    "Johnson": (stats.johnsonsu, (-2, 2), ((-3, 3), (1, 4))),
    "triangular": (stats.triang, (-1.2, 0.5), ((0, 1),)),
    "Gumbel": (stats.gumbel_r, (-3, 2), ()),
    "Pareto": (stats.pareto, (-4, 1), ((2.5, 8),)),
    "mixture of normals": (None, (0, 0), ()),
    "Poisson": (stats.poisson, (-12, 2), ((0.2, 20),)),
    "binomial": (stats.binom, (-20, 2), ((1, 41), (0.05, 0.95))),
    "geometric": (stats.geom, (-6, 2), ((0.3, 0.95),)),
}


def quantiles_of(family: str, u: Matrix) -> Matrix:
    """Equally likely values of x, from a row of uniform numbers for each distribution."""
    distribution, (low, high), ranges = FAMILIES[family]
    scale = 10.0 ** (4.0 * u[:, :1] - 2.0)
    if distribution is None:
        return scale * _normal_mixture(u[:, 1:])
    # Exactly 0 for one in five.
    shift = np.where(u[:, 1:2] < 0.2, 0.0, low + (high - low) * (u[:, 1:2] - 0.2) / 0.8)
    shapes = [a + (b - a) * u[:, k : k + 1] for k, (a, b) in enumerate(ranges, start=2)]
    if family == "binomial":
        shapes[0] = np.floor(shapes[0])
    if hasattr(distribution, "pmf"):
        return np.asarray(distribution(*shapes, loc=np.floor(shift)).ppf(_QUANTILES))
    return np.asarray(distribution(*shapes, loc=shift * scale, scale=scale).ppf(_QUANTILES))


def _normal_mixture(u: Matrix) -> Matrix:
    """Three components: of which a value is, and where in it, from digits of its number."""
    component = (_QUANTILES[:, None] >= u[:, None, :2]).sum(axis=2)
    golden = (np.arange(1, len(_QUANTILES) + 1) * 0.5 * (1 + np.sqrt(5))) % 1
    centres, widths = 6.0 * u[:, 2:5] - 3.0, 0.05 + 2.0 * u[:, 5:8]
    middle, width = (np.take_along_axis(each, component, axis=1) for each in (centres, widths))
    return np.asarray(middle + width * stats.norm.ppf(golden))


def _polynomial(z: Any, t: Any, u: Any) -> Any:
    # Beyond 30 the logistic function is 0 or 1 anyway, and a cube overflows in heavy tails.
    z = np.clip(z, -30.0, 30.0)
    a, b, c, d = (8.0 * value - 4.0 for value in u[1:5])
    return expit(a + z * (b + z * (c + z * d)))


def _between_zero_and(z: Any, t: Any) -> Any:
    return (z * np.sign(t) > 0) & (z * np.sign(t) < np.abs(t))


# Kinds of P(y = 1 | x): functions of z = x / sqrt(E x^2), a threshold on the same scale and uniform
# numbers.
KINDS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "constant": lambda z, t, u: u[1] + 0.0 * z,
    "logistic": lambda z, t, u: expit((20.0 * u[1] - 10.0) * (z - t)),
    "logistic of a cubic polynomial": _polynomial,
    "step": lambda z, t, u: np.where(z > t, u[1], u[2]),
    "one above a threshold": lambda z, t, u: (z > t) * 1.0,
    "one below a threshold": lambda z, t, u: (z < t) * 1.0,
    "one between 0 and a threshold": lambda z, t, u: _between_zero_and(z, t) * 1.0,
    "zero between 0 and a threshold": lambda z, t, u: 1.0 - _between_zero_and(z, t),
    "periodic": lambda z, t, u: (
        0.5 + 0.5 * u[1] * np.sin((0.5 + 5.5 * u[2]) * z + 2 * np.pi * u[3])
    ),
    "bump": lambda z, t, u: u[1] * np.exp(-0.5 * ((z - t) / (0.2 + u[2])) ** 2),
    # The two labelings that put beta_star on the ends of the interval, pure and with some noise.
    "one where x is positive": lambda z, t, u: (z > 0) * 1.0,
    "one where x is negative": lambda z, t, u: (z < 0) * 1.0,
    "sign of x with noise": lambda z, t, u: np.where((z > 0) == (u[2] < 0.5), 1.0, 0.2 * u[1]),
}


def problems(family: str, n: int, seed: int) -> tuple[FinitePopulation, Vector]:
    """Populations of a family, and the supervised coefficient from a sample of each.

    They meet every kind of labeling equally often, and another n changes none of them.
    """
    random = np.random.default_rng([seed, list(FAMILIES).index(family)])
    counts = (1, _N_PARAMETERS, _N_COEFFICIENTS, _MAX_LABELED, _MAX_LABELED)
    # Away from 0, where quantiles may be infinite.
    u = np.maximum(random.random((n, sum(counts))), 2.0**-54)
    size, parameters, coefficients, place, label = np.split(u, np.cumsum(counts)[:-1], axis=1)
    x = quantiles_of(family, parameters)
    z = x / np.sqrt((x**2).mean(axis=1, keepdims=True))
    c = np.moveaxis(coefficients[:, :, None], 1, 0)
    p = np.empty_like(z)
    for position, probability in enumerate(KINDS.values()):
        mine = slice(position, None, len(KINDS))
        p[mine] = probability(z[mine], 4.0 * c[0, mine] - 2.0, c[:, mine])
    drawn = (place * len(_QUANTILES)).astype(np.intp)
    y = label < np.take_along_axis(p, drawn, axis=1)
    labeled = np.arange(_MAX_LABELED) < n_labeled(size)
    rows = np.where(labeled, np.take_along_axis(x, drawn, axis=1), 0.0)
    weight = np.full(len(_QUANTILES), 1.0 / len(_QUANTILES))
    return FinitePopulation(x, weight, p), least_squares(rows, y.astype(np.float64))


def n_labeled(u: Any) -> Any:
    """From 1 to 50, small numbers more often: there the supervised estimate leaves the interval."""
    return np.minimum(np.floor((_MAX_LABELED + 1.0) ** u), _MAX_LABELED)


@dataclass(frozen=True)
class FamilyCount:
    """What happened in the problems of one family of distributions."""

    family: str  # Its name
    problems: int  # How many
    # In how many the semi-supervised risk was higher than the supervised one, strictly lower, and
    # equal: there beta_sup lies in the interval, so that nothing changes.
    higher: int
    lower: int
    equal: int
    # Mean over all of them of (supervised risk - semi-supervised risk) / supervised risk.
    gain: float


@dataclass(frozen=True)
class TheoremCheck:
    """The result of `check_theorem`, one row a family."""

    families: tuple[FamilyCount, ...]

    @property
    def total(self) -> FamilyCount:
        """All families together."""
        rows = [(row.problems, row.higher, row.lower, row.equal) for row in self.families]
        n, higher, lower, equal = map(sum, zip(*rows, strict=True))
        gain = sum(row.gain * row.problems for row in self.families) / n
        return FamilyCount("all", n, higher, lower, equal, gain)

    @property
    def holds(self) -> bool:
        """Whether the semi-supervised risk was never higher."""
        return self.total.higher == 0

    def __str__(self) -> str:
        total = self.total
        return (
            f"{total.higher:,} violations in {total.problems:,} random problems from "
            f"{len(self.families)} families of distributions; strictly lower in {total.lower:,}, "
            f"equal in {total.equal:,}."
        )


def check_theorem(
    n_problems: int = 100_000,
    *,
    seed: int = 0,
    projection: Callable[[Vector, Vector, Vector], Vector] = np.clip,
    on_progress: Callable[[int], None] = lambda done: None,
) -> TheoremCheck:
    """Draw random problems and count how often the semi-supervised risk is higher.

    Each problem is a distribution of x from one of the families, taken at 200 equally likely
    quantiles, a conditional probability P(y = 1 | x) from thirteen kinds (among them those that put
    beta_star on an end of the interval), and 1 to 50 labeled rows drawn from it. The risks are
    compared through the factors of their difference, whose signs rounding cannot turn. No tolerance
    is used.

    `projection` maps arrays beta_sup, lower and upper to the estimates to be compared with
    beta_sup; the theorem is about the default, clipping, and others show that the check can fail.
    `on_progress` is told how many problems are done, after each family.
    """
    if n_problems < 1:
        raise ValueError(f"n_problems must be at least 1, got {n_problems}.")
    families, done = [], 0
    for position, name in enumerate(FAMILIES):
        n = len(range(position, n_problems, len(FAMILIES)))
        if n:
            population, before = problems(name, n, seed)
            change = population.risk_change(before, projection(before, *population.interval))
            risk = population.risk(before)
            part = np.divide(change, risk, out=np.zeros_like(risk), where=change != 0)
            lower, equal = int((change < 0).sum()), int((change == 0).sum())
            # A risk that is not a number counts as a violation too.
            counts = n - lower - equal, lower, equal
            families.append(FamilyCount(name, n, *counts, -float(part.mean())))
            done += n
            on_progress(done)
    return TheoremCheck(tuple(families))
