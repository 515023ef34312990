"""The paper's own recipe: bounded quasi-Newton steps on the soft labels."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from tacit._typing import Vector
from tacit.solver._polish import is_reached, reach, refine
from tacit.solver._problem import BoxProblem
from tacit.solver._solution import Solution, Status

# Correction pairs kept by L-BFGS-B. More than SciPy's 10: the problem has about r directions of
# curvature, and a product with a pair costs far less than one with V.
MEMORY = 30
# Its line search ends in failure near the limits of rounding, often because of old curvature
# pairs; without them it can go on.
RESTARTS = 10
# Equalities are met by the method of multipliers: weight on their violation, relative to the
# objective, and rounds at the most. Each round divides the violation by about the weight.
EQUALITY_WEIGHT = 1e4
EQUALITY_ROUNDS = 8


def solve_lbfgsb(problem: BoxProblem, tol: float = 1e-8, max_iter: int = 10_000) -> Solution:
    """Solve `problem` by L-BFGS-B on u, as Krijthe & Loog (2015) do, with factored products.

    Each evaluation costs two products with V, O(U r); the reference implementation forms U x U
    matrices instead. Convergence is linear and slows down with the condition of V, so this is
    the second opinion, not the default. Stops on the relative duality gap.

    Parameters
    ----------
    problem : BoxProblem
        What to solve.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=10_000
        Quasi-Newton iterations at the most.

    Returns
    -------
    Solution
        With status OPTIMAL, INSIDE, MAX_ITERATIONS or STALLED.
    """
    name = "lbfgsb"
    unit = np.sqrt(2.0 * BoxProblem(problem.V, problem.target).scale)
    u = np.full(problem.n_labels, 0.5)
    if problem.n_labels == 0 or unit == 0.0:
        status = Status.EMPTY if problem.n_labels == 0 else Status.INSIDE
        return Solution.of(problem, u, status=status, solver=name, n_iter=0)
    scaled = BoxProblem(problem.V / unit, problem.target / unit, problem.n_equalities)
    u, q, n_iter = _minimise(scaled, u, tol, max_iter)
    if is_reached(scaled, u):
        status, q = Status.INSIDE, None
    elif _is_good(scaled, u, q, tol):
        status = Status.OPTIMAL
    else:
        status = Status.MAX_ITERATIONS if n_iter >= max_iter else Status.STALLED
    dual = None if q is None else q * unit
    return Solution.of(problem, u, q=dual, status=status, solver=name, n_iter=n_iter)


def _minimise(
    problem: BoxProblem, u: Vector, tol: float, max_iter: int
) -> tuple[Vector, Vector | None, int]:
    k = problem.n_equalities
    if k == 0:
        u, n_iter = _descend(problem, u, tol, max_iter)
        return _exactly(problem, u, None), None, n_iter
    # Method of multipliers (Hestenes 1969, Powell 1969): the equalities become soft columns of
    # large weight whose target is shifted until they hold.
    weight = np.sqrt(EQUALITY_WEIGHT)
    V = problem.V.copy()
    V[:, :k] *= weight
    shift = np.zeros(k)
    n_iter = 0
    q = np.zeros(problem.rank)
    for _ in range(EQUALITY_ROUNDS):
        target = problem.target.copy()
        target[:k] = weight * (target[:k] - shift)
        u, used = _descend(BoxProblem(V, target), u, tol, max_iter - n_iter)
        n_iter += used
        z = problem.residual(u)
        shift = shift + z[:k]
        q = np.concatenate([EQUALITY_WEIGHT * shift, z[k:]])
        u = _exactly(problem, u, q)
        if _is_good(problem, u, q, tol) or is_reached(problem, u) or n_iter >= max_iter:
            break
    return u, q, n_iter


def _descend(problem: BoxProblem, u: Vector, tol: float, max_iter: int) -> tuple[Vector, int]:
    """L-BFGS-B from u until the gap is small, with a fresh start where its line search gives up."""
    n_iter = 0
    for _ in range(RESTARTS + 1):
        u, used = _run(problem, u, tol, max_iter - n_iter)
        n_iter += used
        if problem.relative_gap(u) <= tol or n_iter >= max_iter:
            break
    return u, n_iter


def _run(problem: BoxProblem, u: Vector, tol: float, max_iter: int) -> tuple[Vector, int]:
    """One run of L-BFGS-B."""

    def objective(u: Vector) -> tuple[float, Vector]:
        z = problem.residual(u)
        return 0.5 * float(z @ z), problem.V @ z

    def stop_on_gap(intermediate_result: OptimizeResult) -> None:
        if problem.relative_gap(np.clip(intermediate_result.x, 0.0, 1.0)) <= tol:
            raise StopIteration

    result = minimize(
        objective,
        u,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * problem.n_labels,
        callback=stop_on_gap,
        options={
            "maxiter": max(max_iter, 1),
            "maxfun": 10 * max(max_iter, 1),
            "maxcor": MEMORY,
            "ftol": 0.0,
            "gtol": 0.0,
        },
    )
    return np.clip(result.x, 0.0, 1.0), int(result.nit)


def _exactly(problem: BoxProblem, u: Vector, q: Vector | None) -> Vector:
    """U, or the exact answer with the same labels at their bounds if that is better."""
    candidates = [u]
    inside = reach(problem, u)
    if inside is not None:
        return inside
    refined = refine(problem, u, (u > 0.0) & (u < 1.0))
    if refined is not None:
        candidates.append(refined)
    return min(candidates, key=lambda c: max(problem.relative_gap(c, q), problem.infeasibility(c)))


def _is_good(problem: BoxProblem, u: Vector, q: Vector | None, tol: float) -> bool:
    return max(problem.relative_gap(u, q), problem.infeasibility(u)) <= tol
