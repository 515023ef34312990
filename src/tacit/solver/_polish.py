"""The last step to the exact answer, once it is plain which labels are fractional."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._typing import Mask, Matrix, Vector
from tacit.solver._problem import BoxProblem
from tacit.solver._walk import MANY_FREE, ROUNDING, shortest, walk

# The target counts as reached when the residual is this part of the problem's own size.
REACHED = 1e-11
# Added to the diagonal of a matrix that may lack rank, relative to its trace.
REGULARISATION = 1e-14
# Multipliers whose mean is below this part of the largest that it can be are all small. With fifty
# directions and hardly any fractional label it is about a tenth.
SMALL_SLOPES = 0.01


def reach(problem: BoxProblem, u: Vector) -> Vector | None:
    """Move u so that V'u equals the target, or say None if a label would leave [0, 1].

    The move is the shortest one in the norm weighted by 1 / (u (1 - u)), which costs a label the
    more the closer it is to a bound; an interior-point iterate near a reachable target needs
    hardly any. O(U r^2).
    """
    weights = np.maximum(u * (1.0 - u), 0.0)
    scaled = problem.V * np.sqrt(weights)[:, None]
    normal = scaled.T @ scaled
    diagonal = np.einsum("ii->i", normal)
    diagonal += REGULARISATION * diagonal.sum()
    factor, failed = dpotrf(normal, lower=True, overwrite_a=True, clean=False)
    if failed:
        return None
    for _ in range(3):  # later rounds remove the rounding errors of the first
        step, _ = dpotrs(factor, -problem.residual(u), lower=True)
        u = u + weights * (problem.V @ step)
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
    step = step + basis @ shortest(soft @ basis, -z[k:] - soft @ step)
    refined = fixed.copy()
    refined[free] += step
    if refined.min(initial=0.0) < -ROUNDING or refined.max(initial=0.0) > 1.0 + ROUNDING:
        return None
    return np.clip(refined, 0.0, 1.0)


def settle(problem: BoxProblem, u: Vector, free: Mask, tol: float) -> Vector | None:
    """Walk from u to labels with a relative gap of at most `tol`, or say None.

    The labels in `free` are the first guess at the fractional ones. For problems without equalities
    only.
    """
    if problem.n_equalities:
        return None
    labels = np.where(free, u, np.round(u))
    both = np.stack([labels, 1.0 - labels], axis=1)
    found = walk(
        problem.V,
        problem.target[:, None],
        np.array([[1.0], [0.0]]),
        both,
        free[:, None] | (both > 0.0),
        np.ones(both.shape, dtype=bool),
        lambda P: problem.relative_gap(P[:, 0]) <= tol,
    )
    return None if found is None else found[:, 0]


def unit_of_multipliers(V: Matrix, q: Matrix, multipliers: Matrix) -> float:
    """What a multiplier is judged against: their mean, unless all of them are next to nothing.

    Where every label is fractional all multipliers vanish, and their mean with them: compared with
    it, labels near a bound would look as if they were at it for ever. No slope v'q is larger than
    ||v|| ||q||, and q vanishes only where the target is inside.
    """
    length = float(np.sqrt(np.einsum("ij,ij->i", V, V)).mean())
    return max(float(multipliers.mean()), SMALL_SLOPES * length * float(np.linalg.norm(q)))
