"""Rounds over the rows: the dual has as many unknowns as there are directions, whatever U is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._typing import Matrix
from tacit.rows._sweep import one_blas_thread
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._problem import BoxProblem, relative
from tacit.solver._zonotope import NearRows, Sweep, Zonotope

# The exact solve takes the rows within this many times the typical movement of the coming step.
SAFETY = 2.0
# And at least this many rows for each direction, so that it is worth its while.
LEAST_NEAR = 3
# Shorter steps, tried in one sweep where the whole step would raise the dual. It hardly ever does.
LENGTHS = (0.003, 0.03, 0.1, 0.25, 0.5, 1.0)
# Relative gap of the exact solve on the near rows; the crossing rows decide about the rest.
EXACT_TOLERANCE = 1e-12
# Growth of the near set after a round without progress.
GROWTH = 4
# Numbers of near rows that are ever held: 400 MB.
MOST_NEAR_NUMBERS = 50_000_000
# A rise of the dual by less than this, relative to its terms, is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Exact:
    """The labels of the near rows, all others fixed by sign, with the dual vector they imply."""

    q: Matrix
    residual: Matrix
    near: NearRows
    labels: Matrix
    margin: float
    gap: float
    stationarity: float
    infeasibility: float
    mass: Any
    total: Matrix


@dataclass(frozen=True)
class Outcome:
    """Where the rounds ended.

    Attributes
    ----------
    q : ndarray of shape (r,)
        The last dual vector.
    previous : ndarray of shape (r,)
        The dual vector whose signs decide all labels but those of the near rows.
    exact : Exact or None
        The best exact solve.
    gap, relative_gap : float
        Its duality gap over all rows; infinite without one.
    converged : bool
        Whether the tolerance was met.
    n_rounds : int
        Rounds.
    """

    q: Matrix
    previous: Matrix
    exact: Exact | None
    gap: float
    relative_gap: float
    converged: bool
    n_rounds: int


@dataclass(frozen=True)
class Point:
    """A dual vector with all that a sweep told about it; near rows come nearest first."""

    q: Matrix
    value: float
    gradient: Matrix
    sweep: Sweep
    near: NearRows
    generators: Matrix


class WorkingSet:
    """Minimise D(q) = 1/2 ||q_soft||^2 + q't - sum_i min(0, v_i'q), the negative dual, in rounds.

    A round looks at the rows near the hyperplane V q = 0. If the coming step stays among them,
    their labels are solved for exactly while all others are fixed by sign; otherwise a Newton
    step, with the curvature taken from the near rows, brings the hyperplane closer. Whatever is
    proposed is accepted only where D falls; if it does not, the near set grows, in the end to all
    rows, for which the exact solve is the answer, or to the limit of memory. So it ends.

    Parameters
    ----------
    zonotope : Zonotope
        The generators.
    target : ndarray of shape (r,)
        The point to approach.
    n_equalities : int
        How many leading columns must be met exactly.
    scale : float
        The unit of the relative gap where the objective is small.
    n_near : int
        Rows to look at in a round, to begin with.
    threshold : callable
        From a dual vector and a number of rows to the distance within which so many lie.
    largest : float
        The length of a long generator, per unit of weight.
    report : callable
        Told about every round.
    """

    # A Newton step must be shorter than this part of the one before, and there are so many of them
    # at the most; then an exact solve is due, on a sample too if it is worth that.
    shrinks = 0.5
    most_newton = 8  # two or three are usual
    exact_on_samples = True
    # Near rows that are ever looked at.
    most_near: float = np.inf

    def __init__(
        self,
        zonotope: Zonotope,
        target: Matrix,
        n_equalities: int,
        scale: float,
        n_near: int,
        threshold: Callable[[Matrix, int], float],
        largest: float,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.zonotope = zonotope
        self.target = target
        self.n_equalities = n_equalities
        self.scale = scale
        self.n_near = min(n_near, zonotope.rows.n_rows)
        self.threshold = threshold
        self.report = report
        self.total_weight = zonotope.rows.total_weight
        self.largest = largest
        # A column for each class, where there are more than two.
        self.soft = np.ones((len(target), *(1,) * (target.ndim - 1)))
        self.soft[:n_equalities] = 0.0

    def run(self, q: Matrix, tol: float, max_rounds: int, close_enough: float = 0.0) -> Outcome:
        """Rounds from q until the relative gap is at most `tol`.

        With `close_enough` above zero they end as soon as the coming step is that part of q, and
        Newton's steps will do: a sample does not deserve more.
        """
        point = self._look_at(q)
        best = Outcome(q, q, None, np.inf, np.inf, False, 0)
        n_rounds, n_newton, n_inexact, insist, last_length = 0, 0, 0, False, np.inf
        while n_rounds < max_rounds:
            step = self._newton_step(point)
            if close_enough and np.linalg.norm(step) <= close_enough * np.linalg.norm(point.q):
                break
            n_rounds += 1

            # Newton's steps shrink fast or not at all; rows that are few or equal defeat them.
            length = float(np.linalg.norm(step))
            n_newton += 1
            if length == 0.0 or length > self.shrinks * last_length or n_newton > self.most_newton:
                insist = self.exact_on_samples or not close_enough
                self._grow(2 if insist else 1)
            last_length = length

            # 1. Propose: exact among the near rows, if they are all that the step can reach.
            n_needed = self._n_needed(point, step) * GROWTH**n_inexact
            everything = point.near.weights.sum() >= (1.0 - 1e-9) * self.total_weight
            last = n_rounds == max_rounds and not close_enough
            trial = None
            if (n_needed < len(point.near) and not close_enough) or everything or insist or last:
                trial = self._solve_near(point, n_needed)
                step = trial.q - point.q

            # 2. Sweep: value, slope and near rows at the end of the step, and what crossed over.
            q = point.q + step
            sweep = self._sweep([q], point.q if trial else None, trial)

            # 3. Judge the exact solve: only rows that changed sides add to its own gap.
            if trial is not None:
                judged = self._judge(point, trial, sweep, tol, n_rounds)
                best = judged if judged.gap <= best.gap else best
            self._tell(n_rounds, trial, best.relative_gap)
            if best.converged:
                return best

            # 4. Move, if need be by a shorter step, or look farther around.
            slack = ROUNDING * (
                abs(point.value) + float(np.vdot(np.abs(point.q), np.abs(self.target)))
            )
            moved = self._point(q, sweep)
            # Not "above": a value that is not a number must not pass.
            if not moved.value <= point.value + slack:
                moved = self._shorter(point, step)
            if trial is not None:
                # It was to be exact and was not: rows beyond those solved for have changed sides.
                n_inexact += 1
                if everything and n_needed >= len(point.near):
                    break  # there are no more rows, and rounding has won
                self._grow(2)
            if not moved.value <= point.value + slack:
                if close_enough and not self.exact_on_samples:
                    break
                # A Newton step may fail where rows are few or equal; the exact solve descends.
                insist = True
                if trial is not None:
                    grown = self._grow(GROWTH)
                    if not (grown or everything or self._sees_all()):
                        break  # memory forbids to look farther
                    point = self._look_at(point.q)
                continue
            assert moved.value <= point.value + slack, "the dual must not rise"
            point, insist = moved, False
        return replace(best, q=point.q, n_rounds=n_rounds)

    def _grow(self, factor: int) -> bool:
        """Look at more rows from now on; False where there are no more, or memory forbids it."""
        rows = self.zonotope.rows
        most = min(self.most_near, rows.n_rows, MOST_NEAR_NUMBERS // max(1, rows.n_features))
        most = max(self.n_near, most)
        before, self.n_near = self.n_near, int(min(factor * self.n_near, most))
        return self.n_near > before

    def _sees_all(self) -> bool:
        return self.n_near >= self.zonotope.rows.n_rows

    def _judge(
        self, point: Point, trial: Exact, sweep: Sweep, tol: float, n_rounds: int
    ) -> Outcome:
        gap = trial.gap + sweep.crossed
        relative_gap = relative(gap, self._objective(trial.residual), self.scale)
        converged = relative_gap <= tol and trial.infeasibility <= tol
        return Outcome(trial.q, point.q, trial, gap, relative_gap, converged, n_rounds)

    def _objective(self, residual: Matrix) -> float:
        soft = residual[self.n_equalities :]
        return 0.5 * float(soft @ soft)

    def _value(self, q: Matrix, sweep: Sweep, k: int = 0) -> float:
        quadratic = 0.5 * np.vdot(self.soft * q, q)
        return float(quadratic + np.vdot(q, self.target) - sweep.minima[k])

    def _sweep(
        self, candidates: list[Matrix], previous: Matrix | None, trial: Exact | None
    ) -> Sweep:
        threshold = np.inf if self._sees_all() else self.threshold(candidates[0], self.n_near)
        return self.zonotope.sweep(
            candidates,
            threshold,
            2 * self.n_near,
            None if previous is None or trial is None else (previous, trial.margin),
        )

    def _shorter(self, point: Point, step: Matrix) -> Point:
        """The lowest point on the way, where the whole step goes too far.

        D is convex and piecewise quadratic along the step, so its slope rises piecewise linearly.
        One sweep gives the slope at several lengths, which enclose its root; a second one looks
        at the root of the straight line between them, and around it.
        """
        slopes = [float(np.vdot(point.gradient, step)), *self._slopes(point, step, LENGTHS)]
        lengths = [0.0, *LENGTHS]
        after = next((k for k, slope in enumerate(slopes) if slope > 0.0), len(slopes) - 1)
        low, high = lengths[max(after - 1, 0)], lengths[after]
        rise = slopes[after] - slopes[max(after - 1, 0)]
        part = -slopes[max(after - 1, 0)] / rise if rise > 0.0 else 1.0
        root = low + min(max(part, 0.01), 1.0) * (high - low)
        candidates = [point.q + length * step for length in (root, 0.5 * (low + root), low or root)]
        sweep = self._sweep(candidates, None, None)
        values = [self._value(q, sweep, k) for k, q in enumerate(candidates)]
        best = int(np.argmin(values))
        return self._point(candidates[0], sweep) if best == 0 else self._look_at(candidates[best])

    def _slopes(self, point: Point, step: Matrix, lengths: tuple[float, ...]) -> list[float]:
        """The slope of D along the step at several lengths, in one sweep."""
        candidates = [point.q + length * step for length in lengths]
        sweep = self._sweep(candidates, None, None)
        return [
            float(np.vdot(self.soft * q + self.target - sweep.negative[k], step))
            for k, q in enumerate(candidates)
        ]

    def _look_at(self, q: Matrix) -> Point:
        return self._point(q, self._sweep([q], None, None))

    def _point(self, q: Matrix, sweep: Sweep) -> Point:
        return Point(
            q=q,
            value=self._value(q, sweep),
            gradient=self.soft * q + self.target - sweep.negative[0],
            sweep=sweep,
            near=sweep.near,
            generators=self.zonotope.generators(sweep.near.X, None),
        )

    def _newton_step(self, point: Point) -> Matrix:
        """Minus the inverse curvature times the slope.

        The curvature of D is I + sum_i w_i delta(s_i) x_i x_i': for very many rows a smooth
        function of q, and estimated by a kernel over the near ones.
        """
        near = point.near
        band = float(np.abs(near.s).max(initial=0.0))
        kernel = np.zeros(len(near))
        # A band as narrow as rounding holds equal rows, and says nothing about curvature.
        if band > 1e-14 * float(np.linalg.norm(point.q)) * self.largest:
            kernel = 0.75 / band * (1.0 - (near.s / band) ** 2) * near.weights
        with one_blas_thread():
            curvature = (point.generators * kernel[:, None]).T @ point.generators
            diagonal = np.einsum("ii->i", curvature)
            diagonal += self.soft
            diagonal += 1e-10 * diagonal.mean()
            try:
                step = np.asarray(-np.linalg.solve(curvature, point.gradient), dtype=np.float64)
            except np.linalg.LinAlgError:
                step = -point.gradient
        return step if np.isfinite(step).all() else np.zeros_like(point.q)

    def _n_needed(self, point: Point, step: Matrix) -> int:
        """How many of the near rows the step may carry across the hyperplane."""
        if len(point.near) == 0:
            return 0
        movement = np.abs(point.generators @ step)
        reach = SAFETY * float(np.quantile(movement, 0.95))
        needed = int(np.searchsorted(np.abs(point.near.s), reach, side="right"))
        return max(needed, LEAST_NEAR * step.size)

    def _solve_near(self, point: Point, n_needed: int) -> Exact:
        near = point.near.nearest(n_needed)
        V = point.generators[: len(near)] * near.weights[:, None]
        is_negative = near.s < 0
        decided = point.sweep.negative[0] - V[is_negative].sum(axis=0)
        small = BoxProblem(V, self.target - decided, self.n_equalities)
        solution = solve_interior_point(small, tol=EXACT_TOLERANCE)
        labels = solution.labels()
        moved = (labels - is_negative) * near.weights
        return Exact(
            q=solution.dual,
            residual=solution.residual,
            near=near,
            labels=labels,
            margin=float(np.abs(near.s).max(initial=0.0)),
            gap=solution.gap(),
            stationarity=solution.kkt_residual(),
            infeasibility=solution.infeasibility,
            mass=point.sweep.mass + float(moved.sum()),
            total=point.sweep.total + moved @ near.X,
        )

    def _tell(self, n_rounds: int, trial: Exact | None, relative_gap: float) -> None:
        kind = "Newton step" if trial is None else f"exact solve of {len(trial.near)} rows"
        gap = "" if trial is None else f", relative gap {relative_gap:.1e}"
        self.report(f"round {n_rounds}: {kind}{gap}, {self.zonotope.n_sweeps} sweeps")
