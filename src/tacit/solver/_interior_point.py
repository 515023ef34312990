"""A primal-dual interior-point method on the factored problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._typing import Mask, Matrix, Vector
from tacit.rows._sweep import one_blas_thread
from tacit.solver._polish import is_reached, reach, refine, settle, unit_of_multipliers
from tacit.solver._problem import BoxProblem
from tacit.solver._solution import Solution, Status

# Mehrotra's fraction of the way to the boundary; closer steps end in worse-centred points.
STEP_TO_BOUNDARY = 0.99
LONGEST = 1.0 / STEP_TO_BOUNDARY
# Gondzio's correctors an iteration; two save a third of the iterations at U = 10,000.
CENTRALITY_CORRECTORS = 2
# Below this relative gap the fractional labels usually can be told from the others, and the
# exact solve of `refine` is worth a try. It costs less than an iteration.
REFINE_BELOW = 1e-3
# Rounds of that exact solve in which fractional labels that were missed are added, as long as they
# are a small part of all: at an early iterate they are many, and the next one is worth more.
CORRECTIONS = 4
FEW_MISSED = 0.05
# Added to the diagonal for equalities that the data cannot move, relative to the trace.
REGULARISATION = 1e-15
# Iterations without a smaller gap after which rounding has won.
PATIENCE = 8
PATIENCE_WITH_EQUALITIES = 30
# A relative gap that is all rounding. Labels that meet it are taken for exact, even where the last
# iterate's happens to be smaller: a gap hides an error of the residual as large as its root.
SETTLED = 1e-12


@dataclass(frozen=True)
class _Iterate:
    """Distances from the bounds x = (u, 1 - u), their multipliers y >= 0, and the dual q.

    1 - u is kept on its own, because it stays positive where u rounds to one.
    """

    x: Matrix
    y: Matrix
    q: Vector

    @property
    def u(self) -> Vector:
        labels: Vector = self.x[0]
        return labels

    def after(self, step: _Iterate, primal: float, dual: float) -> _Iterate:
        """The iterate `primal` and `dual` times along `step`."""
        return _Iterate(self.x + primal * step.x, self.y + dual * step.y, self.q + dual * step.q)

    def longest(self, step: _Iterate) -> tuple[float, float]:
        """How far labels, and how far multipliers, can go before one is negative.

        At most so far that STEP_TO_BOUNDARY of the way is a whole step.
        """
        return _reach_of(self.x, step.x), _reach_of(self.y, step.y)


def _reach_of(value: Matrix, change: Matrix) -> float:
    fastest = -float((change / value).min())
    return min(LONGEST, 1.0 / fastest) if fastest > 0.0 else LONGEST


class _Newton:
    """The Newton system at one iterate, factored once for all the steps taken from it.

    Eliminating everything but the dual step leaves the r x r matrix H + V' D^-1 V, where
    D = y_0 / x_0 + y_1 / x_1, and H is one on the soft entries and zero on the equalities.
    """

    def __init__(self, problem: BoxProblem, at: _Iterate, soft: Vector) -> None:
        self.problem, self.at = problem, at
        self.products = at.x * at.y
        ratio = at.y / at.x
        self.inverse = 1.0 / (ratio[0] + ratio[1])
        scaled: Matrix = problem.V * np.sqrt(self.inverse)[:, None]
        matrix = scaled.T @ scaled
        diagonal = np.einsum("ii->i", matrix)
        diagonal += soft
        diagonal += REGULARISATION * diagonal.sum()
        # LAPACK itself: the wrappers around it take as long as a small system.
        self.factor, failed = dpotrf(matrix, lower=True, overwrite_a=True, clean=False)
        if failed:
            raise np.linalg.LinAlgError("The Newton system is not positive definite.")
        self.stationarity = problem.V @ at.q - at.y[0] + at.y[1]
        self.primal = soft * at.q - problem.residual(at.u)

    def step(self, products: Matrix | float) -> _Iterate:
        """The step towards these products of x and y."""
        at, V = self.at, self.problem.V
        towards = (products - self.products) / at.x
        g = towards[0] - towards[1] - self.stationarity
        q, _ = dpotrs(self.factor, (self.inverse * g) @ V - self.primal, lower=True)
        u = self.inverse * (g - V @ q)
        x = np.stack([u, -u])
        return _Iterate(x, towards - at.y / at.x * x, q)


def solve_interior_point(problem: BoxProblem, tol: float = 1e-8, max_iter: int = 100) -> Solution:
    """Solve `problem` by Mehrotra's predictor-corrector method (1992) with Gondzio's correctors.

    Each iteration costs O(U r^2) for the matrix and O(r^3) for its factor; no matrix of size
    U x U is formed. It stops on the relative duality gap, measured at the labels themselves.
    As soon as the fractional labels are known they are solved for exactly, so that the answer
    usually is accurate to rounding and not merely to `tol`.

    Parameters
    ----------
    problem : BoxProblem
        What to solve.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=100
        Iterations at the most; around a dozen are needed.

    Returns
    -------
    Solution
        With status OPTIMAL, INSIDE, MAX_ITERATIONS or STALLED.
    """
    name = "interior-point"
    # One common unit for V and the target makes every constant below free of the data's scale.
    unit = np.sqrt(2.0 * BoxProblem(problem.V, problem.target).scale)
    if problem.n_labels == 0 or unit == 0.0:
        u = np.full(problem.n_labels, 0.5)
        status = Status.EMPTY if problem.n_labels == 0 else Status.INSIDE
        return Solution.of(problem, u, status=status, solver=name, n_iter=0)
    scaled = BoxProblem(problem.V / unit, problem.target / unit, problem.n_equalities)
    # The products are too small for several BLAS threads to help, and waiting for each other costs
    # them dearly on a busy machine.
    with one_blas_thread():
        u, q, status, n_iter = _iterate(scaled, tol, max_iter)
    dual = None if q is None else q * unit
    return Solution.of(problem, u, q=dual, status=status, solver=name, n_iter=n_iter)


def _iterate(
    problem: BoxProblem, tol: float, max_iter: int
) -> tuple[Vector, Vector | None, Status, int]:
    soft = np.ones(problem.rank)
    soft[: problem.n_equalities] = 0.0
    state = _start(problem)
    best_gap, best, since_best, least = np.inf, state.u, 0, np.inf
    # With equalities the iterates are infeasible at first, and their gap means little.
    patience = PATIENCE if problem.n_equalities == 0 else PATIENCE_WITH_EQUALITIES
    best_dual: Vector | None = None

    for n_iter in range(max_iter + 1):
        # 1. Judge: is this good enough, or can it be finished exactly?
        q = state.q if problem.n_equalities else None
        gap = _badness(problem, state.u, q)
        if gap < best_gap:
            best_gap, best, best_dual = gap, state.u, q
        # The relative gap may well rise for a while, where the objective falls faster than the gap.
        absolute = abs(problem.gap(state.u, q)) + problem.infeasibility(state.u)
        since_best = 0 if absolute < least else since_best + 1
        least = min(least, absolute)
        if gap <= REFINE_BELOW or problem.objective(state.u) <= REFINE_BELOW * problem.scale:
            exact = _finish(problem, state, tol)
            if exact is not None:
                if is_reached(problem, exact):
                    return exact, None, Status.INSIDE, n_iter
                return exact, q, Status.OPTIMAL, n_iter
        # A tight tolerance asks for accuracy, so the last digits are taken as long as they come.
        if best_gap <= tol and tol > REFINE_BELOW:
            return best, best_dual, Status.OPTIMAL, n_iter
        if n_iter == max_iter or since_best >= patience or np.isinf(gap):
            break
        if best_gap <= tol and since_best:
            break

        # 2. Step, and remain strictly inside.
        try:
            step = _search_direction(_Newton(problem, state, soft))
        except np.linalg.LinAlgError:
            break
        primal, dual = state.longest(step)
        state = state.after(step, STEP_TO_BOUNDARY * primal, STEP_TO_BOUNDARY * dual)

    # 3. Rounding has won against Newton's system, whose condition grows towards the answer.
    if n_iter < max_iter and np.isfinite(best_gap):
        wanted = min(tol, max(best_gap, SETTLED))
        settled = settle(problem, best, _fractional(problem, state), wanted)
        if settled is not None:
            status = Status.INSIDE if is_reached(problem, settled) else Status.OPTIMAL
            return settled, None, status, n_iter
    if best_gap <= tol:
        return best, best_dual, Status.OPTIMAL, n_iter
    status = Status.MAX_ITERATIONS if n_iter == max_iter else Status.STALLED
    return best, best_dual, status, n_iter


def _search_direction(newton: _Newton) -> _Iterate:
    """Mehrotra's predictor and corrector, then Gondzio's centrality correctors.

    All of them share one factorisation, so that a corrector costs O(U r) against the O(U r^2)
    of a new iteration.
    """
    at = newton.at
    mean = float(newton.products.mean())
    predictor = newton.step(0.0)
    ahead = at.after(predictor, *at.longest(predictor))
    centre = max(float((ahead.x * ahead.y).mean()) / mean, 0.0) ** 3 * mean
    products = centre - predictor.x * predictor.y
    step = newton.step(products)

    for _ in range(CENTRALITY_CORRECTORS):
        primal, dual = at.longest(step)
        # Look a little farther than the step can go, and pull back the products that stray most.
        further = at.after(step, min(1.0, 1.1 * primal + 0.1), min(1.0, 1.1 * dual + 0.1))
        product = further.x * further.y
        strayed = np.minimum(np.maximum(product, 0.1 * centre), 10.0 * centre) - product
        wanted = products + np.maximum(strayed, -10.0 * centre)
        corrected = newton.step(wanted)
        reached = at.longest(corrected)
        if reached[0] < primal + 0.01 and reached[1] < dual + 0.01:
            break
        step, products = corrected, wanted
    return step


def _start(problem: BoxProblem) -> _Iterate:
    """The centre of the cube, with multipliers that satisfy V q = y_0 - y_1 exactly."""
    u = np.full(problem.n_labels, 0.5)
    q = problem.dual(u)
    s = problem.V @ q
    margin = float(np.abs(s).mean()) + 1.0 / problem.n_labels
    y = np.stack([np.maximum(s, 0.0), np.maximum(-s, 0.0)]) + margin
    return _Iterate(np.stack([u, u]), y, q)


def _badness(problem: BoxProblem, u: Vector, q: Vector | None) -> float:
    """The relative gap, or the violation of the equalities if that is larger."""
    return max(problem.relative_gap(u, q), problem.infeasibility(u))


def _finish(problem: BoxProblem, state: _Iterate, tol: float) -> Vector | None:
    """The exact answer, if the iterate is near enough to tell it."""
    if problem.objective(state.u) <= REFINE_BELOW * problem.scale:
        exact = reach(problem, state.u)
        if exact is not None:
            return exact
    free = _fractional(problem, state)
    q = state.q if problem.n_equalities else None
    for _ in range(CORRECTIONS):
        exact = refine(problem, state.u, free)
        if exact is None:
            return None
        if _badness(problem, exact, q) <= tol:
            return exact
        # Where nearly all multipliers are rounding errors, the rule above misses a few. What pulls
        # a label off its bound says which.
        pull = problem.V @ (problem.dual(exact) if q is None else q)
        missed = ~free & np.where(exact < 0.5, pull < 0.0, pull > 0.0)
        if not 0 < missed.sum() <= max(1, FEW_MISSED * free.sum()):
            return None
        free = free | missed
    return None


def _fractional(problem: BoxProblem, state: _Iterate) -> Mask:
    """Labels that are farther from their bound than their multiplier is from zero."""
    multiplier = state.y.sum(axis=0)
    unit = unit_of_multipliers(problem.V, state.q, multiplier)
    return np.asarray(state.x.min(axis=0) > multiplier / unit)
