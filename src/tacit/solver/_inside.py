"""Is the target in the zonotope? Find labels that reach it, as a smooth function of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp

from tacit._typing import Matrix, Vector
from tacit.rows import Block
from tacit.solver._basis import Coefficients
from tacit.solver._curvature import Curvature, Factor, assemble
from tacit.solver._labeling import Labeling, SmoothRule
from tacit.solver._zonotope import Zonotope

# Newton steps on the sample; it converges quadratically when the target is inside.
SAMPLE_STEPS = 30
# Steps on all rows, one sweep each, for two classes and for more. From the sample's answer four or
# five Newton steps suffice, and about a dozen quasi-Newton steps.
MOST_SWEEPS = (10, 40)
# The target is reached when the residual is this small, in units of the problem.
REACHED = 1e-11
# Steps whose residual falls by less than this factor are slow; a few of them mean that the target
# is at the boundary, where labels creep towards their bounds, by a factor of 1 / e a Newton step.
SLOW, MOST_SLOW = (0.3, 0.5), (2, 8)
# Products that the curvature over all rows may take with many classes; a sweep takes a thousandth
# of it or more.
DEAR = 3e10
# Rows of the sample for each unknown of the dual, and at least so many, for the curvature.
ROWS_EACH = 8
LEAST_ROWS = 4096


@dataclass(frozen=True)
class Reached:
    """Labels with V'u = target: 1 / (1 + exp(v'lambda)), or softmax(-v'lambda) for many classes."""

    slope: Matrix  # lambda
    residual: Matrix  # V'u - target, rounding errors only
    labeling: Labeling


def reach_inside(
    zonotope: Zonotope, target: Matrix, generators: Matrix, weights: Vector
) -> Reached | None:
    """Labels that reach the target, or None where there are none or only barely.

    Of all labels with V'u = target those of largest entropy are softmax(-v'lambda), where lambda
    minimises the convex sum_i w_i log sum_k exp(-v_i'lambda_k) + <lambda, target>, with lambda_0 =
    0 for the first of two classes. Newton's method finds lambda nearly on a sample, of which
    `generators` and `weights` are, and then exactly on all rows. There the curvature costs O(U r^2)
    for two classes; with more it would cost K^2 times that, so it stays that of the sample,
    and limited memory makes up for the rest, as long as that is fast enough.
    """
    n = max(LEAST_ROWS, ROWS_EACH * target.size)
    if target.ndim == 2 and len(generators) > n:
        part = np.random.default_rng(0).permutation(len(generators))[:n]
        generators = generators[part]
        weights = weights[part] * (weights.sum() / weights[part].sum())
    sample = _OnSample(centred_on(target, generators, weights), generators, weights)
    slope = sample.solve()
    if slope is None:
        return None
    many = target.ndim == 2
    newton = not many
    steps = _Steps(None if newton else sample.factor(slope))
    value, reached, factor = _look(zonotope, target, slope, newton)
    n_slow = 0
    for _ in range(MOST_SWEEPS[many]):
        size = float(np.linalg.norm(reached.residual))
        if size <= REACHED:
            return reached
        if newton:
            steps = _Steps(factor)
        if steps.factor is None or n_slow > MOST_SLOW[many]:
            return None
        step = steps.direction(reached.residual)
        length = 1.0
        while True:
            trial = _look(zonotope, target, reached.slope + length * step, newton)
            # Next to the answer the potential is flat to rounding, and the residual decides.
            smaller = float(np.linalg.norm(trial[1].residual))
            expected = 1e-4 * length * float(np.vdot(step, reached.residual))
            if smaller <= 0.7 * size or trial[0] < value - expected:
                break
            length *= 0.25
            if length < 0.01:
                return None
        if smaller > SLOW[many] * size:
            n_slow += 1
            if not newton:
                steps = _Steps(sample.factor(trial[1].slope))
                if _is_cheap(zonotope, target):
                    steps = _Steps(_look(zonotope, target, trial[1].slope, True)[2])
        else:
            steps.remember(trial[1].slope - reached.slope, reached.residual - trial[1].residual)
        value, reached, factor = trial
    return None


def _is_cheap(zonotope: Zonotope, target: Matrix) -> bool:
    n_pairs = target.shape[1] * (target.shape[1] - 1) // 2
    return bool(zonotope.rows.n_rows * n_pairs * zonotope.rows.n_features**2 <= DEAR)


def centred_on(target: Matrix, generators: Matrix, weights: Vector) -> Matrix:
    """The target less what labels of these rows cannot approach (see Problem.centred)."""
    if target.ndim == 1:
        return target
    surplus = weights @ generators - target.sum(axis=1)
    return np.asarray(target + surplus[:, None] / target.shape[1])


class _Steps:
    """Quasi-Newton steps of limited memory, begun at some curvature."""

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
        """The curvature at `slope`, or None where labels are so near to bounds that it has none."""
        labels = _smooth(self.generators @ slope)[1]
        is_interval = labels.ndim == 1
        p = np.stack([1.0 - labels, labels]) if is_interval else np.ascontiguousarray(labels.T)
        curvature = Curvature(self.generators, len(p), None, is_interval)
        return _factor_of(curvature.at(p * self.weights), self.target.shape, 1e-10)

    def potential(self, slope: Matrix) -> tuple[float, Matrix]:
        """The potential and the residual at `slope`."""
        value, labels = _smooth(self.generators @ slope)
        residual = self.generators.T @ (labels.T * self.weights).T - self.target
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
                if length < 1e-3:
                    return None
            done = length == 1.0 and np.linalg.norm(residual) <= 1e-3
            slope, value, residual = slope + length * step, trial, trial_residual
            if value < 0.0:
                # Labels with V'u = target would make it at least their entropy.
                return None
            if done:
                return slope
        return None


def _smooth(s: Matrix) -> tuple[Vector, Matrix]:
    """log sum exp(-s) of each row, and the labels that belong to it."""
    if s.ndim == 1:
        return np.logaddexp(0.0, -s), np.asarray(expit(-s))
    value = logsumexp(-s, axis=1, keepdims=True)
    return value[:, 0], np.exp(-s - value)


def _factor_of(matrix: Matrix, shape: tuple[int, ...], ridge: float) -> Factor | None:
    if not np.isfinite(matrix).all():
        return None
    try:
        return Factor(matrix, np.zeros(shape), ridge)
    except np.linalg.LinAlgError:
        return None


def _potential_of_block(
    coef: Matrix, intercept: Vector, shift: Vector | None, with_curvature: bool, block: Block
) -> tuple[float, Any, Matrix, Matrix]:
    """One block's part of the potential, its slope and its curvature, in terms of (1, row)."""
    X = block.X if shift is None else block.X - shift
    value, labels = _smooth(np.asarray(X @ coef) + intercept)
    w = np.ones(len(value)) if block.weights is None else block.weights
    curvature = _curvature_of_block(X, w, labels) if with_curvature else np.zeros(0)
    labels = (labels.T * w).T
    return float(w @ value), labels.sum(axis=0), np.asarray(X.T @ labels), curvature


def _curvature_of_block(X: Any, w: Vector, labels: Matrix) -> Matrix:
    """One matrix for each pair of classes."""
    rows = X if isinstance(X, np.ndarray) else X.toarray()
    affine = np.column_stack([np.ones(len(w)), rows])
    p = [1.0 - labels, labels] if labels.ndim == 1 else list(labels.T)
    found = []
    for k, m in zip(*np.triu_indices(len(p), 1), strict=True):
        scaled = affine * np.sqrt(w * p[k] * p[m])[:, None]
        found.append(scaled.T @ scaled)
    return np.stack(found)


def _add(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _look(
    zonotope: Zonotope, target: Matrix, slope: Matrix, with_curvature: bool
) -> tuple[float, Reached, Factor | None]:
    """Potential, labels and perhaps curvature at `slope`: one sweep."""
    direction = zonotope.direction(slope)
    kernel = partial(_potential_of_block, *direction, zonotope.shift, with_curvature)
    value, mass, total, raw = zonotope.rows.reduce(kernel, _add)
    zonotope.n_sweeps += 1
    residual = zonotope.sum_of(mass, total) - target
    if target.ndim == 2:
        # The mean over the classes is the same for all labels, and zero but for rounding.
        residual -= residual.mean(axis=1, keepdims=True)
    functions = zonotope.functions
    rule = SmoothRule(Coefficients(functions.coef @ slope, functions.intercept @ slope))
    labeling = Labeling(None, rule, mass, zonotope.unshifted(mass, total))
    factor = _factor_over_rows(zonotope, slope, raw) if with_curvature else None
    return value + float(np.vdot(slope, target)), Reached(slope, residual, labeling), factor


def _factor_over_rows(zonotope: Zonotope, slope: Matrix, raw: Matrix) -> Factor | None:
    affine = zonotope.affine()
    grams = affine.T @ raw @ affine
    n_classes = 2 if slope.ndim == 1 else slope.shape[1]
    pairs = zip(*np.triu_indices(n_classes, 1), strict=True)
    blocks = ((int(k), int(m), gram) for (k, m), gram in zip(pairs, grams, strict=True))
    matrix = assemble(blocks, n_classes, len(slope), slope.ndim == 1)
    return _factor_of(matrix, slope.shape, 1e-12)
