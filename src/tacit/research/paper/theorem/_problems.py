"""Random problems: a population and a labeled sample, each determined by a seed and a number.

Families of distributions of x and kinds of P(y = 1 | x), with random parameters, many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import expit, ndtr

from tacit._typing import Index, Matrix, Vector
from tacit.research.paper.theorem._moments import (
    Distribution,
    Moments,
    Nodes,
    fixed_nodes,
    joined,
    least_squares,
    terms,
)
from tacit.research.paper.theorem._population import Mixture

# Uniform numbers that the parameters of one member are made of.
N_PARAMETERS = 8
# Enough for every discrete family below: what is left out is less likely than 1e-18.
_N_ATOMS = 128

Columns = Sequence[Any]
Shape = Callable[[Columns], tuple[Any, ...]]


@dataclass(frozen=True)
class Family:
    """A family of distributions of x."""

    name: str
    # Makes distributions of `N_PARAMETERS` columns of uniform numbers, of shape (n, 1) each.
    member: Callable[[Columns], Distribution | Mixture]
    kink: Callable[[Any], Any] | None = None  # Where the density is not smooth


def nodes_of(feature: Distribution | Mixture, cuts: Sequence[Any]) -> Nodes:
    """Nodes of many members, as many for each, cut at increasing points of shape (n, 1)."""
    if isinstance(feature, Mixture):
        parts = [nodes_of(component, cuts) for component in feature.components]
        return joined(
            [(x, weight * w) for (x, weight), w in zip(parts, feature.weights, strict=True)]
        )
    if hasattr(feature, "pmf"):
        x = feature.support()[0] + np.arange(_N_ATOMS, dtype=np.float64)
        return x, feature.pmf(x)
    if feature.dist.name == "skewnorm":
        # A quantile takes a hundred times as long as one of the normal distribution, whose nodes
        # are reweighted by the ratio of the densities, 2 Φ(shape z).
        (shape,), loc, scale = feature.args, feature.kwds["loc"], feature.kwds["scale"]
        x, weight = fixed_nodes(stats.norm(loc, scale), cuts)
        return x, weight * 2.0 * ndtr(shape * (x - loc) / scale)
    return fixed_nodes(feature, cuts)


def draws_of(feature: Distribution | Mixture, uniform: Any) -> Any:
    """Values of x from uniform numbers, through the quantile function.

    In a mixture the uniform number chooses the component, and where it lies in the component's
    share of the unit interval is uniform again.
    """
    if not isinstance(feature, Mixture):
        return np.asarray(feature.ppf(uniform), dtype=np.float64)
    start: Any = 0.0
    x = np.zeros(np.shape(uniform))
    for weight, component in zip(feature.weights, feature.components, strict=True):
        share = np.clip((uniform - start) / weight, 2.0**-53, 1 - 2.0**-53)
        x = np.where(uniform >= start, component.ppf(share), x)
        start = start + weight
    return x


def _scale(u: Any) -> Any:
    """Between 0.01 and 100."""
    return 10.0 ** (4.0 * u - 2.0)


def _between(low: float, high: float, u: Any) -> Any:
    return low + (high - low) * u


def _shift(low: float, high: float, u: Any) -> Any:
    """Between low and high, and exactly 0 for one member in five."""
    return np.where(u < 0.2, 0.0, _between(low, high, (u - 0.2) / 0.8))


def _placed(make: Any, low: float, high: float, shape: Shape = lambda u: ()) -> Any:
    """A family with location and scale, shifted by low to high times its scale."""

    def member(u: Columns) -> Distribution:
        scale = _scale(u[0])
        return make(*shape(u), loc=_shift(low, high, u[1]) * scale, scale=scale)

    return member


def _counted(make: Any, low: int, shape: Shape) -> Any:
    """A discrete family, shifted by a whole number from low to 1."""
    return lambda u: make(*shape(u), loc=np.floor(_between(low, 2, u[1])))


def _normal_mixture(u: Columns) -> Mixture:
    scale = _scale(u[0])
    raw = [0.05 + u[1], 0.05 + u[2], 0.05 + u[3]]
    weights = [weight / (raw[0] + raw[1] + raw[2]) for weight in raw]
    return Mixture(
        weights,
        [
            stats.norm(scale * _between(-3, 3, u[4]), scale),
            stats.norm(scale * _between(-3, 3, u[5]), scale * _between(0.05, 1, u[6])),
            stats.norm(scale * _between(-3, 3, u[6]), scale * _between(0.05, 3, u[7])),
        ],
    )


FAMILIES: tuple[Family, ...] = (
    Family("normal", _placed(stats.norm, -2, 2)),
    Family("uniform", _placed(stats.uniform, -1.5, 0.5)),
    Family("exponential", _placed(stats.expon, -3, 1)),
    Family("gamma", _placed(stats.gamma, -4, 1, lambda u: (_between(0.3, 5, u[2]),))),
    Family("lognormal", _placed(stats.lognorm, -3, 1, lambda u: (_between(0.1, 1.5, u[2]),))),
    Family("Student t", _placed(stats.t, -2, 2, lambda u: (_between(2.5, 12, u[2]),))),
    Family("Laplace", _placed(stats.laplace, -2, 2), lambda d: d.mean()),
    Family(
        "beta",
        _placed(stats.beta, -1.2, 0.5, lambda u: (_between(0.4, 5, u[2]), _between(0.4, 5, u[3]))),
    ),
    Family("Weibull", _placed(stats.weibull_min, -3, 1, lambda u: (_between(0.5, 4, u[2]),))),
    Family("logistic", _placed(stats.logistic, -3, 3)),
    Family(
        "skew normal",
        _placed(stats.skewnorm, -2, 2, lambda u: (_between(-6, 6, u[2]),)),
        lambda d: d.kwds["loc"],
    ),
    Family(
        "triangular",
        _placed(stats.triang, -1.2, 0.5, lambda u: (u[2],)),
        # The mean of a triangle is that of its corners.
        lambda d: 3 * d.mean() - d.support()[0] - d.support()[1],
    ),
    Family("Gumbel", _placed(stats.gumbel_r, -3, 2)),
    Family("Pareto", _placed(stats.pareto, -4, 1, lambda u: (_between(2.5, 8, u[2]),))),
    Family("mixture of normals", _normal_mixture),
    Family("Poisson", _counted(stats.poisson, -12, lambda u: (_between(0.2, 20, u[2]),))),
    Family(
        "binomial",
        _counted(
            stats.binom,
            -20,
            lambda u: (np.floor(_between(1, 41, u[2])), _between(0.05, 0.95, u[3])),
        ),
    ),
    Family("geometric", _counted(stats.geom, -6, lambda u: (_between(0.3, 0.95, u[2]),))),
)

# Uniform numbers that one conditional probability is made of, the first for its threshold.
N_COEFFICIENTS = 6


def threshold(u: Any) -> Any:
    """Where a step is, in units of sqrt(E x^2)."""
    return 4.0 * u[0] - 2.0


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

MAX_LABELED = 50
_N_DISTRIBUTION = 1 + N_PARAMETERS
_N_LABELING = _N_DISTRIBUTION + N_COEFFICIENTS
# Philox makes four numbers a step, so every problem starts at a step of its own.
_N_UNIFORM = -(-(_N_LABELING + 2 * MAX_LABELED) // 4) * 4


@dataclass(frozen=True)
class Batch:
    """Many problems of one family, as far as the theorem needs them.

    `error` is the largest relative difference between a sum over nodes and E x^2 in closed form.
    """

    family: Family
    moments: Moments
    beta_sup: Vector
    error: float


def _uniform(seed: int, first: int, last: int) -> Matrix:
    """The numbers of problems first to last - 1, one row each.

    Philox is a keyed hash of a counter: problem number i owns the i-th stretch of the stream and
    gets the same numbers whoever asks, in whatever order.
    """
    bits = np.random.Philox(seed)
    bits.advance(first * (_N_UNIFORM // 4))
    # Away from 0, where quantiles may be infinite.
    return np.maximum(np.random.Generator(bits).random((last - first, _N_UNIFORM)), 2.0**-54)


def family_and_kind(number: Index) -> tuple[Index, Index]:
    """Every family meets every kind of labeling equally often."""
    return number % len(FAMILIES), (number // len(FAMILIES)) % len(KINDS)


def n_labeled(u: Any) -> Any:
    """From 1 to 50, small numbers more often: there the supervised estimate leaves the interval."""
    return np.minimum(np.floor((MAX_LABELED + 1.0) ** u), MAX_LABELED)


def batches(first: int, last: int, seed: int) -> Iterator[Batch]:
    """Random problems first to last - 1, one batch a family."""
    u = _uniform(seed, first, last)
    families, kinds = family_and_kind(np.arange(first, last))
    for position, family in enumerate(FAMILIES):
        mine = families == position
        if mine.any():
            yield _batch(family, kinds[mine], u[mine])


def _batch(family: Family, kinds: Index, u: Matrix) -> Batch:
    feature = family.member([u[:, j : j + 1] for j in range(1, _N_DISTRIBUTION)])
    second = np.broadcast_to(feature.var() + feature.mean() ** 2, (len(u), 1))
    unit = np.sqrt(second)
    coefficients = np.moveaxis(u[:, _N_DISTRIBUTION:_N_LABELING, None], 1, 0)
    t = threshold(coefficients)
    cuts = [t * unit, np.zeros_like(unit), *([family.kink(feature)] if family.kink else [])]
    nodes, weight = nodes_of(
        feature, np.split(np.sort(np.concatenate(cuts, axis=1)), len(cuts), axis=1)
    )
    x = draws_of(feature, u[:, _N_LABELING : _N_LABELING + MAX_LABELED])

    both = np.concatenate([nodes, x], axis=1)
    z = both / unit
    p = np.empty_like(z)
    for position, probability in enumerate(KINDS.values()):
        mine = kinds == position
        p[mine] = probability(z[mine], t[mine], coefficients[:, mine])
    n_nodes = nodes.shape[1]
    moments = Moments(*terms(nodes, weight, p[:, :n_nodes]).sum(axis=-1))

    labeled = np.arange(MAX_LABELED) < n_labeled(u[:, :1])
    y = u[:, _N_LABELING + MAX_LABELED : _N_LABELING + 2 * MAX_LABELED] < p[:, n_nodes:]
    beta_sup = least_squares(np.where(labeled, x, 0.0), y.astype(np.float64))
    error = float(np.abs(moments.second / second[:, 0] - 1.0).max())
    return Batch(family, moments, beta_sup, error)
