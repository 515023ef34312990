"""The last step to the exact answer, once it is plain which labels are fractional."""

from __future__ import annotations

import numpy as np

from tacit._typing import Mask, Vector
from tacit.solver.problem import BoxProblem

# Overshoot of a label beyond [0, 1] that counts as rounding and is clipped.
ROUNDING = 1e-11
# The target counts as reached when the residual is this part of the problem's own size.
REACHED = 1e-11
# More fractional labels than this are no sign of many equal rows but of an early iterate.
MANY_FREE = 500


def reach(problem: BoxProblem, u: Vector) -> Vector | None:
    """Move u so that V'u equals the target, or say None if a label would leave [0, 1].

    The move is the shortest one in the norm weighted by 1 / (u (1 - u)), which costs a label the
    more the closer it is to a bound; an interior-point iterate near a reachable target needs
    hardly any. O(U r^2).
    """
    weights = u * (1.0 - u)
    z = problem.residual(u)
    for _ in range(2):  # the second round removes the rounding errors of the first
        normal = (problem.V * weights[:, None]).T @ problem.V
        step = np.linalg.lstsq(normal, -z, rcond=1e-14)[0]
        u = u + weights * (problem.V @ step)
        z = problem.residual(u)
    if u.min() < -ROUNDING or u.max() > 1.0 + ROUNDING:
        return None
    u = np.clip(u, 0.0, 1.0)
    return u if is_reached(problem, u) else None


def is_reached(problem: BoxProblem, u: Vector) -> bool:
    """Whether V'u is the target, equalities and all, up to rounding."""
    whole = BoxProblem(problem.V, problem.target)
    return bool(np.linalg.norm(problem.residual(u)) <= REACHED * np.sqrt(2.0 * whole.scale))


def refine(problem: BoxProblem, u: Vector, free: Mask) -> Vector | None:
    """Solve exactly for the labels in `free`, with all others rounded to 0 or 1.

    A least-squares problem of the size of the fractional labels, which generically are at most r.
    None when they are too many for that to be the answer, or when one would leave [0, 1].
    """
    n_free = int(free.sum())
    if n_free > max(2 * problem.rank, MANY_FREE):
        return None
    k = problem.n_equalities
    fixed = np.where(free, u, np.round(u))
    z = problem.residual(fixed)
    generators = problem.V[free]
    # The shortest step that meets the equalities, then the best one along their null space.
    step = np.zeros(n_free)
    basis = np.eye(n_free)
    if k:
        left, singular, right = np.linalg.svd(generators[:, :k].T, full_matrices=True)
        kept = singular > 1e-12 * singular.max(initial=0.0)
        rank = int(kept.sum())
        step = right[:rank].T @ ((left[:, :rank].T @ -z[:k]) / singular[:rank])
        basis = right[rank:].T
    soft = generators[:, k:].T
    step = step + basis @ np.linalg.lstsq(soft @ basis, -z[k:] - soft @ step, rcond=None)[0]
    refined = fixed.copy()
    refined[free] += step
    if refined.min(initial=0.0) < -ROUNDING or refined.max(initial=0.0) > 1.0 + ROUNDING:
        return None
    return np.clip(refined, 0.0, 1.0)
