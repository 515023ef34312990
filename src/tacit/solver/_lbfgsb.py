"""The paper's own recipe: bounded quasi-Newton steps on the soft labels."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from tacit._typing import Vector
from tacit.solver._active_set import FEW_FACES, Candidate, descend_faces, reach, solve_in_unit
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
    k, n_iter, found = problem.n_equalities, 0, Candidate(problem.uniform())
    # Method of multipliers (Hestenes 1969, Powell 1969): the equalities become soft columns of
    # large weight whose target is shifted until they hold.
    weight, shift, V = np.sqrt(EQUALITY_WEIGHT), np.zeros(k), problem.V.copy()
    V[:, :k] *= weight
    for _ in range(EQUALITY_ROUNDS if k else 1):
        target = problem.target.copy()
        target[:k] = weight * (target[:k] - shift)
        u, used = _descend(Problem(V, target), found.labels, tol, max_iter - n_iter)
        n_iter += used
        z = problem.residual(u)
        shift = shift + z[:k]
        q = np.concatenate([EQUALITY_WEIGHT * shift, z[k:]]) if k else None
        found = _exactly(problem, Candidate(u, q), tol)
        if problem.is_reached(found.labels):
            return Candidate(found.labels), Status.OPTIMAL, n_iter
        if _badness(problem, found) <= tol:
            return found, Status.OPTIMAL, n_iter
        if n_iter >= max_iter:
            return found, Status.MAX_ITERATIONS, n_iter
    return found, Status.STALLED, n_iter


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


def _exactly(problem: Problem, now: Candidate, tol: float) -> Candidate:
    """These labels, or the exact answer where they are near enough to tell it."""
    reached = reach(problem, Curvature(problem.V, 2, is_interval=True), now.labels)
    if reached is not None:
        return reached
    free = problem.label_set.weights(now.labels) > 0.0
    exact = descend_faces(problem, now, free, min(tol, _badness(problem, now)), FEW_FACES)
    return now if exact is None else exact


def _badness(problem: Problem, now: Candidate) -> float:
    return problem.judge(now.labels, now.q).badness
