"""Low-density separators, a diverse few of them, and the best labels for the worst of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.family._svm import Geometry, HingeProblem, HingeSolution
from tacit.family._svm_newton import solve_hinge

# The search wants labels, which settle long before digits do.
SEARCH_TOL = 1e-2
# Where few digits do not show any gain, more of them tell whether there is one.
FINE_TOL = 1e-6
MOST_CLUSTER_ROUNDS = 100
# Branch-and-bound stops here on problems with very many candidates; the gap is then reported.
NODES = 10_000
# What HiGHS, whose tolerances are absolute, may leave open of a program in units of about one.
TOLERANCE = 1e-6
# Whole weights up to this many units keep the tolerances far below one unit.
MOST_UNITS = 1e4


@dataclass(frozen=True)
class SeparatorProblem:
    """Labeled and then unlabeled rows, and bounds on how many unlabeled ones may be positive."""

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
    at: HingeSolution | None = None
    n, tol, lowest = len(problem.y), SEARCH_TOL, np.inf
    for rounds in range(1, max_iter + 1):
        convex = problem.with_labels(labels)
        fit = solve_hinge(convex, at, tol)
        if fit.objective >= lowest and tol > FINE_TOL:
            tol = FINE_TOL
            fit = solve_hinge(convex, at, tol)
        # With ties, as among equal rows, labels could change for ever without any gain.
        stays = fit.objective >= lowest * (1.0 - tol) and tol == FINE_TOL
        following = problem.assign(fit.values[n:])
        if stays or (following == labels).all():
            return labels, fit.objective, rounds, True
        lowest = min(lowest, fit.objective)
        at = problem.with_labels(following).start_from(fit, convex.signs)
        labels = following
    fit = solve_hinge(problem.with_labels(labels), at, SEARCH_TOL)
    return labels, fit.objective, max_iter, False


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


@dataclass(frozen=True)
class WorstCase:
    """The answer of the max-min program.

    Attributes
    ----------
    labels : ndarray of shape (U,)
        The labels, -1 or 1.
    value : float
        Gain less weighted loss against the baseline, for the worst candidate. Never negative.
    bound : float
        No labels whatever have a larger value, up to a millionth of `unit`. Equal to `value` where
        the program was solved to the end.
    relaxed : float
        The value of the linear program, in which labels may be fractional.
    is_baseline : bool
        Whether the labels are those of the baseline.
    unit : float
        The largest weight of a row, by which value and bound are judged.
    """

    labels: Vector
    value: float
    bound: float
    relaxed: float
    is_baseline: bool
    unit: float = 1.0

    @property
    def is_exact(self) -> bool:
        """Whether no labels are better by more than a millionth of the value or of `unit`."""
        return self.bound - self.value <= TOLERANCE * max(self.unit, abs(self.value))


def improvements(
    labels: Vector, candidates: Matrix, baseline: Vector, loss_weight: float, weights: Vector
) -> Vector:
    """Gain less weighted loss of `labels` against the baseline, were each candidate the truth.

    The gain is the weight of the rows that `labels` have right and the baseline wrong, the loss of
    those that `labels` have wrong and the baseline right.
    """
    right, before = labels == candidates, baseline == candidates
    return np.asarray((right & ~before) @ weights - loss_weight * ((~right & before) @ weights))


def worst_case(
    candidates: Matrix, baseline: Vector, loss_weight: float, weights: Vector
) -> WorstCase:
    r"""Solve the max-min program of Li & Zhou (2015) over labels in {-1, 1}, exactly.

    .. math:: \max_{y \in \{-1, 1\}^U} \min_t \; \mathrm{gain}(y, \hat y_t, y^0)
        - \lambda\,\mathrm{loss}(y, \hat y_t, y^0)

    Both are linear in y. Rows on which all candidates agree take that label, as every term gains
    by it. The others with the same labels in all candidates and in the baseline are
    interchangeable, and only their number matters; so there is one integer variable a pattern. The
    linear program bounds the value from above, and branch-and-bound (HiGHS) closes the gap. What
    the weights are measured in makes no difference.
    """
    # 1. Where all candidates agree there is nothing to choose.
    largest = float(weights.max(initial=0.0))
    first = candidates[0]
    contested = (candidates != first).any(axis=0)
    labels = np.where(contested, baseline, first)
    if not weights[contested].any():
        value = float(improvements(labels, candidates, baseline, loss_weight, weights).min())
        same = bool((labels == baseline).all())
        return WorstCase(labels, value, value, value, same, largest)

    # 2. One variable a pattern: how many of its rows are given the label 1.
    index = np.flatnonzero(contested)
    unit = _unit(weights[index])
    table = np.vstack([candidates[:, index], baseline[None, index], weights[None, index] / unit])
    patterns, of_row, counts = np.unique(table, axis=1, return_inverse=True, return_counts=True)
    of_row = of_row.reshape(-1)
    # What a row with label 1 instead of -1 adds to each candidate's term.
    right, before = patterns[:-2] > 0, patterns[-2] == patterns[:-2]
    worth = np.where(before, loss_weight, 1.0) * np.where(right, 1.0, -1.0) * patterns[-1]
    below = np.where(contested, -1.0, first)
    constant = improvements(below, candidates, baseline, loss_weight, weights / unit)

    # 3. Maximise tau subject to tau <= constant_t + worth_t n for every candidate t.
    relaxed, exact = _solve_programs(worth, constant, counts)

    # 4. The labels: rows of a pattern in their order. The baseline has the value zero.
    best = -float(relaxed.fun)
    bound = best if exact.mip_dual_bound is None else min(best, -float(exact.mip_dual_bound))
    best, bound = unit * best, unit * bound
    numbers = np.floor(relaxed.x[:-1] + 0.5) if exact.x is None else np.round(exact.x[:-1])
    labels = below.copy()
    labels[index] = np.where(_rank_in_group(of_row) < numbers[of_row], 1.0, -1.0)
    value = float(improvements(labels, candidates, baseline, loss_weight, weights).min())
    if value <= 0.0:
        return WorstCase(baseline.copy(), 0.0, max(bound, 0.0), best, True, largest)
    same = bool((labels == baseline).all())
    return WorstCase(labels, value, max(bound, value), best, same, largest)


def _unit(weights: Vector) -> float:
    """The unit in which the program is written: one that makes the weights whole, or the largest.

    Whole weights sharpen the bound, and the largest one keeps the others below one.
    """
    largest = float(weights.max())
    for unit in (float(weights[weights > 0.0].min()), 1.0):
        numbers = weights / unit
        if largest <= MOST_UNITS * unit and bool((numbers == np.round(numbers)).all()):
            return unit
    return largest


def _solve_programs(worth: Matrix, constant: Vector, counts: AnyArray) -> tuple[Any, Any]:
    """The largest tau over real and over whole numbers of rows of each pattern."""
    n_candidates, n_patterns = worth.shape
    cost = np.append(np.zeros(n_patterns), -1.0)
    terms = LinearConstraint(
        np.column_stack([worth, -np.ones(n_candidates)]), lb=-constant, ub=np.inf
    )
    bounds = Bounds(
        np.append(np.zeros(n_patterns), -np.inf), np.append(counts.astype(float), np.inf)
    )
    relaxed: Any = milp(cost, constraints=terms, bounds=bounds)
    # Whole weights make every term a whole number, which sharpens the bound by up to one.
    whole = bool((worth == np.round(worth)).all() and (constant == np.round(constant)).all())
    exact: Any = milp(
        cost,
        constraints=terms,
        bounds=bounds,
        integrality=np.append(np.ones(n_patterns), float(whole)),
        options={"node_limit": NODES, "mip_rel_gap": 0.0},
    )
    return relaxed, exact


def _rank_in_group(group: AnyArray) -> Vector:
    """The position of each entry among the equal ones."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(group)))
    rank = np.empty(len(group))
    rank[order] = np.arange(len(group)) - np.repeat(starts, sizes)
    return rank
