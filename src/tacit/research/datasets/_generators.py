"""Two-dimensional problems that show what unlabeled rows can and cannot tell.

What the rows alone show, their density, helps in the first problem, misleads in the second, and
says nothing in the third. The lowest error that any classifier can reach is known for each; the
shape of a problem is a positive number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from tacit._typing import AnyArray, Matrix

RandomState = int | np.random.Generator | None


class DrawnRows(NamedTuple):
    """Rows drawn from a known distribution, in random order, as many of either class."""

    X: Matrix
    y: AnyArray
    bayes_error: float  # The lowest probability of error that any classifier can have on new rows


def aligned_clusters(
    n_rows: int, random_state: RandomState = None, *, radius: float = 2.0
) -> DrawnRows:
    """Each class is a cluster: the gap between the clusters is the border of the classes.

    The clusters are normal with unit covariance, around points of the first axis that are `radius`
    away from the origin. The lowest error is Phi(-radius).
    """
    random, y = _balanced(n_rows, random_state)
    centres = np.column_stack([radius * (1.0 - 2.0 * y), np.zeros(n_rows)])
    X = centres + random.standard_normal((n_rows, 2))
    return DrawnRows(X, y, float(norm.cdf(-radius)))


def opposed_clusters(
    n_rows: int, random_state: RandomState = None, *, gap: float = 3.0, margin: float = 1.0
) -> DrawnRows:
    """Two clusters, each of them half of either class: the gap is not the border of the classes.

    Cluster and class are independent: the first coordinate is normal around -gap or gap, by
    cluster, and the second is normal around -margin or margin, by class. A method that puts its
    border where rows are rare is led to an error of one half; the lowest error is Phi(-margin).
    """
    random, y = _balanced(n_rows, random_state)
    side = random.choice([-1.0, 1.0], n_rows)
    centres = np.column_stack([gap * side, margin * (2.0 * y - 1.0)])
    X = centres + random.standard_normal((n_rows, 2))
    return DrawnRows(X, y, float(norm.cdf(-margin)))


def overlapping(n_rows: int, random_state: RandomState = None, *, slope: float = 2.0) -> DrawnRows:
    """One normal cloud in which one class passes over into the other: the rows show no border.

    All rows together are standard normal, whatever the slope, and P(y = 1 | x) = Phi(slope x_1).
    So the density of the rows says nothing about the labels. The lowest error is
    1/2 - arctan(slope)/pi.
    """
    random, y = _balanced(n_rows, random_state)
    X = random.standard_normal((n_rows, 2))
    # Given the class, x_1 has the skew normal density 2 phi(x) Phi(+-slope x): a normal value is
    # kept or turned round, by whether another one falls below slope times it.
    kept = random.standard_normal(n_rows) < slope * X[:, 0]
    X[:, 0] *= np.where(kept, 1.0, -1.0) * (2.0 * y - 1.0)
    return DrawnRows(X, y, 0.5 - math.atan(slope) / math.pi)


def _balanced(n_rows: int, random_state: RandomState) -> tuple[np.random.Generator, AnyArray]:
    random = np.random.default_rng(random_state)
    return random, random.permutation(np.arange(n_rows) % 2)
