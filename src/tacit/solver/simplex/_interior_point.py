"""A primal-dual interior-point method on the simplex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows._sweep import one_blas_thread
from tacit.solver._interior_point import (
    CENTRALITY_CORRECTORS,
    LONGEST,
    PATIENCE,
    PATIENCE_WITH_EQUALITIES,
    REFINE_BELOW,
    SETTLED,
    STEP_TO_BOUNDARY,
)
from tacit.solver._solution import Solution, Status
from tacit.solver.simplex._curvature import Factor, Pairs
from tacit.solver.simplex._dense_groups import finish_by_groups
from tacit.solver.simplex._polish import Finished, finish, settle
from tacit.solver.simplex._problem import SimplexProblem

# A relative gap above this, where progress ends, asks for another attempt.
ACCURATE = 1e-9


@dataclass(frozen=True)
class _Iterate:
    """Labels p > 0, their multipliers y > 0 and those of the sums of rows, and the dual Q.

    Labels and multipliers have shape (K, U), so that a class lies together in memory. Where a class
    is not allowed both are one and never move.
    """

    p: Matrix
    y: Matrix
    lam: Vector
    Q: Matrix

    def after(self, step: _Iterate, primal: float, dual: float) -> _Iterate:
        """The iterate `primal` and `dual` times along `step`."""
        return _Iterate(
            self.p + primal * step.p,
            self.y + dual * step.y,
            self.lam + dual * step.lam,
            self.Q + dual * step.Q,
        )

    def longest(self, step: _Iterate) -> tuple[float, float]:
        """How far labels, and how far multipliers, can go before one is negative."""
        return _reach_of(self.p, step.p), _reach_of(self.y, step.y)


def _reach_of(value: Matrix, change: Matrix) -> float:
    fastest = -float((change / value).min())
    return min(LONGEST, 1.0 / fastest) if fastest > 0.0 else LONGEST


@dataclass(frozen=True)
class _Setting:
    """What does not change from one iterate to the next."""

    problem: SimplexProblem
    pairs: Pairs
    soft: Matrix  # (r, K), the sizes of the classes where z is minimised, zero where it is held
    mask: Matrix | None  # (K, U), one where a class is allowed
    n_allowed: int

    @classmethod
    def of(cls, problem: SimplexProblem) -> _Setting:
        soft = np.tile(problem.counts, (problem.rank, 1))
        soft[: problem.n_equalities] = 0.0
        pairs = Pairs(problem.V, problem.allowed, problem.n_classes)
        if problem.allowed is None:
            return cls(problem, pairs, soft, None, problem.n_labels * problem.n_classes)
        mask = np.ascontiguousarray(problem.allowed.T, dtype=np.float64)
        return cls(problem, pairs, soft, mask, int(problem.allowed.sum()))

    def masked(self, values: Matrix) -> Matrix:
        return values if self.mask is None else values * self.mask

    def labels(self, at: _Iterate) -> Matrix:
        """P of shape (U, K), rows adding up to one."""
        p = self.masked(at.p)
        return np.ascontiguousarray((p / p.sum(axis=0)).T)

    def mean(self, products: Matrix) -> float:
        return float(self.masked(products).sum()) / self.n_allowed


class _Newton:
    """The Newton system at one iterate, factored once for all the steps taken from it.

    With w = p / y a row answers a change of its slopes by dp = M ds (see Pairs), so everything but
    the dual step can be eliminated, which leaves H + sum_i M_i (x) v_i v_i'.
    """

    def __init__(self, setting: _Setting, at: _Iterate) -> None:
        self.setting, self.at = setting, at
        problem = setting.problem
        self.products = at.p * at.y
        self.weights = setting.masked(at.p / at.y)
        self.total = self.weights.sum(axis=0)
        # The heaviest class of a row is the one that the others are compared with.
        self.heaviest = self.weights.argmax(axis=0)[None]
        matrix = setting.pairs.curvature(self.weights)
        self.factor = Factor(matrix, setting.soft)
        slopes = _slopes(problem, at.Q)
        self.stationarity = slopes - at.y - at.lam
        self.primal = setting.soft * at.Q - problem.residual(setting.masked(at.p).T)

    def step(self, products: Matrix | float) -> _Iterate:
        """The step towards these products of p and y."""
        at, setting = self.at, self.setting
        towards = setting.masked((products - self.products) / at.p)
        g = towards - self.stationarity
        answer, _ = self._answer(g)
        Q = self.factor.solve(setting.problem.V.T @ answer.T - self.primal)
        p, lam = self._answer(g - _slopes(setting.problem, Q))
        y = setting.masked(towards - at.y / at.p * p)
        return _Iterate(p, y, lam, Q)

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


def solve_simplex_interior_point(
    problem: SimplexProblem, tol: float = 1e-8, max_iter: int = 100, may_group: bool = True
) -> Solution:
    """Solve `problem` by Mehrotra's predictor-corrector method (1992) with Gondzio's correctors.

    The sum of a row is eliminated, and so are all labels: each iteration costs O(U r^2 K^2) for a
    matrix of order K r (less where few classes are allowed) and O((K r)^3) for its factor. It stops
    on the relative duality gap. As soon as it is plain which labels are fractional they are solved
    for exactly.

    Parameters
    ----------
    problem : SimplexProblem
        What to solve.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=100
        Iterations at the most; around a dozen are needed.
    may_group : bool, default=True
        Whether to solve for alike classes as one where progress ends early.

    Returns
    -------
    Solution
        With status OPTIMAL, INSIDE, EMPTY, MAX_ITERATIONS or STALLED. The target is centred first
        (see SimplexProblem.centred), and residual, objective and gap are those of the centred
        problem.
    """
    name = "interior-point"
    problem = problem.centred()
    unit = float(np.sqrt(2.0 * problem.whole().scale))
    if problem.n_labels == 0 or unit == 0.0:
        P = problem.uniform()
        status = Status.EMPTY if problem.n_labels == 0 else Status.INSIDE
        return Solution.of(problem, P, status=status, solver=name, n_iter=0)
    with one_blas_thread():
        found, status, n_iter = _iterate(problem.times(1.0 / unit), tol, max_iter, may_group)
    dual = None if found.Q is None else found.Q * unit
    return Solution.of(problem, found.P, q=dual, status=status, solver=name, n_iter=n_iter)


def _solve_fewer(problem: SimplexProblem) -> Solution:
    return solve_simplex_interior_point(problem, ACCURATE, may_group=False)


def _iterate(
    problem: SimplexProblem, tol: float, max_iter: int, may_group: bool
) -> tuple[Finished, Status, int]:
    setting = _Setting.of(problem)
    state = _start(setting)
    best_gap, best, since_best, least = np.inf, Finished(setting.labels(state), None), 0, np.inf
    # With equalities the iterates are infeasible at first, and their gap means little.
    patience = PATIENCE if problem.n_equalities == 0 else PATIENCE_WITH_EQUALITIES

    for n_iter in range(max_iter + 1):
        # 1. Judge: is this good enough, or can it be finished exactly?
        now = Finished(setting.labels(state), state.Q if problem.n_equalities else None)
        judged = problem.judge(now.P, now.Q)
        gap = judged.badness
        if gap < best_gap:
            best_gap, best = gap, now
        absolute = abs(judged.gap) + judged.infeasibility
        since_best = 0 if absolute < least else since_best + 1
        least = min(least, absolute)
        near = judged.objective <= REFINE_BELOW * problem.scale
        if gap <= REFINE_BELOW or near:
            multipliers = setting.masked(state.y).T
            exact = finish(problem, setting.pairs, now, multipliers, near)
            if exact is not None and exact.is_reached(problem):
                return exact, Status.INSIDE, n_iter
            if exact is not None and problem.judge(exact.P, exact.Q).badness <= tol:
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
        settled = settle(problem, best, setting.masked(state.y).T, wanted)
        if settled is not None:
            status = Status.INSIDE if settled.is_reached(problem) else Status.OPTIMAL
            return settled, status, n_iter
    if best_gap <= tol:
        return best, Status.OPTIMAL, n_iter
    if best_gap > ACCURATE and n_iter < max_iter and may_group:
        # Alike classes share too many rows for the exact last step, and rounding ends progress.
        grouped = finish_by_groups(problem, state.Q, _solve_fewer)
        if grouped is not None and problem.judge(grouped.P, grouped.Q).badness <= tol:
            return grouped, Status.OPTIMAL, n_iter
    status = Status.MAX_ITERATIONS if n_iter == max_iter else Status.STALLED
    return best, status, n_iter


def _search_direction(newton: _Newton) -> _Iterate:
    """Mehrotra's predictor and corrector, then Gondzio's centrality correctors."""
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
    problem = setting.problem
    P = problem.uniform()
    Q = problem.dual(P)
    slopes = _slopes(problem, Q)
    if setting.mask is None:
        lowest = slopes.min(axis=0)
    else:
        lowest = np.where(setting.mask > 0, slopes, np.inf).min(axis=0)
    spread = setting.masked(slopes - lowest)
    margin = float(spread.sum()) / setting.n_allowed + 1.0 / problem.n_labels
    p, y = np.ascontiguousarray(P.T), spread + margin
    if setting.mask is not None:
        p, y = np.where(setting.mask > 0, p, 1.0), np.where(setting.mask > 0, y, 1.0)
    return _Iterate(p, y, lowest - margin, Q)


def _slopes(problem: SimplexProblem, Q: Matrix) -> Matrix:
    """s = V Q, of shape (K, U)."""
    return np.ascontiguousarray((problem.V @ Q).T)
