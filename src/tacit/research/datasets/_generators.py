"""Two-dimensional problems that show what unlabeled rows can and cannot tell.

What the rows alone show, their density, helps in the first problem, misleads in the second, and
says nothing in the third. The lowest error that any classifier can reach is known for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from tacit._typing import AnyArray, Matrix
from tacit.research.datasets._dataset import Dataset

RandomState = int | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class GeneratedDataset(Dataset):
    """A dataset drawn from a known distribution.

    Attributes
    ----------
    bayes_error : float
        The lowest probability of error that any classifier can have on new rows. Preparing the
        dataset does not change it, since shifting and scaling lose nothing.
    """

    bayes_error: float = math.nan


def aligned_clusters(
    n_rows: int, random_state: RandomState = None, *, n_classes: int = 2, radius: float = 2.0
) -> GeneratedDataset:
    """Each class is a cluster: the gap between the clusters is the border of the classes.

    The clusters are normal with unit covariance, around points evenly spread on a circle. The
    lowest error is that of sectors: with K classes and radius r it is
    1/pi times the integral of exp(-r^2 sin^2(pi/K) / (2 sin^2 t)) for t from 0 to pi - pi/K [1]_,
    and Phi(-r) for K = 2. O(n_rows).

    Parameters
    ----------
    n_rows : int
        Rows, spread evenly over the classes; at least one each.
    random_state : int, Generator or None
        The seed.
    n_classes : int
        Classes, at least 2.
    radius : float
        Distance of the clusters' centres from the origin, positive.

    Returns
    -------
    GeneratedDataset
        In random order.

    References
    ----------
    .. [1] J. Craig, A new, simple and exact result for calculating the probability of error for
       two-dimensional signal constellations. MILCOM, 1991.
    """
    _check(n_rows, n_classes, radius=radius)
    random = np.random.default_rng(random_state)
    y = _balanced(n_rows, n_classes, random)
    angle = 2.0 * np.pi * y / n_classes
    centres = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    X = centres + random.standard_normal((n_rows, 2))
    half = np.pi / n_classes

    def density(t: float) -> float:
        # The limit at t = 0, where the quotient is not defined.
        if t == 0.0:
            return 0.0
        return math.exp(-0.5 * (radius * math.sin(half) / math.sin(t)) ** 2)

    bayes_error = quad(density, 0.0, np.pi - half)[0] / np.pi
    return _dataset("aligned clusters", X, y, float(bayes_error))


def opposed_clusters(
    n_rows: int, random_state: RandomState = None, *, gap: float = 3.0, margin: float = 1.0
) -> GeneratedDataset:
    """Two clusters, each of them half of either class: the gap is not the border of the classes.

    Cluster and class are independent: the first coordinate is normal around -gap or gap, by
    cluster, and the second is normal around -margin or margin, by class. A method that puts its
    border where rows are rare is led to an error of one half; the lowest error is Phi(-margin).
    O(n_rows).

    Parameters
    ----------
    n_rows : int
        Rows, half of each class; at least 2.
    random_state : int, Generator or None
        The seed.
    gap : float
        Distance of the clusters' centres from the vertical axis, positive.
    margin : float
        Distance of the classes' centres from the horizontal axis, positive.

    Returns
    -------
    GeneratedDataset
        In random order.
    """
    _check(n_rows, 2, gap=gap, margin=margin)
    random = np.random.default_rng(random_state)
    y = _balanced(n_rows, 2, random)
    side = random.choice([-1.0, 1.0], n_rows)
    centres = np.column_stack([gap * side, margin * (2.0 * y - 1.0)])
    X = centres + random.standard_normal((n_rows, 2))
    return _dataset("opposed clusters", X, y, float(norm.cdf(-margin)))


def overlapping(
    n_rows: int, random_state: RandomState = None, *, slope: float = 2.0
) -> GeneratedDataset:
    """One normal cloud in which one class passes over into the other: the rows show no border.

    All rows together are standard normal, whatever the slope, and P(y = 1 | x) = Phi(slope x_1).
    So the density of the rows says nothing about the labels. The lowest error is
    1/2 - arctan(slope)/pi. O(n_rows).

    Parameters
    ----------
    n_rows : int
        Rows, half of each class; at least 2.
    random_state : int, Generator or None
        The seed.
    slope : float
        How fast one class passes over into the other, positive.

    Returns
    -------
    GeneratedDataset
        In random order.
    """
    _check(n_rows, 2, slope=slope)
    random = np.random.default_rng(random_state)
    y = _balanced(n_rows, 2, random)
    X = random.standard_normal((n_rows, 2))
    # Given the class, x_1 has the skew normal density 2 phi(x) Phi(+-slope x): a normal value is
    # kept or turned round, by whether another one falls below slope times it.
    kept = random.standard_normal(n_rows) < slope * X[:, 0]
    X[:, 0] *= np.where(kept, 1.0, -1.0) * (2.0 * y - 1.0)
    return _dataset("overlapping", X, y, 0.5 - math.atan(slope) / math.pi)


def _balanced(n_rows: int, n_classes: int, random: np.random.Generator) -> AnyArray:
    return random.permutation(np.arange(n_rows) % n_classes)


def _dataset(name: str, X: Matrix, y: AnyArray, bayes_error: float) -> GeneratedDataset:
    return GeneratedDataset(
        name=name,
        X=X,
        y=y,
        feature_names=("x1", "x2"),
        class_names=tuple(map(str, np.unique(y).tolist())),
        source=f"Generated by tacit.research.datasets._generators.{name.replace(' ', '_')}.",
        licence="None needed: made up.",
        citation="None needed: made up.",
        bayes_error=bayes_error,
    )


def _check(n_rows: int, n_classes: int, **positive: float) -> None:
    if n_classes < 2:
        raise ValueError(f"n_classes was {n_classes}; it must be at least 2.")
    if n_rows < n_classes:
        raise ValueError(
            f"n_rows was {n_rows}; it must be at least {n_classes}, one row for each class."
        )
    for name, value in positive.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} was {value}; it must be a positive finite number.")
