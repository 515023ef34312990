"""Support vector machines by an augmented Lagrangian with semismooth Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from tacit._typing import Vector
from tacit.family._svm import HingeProblem, HingeSolution, HingeStatus

# The penalty: the width of the curved part of the smoothed hinge is its inverse, in units of the
# margin. The first is wide enough for few Newton steps from anywhere, growth by ten gives a digit
# or more a round, and the last still leaves half of all digits to the Newton systems.
FIRST_PENALTY = 3.0
WARM_PENALTY = 10.0
GROWTH = 10.0
LAST_PENALTY = 1e6
# Costs are felt in units of 1 / ||x||^2. Above HARD of these the smoothed hinge is as steep as the
# hinge itself, and Newton's method takes hundreds of steps: it then starts as with SOFT of them,
# and the penalty grows on for as much longer, up to MOST_HARD, above which it would cost digits.
SOFT, HARD, MOST_HARD = 1e2, 1e4, 1e6
# The intercept's own curvature, as a part of that of all rows together: only for the moments in
# which no row is on the curved part, to keep the Newton system regular.
INTERCEPT_CURVATURE = 1e-12
# The part of a slope that a line search may leave.
ENOUGH = 0.3
# What a round's own problem may be off by, as a part of the objective. A gap is measured at the
# dual point, where it is this times the penalty; the last Newton steps are few.
INNER = 1e-10
# The relative gap below which it is worth to guess that all bounds are right, and the penalty from
# which on it is in any case: large costs make a large gap of a small error.
POLISH = 1e-2
LATE_PENALTY = 1e4
# Tolerances below which an answer is made exact even where it already serves.
SHARP = 1e-6
# More rows off their bounds than this are not worth a dense system of their own.
MOST_FREE = 1500


def solve_hinge(
    problem: HingeProblem,
    start: HingeSolution | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> HingeSolution:
    """The minimiser of `problem` to a relative duality gap of `tol`.

    The proximal point method on the dual: each round maximises the dual less the squared distance
    to the last point, whose own dual is a smooth problem in w and b that Newton's method solves in
    a few steps (Li, Sun & Toh, SIAM Journal on Optimization 28, 2018). Only rows on the curved
    part of the smoothed hinge enter the Newton system, usually few, so that a step costs O(n d)
    and the cube of the smaller of their number and d.
    """
    # 1. A first dual point and what it gives.
    best = problem.measure(np.zeros_like(problem.costs) if start is None else start.alpha)
    at = best if start is None else replace(start, alpha=np.clip(start.alpha, 0.0, problem.costs))
    penalty = FIRST_PENALTY if start is None else WARM_PENALTY
    unit, last = problem.costs, LAST_PENALTY
    hardness = float(unit.max(initial=0.0)) * problem.geometry.mean_square()
    if hardness > HARD:
        unit = np.minimum(unit, SOFT / problem.geometry.mean_square())
        last *= min(hardness, MOST_HARD) / SOFT
    n_iter, stalled = 0, 0
    while best.relative_gap() > tol and n_iter < max_iter and stalled < 3:
        # 2. One proximal step from it.
        smooth = _Smoothed(problem, at.alpha, penalty * unit)
        alpha, steps = smooth.minimise(at, max_iter - n_iter, INNER * best.objective)
        n_iter += steps
        # 3. Keep it where it is better, and be bolder in any case.
        found = problem.measure(alpha)
        is_near = found.relative_gap() < POLISH or penalty >= LATE_PENALTY
        if is_near and (tol < SHARP or found.relative_gap() > tol):
            found = _polish(problem, found)
        progress = found.gap() < 0.9 * best.gap() or penalty < last
        stalled = 0 if progress else stalled + 1
        if found.gap() < best.gap():
            best = found
        at = found
        penalty = min(penalty * GROWTH, last)
    if best.is_optimal(tol):
        status = HingeStatus.OPTIMAL
    else:
        status = HingeStatus.MAX_ITERATIONS if n_iter >= max_iter else HingeStatus.STALLED
    return replace(best, status=status, n_iter=n_iter)


@dataclass(frozen=True)
class _Smoothed:
    """The hinge problem with a smoothed loss: the dual of one proximal step.

    The loss of a violation t is max over a in [0, c] of a t - (a - alpha)^2 / (2 penalty); the best
    a is the new dual value.
    """

    problem: HingeProblem
    alpha: Vector
    penalty: Vector

    def minimise(self, start: HingeSolution, max_iter: int, scale: float) -> tuple[Vector, int]:
        """Newton's method from `start` until the objective can fall by `scale` at the most."""
        problem, geometry, signs = self.problem, self.problem.geometry, self.problem.signs
        w, f = start.w, start.values
        regular = INTERCEPT_CURVATURE * float(self.penalty.sum())
        n_iter = 0
        while n_iter < max_iter:
            n_iter += 1
            # 1. The gradient at w, and the rows on the curved part of their loss.
            raw = self.alpha + self.penalty * problem.violations(f)
            free = np.flatnonzero((raw > 0.0) & (raw < problem.costs))
            if problem.intercept and not len(free):
                f = f + self._shift(raw, regular)
                raw = self.alpha + self.penalty * problem.violations(f)
                free = np.flatnonzero((raw > 0.0) & (raw < problem.costs))
            beta = signs * np.minimum(np.maximum(raw, 0.0), problem.costs)
            gradient = w - geometry.combine(beta)
            by_intercept = -float(beta.sum())
            # 2. The Newton direction.
            direction, shift = geometry.newton(
                gradient,
                free,
                self.penalty[free],
                np.array([by_intercept, regular] if problem.intercept else []),
            )
            along = geometry.values(direction)
            # 3. A step along it. The decrement is twice what a quadratic would still fall by; the
            # last step is taken on trust, as slopes are rounding noise by then.
            decrement = -geometry.inner(gradient, direction, along) - by_intercept * shift
            is_last = decrement <= scale
            length = 1.0
            if not is_last:
                change = signs * (along + shift)
                length = _line_search(
                    _Slope(
                        geometry.inner(w, direction, along),
                        geometry.inner(direction, direction, along),
                        raw,
                        -self.penalty * change,
                        change,
                        problem.costs,
                    )
                )
            w = w + length * direction
            f = f + length * (along + shift)
            if is_last or length == 0.0:
                break
        raw = self.alpha + self.penalty * problem.violations(f)
        return np.clip(raw, 0.0, problem.costs), n_iter

    def _shift(self, raw: Vector, regular: float) -> float:
        """The change of the intercept alone that is best."""
        signs = self.problem.signs
        slope = _Slope(0.0, regular, raw, -self.penalty * signs, signs, self.problem.costs)
        return float(_line_search(slope, 1.0 if slope(0.0) < 0 else -1.0))


@dataclass(frozen=True)
class _Slope:
    """The slope of the smoothed objective along a line: piecewise linear, never falling."""

    first: float
    curvature: float
    raw: Vector
    change: Vector
    weight: Vector
    costs: Vector

    def __call__(self, length: float) -> float:
        a = np.minimum(np.maximum(self.raw + length * self.change, 0.0), self.costs)
        return self.first + length * self.curvature - float(self.weight @ a)


def _line_search(slope: Callable[[float], float], unit: float = 1.0) -> float:
    """A length at which the slope is ENOUGH of what it was, or less; the full step if it serves."""
    start = slope(0.0) * unit
    if start >= 0.0:
        return 0.0
    enough = ENOUGH * abs(start)
    low, high = 0.0, 1.0
    at_low, at_high = start, slope(unit) * unit
    for _ in range(60):
        if at_high >= -enough:
            break
        low, at_low = high, at_high
        high *= 4.0
        at_high = slope(high * unit) * unit
    for _ in range(60):
        if abs(at_high) <= enough:
            return high * unit
        # The secant is exact on one piece; the tenth guards against slow ends.
        guess = low - at_low * (high - low) / (at_high - at_low)
        middle = min(max(guess, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        value = slope(middle * unit) * unit
        if abs(value) <= enough:
            return middle * unit
        if value < 0:
            low, at_low = middle, value
        else:
            high, at_high = middle, value
    return low * unit


def _polish(problem: HingeProblem, solution: HingeSolution) -> HingeSolution:
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
        # The border has the size of K, whatever the units of the rows.
        size = float(np.abs(K).max()) or 1.0
        bordered = np.zeros((n + 1, n + 1))
        bordered[:n, :n] = K
        bordered[n, :n] = bordered[:n, n] = size
        right = np.append(residual, -size * float(signs @ alpha))
        correction = _shortest_solution(bordered, right)[:n]
    else:
        correction = _shortest_solution(K, residual)
    better = alpha.copy()
    better[free] += signs[free] * correction
    found = problem.measure(better)
    return found if found.gap() < solution.gap() else solution


def _shortest_solution(M: Vector, right: Vector) -> Vector:
    """A solution of a symmetric system, the shortest where it is singular."""
    scale = float(np.abs(M).max())
    values, vectors = linalg.eigh(M, check_finite=False)
    kept = np.abs(values) > 1e-11 * scale
    return np.asarray(vectors[:, kept] @ ((right @ vectors[:, kept]) / values[kept]))
