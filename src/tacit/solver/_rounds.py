"""Rounds over the rows: the dual has r (K - 1) unknowns, whatever U is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._cached import cached_property
from tacit._typing import Index, Matrix, Vector
from tacit.rows._sweep import one_blas_thread
from tacit.solver._curvature import Curvature, Factor
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._problem import Problem, relative
from tacit.solver._solution import Solution
from tacit.solver._zonotope import NearRows, Sweep, Zonotope

# The exact solve takes the rows within this many times the typical movement of the coming step.
SAFETY = 2.0
# And at least this many rows for each unknown, so that it is worth its while.
LEAST_NEAR = 3
# Shorter steps, tried in one sweep where the whole step would raise the dual. It hardly ever does.
LENGTHS = (0.003, 0.03, 0.1, 0.25, 0.5)
# Relative gap of the exact solve on the near rows; the crossing rows decide about the rest.
EXACT_TOLERANCE = 1e-12
# Growth of the near set after a round without progress.
GROWTH = 4
# Numbers of near rows that are ever held: 400 MB.
MOST_NEAR_NUMBERS = 50_000_000
# A rise of the dual by less than this, relative to its terms, is rounding.
ROUNDING = 1e-12
# Added to the diagonal of the curvature, relative to its trace.
RIDGE = 1e-10
# A Newton step must be shorter than this part of the one before, and there are so many of them at
# the most; then an exact solve is due. Two or three are usual for two classes; for more an exact
# solve costs as much as ten of them, so there they have more time (second number).
SHRINKS, MOST_NEWTON = (0.5, 1.0), (8, 20)

Report = Callable[[str], None]


@dataclass(frozen=True)
class Exact:
    """The solution for the near rows, all others decided, and the sums over all labels."""

    solution: Solution
    near: NearRows
    margin: float
    mass: Any
    total: Matrix


@dataclass(frozen=True)
class Outcome:
    """Where the rounds ended: the last dual vector, and the best exact solve with its gap."""

    q: Matrix
    previous: Matrix  # the dual vector that decides all labels but those of the near rows
    exact: Exact | None = None
    gap: float = np.inf  # over all rows
    relative_gap: float = np.inf
    converged: bool = False
    n_rounds: int = 0


@dataclass(frozen=True)
class Point:
    """A dual vector with all that a sweep told about it; near rows come nearest first."""

    q: Matrix
    value: float
    gradient: Matrix
    sweep: Sweep
    generators: Matrix

    @property
    def near(self) -> NearRows:
        """The rows between classes."""
        return self.sweep.near


@dataclass
class _State:
    """Where a run is: how many rows it looks at, its point, its best answer, and its patience."""

    n_near: int
    point: Point
    best: Outcome
    n_rounds: int = 0
    n_newton: int = 0
    n_inexact: int = 0
    insist: bool = False  # on an exact solve
    last_length: float = np.inf


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """Minimise D(q) = 1/2 ||q_soft||^2 + <q, t> - sum_i min_k s_ik, the negative dual, in rounds.

    s = V q are the slopes of the vertices: 0 and v'q for two classes. A round looks at the rows
    whose two lowest slopes are close. If the coming step stays among them, their labels are
    solved for exactly while all others are decided by the lowest slope; otherwise a Newton step,
    with the curvature taken from the near rows, brings the dual vector closer. Whatever is proposed
    is accepted only where D falls; if it does not, the near set grows, in the end to all rows,
    for which the exact solve is the answer, or to the limit of memory. So it ends.
    """

    zonotope: Zonotope
    target: Matrix  # (r,) or (r, K)
    n_equalities: int
    scale: float  # the unit of the relative gap where the objective is small
    n_near: int  # rows to look at in a round, to begin with
    threshold: Callable[[Matrix, int], float]  # the distance within which so many rows lie
    largest: float  # the length of a long generator, per unit of weight
    most_near: float = np.inf  # rows that are ever looked at
    sizes: Vector | None = None  # how many classes each column stands for
    report: Report = lambda text: None

    @cached_property
    def soft(self) -> Matrix:
        """The weight of the square of q: sizes, and zero on equalities."""
        soft = np.ones(self.target.shape) if self.sizes is None else self.sizes + 0.0 * self.target
        soft[: self.n_equalities] = 0.0
        return soft

    @property
    def _n_classes(self) -> int:
        return 2 if self.target.ndim == 1 else self.target.shape[1]

    def run(self, q: Matrix, tol: float, max_rounds: int, close_enough: float = 0.0) -> Outcome:
        """Rounds from q until the relative gap is at most `tol`.

        With `close_enough` above zero they end as soon as the coming step is that part of q, and
        Newton's steps will do: a sample does not deserve more.
        """
        n_near = min(self.n_near, self.zonotope.rows.n_rows)
        state = _State(n_near, self._look_at(q, n_near), Outcome(q, q))
        while state.n_rounds < max_rounds:
            point = state.point
            step = self._newton_step(point)
            if close_enough and np.linalg.norm(step) <= close_enough * np.linalg.norm(point.q):
                break
            state.n_rounds += 1
            self._check_length(state, step, on_sample=bool(close_enough))

            # 1. Propose: exact among the near rows, if they are all that the step can reach.
            n_needed = self._n_needed(point, step) * GROWTH**state.n_inexact
            everything = self._has_all(point.near)
            due = n_needed < len(point.near) or state.n_rounds == max_rounds
            trial = None
            if everything or state.insist or (due and not close_enough):
                trial = self._solve_near(point, n_needed)
                step = trial.solution.dual - point.q

            # 2. Sweep: value, slope and near rows at the end of the step, and what crossed over.
            q = point.q + step
            decided = None if trial is None else (point.q, trial.margin)
            sweep = self._sweep([q], state.n_near, decided)

            # 3. Judge the exact solve: only rows that changed sides add to its own gap.
            if trial is not None:
                judged = self._judge(point, trial, sweep, tol)
                state.best = judged if judged.gap <= state.best.gap else state.best
            self._tell(state, trial)
            if state.best.converged:
                return replace(state.best, n_rounds=state.n_rounds)

            # 4. Move, if need be by a shorter step, or look farther around.
            highest = point.value + ROUNDING * (
                abs(point.value) + float(np.vdot(np.abs(point.q), np.abs(self.target)))
            )
            moved = self._point(q, sweep)
            # Not "above": a value that is not a number must not pass.
            if not moved.value <= highest:
                moved = self._shorter(point, step, state.n_near)
            if trial is not None:
                # It was to be exact and was not: rows beyond those solved for have changed sides.
                state.n_inexact += 1
                if everything and n_needed >= len(point.near):
                    break  # there are no more rows, and rounding has won
                self._grow(state, 2)
            if moved.value <= highest:
                state.point, state.insist = moved, False
                continue
            if close_enough and self.target.ndim == 2:
                break
            # A Newton step may fail where rows are few or equal; the exact solve descends.
            state.insist = True
            if trial is not None:
                grown = self._grow(state, GROWTH)
                if not (grown or everything or self._sees_all(state.n_near)):
                    break  # memory forbids to look farther
                state.point = self._look_at(point.q, state.n_near)
        return replace(state.best, q=state.point.q, n_rounds=state.n_rounds)

    def _check_length(self, state: _State, step: Matrix, on_sample: bool) -> None:
        """Newton's steps shrink fast or not at all; rows that are few or equal defeat them."""
        many = self.target.ndim == 2
        shrinks, most = SHRINKS[many], MOST_NEWTON[many]
        length = float(np.linalg.norm(step))
        state.n_newton += 1
        if length == 0.0 or length > shrinks * state.last_length or state.n_newton > most:
            # With many classes a sample is not worth an exact solve.
            state.insist = not (on_sample and many)
            self._grow(state, 2 if state.insist else 1)
        state.last_length = length

    def _grow(self, state: _State, factor: int) -> bool:
        """Look at more rows from now on; False where there are no more, or memory forbids it."""
        rows = self.zonotope.rows
        most = min(self.most_near, rows.n_rows, MOST_NEAR_NUMBERS // max(1, rows.n_features))
        before = state.n_near
        state.n_near = int(min(factor * before, max(before, most)))
        return state.n_near > before

    def _sees_all(self, n_near: int) -> bool:
        return n_near >= self.zonotope.rows.n_rows

    def _has_all(self, near: NearRows) -> bool:
        return bool(near.weights.sum() >= (1.0 - 1e-9) * self.zonotope.rows.total_weight)

    def _judge(self, point: Point, trial: Exact, sweep: Sweep, tol: float) -> Outcome:
        solution = trial.solution
        gap = solution.gap() + sweep.crossed
        soft = solution.residual[self.n_equalities :]
        objective = 0.5 * float(np.vdot(soft, soft if self.sizes is None else soft / self.sizes))
        relative_gap = relative(gap, objective, self.scale)
        converged = relative_gap <= tol and solution.infeasibility <= tol
        return Outcome(solution.dual, point.q, trial, gap, relative_gap, converged)

    def _value(self, q: Matrix, sweep: Sweep, k: int = 0) -> float:
        quadratic = 0.5 * np.vdot(self.soft * q, q)
        return float(quadratic + np.vdot(q, self.target) - sweep.minima[k])

    def _sweep(
        self, candidates: list[Matrix], n_near: int, decided: tuple[Matrix, float] | None = None
    ) -> Sweep:
        threshold = np.inf if self._sees_all(n_near) else self.threshold(candidates[0], n_near)
        return self.zonotope.sweep(candidates, threshold, 2 * n_near, decided)

    def _look_at(self, q: Matrix, n_near: int) -> Point:
        return self._point(q, self._sweep([q], n_near))

    def _point(self, q: Matrix, sweep: Sweep) -> Point:
        generators = self.zonotope.generators(sweep.near.X, None)
        gradient = np.asarray(self.soft * q + self.target - sweep.reached)
        return Point(q, self._value(q, sweep), gradient, sweep, generators)

    def _shorter(self, point: Point, step: Matrix, n_near: int) -> Point:
        """The lowest of some points on the way, where the whole step goes too far."""
        candidates = [point.q + length * step for length in LENGTHS]
        sweep = self._sweep(candidates, n_near)
        values = [self._value(q, sweep, k) for k, q in enumerate(candidates)]
        return self._look_at(candidates[int(np.argmin(values))], n_near)

    def _newton_step(self, point: Point) -> Matrix:
        """Minus the inverse curvature times the slope.

        The curvature of D is I + sum_i w_i delta(s_k - s_l) (e_k - e_l)(e_k - e_l)' (x) x_i x_i', k
        and l the two lowest vertices of a row (for two classes I + sum_i w_i delta(s_i) x_i x_i'):
        for very many rows a smooth function of q, and estimated by a kernel over the near ones.
        """
        near, is_interval = point.near, self.target.ndim == 1
        band = float(near.distance.max(initial=0.0))
        kernel = np.zeros(len(near))
        # A band as narrow as rounding holds equal rows, and says nothing about curvature.
        if band > 1e-14 * float(np.linalg.norm(point.q)) * self.largest:
            kernel = 0.75 / band * (1.0 - (near.distance / band) ** 2) * near.weights
        counts = kernel > 0.0
        V, weights = point.generators[counts], np.tile(2.0 * kernel[counts], (self._n_classes, 1))
        allowed = None
        if not is_interval:
            allowed = np.zeros(weights.T.shape, dtype=bool)
            np.put_along_axis(allowed, _two_lowest(V @ point.q), True, axis=1)
            weights *= allowed.T
        curvature = Curvature(V, self._n_classes, allowed, is_interval)
        with one_blas_thread():
            try:
                step = -Factor(curvature.at(weights), self.soft, RIDGE).solve(point.gradient)
            except np.linalg.LinAlgError:
                step = -point.gradient
        return step if np.isfinite(step).all() else np.zeros_like(point.q)

    def _n_needed(self, point: Point, step: Matrix) -> int:
        """How many of the near rows the step may carry from one class to the other."""
        if len(point.near) == 0:
            return 0
        moved = point.generators @ step
        if moved.ndim == 2:
            between = np.take_along_axis(moved, _two_lowest(point.generators @ point.q), axis=1)
            moved = between[:, 0] - between[:, 1]
        reach = SAFETY * float(np.quantile(np.abs(moved), 0.95))
        needed = int(np.searchsorted(point.near.distance, reach, side="right"))
        return max(needed, LEAST_NEAR * len(step) * (self._n_classes - 1))

    def _solve_near(self, point: Point, n_needed: int) -> Exact:
        """The labels of the nearest rows, all others decided.

        Only the classes within the distance of these rows are open, two for most of them, so that
        it costs little more with many classes than with two.
        """
        near = point.near.nearest(n_needed)
        V = point.generators[: len(near)]
        margin = np.inf  # all rows and classes are open, and the answer is final
        if not self._has_all(near):
            # Halfway to the next row, so that no rounding puts the last one beyond it.
            last = point.near.distance[max(len(near) - 1, 0) : len(near) + 1]
            margin = float(last.mean()) if len(near) else 0.0
        allowed = None
        if self.target.ndim == 2:
            slopes = V @ point.q
            allowed = slopes - slopes.min(axis=1, keepdims=True, initial=np.inf) <= margin
            allowed |= near.counted > 0.0
            allowed = None if allowed.all() else allowed
        decided = point.sweep.reached - V.T @ near.counted
        V = V * near.weights[:, None]
        small = Problem(V, self.target - decided, self.n_equalities, allowed, self.sizes)
        solution = solve_interior_point(small, tol=EXACT_TOLERANCE)
        moved = (solution.labels().T * near.weights).T - near.counted
        mass = point.sweep.mass + moved.sum(axis=0)
        return Exact(solution, near, margin, mass, point.sweep.total + near.X.T @ moved)

    def _tell(self, state: _State, trial: Exact | None) -> None:
        kind = "Newton step" if trial is None else f"exact solve of {len(trial.near)} rows"
        gap = "" if trial is None else f", relative gap {state.best.relative_gap:.1e}"
        self.report(f"round {state.n_rounds}: {kind}{gap}, {self.zonotope.n_sweeps} sweeps")


def _two_lowest(slopes: Matrix) -> Index:
    """The two classes with the lowest slopes, in the order of the classes."""
    return np.sort(np.argpartition(slopes, 1, axis=1)[:, :2], axis=1)
