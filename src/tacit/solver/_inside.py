"""Is the target in the zonotope? Find labels that reach it, as a smooth function of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from tacit._typing import Matrix, Vector
from tacit.rows import Block
from tacit.solver._zonotope import Zonotope

# Newton steps on the sample; it converges quadratically when the target is inside.
SAMPLE_STEPS = 30
# Newton steps on all rows, one sweep each; from the sample's answer four or five suffice.
MOST_SWEEPS = 10
# Labels closer to 0 or 1 than exp(-this) mean that the target is at the boundary.
STEEPEST = 25.0
# The target is reached when the residual is this small, in units of the problem.
REACHED = 1e-11


@dataclass(frozen=True)
class Reached:
    """Labels 1 / (1 + exp(v'lambda / w)) with V'u = target.

    Attributes
    ----------
    slope : ndarray of shape (r,)
        lambda.
    residual : ndarray of shape (r,)
        V'u - target, rounding errors only.
    mass, total : float, ndarray of shape (d,)
        Sum of the labels, and of labels times rows, weighted.
    """

    slope: Vector
    residual: Vector
    mass: float
    total: Vector


@dataclass(frozen=True)
class _Potential:
    """One block's part of the potential, its slope and its curvature, in terms of (1, row)."""

    coef: Vector
    intercept: float
    shift: Vector | None

    def __call__(self, block: Block) -> tuple[float, Vector, Matrix]:
        X = block.X if self.shift is None else block.X - self.shift
        s = np.asarray(X @ self.coef) + self.intercept
        w = np.ones(len(s)) if block.weights is None else block.weights
        u = expit(-s)
        mixed = w * u * (1.0 - u)
        rows = X if isinstance(X, np.ndarray) else X.toarray()
        scaled = np.column_stack([np.ones(len(s)), rows]) * np.sqrt(mixed)[:, None]
        value = float(w @ np.logaddexp(0.0, -s))
        slope = np.concatenate([[w @ u], np.asarray((w * u) @ X)])
        return value, slope, scaled.T @ scaled


def _add(
    a: tuple[float, Vector, Matrix], b: tuple[float, Vector, Matrix]
) -> tuple[float, Vector, Matrix]:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def reach_inside(
    zonotope: Zonotope, target: Vector, generators: Matrix, weights: Vector
) -> Reached | None:
    """Labels that reach the target, or None where there are none or only barely.

    Of all labels with V'u = target those of largest entropy are u = 1 / (1 + exp(x'lambda)), where
    lambda minimises the convex sum_i w_i log(1 + exp(-x_i'lambda)) + lambda'target in r unknowns.
    Newton's method finds lambda nearly on the sample, and then exactly on all rows.

    Parameters
    ----------
    zonotope : Zonotope
        The generators.
    target : ndarray of shape (r,)
        The point to reach.
    generators, weights : ndarray of shape (n, r) and (n,)
        Of a sample, unweighted, and its weights, which add up to those of all rows.
    """
    slope = _on_sample(target, generators, weights)
    if slope is None:
        return None
    value, reached, curvature = _look(zonotope, target, slope)
    n_slow = 0
    for _ in range(MOST_SWEEPS):
        size = float(np.linalg.norm(reached.residual))
        if size <= REACHED:
            return reached
        step = _solve(curvature, reached.residual)
        if step is None:
            return None
        length = 1.0
        while True:
            trial = _look(zonotope, target, reached.slope + length * step)
            # Next to the answer the potential is flat to rounding, and the residual decides.
            shorter = np.linalg.norm(trial[1].residual) <= 0.5 * np.linalg.norm(reached.residual)
            if shorter or trial[0] < value - 1e-4 * length * (step @ reached.residual):
                break
            length *= 0.25
            if length < 0.01:
                return None
        value, reached, curvature = trial
        # At the boundary the labels creep towards their bounds, and Newton's method with them.
        n_slow += bool(np.linalg.norm(reached.residual) > 0.3 * size)
        if n_slow > 2:
            return None
    return None


def _on_sample(target: Vector, generators: Matrix, weights: Vector) -> Vector | None:
    slope = np.zeros(len(target))
    value = _potential(slope, target, generators, weights)
    for _ in range(SAMPLE_STEPS):
        labels = expit(-(generators @ slope))
        residual = (weights * labels) @ generators - target
        step = _solve(_curvature(slope, generators, weights), residual)
        if step is None:
            return None
        length = 1.0
        while True:
            trial = _potential(slope + length * step, target, generators, weights)
            if trial <= value - 1e-4 * length * (step @ residual):
                break
            length *= 0.5
            if length < 1e-6:
                return None
        slope, value = slope + length * step, trial
        if np.quantile(np.abs(generators @ slope), 0.9) > STEEPEST:
            return None
        if length == 1.0 and np.linalg.norm(residual) <= 1e-3:
            return slope
    return None


def _solve(matrix: Matrix, right: Vector) -> Vector | None:
    """The solution, or None where labels are so near their bounds that there is no curvature."""
    try:
        solution = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return solution if np.isfinite(solution).all() else None


def _potential(slope: Vector, target: Vector, generators: Matrix, weights: Vector) -> float:
    return float(weights @ np.logaddexp(0.0, -(generators @ slope)) + slope @ target)


def _curvature(slope: Vector, generators: Matrix, weights: Vector) -> Matrix:
    labels = expit(-(generators @ slope))
    matrix = (generators * (weights * labels * (1.0 - labels))[:, None]).T @ generators
    diagonal = np.einsum("ii->i", matrix)
    diagonal += 1e-10 * diagonal.mean()
    return matrix


def _look(zonotope: Zonotope, target: Vector, slope: Vector) -> tuple[float, Reached, Matrix]:
    """Potential, labels and curvature at `slope`: one sweep."""
    coef, intercept = zonotope.direction(slope)
    kernel = _Potential(coef, float(intercept), zonotope.shift)
    value, summed, raw = zonotope.rows.reduce(kernel, _add)
    zonotope.n_sweeps += 1
    mass, total = float(summed[0]), summed[1:]
    residual = zonotope.sum_of(mass, total) - target
    affine = np.vstack([zonotope.sum_of(1.0, np.zeros(len(total))), zonotope.functions.coef])
    curvature = affine.T @ raw @ affine
    diagonal = np.einsum("ii->i", curvature)
    diagonal += 1e-12 * diagonal.mean()
    if zonotope.shift is not None:
        total = total + mass * zonotope.shift
    return value + float(slope @ target), Reached(slope, residual, mass, total), curvature
