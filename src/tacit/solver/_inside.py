"""Is the target in the zonotope? Find labels that reach it, as a smooth function of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp

from tacit._typing import Matrix, Vector
from tacit.rows import Block, NumpyRows
from tacit.rows._sweep import add_each
from tacit.solver._basis import Coefficients
from tacit.solver._curvature import Curvature, Factor
from tacit.solver._labeling import Labeling, SmoothRule
from tacit.solver._zonotope import Zonotope

# Steps at the most, one sweep each on all rows. Newton's method converges quadratically on a sample
# when the target is inside; from its answer about a dozen steps suffice on all rows.
MOST_STEPS = 40
# The target is reached when the residual is this small, in units of the problem.
REACHED = 1e-11
# And nearly so on the sample, which does not deserve more.
NEARLY_REACHED = 1e-6
# Steps whose residual falls by less than this factor are slow; some of them mean that the target is
# at the boundary, where labels creep towards their bounds.
SLOW, MOST_SLOW = 0.3, 2
# Rows of the sample for each unknown of the dual, and at least so many, for the curvature.
ROWS_EACH = 8
LEAST_ROWS = 4096


@dataclass(frozen=True)
class Reached:
    """Labels with V'u = target by a rule with the parameters `slope`, smooth or nearest."""

    slope: Matrix
    residual: Matrix  # V'u - target, rounding errors only
    labeling: Labeling


def reach_inside(
    zonotope: Zonotope, target: Matrix, generators: Matrix, weights: Vector
) -> Reached | None:
    """Labels that reach the target, or None where there are none or only barely.

    Of all labels with V'u = target those of largest entropy are softmax(-v'lambda), where lambda
    minimises the convex sum_i w_i log sum_k exp(-v_i'lambda_k) + <lambda, target>, with lambda_0 =
    0 for the first of two classes. Newton's method finds lambda nearly on a sample, of which
    `generators` and `weights` are. On all rows its curvature stays that of the sample, because the
    own one would cost O(U r^2 K^2), and limited memory makes up for the rest.
    """
    n = max(LEAST_ROWS, ROWS_EACH * target.size)
    if target.ndim == 2 and len(generators) > n:
        part = np.random.default_rng(0).permutation(len(generators))[:n]
        generators = generators[part]
        weights = weights[part] * (weights.sum() / weights[part].sum())
    rank = len(target)
    sample = Zonotope(NumpyRows(generators, weights), Coefficients(np.eye(rank), np.zeros(rank)))
    aim = centred_on(target, generators, weights)
    factor_at = partial(_factor, generators, weights)
    start = np.zeros_like(target)
    near = _search(sample, aim, start, factor_at, NEARLY_REACHED, newton=True)
    if near is None:
        return None
    return _search(zonotope, target, near.slope, factor_at, REACHED, newton=False)


def _search(
    zonotope: Zonotope,
    target: Matrix,
    slope: Matrix,
    factor_at: Callable[[Matrix], Factor | None],
    enough: float,
    newton: bool,
) -> Reached | None:
    """The labels with a residual of at most `enough`, from `slope`; None where there are none.

    By `newton` the curvature is that of each step, and otherwise that of the first and of those
    after slow steps.
    """
    value, at = _look(zonotope, target, slope)
    steps, n_slow = _Steps(factor_at(slope)), 0
    for _ in range(MOST_STEPS):
        size = float(np.linalg.norm(at.residual))
        if size <= enough:
            return at
        # Labels with V'u = target would make the potential at least their entropy.
        if steps.factor is None or n_slow > MOST_SLOW or value < 0.0:
            return None
        step = steps.direction(at.residual)
        length = 1.0
        while True:
            lower, trial = _look(zonotope, target, at.slope + length * step)
            # Next to the answer the potential is flat to rounding, and the residual decides.
            smaller = float(np.linalg.norm(trial.residual))
            expected = 1e-4 * length * float(np.vdot(step, at.residual))
            if smaller <= 0.7 * size or lower < value - expected:
                break
            length *= 0.25
            if length < 0.01:
                return None
        if newton:
            steps = _Steps(factor_at(trial.slope))
        elif smaller > SLOW * size:
            n_slow, steps = n_slow + 1, _Steps(factor_at(trial.slope))
        else:
            steps.remember(trial.slope - at.slope, at.residual - trial.residual)
        value, at = lower, trial
    return None


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


def _factor(generators: Matrix, weights: Vector, slope: Matrix) -> Factor | None:
    """The curvature at `slope`, or None where labels are so near to bounds that it has none."""
    labels = _smooth(generators @ slope)[1]
    is_interval = labels.ndim == 1
    p = np.stack([1.0 - labels, labels]) if is_interval else np.ascontiguousarray(labels.T)
    curvature = Curvature(generators, len(p), None, is_interval)
    try:
        return Factor(curvature.at(p * weights), np.zeros(slope.shape), 1e-10)
    except np.linalg.LinAlgError:
        return None


def _smooth(s: Matrix) -> tuple[Vector, Matrix]:
    """log sum exp(-s) of each row, and the labels that belong to it."""
    if s.ndim == 1:
        return np.logaddexp(0.0, -s), np.asarray(expit(-s))
    value = logsumexp(-s, axis=1, keepdims=True)
    return value[:, 0], np.exp(-s - value)


def _potential_of_block(
    coef: Matrix, intercept: Vector, shift: Vector | None, block: Block
) -> tuple[float, Any, Matrix]:
    """One block's part of the potential, and of the sums of labels and of rows times labels."""
    X = block.X if shift is None else block.X - shift
    value, labels = _smooth(np.asarray(X @ coef) + intercept)
    w = np.ones(len(value)) if block.weights is None else block.weights
    labels = (labels.T * w).T
    return float(w @ value), labels.sum(axis=0), np.asarray(X.T @ labels)


def _look(zonotope: Zonotope, target: Matrix, slope: Matrix) -> tuple[float, Reached]:
    """Potential and labels at `slope`: one sweep."""
    kernel = partial(_potential_of_block, *zonotope.direction(slope), zonotope.shift)
    value, mass, total = zonotope.rows.reduce(kernel, add_each)
    zonotope.n_sweeps += 1
    residual = zonotope.sum_of(mass, total) - target
    if target.ndim == 2:
        # The mean over the classes is the same for all labels, and zero but for rounding.
        residual -= residual.mean(axis=1, keepdims=True)
    rule = SmoothRule(zonotope.functions.combine(slope))
    labeling = Labeling(None, rule, mass, zonotope.unshifted(mass, total))
    return value + float(np.vdot(slope, target)), Reached(slope, residual, labeling)
