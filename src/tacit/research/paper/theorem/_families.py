"""Families of distributions with random parameters, many members at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtr

from tacit.research.paper.theorem._integration import (
    Distribution,
    Nodes,
    fixed_nodes,
    is_discrete,
    join,
)
from tacit.research.paper.theorem._population import Mixture

# Uniform numbers that the parameters of one member are made of.
N_PARAMETERS = 8
# Enough for every discrete family below: what is left out is less likely than 1e-18.
_N_ATOMS = 128

Columns = Sequence[Any]


@dataclass(frozen=True)
class Family:
    """A family of distributions of x.

    Attributes
    ----------
    name : str
        Its name.
    member : callable
        Makes a distribution of `N_PARAMETERS` uniform numbers: one of floats, or many at once of
        columns of shape (n, 1).
    kink : callable, optional
        Where the density of a member is not smooth, for fixed nodes to be cut there too.
    nodes : callable, optional
        Makes fixed nodes of the members and the cuts, where quantiles are too slow for it.
    """

    name: str
    member: Callable[[Columns], Distribution | Mixture]
    kink: Callable[[Any], Any] | None = None
    nodes: Callable[[Any, Sequence[Any]], Nodes] | None = None

    def fixed_nodes(self, feature: Distribution | Mixture, cuts: Sequence[Any]) -> Nodes:
        """Nodes of many members, as many for each, cut at points of shape (n, 1) and at kinks."""
        if self.kink is not None:
            cuts = [*cuts, self.kink(feature)]
        return (self.nodes or _nodes_of)(feature, _increasing(cuts))


def _increasing(cuts: Sequence[Any]) -> Sequence[Any]:
    return np.split(np.sort(np.concatenate(cuts, axis=1)), len(cuts), axis=1)


def _nodes_of(feature: Distribution | Mixture, cuts: Sequence[Any]) -> Nodes:
    if isinstance(feature, Mixture):
        return join(
            [
                _nodes_of(component, cuts).scaled(weight)
                for weight, component in zip(feature.weights, feature.components, strict=True)
            ]
        )
    if is_discrete(feature):
        x = feature.support()[0] + np.arange(_N_ATOMS, dtype=np.float64)
        return Nodes(x, feature.pmf(x))  # type: ignore[attr-defined]
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


def _placed(
    make: Callable[..., Any], low: float, high: float, shape: Callable[[Columns], tuple[Any, ...]]
) -> Any:
    """A family with location and scale, shifted by low to high times its scale."""

    def member(u: Columns) -> Distribution:
        scale = _scale(u[0])
        distribution: Distribution = make(
            *shape(u), loc=_shift(low, high, u[1]) * scale, scale=scale
        )
        return distribution

    return member


def _counted(
    make: Callable[..., Any], low: int, shape: Callable[[Columns], tuple[Any, ...]]
) -> Any:
    """A discrete family, shifted by a whole number from low to 1."""

    def member(u: Columns) -> Distribution:
        distribution: Distribution = make(*shape(u), loc=np.floor(_between(low, 2, u[1])))
        return distribution

    return member


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


def _skew_normal_nodes(feature: Any, cuts: Sequence[Any]) -> Nodes:
    """Nodes of the normal distribution, reweighted by the ratio of the densities, 2 Φ(shape z).

    A quantile of the skew normal distribution takes a hundred times as long as one of the normal.
    """
    (shape,), loc, scale = feature.args, feature.kwds["loc"], feature.kwds["scale"]
    nodes = _nodes_of(stats.norm(loc, scale), cuts)
    return nodes.scaled(2.0 * ndtr(shape * (nodes.x - loc) / scale))


def _none(u: Columns) -> tuple[()]:
    return ()


FAMILIES: tuple[Family, ...] = (
    Family("normal", _placed(stats.norm, -2, 2, _none)),
    Family("uniform", _placed(stats.uniform, -1.5, 0.5, _none)),
    Family("exponential", _placed(stats.expon, -3, 1, _none)),
    Family("gamma", _placed(stats.gamma, -4, 1, lambda u: (_between(0.3, 5, u[2]),))),
    Family("lognormal", _placed(stats.lognorm, -3, 1, lambda u: (_between(0.1, 1.5, u[2]),))),
    Family("Student t", _placed(stats.t, -2, 2, lambda u: (_between(2.5, 12, u[2]),))),
    Family("Laplace", _placed(stats.laplace, -2, 2, _none), lambda d: d.mean()),
    Family(
        "beta",
        _placed(stats.beta, -1.2, 0.5, lambda u: (_between(0.4, 5, u[2]), _between(0.4, 5, u[3]))),
    ),
    Family("Weibull", _placed(stats.weibull_min, -3, 1, lambda u: (_between(0.5, 4, u[2]),))),
    Family("logistic", _placed(stats.logistic, -3, 3, _none)),
    Family(
        "skew normal",
        _placed(stats.skewnorm, -2, 2, lambda u: (_between(-6, 6, u[2]),)),
        kink=lambda d: d.kwds["loc"],
        nodes=_skew_normal_nodes,
    ),
    Family(
        "triangular",
        _placed(stats.triang, -1.2, 0.5, lambda u: (u[2],)),
        # The mean of a triangle is that of its corners.
        lambda d: 3 * d.mean() - d.support()[0] - d.support()[1],
    ),
    Family("Gumbel", _placed(stats.gumbel_r, -3, 2, _none)),
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
