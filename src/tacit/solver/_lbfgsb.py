"""The paper's own recipe: bounded quasi-Newton steps on the soft labels."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from tacit._typing import Vector
from tacit.solver._active_set import Candidate, reach, refine, solve_in_unit
from tacit.solver._curvature import Curvature
from tacit.solver._problem import Problem
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


def solve_lbfgsb(problem: Problem, tol: float = 1e-8, max_iter: int = 10_000) -> Solution:
    """Solve a `problem` of two classes by L-BFGS-B on u, as Krijthe & Loog (2015) do.

    Each evaluation costs two products with V, O(U r); the reference implementation forms U x U
    matrices instead. Convergence is linear and slows down with the condition of V, so this is
    the second opinion, not the default. Stops on the relative duality gap, with status OPTIMAL,
    INSIDE, EMPTY, MAX_ITERATIONS or STALLED.
    """
    if problem.target.ndim == 2:
        raise ValueError(
            f'solver is "lbfgsb", which is for two classes, and there are '
            f'{problem.n_classes}; use "auto", "interior-point" or "working-set".'
        )
    return solve_in_unit(problem, "lbfgsb", partial(_minimise, tol=tol, max_iter=max_iter))


def _minimise(problem: Problem, tol: float, max_iter: int) -> tuple[Candidate, Status, int]:
    found, n_iter = _rounds(problem, tol, max_iter)
    if found.is_reached(problem):
        return Candidate(found.labels), Status.INSIDE, n_iter
    if _badness(problem, found) <= tol:
        return found, Status.OPTIMAL, n_iter
    return found, Status.MAX_ITERATIONS if n_iter >= max_iter else Status.STALLED, n_iter


def _rounds(problem: Problem, tol: float, max_iter: int) -> tuple[Candidate, int]:
    k, u = problem.n_equalities, problem.uniform()
    if k == 0:
        u, n_iter = _descend(problem, u, tol, max_iter)
        return _exactly(problem, Candidate(u)), n_iter
    # Method of multipliers (Hestenes 1969, Powell 1969): the equalities become soft columns of
    # large weight whose target is shifted until they hold.
    weight = np.sqrt(EQUALITY_WEIGHT)
    V = problem.V.copy()
    V[:, :k] *= weight
    shift = np.zeros(k)
    n_iter = 0
    found = Candidate(u)
    for _ in range(EQUALITY_ROUNDS):
        target = problem.target.copy()
        target[:k] = weight * (target[:k] - shift)
        u, used = _descend(Problem(V, target), found.labels, tol, max_iter - n_iter)
        n_iter += used
        z = problem.residual(u)
        shift = shift + z[:k]
        q = np.concatenate([EQUALITY_WEIGHT * shift, z[k:]])
        found = _exactly(problem, Candidate(u, q))
        if _badness(problem, found) <= tol or found.is_reached(problem) or n_iter >= max_iter:
            break
    return found, n_iter


def _descend(problem: Problem, u: Vector, tol: float, max_iter: int) -> tuple[Vector, int]:
    """L-BFGS-B from u until the gap is small, with a fresh start where its line search gives up."""

    def objective(u: Vector) -> tuple[float, Vector]:
        z = problem.residual(u)
        return 0.5 * float(z @ z), problem.V @ z

    def stop_on_gap(intermediate_result: OptimizeResult) -> None:
        if problem.relative_gap(np.clip(intermediate_result.x, 0.0, 1.0)) <= tol:
            raise StopIteration

    n_iter = 0
    for _ in range(RESTARTS + 1):
        left = max(max_iter - n_iter, 1)
        result = minimize(
            objective,
            u,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * problem.n_labels,
            callback=stop_on_gap,
            options={
                "maxiter": left,
                "maxfun": 10 * left,
                "maxcor": MEMORY,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        )
        u, n_iter = np.clip(result.x, 0.0, 1.0), n_iter + int(result.nit)
        if problem.relative_gap(u) <= tol or n_iter >= max_iter:
            break
    return u, n_iter


def _exactly(problem: Problem, now: Candidate) -> Candidate:
    """These labels, or the exact answer with the same ones at their bounds if that is better."""
    inside = reach(problem, Curvature(problem.V, 2, is_interval=True), now.labels)
    if inside is not None:
        return inside
    refined = refine(problem, now, problem.label_set.weights(now.labels) > 0.0)
    if refined is None or _badness(problem, now) <= _badness(problem, refined):
        return now
    return refined


def _badness(problem: Problem, now: Candidate) -> float:
    return problem.judge(now.labels, now.q).badness
