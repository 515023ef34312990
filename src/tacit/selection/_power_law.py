"""How a loss falls with the number of labels, and how far that can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacit._typing import Matrix, Vector

# Learning curves of classifiers fall between n^-0.1 and, where little is left to learn, n^-2.
EXPONENTS = np.linspace(0.1, 2.0, 20)
N_BOOTSTRAP = 300
# Farther than this multiple of the labels there are, a curve through a few sizes says nothing.
REACH = 4.0


@dataclass(frozen=True)
class Forecast:
    """What more labels would buy for one contestant."""

    name: str
    n_labels: int  # Labels there are
    n_more: int  # Labels added
    now: float  # The loss with the labels there are, by the curve
    then: float  # The loss with those added
    change: float  # `then - now` with its 90% interval; negative is better
    low: float
    high: float


class PowerLaws(NamedTuple):
    """loss(n) = floor + scale n^-exponent for several curves, floor and scale not negative."""

    floor: Vector
    scale: Vector
    exponent: Vector

    def ratio(self, n: float, to: float) -> Vector:
        """The loss with n labels in proportion to that with `to` of them."""
        after, before = (self.floor + self.scale * size**-self.exponent for size in (n, to))
        return np.divide(after, before, out=np.ones_like(after), where=before > 0.0)


def fit_power_laws(sizes: Vector, losses: Matrix, weights: Matrix) -> PowerLaws:
    """A law for each row of `losses`: least squares for each exponent of a grid, the best of them.

    `weights` says how much each size counts, for at least two sizes of each row.
    """
    # Axes: curve, exponent, size.
    weights = (weights / weights.sum(axis=1, keepdims=True))[:, None, :]
    losses = losses[:, None, :]
    x = sizes ** -EXPONENTS[:, None]
    mean, mean_x = (weights * losses).sum(axis=2), (weights * x).sum(axis=2)
    centred = x - mean_x[:, :, None]
    scale = (weights * centred * losses).sum(axis=2) / (weights * centred**2).sum(axis=2)
    floor = mean - scale * mean_x
    without_floor = (weights * x * losses).sum(axis=2) / (weights * x**2).sum(axis=2)
    scale, floor = np.where(floor < 0.0, without_floor, scale), np.maximum(floor, 0.0)
    # A curve that rises with more labels is noise; the flat one stands for it.
    floor, scale = np.where(scale < 0.0, mean, floor), np.maximum(scale, 0.0)
    residuals = losses - floor[:, :, None] - scale[:, :, None] * x
    best = (weights * residuals**2).sum(axis=2).argmin(axis=1)
    curve = np.arange(len(best))
    return PowerLaws(floor[curve, best], scale[curve, best], EXPONENTS[best])


def forecast(
    name: str, sizes: Vector, losses: Matrix, n_labels: int, n_more: int, test_to_train: float
) -> Forecast:
    """What `n_more` labels would change, with an interval from resampled splits and sizes.

    `losses` has a row for each split and a column for each of at least three ascending sizes. A
    size counts as much as it has labels: the end of the curve is what goes on.

    Splits are drawn with replacement, one size or the beginning of the curve is left out, and the
    curve is fitted anew: the first shows what other labels would have given, the second what rests
    on the power law alone, which may hold from some number of labels on only; the wider counts.
    Splits share most of their rows, which makes their mean look surer than it is; the spread is
    widened by the square root of 1 + J n_test/n_train, the correction of Nadeau & Bengio (2003).
    """
    n_splits, n_sizes = losses.shape
    means = losses.mean(axis=0)
    law = fit_power_laws(sizes, means[None], sizes[None])
    # The largest size was measured; the curve only says in which proportion the loss goes on.
    now = float(means[-1] * law.ratio(n_labels, sizes[-1])[0])
    change = now * (float(law.ratio(n_labels + n_more, n_labels)[0]) - 1.0)
    order = np.arange(n_sizes)
    parts = [order != order[:, None]]
    if n_sizes > 3:
        parts.append(order >= order[1:-2, None])
    random = np.random.default_rng(0)
    ends = []
    for choices in parts:
        splits = np.empty((N_BOOTSTRAP, n_splits), dtype=np.intp)
        kept = np.empty((N_BOOTSTRAP, n_sizes), dtype=bool)
        for k in range(N_BOOTSTRAP):
            splits[k] = random.integers(0, n_splits, n_splits)
            kept[k] = choices[random.integers(0, len(choices))]
        again = fit_power_laws(sizes, losses[splits].mean(axis=1), kept * sizes)
        changes = now * (again.ratio(n_labels + n_more, n_labels) - 1.0)
        ends.append(np.quantile(changes, [0.05, 0.95]))
    width = np.sqrt(1.0 + n_splits * test_to_train)
    low = change + width * (min(end[0] for end in ends) - change)
    high = change + width * (max(end[1] for end in ends) - change)
    # A loss does not fall below nothing, and more labels do no harm in the long run.
    low = max(min(float(low), change), -now)
    high = min(max(float(high), change), 0.0)
    return Forecast(name, n_labels, n_more, now, now + change, change, low, high)
