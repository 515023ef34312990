"""Random problems: a population and a labeled sample, each determined by a seed and a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.research.paper.theorem._families import FAMILIES, N_PARAMETERS, Family, draws_of
from tacit.research.paper.theorem._labels import (
    KINDS,
    N_COEFFICIENTS,
    Kind,
    RandomProbability,
    threshold,
)
from tacit.research.paper.theorem._moments import Moments, least_squares
from tacit.research.paper.theorem._population import Population, Sample

MAX_LABELED = 50
_N_DISTRIBUTION = 1 + N_PARAMETERS
_N_LABELING = _N_DISTRIBUTION + N_COEFFICIENTS
# Philox makes four numbers a step, so every problem starts at a step of its own.
_N_UNIFORM = -(-(_N_LABELING + 2 * MAX_LABELED) // 4) * 4


@dataclass(frozen=True)
class Problem:
    """One random problem.

    Attributes
    ----------
    family : Family
        Of the distribution of x.
    kind : Kind
        Of P(y = 1 | x).
    population : Population
        Both together.
    sample : Sample
        The labeled rows.
    """

    family: Family
    kind: Kind
    population: Population
    sample: Sample

    @property
    def beta_sup(self) -> float:
        """The supervised estimate."""
        return float(least_squares(self.sample.x, self.sample.y))


@dataclass(frozen=True)
class Batch:
    """Many problems of one family, as far as the theorem needs them.

    Attributes
    ----------
    family : Family
        Of the distributions of x.
    moments : Moments
        Of the populations.
    beta_sup : ndarray of shape (n,)
        The supervised estimates.
    error : float
        The largest relative difference between a sum over nodes and E x^2 in closed form.
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


def _family_and_kind(number: Index) -> tuple[Index, Index]:
    """Every family meets every kind of labeling equally often."""
    return number % len(FAMILIES), (number // len(FAMILIES)) % len(KINDS)


def _n_labeled(u: Any) -> Any:
    """From 1 to 50, small numbers more often: there the supervised estimate leaves the interval."""
    return np.minimum(np.floor((MAX_LABELED + 1.0) ** u), MAX_LABELED)


def random_problem(number: int, seed: int = 0) -> Problem:
    """Random problem of the check with this number, as a `Population` with its labeled rows.

    Its expectations come from adaptive quadrature, not from the fixed nodes of the check.

    Parameters
    ----------
    number : int
        Which problem, from 0.
    seed : int, default=0
        That of the check.
    """
    u = _uniform(seed, number, number + 1)[0]
    which_family, which_kind = _family_and_kind(np.array(number))
    family, kind = FAMILIES[int(which_family)], KINDS[int(which_kind)]
    feature = family.member([float(value) for value in u[1:_N_DISTRIBUTION]])
    unit = float(np.sqrt(feature.var() + feature.mean() ** 2))
    coefficients = tuple(float(value) for value in u[_N_DISTRIBUTION:_N_LABELING])
    probability = RandomProbability(kind, coefficients, unit)
    n = int(_n_labeled(u[0]))
    x = draws_of(feature, u[_N_LABELING : _N_LABELING + n])
    y = u[_N_LABELING + MAX_LABELED : _N_LABELING + MAX_LABELED + n] < probability(x)
    population = Population(feature, probability, (probability.breakpoint,))
    return Problem(family, kind, population, Sample(x, y.astype(np.float64)))


def batches(first: int, last: int, seed: int) -> Iterator[Batch]:
    """Random problems first to last - 1, one batch a family."""
    u = _uniform(seed, first, last)
    families, kinds = _family_and_kind(np.arange(first, last))
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
    nodes = family.fixed_nodes(feature, [t * unit, np.zeros_like(unit)])
    x = draws_of(feature, u[:, _N_LABELING : _N_LABELING + MAX_LABELED])

    both = np.concatenate([nodes.x, x], axis=1)
    z = both / unit
    p = np.empty_like(z)
    for position, kind in enumerate(KINDS):
        mine = kinds == position
        p[mine] = kind.probability(z[mine], t[mine], coefficients[:, mine])
    n_nodes = nodes.x.shape[1]
    moments = Moments.of(nodes, p[:, :n_nodes])

    labeled = np.arange(MAX_LABELED) < _n_labeled(u[:, :1])
    y = u[:, _N_LABELING + MAX_LABELED : _N_LABELING + 2 * MAX_LABELED] < p[:, n_nodes:]
    beta_sup = least_squares(np.where(labeled, x, 0.0), y.astype(np.float64))
    error = float(np.abs(moments.second / second[:, 0] - 1.0).max())
    return Batch(family, moments, beta_sup, error)
