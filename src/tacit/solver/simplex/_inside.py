"""Can labels of many classes reach the target? Find them as a smooth function of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from tacit._typing import Matrix, Vector
from tacit.rows import Block
from tacit.solver._inside import REACHED, SAMPLE_STEPS
from tacit.solver.simplex._cells import Cells
from tacit.solver.simplex._curvature import Factor, Pairs, assemble

# Quasi-Newton steps on all rows, one sweep each; about a dozen suffice.
MOST_SWEEPS = 40
# Steps whose residual falls by less than this factor are slow; a few of them mean that the target
# is at the boundary, where labels creep towards zero.
SLOW = 0.5
MOST_SLOW = 8
# Products that the curvature over all rows may take; a sweep takes a thousandth of it or more.
DEAR = 3e10
# Rows of the sample for each unknown of the dual, and at least so many, for the curvature.
ROWS_EACH = 8
LEAST_ROWS = 4096


@dataclass(frozen=True)
class ReachedClasses:
    """Labels softmax(-x'Lambda) with V'P = target.

    Attributes
    ----------
    slope : ndarray of shape (r, K)
        Lambda.
    residual : ndarray of shape (r, K)
        V'P - target, rounding errors only.
    mass, total : ndarray of shape (K,) and (d, K)
        Sum of the labels, and of rows times labels, weighted.
    """

    slope: Matrix
    residual: Matrix
    mass: Vector
    total: Matrix


@dataclass(frozen=True)
class _Potential:
    """One block's part of the potential and its slope, in terms of (1, row)."""

    coef: Matrix
    intercept: Vector
    shift: Vector | None

    def __call__(self, block: Block) -> tuple[float, Vector, Matrix]:
        X = block.X if self.shift is None else block.X - self.shift
        s = np.asarray(X @ self.coef) + self.intercept
        w = np.ones(len(s)) if block.weights is None else block.weights
        value, labels = _softmax(s)
        labels *= w[:, None]
        return float(w @ value), labels.sum(axis=0), np.asarray(X.T @ labels)


def _softmax(s: Matrix) -> tuple[Vector, Matrix]:
    """log sum exp(-s) of each row, and the labels that belong to it."""
    value = logsumexp(-s, axis=1, keepdims=True)
    return value[:, 0], np.exp(-s - value)


def _add(
    a: tuple[float, Vector, Matrix], b: tuple[float, Vector, Matrix]
) -> tuple[float, Vector, Matrix]:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def reach_inside_classes(
    cells: Cells, target: Matrix, generators: Matrix, weights: Vector
) -> ReachedClasses | None:
    """Labels that reach the target, or None where there are none or only barely.

    Of all labels with V'P = target those of largest entropy are softmax(-x'Lambda), where Lambda
    minimises the convex sum_i w_i log sum_k exp(-x_i'lambda_k) + <Lambda, target> in r K unknowns.
    Newton's method finds Lambda nearly on the sample. On all rows the curvature would cost
    O(U r^2 K^2), so there it stays that of the sample, and limited memory makes up for the rest,
    as long as that is fast enough.

    Parameters
    ----------
    cells : Cells
        The generators.
    target : ndarray of shape (r, K)
        The point to reach.
    generators, weights : ndarray of shape (n, r) and (n,)
        Of a sample, unweighted, and its weights, which add up to those of all rows.
    """
    n = max(LEAST_ROWS, ROWS_EACH * target.size)
    if len(generators) > n:
        part = np.random.default_rng(0).permutation(len(generators))[:n]
        generators = generators[part]
        weights = weights[part] * (weights.sum() / weights[part].sum())
    sample = _OnSample(centred_on(target, generators, weights), generators, weights)
    slope = sample.solve()
    if slope is None:
        return None
    steps = _Steps(sample.factor(slope))
    value, reached = _look(cells, target, slope)
    n_slow = 0
    for _ in range(MOST_SWEEPS):
        size = float(np.linalg.norm(reached.residual))
        if size <= REACHED:
            return reached
        if steps.factor is None or n_slow > MOST_SLOW:
            return None
        step = steps.direction(reached.residual)
        length = 1.0
        while True:
            trial_value, trial = _look(cells, target, reached.slope + length * step)
            # Next to the answer the potential is flat to rounding, and the residual decides.
            shorter = np.linalg.norm(trial.residual) <= 0.7 * size
            if shorter or trial_value < value - 1e-4 * length * np.vdot(step, reached.residual):
                break
            length *= 0.25
            if length < 0.01:
                return None
        if np.linalg.norm(trial.residual) > SLOW * size:
            n_slow += 1
            steps = _Steps(_factor(cells, trial.slope) or sample.factor(trial.slope))
        else:
            steps.remember(trial.slope - reached.slope, reached.residual - trial.residual)
        value, reached = trial_value, trial
    return None


def centred_on(target: Matrix, generators: Matrix, weights: Vector) -> Matrix:
    """The target less what labels of these rows cannot approach (see SimplexProblem.centred)."""
    surplus = weights @ generators - target.sum(axis=1)
    return np.asarray(target + surplus[:, None] / target.shape[1])


@dataclass(frozen=True)
class _Curvature:
    """One block's part of the curvature, for each pair of classes in terms of (1, row)."""

    coef: Matrix
    intercept: Vector
    shift: Vector | None

    def __call__(self, block: Block) -> Matrix:
        X = block.X if self.shift is None else block.X - self.shift
        labels = _softmax(np.asarray(X @ self.coef) + self.intercept)[1]
        w = np.ones(len(labels)) if block.weights is None else block.weights
        rows = X if isinstance(X, np.ndarray) else X.toarray()
        affine = np.column_stack([np.ones(len(w)), rows])
        pairs = []
        for k, m in zip(*np.triu_indices(labels.shape[1], 1), strict=True):
            scaled = affine * np.sqrt(w * labels[:, k] * labels[:, m])[:, None]
            pairs.append(scaled.T @ scaled)
        return np.stack(pairs)


def _factor(cells: Cells, slope: Matrix) -> Factor | None:
    """The curvature at `slope` over all rows: one sweep, if it is not too dear."""
    rank, n_classes = slope.shape
    n_pairs = n_classes * (n_classes - 1) // 2
    if cells.rows.n_rows * n_pairs * cells.rows.n_features**2 > DEAR:
        return None
    coef, intercept = cells.direction(slope)
    raw = cells.rows.reduce(_Curvature(coef, intercept, cells.shift), np.add)
    cells.n_sweeps += 1
    d = len(coef)
    affine = np.vstack([cells.sum_of(1.0, np.zeros(d)), cells.functions.coef])
    grams = affine.T @ raw @ affine
    pairs = zip(*np.triu_indices(n_classes, 1), strict=True)
    blocks = ((int(k), int(m), gram) for (k, m), gram in zip(pairs, grams, strict=True))
    matrix = assemble(blocks, n_classes, rank)
    if not np.isfinite(matrix).all():
        return None
    try:
        return Factor(matrix, np.zeros(slope.shape), 1e-12)
    except np.linalg.LinAlgError:
        return None


class _Steps:
    """Quasi-Newton steps of limited memory, begun at the curvature of a sample."""

    def __init__(self, factor: Factor | None) -> None:
        self.factor = factor
        self.pairs: list[tuple[Matrix, Matrix, float]] = []

    def remember(self, step: Matrix, change: Matrix) -> None:
        """A step and the change of the slope of the potential along it."""
        product = float(np.vdot(step, change))
        if product > 0.0:
            self.pairs.append((step, change, product))

    def direction(self, residual: Matrix) -> Matrix:
        """The step for a residual, by the two loops of Nocedal (1980)."""
        assert self.factor is not None, "the caller has looked"
        right = residual.copy()
        weights = []
        for step, change, product in reversed(self.pairs):
            weight = float(np.vdot(step, right)) / product
            right -= weight * change
            weights.append(weight)
        direction = self.factor.solve(right)
        for (step, change, product), weight in zip(self.pairs, reversed(weights), strict=True):
            direction = direction + step * (weight - float(np.vdot(change, direction)) / product)
        return direction


@dataclass(frozen=True)
class _OnSample:
    target: Matrix
    generators: Matrix
    weights: Vector

    def factor(self, slope: Matrix) -> Factor | None:
        """The curvature at `slope`, or None where labels are so near to zero that there is none."""
        _, labels = _softmax(self.generators @ slope)
        n_classes = self.target.shape[1]
        weighted = np.ascontiguousarray((labels * self.weights[:, None]).T)
        matrix = Pairs(self.generators, None, n_classes).curvature(weighted)
        if not np.isfinite(matrix).all():
            return None
        try:
            return Factor(matrix, np.zeros(self.target.shape), 1e-10)
        except np.linalg.LinAlgError:
            return None

    def potential(self, slope: Matrix) -> tuple[float, Matrix]:
        """The potential and the residual at `slope`."""
        value, labels = _softmax(self.generators @ slope)
        residual = self.generators.T @ (labels * self.weights[:, None]) - self.target
        return float(self.weights @ value + np.vdot(slope, self.target)), residual

    def solve(self) -> Matrix | None:
        """The slope that nearly reaches the target with the sample, or None."""
        slope = np.zeros_like(self.target)
        value, residual = self.potential(slope)
        for _ in range(SAMPLE_STEPS):
            factor = self.factor(slope)
            if factor is None:
                return None
            step = factor.solve(residual)
            length = 1.0
            while True:
                trial, trial_residual = self.potential(slope + length * step)
                if trial <= value - 1e-4 * length * np.vdot(step, residual):
                    break
                length *= 0.5
                if length < 1e-6:
                    return None
            done = length == 1.0 and np.linalg.norm(residual) <= 1e-3
            slope, value, residual = slope + length * step, trial, trial_residual
            if value < 0.0:
                # Labels with V'P = target would make it at least their entropy.
                return None
            if length < 1e-3:
                return None
            if done:
                return slope
        return None


def _look(cells: Cells, target: Matrix, slope: Matrix) -> tuple[float, ReachedClasses]:
    """Potential and labels at `slope`: one sweep."""
    coef, intercept = cells.direction(slope)
    kernel = _Potential(coef, intercept, cells.shift)
    value, mass, total = cells.rows.reduce(kernel, _add)
    cells.n_sweeps += 1
    residual = cells.sum_of(mass, total.T).T - target
    # The mean over the classes is the same for all labels, and zero but for rounding.
    residual -= residual.mean(axis=1, keepdims=True)
    if cells.shift is not None:
        total = total + np.outer(cells.shift, mass)
    return value + float(np.vdot(slope, target)), ReachedClasses(slope, residual, mass, total)
