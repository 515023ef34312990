"""How a loss falls with the number of labels, and how far that can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector

# Learning curves of classifiers fall between n^-0.1 and, where little is left to learn, n^-2.
EXPONENTS = np.linspace(0.1, 2.0, 20)
N_BOOTSTRAP = 300
# Farther than this multiple of the labels there are, a curve through a few sizes says nothing.
REACH = 4.0


@dataclass(frozen=True)
class Forecast:
    """What more labels would buy.

    Attributes
    ----------
    name : str
        The contestant.
    n_labels, n_more : int
        Labels there are, and labels added.
    now, then : float
        The loss with the labels there are and with those added, by the curve.
    change, low, high : float
        `then - now`, with its 90% interval; negative is better.
    """

    name: str
    n_labels: int
    n_more: int
    now: float
    then: float
    change: float
    low: float
    high: float


@dataclass(frozen=True)
class PowerLaw:
    """loss(n) = floor + scale n^-exponent, with floor and scale not negative."""

    floor: float
    scale: float
    exponent: float

    def __call__(self, n: float) -> float:
        """The loss with n labels."""
        return float(self.floor + self.scale * n**-self.exponent)


def fit_power_law(sizes: Vector, losses: Vector) -> PowerLaw:
    """Least squares over floor and scale for each exponent of a grid; the best of them.

    A size counts as much as it has labels: the end of the curve is what goes on, and with few
    labels curves need not follow a power law at all. There are at least two different sizes.
    """
    weights = sizes / sizes.sum()
    mean = float(weights @ losses)
    best, smallest = PowerLaw(mean, 0.0, 1.0), float(weights @ (losses - mean) ** 2)
    for exponent in EXPONENTS:
        x = sizes**-exponent
        centred = x - weights @ x
        scale = float((weights * centred) @ losses / (weights @ centred**2))
        floor = mean - scale * float(weights @ x)
        if floor < 0.0:
            floor, scale = 0.0, float((weights * x) @ losses / (weights @ x**2))
        residual = float(weights @ (losses - floor - scale * x) ** 2)
        # A curve that rises with more labels is noise; the flat one stands for it.
        if scale >= 0.0 and residual < smallest:
            best, smallest = PowerLaw(floor, scale, float(exponent)), residual
    return best


def forecast(
    name: str,
    sizes: Vector,
    losses: Matrix,
    n_labels: int,
    n_more: int,
    test_to_train: float,
) -> Forecast:
    """What `n_more` labels would change, with an interval from resampled splits and sizes.

    Splits are drawn with replacement, one size or the beginning of the curve is left out, and the
    curve is fitted anew: the first shows what other labels would have given, the second what rests
    on the power law alone, which may hold from some number of labels on only; the wider counts.
    Splits share most of their rows, which makes their mean look surer than it is; the spread is
    widened by the square root of 1 + J n_test/n_train, the correction of Nadeau & Bengio (2003).
    `losses` has a row for each split and a column for each of at least three ascending sizes.
    """
    n_splits, n_sizes = losses.shape
    means = losses.mean(axis=0)
    law = fit_power_law(sizes, means)
    # The largest size was measured; the curve only says in which proportion the loss goes on.
    now = float(means[-1]) * _ratio(law, n_labels, float(sizes[-1]))
    random = np.random.default_rng(0)
    everything = np.arange(n_sizes)
    parts = [[np.delete(everything, k) for k in everything]]
    if n_sizes > 3:
        parts.append([everything[k:] for k in range(1, n_sizes - 2)])
    ends = []
    for choices in parts:
        changes = np.empty(N_BOOTSTRAP)
        for k in range(N_BOOTSTRAP):
            drawn = losses[random.integers(0, n_splits, n_splits)].mean(axis=0)
            kept = choices[random.integers(0, len(choices))]
            again = fit_power_law(sizes[kept], drawn[kept])
            changes[k] = now * (_ratio(again, n_labels + n_more, n_labels) - 1.0)
        ends.append(np.quantile(changes, [0.05, 0.95]))
    change = now * (_ratio(law, n_labels + n_more, n_labels) - 1.0)
    width = np.sqrt(1.0 + n_splits * test_to_train)
    low = change + width * (min(end[0] for end in ends) - change)
    high = change + width * (max(end[1] for end in ends) - change)
    # A loss does not fall below nothing, and more labels do no harm in the long run.
    low = max(min(float(low), change), -now)
    high = min(max(float(high), change), 0.0)
    return Forecast(name, n_labels, n_more, now, now + change, change, low, high)


def _ratio(law: PowerLaw, n: float, to: float) -> float:
    before = law(to)
    return law(n) / before if before > 0.0 else 1.0
