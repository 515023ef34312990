"""Many low-density separators: local minima of the margin objective, and a diverse few of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.family.margin._geometry import Geometry
from tacit.family.margin._newton import Start, solve_hinge
from tacit.family.margin._problem import HingeProblem, HingeSolution

# The search wants labels, which settle long before digits do.
SEARCH_TOL = 1e-2
# Where few digits do not show any gain, more of them tell whether there is one.
FINE_TOL = 1e-6
MOST_CLUSTER_ROUNDS = 100


@dataclass(frozen=True)
class SeparatorProblem:
    """Labeled and unlabeled rows, and how many unlabeled ones may be positive.

    Attributes
    ----------
    geometry : Geometry
        All rows, labeled ones first.
    y : ndarray of shape (L,)
        The labels, -1 or 1.
    costs : ndarray of shape (L + U,)
        The costs of hinge losses, not negative.
    fewest, most : int
        Bounds on the number of unlabeled rows with the label 1.
    """

    geometry: Geometry
    y: Vector
    costs: Vector
    fewest: int
    most: int

    @property
    def n_unlabeled(self) -> int:
        """The number of unlabeled rows."""
        return len(self.costs) - len(self.y)

    def with_labels(self, labels: Vector) -> HingeProblem:
        """The support vector machine for given labels."""
        signs = np.concatenate([self.y, labels])
        return HingeProblem(self.geometry, signs, np.ones(len(signs)), self.costs, intercept=True)

    def assign(self, values: Vector) -> Vector:
        """The labels with the smallest hinge losses at these values, within the bounds."""
        spared = np.maximum(1.0 + values, 0.0) - np.maximum(1.0 - values, 0.0)
        benefit = self.costs[len(self.y) :] * spared
        number = int(np.clip((benefit > 0.0).sum(), self.fewest, self.most))
        labels = np.full(len(values), -1.0)
        # Rows without weight have no benefit either way, and follow their value.
        labels[np.lexsort((-values, -benefit))[:number]] = 1.0
        return labels


@dataclass(frozen=True)
class Separators:
    """Labelings of the unlabeled rows, each by a local minimum.

    Attributes
    ----------
    labels : ndarray of shape (T, U)
        The labelings, -1 or 1.
    objectives : ndarray of shape (T,)
        Their support vector machines' objectives.
    n_iter : int
        Support vector machines fitted to find them.
    n_unsettled : int
        Local searches that were stopped before their labels settled.
    """

    labels: Matrix
    objectives: Vector
    n_iter: int
    n_unsettled: int


def label_bounds(n_unlabeled: int, mean: float, tolerance: float) -> tuple[int, int]:
    """How many of the unlabeled rows may be positive for a mean label near `mean`."""
    fewest = int(np.ceil(n_unlabeled * (1.0 + mean - tolerance) / 2.0 - 1e-9))
    most = int(np.floor(n_unlabeled * (1.0 + mean + tolerance) / 2.0 + 1e-9))
    if fewest > most:
        fewest = most = int(np.floor(n_unlabeled * (1.0 + mean) / 2.0 + 0.5))
    return max(fewest, 0), min(most, n_unlabeled)


def sample_separators(
    problem: SeparatorProblem,
    supervised: Vector,
    n_samples: int,
    random: np.random.Generator,
    max_iter: int = 100,
) -> Separators:
    """Distinct local minima from `n_samples` random labelings.

    A quarter of the starts are random labels, a quarter random separators through the rows, and
    half the supervised values with noise of growing size, so that both far and near minima are
    seen. From each, labels and support vector machine are optimised in turn until both stay.

    Parameters
    ----------
    problem : SeparatorProblem
        The rows and the bounds.
    supervised : ndarray of shape (U,)
        Decision values of the supervised machine on the unlabeled rows.
    n_samples : int
        How many starts.
    random : numpy.random.Generator
        Where the starts come from.
    max_iter : int
        Rounds of one local search at the most.
    """
    found: dict[bytes, tuple[Vector, float]] = {}
    started: set[bytes] = set()
    n_iter = n_unsettled = 0
    for sample in range(n_samples):
        labels = problem.assign(_start_values(problem, supervised, sample, n_samples, random))
        if labels.tobytes() in started:
            continue
        started.add(labels.tobytes())
        minimum, objective, rounds, settled = _local_minimum(problem, labels, max_iter)
        n_iter += rounds
        n_unsettled += not settled
        found.setdefault(minimum.tobytes(), (minimum, objective))
    return Separators(
        np.array([labels for labels, _ in found.values()]),
        np.array([objective for _, objective in found.values()]),
        n_iter,
        n_unsettled,
    )


def representatives(
    separators: Separators, n_clusters: int, random: np.random.Generator
) -> Separators:
    """The best separator of each of `n_clusters` clusters of labelings (k-means)."""
    labels, objectives = separators.labels, separators.objectives
    if len(labels) <= n_clusters:
        return separators
    clusters = _cluster(labels, n_clusters, random)
    chosen = [
        members[np.argmin(objectives[members])]
        for cluster in range(n_clusters)
        if len(members := np.flatnonzero(clusters == cluster))
    ]
    return replace(separators, labels=labels[chosen], objectives=objectives[chosen])


def _start_values(
    problem: SeparatorProblem,
    supervised: Vector,
    sample: int,
    n_samples: int,
    random: np.random.Generator,
) -> Vector:
    n = problem.n_unlabeled
    if sample % 4 == 0:
        return np.asarray(random.normal(size=n))
    direction = problem.geometry.combine(random.normal(size=problem.geometry.n_rows))
    values = problem.geometry.values(direction)[len(problem.y) :]
    values = (values - values.mean()) / (values.std() or 1.0)
    if sample % 4 == 1:
        return np.asarray(values)
    size = 2.0 * (sample + 1) / n_samples
    return np.asarray(supervised + size * (supervised.std() or 1.0) * values)


def _local_minimum(
    problem: SeparatorProblem, labels: Vector, max_iter: int
) -> tuple[Vector, float, int, bool]:
    """Labels that are the best for their own machine, its objective, the rounds, and if settled."""
    at: Start | None = None
    n, tol, lowest = len(problem.y), SEARCH_TOL, np.inf
    for rounds in range(1, max_iter + 1):
        fit = solve_hinge(problem.with_labels(labels), at, tol)
        if fit.objective >= lowest and tol > FINE_TOL:
            tol = FINE_TOL
            fit = solve_hinge(problem.with_labels(labels), at, tol)
        # With ties, as among equal rows, labels could change for ever without any gain.
        stays = fit.objective >= lowest * (1.0 - tol) and tol == FINE_TOL
        following = problem.assign(fit.values[n:])
        if stays or (following == labels).all():
            return labels, fit.objective, rounds, True
        lowest = min(lowest, fit.objective)
        at = _relabeled(problem, fit, labels, following)
        labels = following
    fit = solve_hinge(problem.with_labels(labels), at, SEARCH_TOL)
    return labels, fit.objective, max_iter, False


def _relabeled(
    problem: SeparatorProblem, fit: HingeSolution, before: Vector, labels: Vector
) -> Start:
    n = len(problem.y)
    guess = np.where(labels * fit.values[n:] < 1.0, problem.costs[n:], 0.0)
    alpha = np.concatenate([fit.alpha[:n], np.where(labels != before, guess, fit.alpha[n:])])
    return Start(alpha, fit.w, fit.values)


def _cluster(points: Matrix, n_clusters: int, random: np.random.Generator) -> Index:
    """k-means with the starts of k-means++ (Arthur & Vassilvitskii 2007)."""
    centres = points[[random.integers(len(points))]]
    for _ in range(1, n_clusters):
        nearest = _squared_distances(points, centres).min(axis=1)
        total = nearest.sum()
        if total <= 0.0:
            break
        pick = np.searchsorted(np.cumsum(nearest), random.random() * total, side="right")
        centres = np.vstack([centres, points[min(int(pick), len(points) - 1)]])
    clusters = np.full(len(points), -1)
    for _ in range(MOST_CLUSTER_ROUNDS):
        following = _squared_distances(points, centres).argmin(axis=1)
        if (following == clusters).all():
            break
        clusters = following
        for cluster in np.unique(clusters):
            centres[cluster] = points[clusters == cluster].mean(axis=0)
    return np.asarray(clusters, dtype=np.intp)


def _squared_distances(points: Matrix, centres: Matrix) -> Matrix:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(squares - 2.0 * points @ centres.T, 0.0))
