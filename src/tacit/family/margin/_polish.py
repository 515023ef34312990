"""From the right bounds to the exact answer by one linear system."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from tacit._typing import Vector
from tacit.family.margin._problem import HingeProblem, HingeSolution

# More rows off their bounds than this are not worth a dense system of their own.
MOST_FREE = 1500


def polish(problem: HingeProblem, solution: HingeSolution) -> HingeSolution:
    """The better of `solution` and the one that is exact if all its bounds are right.

    Rows strictly between the bounds lie on their margins at the optimum. That fixes their dual
    values and the intercept by linear equations, for which the smallest correction is taken.
    """
    alpha, costs, signs = solution.alpha, problem.costs, problem.signs
    free = np.flatnonzero((alpha > 0.0) & (alpha < costs))
    if not 0 < len(free) <= MOST_FREE:
        return solution
    residual = signs[free] * problem.violations(solution.values)[free]
    K = problem.geometry.products(free)
    n = len(free)
    if problem.intercept:
        bordered = np.zeros((n + 1, n + 1))
        bordered[:n, :n] = K
        bordered[n, :n] = bordered[:n, n] = 1.0
        correction = _solve(bordered, np.append(residual, -float(signs @ alpha)))[:n]
    else:
        correction = _solve(K, residual)
    better = alpha.copy()
    better[free] += signs[free] * correction
    found = problem.measure(better)
    return found if found.gap() < solution.gap() else solution


def _solve(M: Vector, right: Vector) -> Vector:
    """A solution of a symmetric system, the shortest where it is singular."""
    scale = float(np.abs(M).max())
    values, vectors = linalg.eigh(M, check_finite=False)
    kept = np.abs(values) > 1e-11 * scale
    return np.asarray(vectors[:, kept] @ ((right @ vectors[:, kept]) / values[kept]))
