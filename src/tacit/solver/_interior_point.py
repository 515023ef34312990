"""A primal-dual interior-point method on the factored problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.rows._sweep import one_blas_thread
from tacit.solver._active_set import (
    FEW_FACES,
    Candidate,
    descend_faces,
    fractional,
    reach,
    solve_in_unit,
)
from tacit.solver._curvature import Curvature, Factor
from tacit.solver._problem import Problem
from tacit.solver._solution import Solution, Status

# Mehrotra's fraction of the way to the boundary; closer steps end in worse-centred points.
STEP_TO_BOUNDARY = 0.99
LONGEST = 1.0 / STEP_TO_BOUNDARY
# Gondzio's correctors an iteration; two save a third of the iterations at U = 10,000.
CENTRALITY_CORRECTORS = 2
# Below this relative gap the fractional labels usually can be told from the others, and the
# exact solve on a few faces is worth a try. It costs less than an iteration.
REFINE_BELOW = 1e-3
# Iterations without a smaller gap after which rounding has won.
PATIENCE = 8
PATIENCE_WITH_EQUALITIES = 30
# A relative gap that is all rounding. Labels that meet it are taken for exact, even where the last
# iterate's happens to be smaller: a gap hides an error of the residual as large as its root.
SETTLED = 1e-12


@dataclass(frozen=True)
class _Iterate:
    """Weights p > 0 of the vertices, their multipliers y > 0, and the dual q.

    All weights are kept, because 1 - u stays positive where u rounds to one. `sums` are the
    multipliers of the sums of the weights, zero on the interval, where they cancel. Where a class
    is not allowed p and y are one and never move.
    """

    p: Matrix
    y: Matrix
    sums: Vector | float
    q: Matrix

    def after(self, step: _Iterate, primal: float, dual: float) -> _Iterate:
        """The iterate `primal` and `dual` times along `step`."""
        return _Iterate(
            self.p + primal * step.p,
            self.y + dual * step.y,
            self.sums + dual * step.sums,
            self.q + dual * step.q,
        )

    def longest(self, step: _Iterate) -> tuple[float, float]:
        """How far weights, and how far multipliers, can go before one is negative.

        At most so far that STEP_TO_BOUNDARY of the way is a whole step.
        """
        return _reach_of(self.p, step.p), _reach_of(self.y, step.y)


def _reach_of(value: Matrix, change: Matrix) -> float:
    fastest = -float((change / value).min())
    return min(LONGEST, 1.0 / fastest) if fastest > 0.0 else LONGEST


class _Setting:
    """What does not change from one iterate to the next."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.label_set = problem, problem.label_set
        n_classes, is_interval = self.label_set.n_vertices, problem.target.ndim == 1
        self.curvature = Curvature(problem.V, n_classes, problem.allowed, is_interval)
        # The sizes of the classes where z is minimised, zero where it is held.
        self.soft = np.zeros(problem.target.shape) + problem.counts
        self.soft[: problem.n_equalities] = 0.0
        self.mask: Matrix | None = None
        self.n_allowed = problem.n_labels * n_classes
        if problem.allowed is not None:
            # The classes that a row may have come first, and only so many as the most that one has.
            n_open = problem.allowed.sum(axis=1)
            order = np.argsort(~problem.allowed, axis=1, kind="stable").T
            self.slots: Index = np.ascontiguousarray(order[: n_open.max(initial=1)])
            self.mask = (np.arange(len(self.slots))[:, None] < n_open).astype(np.float64)
            self.n_allowed = int(n_open.sum())

    def masked(self, values: Matrix) -> Matrix:
        return values if self.mask is None else values * self.mask

    def slopes(self, values: Matrix) -> Matrix:
        """The slopes of the vertices that each row may have."""
        if self.mask is None:
            return self.label_set.slopes(values)
        return np.take_along_axis(values.T, self.slots, axis=0)

    def spread(self, weights: Matrix) -> Matrix:
        """Those of all vertices, zero where they are not allowed."""
        if self.mask is None:
            return weights
        whole = np.zeros((self.label_set.n_vertices, weights.shape[1]))
        np.put_along_axis(whole, self.slots, self.masked(weights), axis=0)
        return whole

    def weights(self, labels: Matrix) -> Matrix:
        return self.label_set.weights(labels) if self.mask is None else self.slopes(labels)

    def labels(self, at: _Iterate) -> Matrix:
        p = self.masked(at.p)
        return self.label_set.labels(self.spread(p / p.sum(axis=0)))

    def mean(self, products: Matrix) -> float:
        return float(self.masked(products).sum()) / self.n_allowed


class _Newton:
    """The Newton system at one iterate, factored once for all the steps taken from it.

    With w = p / y a row answers a change of its slopes by dp = M ds (see Curvature), so everything
    but the dual step can be eliminated, which leaves H + sum_i M_i (x) v_i v_i', where H is the
    size of a class on the soft entries and zero on the equalities.
    """

    def __init__(self, setting: _Setting, at: _Iterate) -> None:
        self.setting, self.at = setting, at
        self.products = at.p * at.y
        self.ratio = at.y / at.p
        self.weights = setting.masked(at.p / at.y)
        self.total = self.weights.sum(axis=0)
        self.factor = Factor(setting.curvature.at(setting.spread(self.weights)), setting.soft)
        labels = setting.label_set.labels(setting.spread(at.p))
        self.primal = setting.soft * at.q - setting.problem.residual(labels)
        slopes = setting.problem.V @ at.q
        if slopes.ndim == 1:
            self.pair = self.weights[0] / self.total * self.weights[1]
            self.stationarity = slopes - at.y[1] + at.y[0]
        else:
            # The heaviest class of a row is the one that the others are compared with.
            self.heaviest = self.weights.argmax(axis=0)[None]
            self.stationarity = setting.slopes(slopes) - at.y - at.sums

    def step(self, products: Matrix | float) -> _Iterate:
        """The step towards these products of p and y."""
        at, setting, V = self.at, self.setting, self.setting.problem.V
        towards = setting.masked((products - self.products) / at.p)
        if self.stationarity.ndim == 1:
            # On the interval one vector says it all: half of the time of the general form.
            g = towards[1] - towards[0] - self.stationarity
            q = self.factor.solve((self.pair * g) @ V - self.primal)
            moved = self.pair * (g - V @ q)
            p = np.stack([-moved, moved])
            return _Iterate(p, towards - self.ratio * p, 0.0, q)
        g = towards - self.stationarity
        answer = setting.label_set.labels(setting.spread(self._answer(g)[0]))
        q = self.factor.solve(V.T @ answer - self.primal)
        p, sums = self._answer(g - setting.slopes(V @ q))
        return _Iterate(p, setting.masked(towards - self.ratio * p), sums, q)

    def _answer(self, g: Matrix) -> tuple[Matrix, Vector]:
        """M g for each row, and the multiplier that keeps the sum of the row."""
        reference = np.take_along_axis(g, self.heaviest, axis=0)
        difference = g - reference
        mean = (self.weights * difference).sum(axis=0) / self.total
        p = self.weights * (difference - mean)
        # By the sum of the others, because the difference above cancels for the heaviest class.
        np.put_along_axis(p, self.heaviest, 0.0, axis=0)
        np.put_along_axis(p, self.heaviest, -p.sum(axis=0)[None], axis=0)
        return p, -(mean + reference[0])


def solve_interior_point(problem: Problem, tol: float = 1e-8, max_iter: int = 100) -> Solution:
    """Solve `problem` by Mehrotra's predictor-corrector method (1992) with Gondzio's correctors.

    Each iteration costs O(U r^2) for two classes and O(U r^2 K^2) for more (less where few classes
    are allowed) for the matrix, and O(r^3) or O((K r)^3) for its factor; no matrix of size U x U
    is formed. It stops on the relative duality gap, measured at the labels themselves. As soon as
    the fractional labels are known they are solved for exactly, so that the answer usually is
    accurate to rounding and not merely to `tol`.

    Parameters
    ----------
    problem : Problem
        What to solve. The target is centred first (see Problem.centred).
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=100
        Iterations at the most; around a dozen are needed.

    Returns
    -------
    Solution
        With status OPTIMAL, INSIDE, EMPTY, MAX_ITERATIONS or STALLED; residual, objective and gap
        are those of the centred problem.
    """
    iterate = partial(_iterate, tol=tol, max_iter=max_iter)
    # The products are too small for several BLAS threads to help, and waiting for each other costs
    # them dearly on a busy machine.
    with one_blas_thread():
        return solve_in_unit(problem.centred(), "interior-point", iterate)


def _iterate(problem: Problem, tol: float, max_iter: int) -> tuple[Candidate, Status, int]:
    setting = _Setting(problem)
    state = _start(setting)
    best_gap, best, since_best, least = np.inf, Candidate(setting.labels(state)), 0, np.inf
    # With equalities the iterates are infeasible at first, and their gap means little.
    patience = PATIENCE if problem.n_equalities == 0 else PATIENCE_WITH_EQUALITIES

    for n_iter in range(max_iter + 1):
        # 1. Judge: is this good enough, or can it be finished exactly?
        now = Candidate(setting.labels(state), state.q if problem.n_equalities else None)
        judged = problem.judge(now.labels, now.q)
        gap = judged.badness
        if gap < best_gap:
            best_gap, best = gap, now
        # The relative gap may well rise for a while, where the objective falls faster than the gap.
        absolute = abs(judged.gap) + judged.infeasibility
        since_best = 0 if absolute < least else since_best + 1
        least = min(least, absolute)
        near = judged.objective <= REFINE_BELOW * problem.scale
        if gap <= REFINE_BELOW or near:
            exact = reach(problem, setting.curvature, now.labels) if near else None
            if exact is None:
                free = fractional(problem, now, setting.spread(state.y))
                exact = descend_faces(problem, now, free, tol, FEW_FACES)
            if exact is not None:
                return exact, Status.OPTIMAL, n_iter
        # A tight tolerance asks for accuracy, so the last digits are taken as long as they come.
        if best_gap <= tol and tol > REFINE_BELOW:
            return best, Status.OPTIMAL, n_iter
        if n_iter == max_iter or since_best >= patience or np.isinf(gap):
            break
        if best_gap <= tol and since_best:
            break

        # 2. Step, and remain strictly inside.
        try:
            step = _search_direction(_Newton(setting, state))
        except np.linalg.LinAlgError:
            break
        primal, dual = state.longest(step)
        state = state.after(step, STEP_TO_BOUNDARY * primal, STEP_TO_BOUNDARY * dual)

    # 3. Rounding has won against Newton's system, whose condition grows towards the answer.
    if n_iter < max_iter and np.isfinite(best_gap):
        wanted = min(tol, max(best_gap, SETTLED))
        free = fractional(problem, best, setting.spread(state.y))
        settled = descend_faces(problem, best, free, wanted)
        if settled is not None:
            return settled, Status.OPTIMAL, n_iter
    if best_gap <= tol:
        return best, Status.OPTIMAL, n_iter
    status = Status.MAX_ITERATIONS if n_iter == max_iter else Status.STALLED
    return best, status, n_iter


def _search_direction(newton: _Newton) -> _Iterate:
    """Mehrotra's predictor and corrector, then Gondzio's centrality correctors.

    All of them share one factorisation, so that a corrector costs O(U r) against the O(U r^2)
    of a new iteration.
    """
    at, setting = newton.at, newton.setting
    mean = setting.mean(newton.products)
    predictor = newton.step(0.0)
    ahead = at.after(predictor, *at.longest(predictor))
    centre = max(setting.mean(ahead.p * ahead.y) / mean, 0.0) ** 3 * mean
    products = centre - predictor.p * predictor.y
    step = newton.step(products)

    for _ in range(CENTRALITY_CORRECTORS):
        primal, dual = at.longest(step)
        # Look a little farther than the step can go, and pull back the products that stray most.
        further = at.after(step, min(1.0, 1.1 * primal + 0.1), min(1.0, 1.1 * dual + 0.1))
        product = further.p * further.y
        strayed = np.minimum(np.maximum(product, 0.1 * centre), 10.0 * centre) - product
        wanted = products + np.maximum(strayed, -10.0 * centre)
        corrected = newton.step(wanted)
        reached = at.longest(corrected)
        if reached[0] < primal + 0.01 and reached[1] < dual + 0.01:
            break
        step, products = corrected, wanted
    return step


def _start(setting: _Setting) -> _Iterate:
    """Equal shares, with multipliers that satisfy the stationarity exactly."""
    problem, mask = setting.problem, setting.mask
    labels = problem.uniform()
    q = problem.dual(labels)
    slopes = setting.slopes(problem.V @ q)
    lowest = (slopes if mask is None else np.where(mask > 0, slopes, np.inf)).min(axis=0)
    spread = setting.masked(slopes - lowest)
    margin = float(spread.sum()) / setting.n_allowed + 1.0 / problem.n_labels
    p, y = setting.weights(labels), spread + margin
    if mask is not None:
        p, y = np.where(mask > 0, p, 1.0), np.where(mask > 0, y, 1.0)
    return _Iterate(p, y, 0.0 if q.ndim == 1 else lowest - margin, q)
