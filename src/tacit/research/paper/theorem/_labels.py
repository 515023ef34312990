"""Random conditional probabilities P(y = 1 | x)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from tacit._typing import Vector

# Uniform numbers that one conditional probability is made of, the first for its threshold.
N_COEFFICIENTS = 6


@dataclass(frozen=True)
class Kind:
    """One kind of P(y = 1 | x).

    Attributes
    ----------
    name : str
        In words.
    probability : callable
        Of z = x / sqrt(E x^2), the threshold on the same scale and the uniform numbers.
    """

    name: str
    probability: Callable[[Any, Any, Any], Any]


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


KINDS: tuple[Kind, ...] = (
    Kind("constant", lambda z, t, u: u[1] + 0.0 * z),
    Kind("logistic", lambda z, t, u: expit((20.0 * u[1] - 10.0) * (z - t))),
    Kind("logistic of a cubic polynomial", _polynomial),
    Kind("step", lambda z, t, u: np.where(z > t, u[1], u[2])),
    Kind("one above a threshold", lambda z, t, u: (z > t) * 1.0),
    Kind("one below a threshold", lambda z, t, u: (z < t) * 1.0),
    Kind("one between 0 and a threshold", lambda z, t, u: _between_zero_and(z, t) * 1.0),
    Kind("zero between 0 and a threshold", lambda z, t, u: 1.0 - _between_zero_and(z, t)),
    Kind(
        "periodic",
        lambda z, t, u: 0.5 + 0.5 * u[1] * np.sin((0.5 + 5.5 * u[2]) * z + 2 * np.pi * u[3]),
    ),
    Kind("bump", lambda z, t, u: u[1] * np.exp(-0.5 * ((z - t) / (0.2 + u[2])) ** 2)),
    # The two labelings that put beta_star on the ends of the interval, pure and with some noise.
    Kind("one where x is positive", lambda z, t, u: (z > 0) * 1.0),
    Kind("one where x is negative", lambda z, t, u: (z < 0) * 1.0),
    Kind(
        "sign of x with noise", lambda z, t, u: np.where((z > 0) == (u[2] < 0.5), 1.0, 0.2 * u[1])
    ),
)


@dataclass(frozen=True)
class RandomProbability:
    """One conditional probability, a callable for a `Population`.

    Attributes
    ----------
    kind : Kind
        What it looks like.
    uniform : tuple of float
        The numbers that it is made of.
    unit : float
        sqrt(E x^2), the scale on which x is measured.
    """

    kind: Kind
    uniform: tuple[float, ...]
    unit: float

    @property
    def breakpoint(self) -> float:
        """Where it jumps, if it does."""
        return float(threshold(self.uniform) * self.unit)

    def __call__(self, x: Vector) -> Vector:
        """P(y = 1 | x)."""
        p: Vector = self.kind.probability(x / self.unit, threshold(self.uniform), self.uniform)
        return p
