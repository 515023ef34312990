"""The last steps to the exact answer: which labels are fractional, and what they are.

`reach` and a few steps of `descend_faces` finish an iterate that is near the answer; more of them
are the last resort where rounding stops the interior-point method before it is near enough. Both
work on the weights of the vertices (see LabelSet), shape (K, U).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lstsq, qr, solve_triangular

from tacit._typing import Mask, Matrix, Vector
from tacit.solver._curvature import Curvature, Factor
from tacit.solver._problem import Problem
from tacit.solver._solution import Solution, Status

# Overshoot of a label below zero that counts as rounding and is clipped.
ROUNDING = 1e-11
# More fractional labels than this are no sign of many equal rows but of an early iterate.
MANY_FREE = 500
# Faces that are ever visited. From where rounding stops the interior-point method, one to five are
# usual. Near the answer few labels are taken for the wrong ones, and few faces will do; far from it
# the next iterate is worth more.
MOST_FACES, FEW_FACES = 100, 4
# Multipliers whose mean is below this part of the largest that it can be are all small. With fifty
# directions and hardly any fractional label it is about a tenth.
SMALL_SLOPES = 0.01


@dataclass(frozen=True)
class Candidate:
    """Labels, and the dual vector that they need where there are equalities."""

    labels: Matrix
    q: Matrix | None = None


def solve_in_unit(
    problem: Problem, name: str, solve: Callable[[Problem], tuple[Candidate, Status, int]]
) -> Solution:
    """The solution by `solve`, which is given the problem in its own unit.

    One common unit for V and the target makes every constant of a solver free of the data's scale.
    """
    unit = problem.unit
    if problem.n_labels == 0 or unit == 0.0:
        status = Status.EMPTY if problem.n_labels == 0 else Status.INSIDE
        return Solution.of(problem, problem.uniform(), status=status, solver=name, n_iter=0)
    scaled = replace(problem, V=problem.V / unit, target=problem.target / unit)
    found, status, n_iter = solve(scaled)
    dual = None if found.q is None else found.q * unit
    return Solution.of(problem, found.labels, q=dual, status=status, solver=name, n_iter=n_iter)


def fractional(problem: Problem, now: Candidate, multipliers: Matrix) -> Mask:
    """The vertices whose weight is farther from zero than their multiplier, and the largest."""
    P = problem.label_set.weights(now.labels)
    q = problem.dual(now.labels) if now.q is None else now.q
    free = np.asarray(multipliers < unit_of_multipliers(problem.V, q, multipliers) * P)
    if problem.allowed is not None:
        free &= problem.allowed.T
    free[P.argmax(axis=0), np.arange(problem.n_labels)] = True
    return free


def unit_of_multipliers(V: Matrix, q: Matrix, multipliers: Matrix) -> float:
    """What a multiplier is judged against: their mean, unless all of them are next to nothing.

    Where every label is fractional all multipliers vanish, and their mean with them: compared with
    it, labels near a bound would look as if they were at it for ever. No slope v'q is larger than
    ||v|| ||q||, and q vanishes only where the target is inside.
    """
    length = float(np.sqrt(np.einsum("ij,ij->i", V, V)).mean())
    # One of the multipliers of a row is zero.
    mean = float(multipliers.sum()) / ((len(multipliers) - 1) * len(V))
    return max(mean, SMALL_SLOPES * length * float(np.linalg.norm(q)))


def reach(problem: Problem, curvature: Curvature, labels: Matrix) -> Candidate | None:
    """Move labels so that V'u equals the target, or say None if one would leave its set.

    A row moves by diag(p) - pp' times its slopes, which costs a weight the more the closer it is
    to zero; an interior-point iterate near a reachable target needs hardly any. O(U r^2 K^2).
    """
    kind = problem.label_set
    P = kind.weights(labels)
    try:
        factor = Factor(curvature.at(P), np.zeros(problem.target.shape), 1e-14)
    except np.linalg.LinAlgError:
        return None
    weights, z = P, problem.residual(labels)
    for _ in range(3):  # the later rounds remove the rounding errors of the first
        slopes = kind.slopes(problem.V @ factor.solve(-z))
        P = P + weights * (slopes - (weights * slopes).sum(axis=0))
        z = problem.residual(kind.labels(P))
    if P.min() < -ROUNDING:
        return None
    labels = kind.labels(_on_simplex(P))
    return Candidate(labels) if problem.is_reached(labels) else None


def descend_faces(
    problem: Problem, now: Candidate, free: Mask, tol: float, most_faces: int = MOST_FACES
) -> Candidate | None:
    """From face to face down to labels with a relative gap of at most `tol`, or None.

    The weights in `free` are solved for exactly with all others at zero. Those that would be
    negative stop the way there and are held at zero; at the lowest point of a face all that are
    drawn off zero are freed. The objective never rises. This is the method of Stark and Parker
    (1995) for bounded least squares, with all labels on the wrong side freed at once: those that
    the next step would push out are held again where they are, and one always remains, because the
    step is one of descent.

    Unlike the interior-point method it has no matrix whose condition grows towards the answer,
    so it reaches the last digits where every label is fractional, some of them barely.
    """
    kind, k, every = problem.label_set, problem.n_equalities, np.arange(problem.n_labels)
    P, q, free = kind.weights(now.labels), now.q, free.copy()
    free[P.argmax(axis=0), every] = True
    P = _on_simplex(np.where(free, P, 0.0))
    lowest = smallest = np.inf
    for n_left in range(most_faces, 0, -1):
        # 1. Go to the lowest point of this face, or as far as the weights allow.
        found = _step_to_lowest(problem, P, free, q)
        if found is None:
            return None
        step, multipliers = found
        blocked = P + step < -ROUNDING
        if np.count_nonzero(blocked) >= n_left:
            return None  # a face holds back one of them, as a rule
        if blocked.any():
            lengths = P[blocked] / -step[blocked]
            P = P + lengths.min() * step
            stopped = np.flatnonzero(blocked)[lengths <= lengths.min()]
            P.flat[stopped] = 0.0
            free.flat[stopped] = False
            P = _on_simplex(P)
            continue
        P = _on_simplex(P + step)
        labels = kind.labels(P)
        if k:
            q = np.concatenate([multipliers, problem.residual(labels)[k:] / problem.counts])
        judged = problem.judge(labels, q)
        if judged.badness <= tol:
            return Candidate(labels, q)

        # 2. Free what is drawn off zero, as long as that leads down; at the end the gap tells.
        slopes = kind.slopes(problem.V @ (problem.dual(labels) if q is None else q))
        drawn = ~free & (slopes < slopes[P.argmax(axis=0), every])
        if problem.allowed is not None:
            drawn &= problem.allowed.T
        if not drawn.any() or (judged.objective >= lowest and judged.gap >= smallest):
            return None
        lowest, smallest = min(lowest, judged.objective), min(smallest, judged.gap)
        free |= drawn
    return None


def _step_to_lowest(
    problem: Problem, P: Matrix, free: Mask, q: Matrix | None
) -> tuple[Matrix, Matrix] | None:
    """The step to the lowest point of a face, and the multipliers of the equalities there.

    Each row moves along the differences between its free vertices and the largest of them, which
    generically are at most r (K - 1) in number; None when there are too many for that. By
    orthogonal factors, which lose nothing to squaring.
    """
    k, vertices = problem.n_equalities, problem.label_set.vertices
    every, largest = np.arange(problem.n_labels), P.argmax(axis=0)
    moving = free.copy()
    moving[largest, every] = False
    classes, rows = np.nonzero(moving)
    if len(rows) > max(2 * problem.rank * (len(P) - 1), MANY_FREE):
        return None
    step = np.zeros_like(P)
    # What a unit of each vertex counts, in the norm of the objective.
    roots = np.sqrt(problem.counts)
    residual = problem.residual(problem.label_set.labels(P)) / roots
    before = np.zeros_like(residual[:k]) if q is None else q[:k] * roots
    if len(rows) == 0:
        return step, before / roots
    differences = (vertices[classes] - vertices[largest[rows]]) / roots
    directions = np.einsum("nr,nm->rmn", problem.V[rows], differences).reshape(-1, len(rows))
    held, soft = np.split(directions, [before.size])
    z = residual[k:].ravel()
    if k == 0:
        change = -_shortest(soft, z)
    else:
        # The shortest change that meets the equalities, then the best one along their null space.
        Q, R, order = qr(held.T, pivoting=True, check_finite=False)
        size = np.abs(R.diagonal())
        rank = int((size > 1e-12 * size.max(initial=0.0)).sum())
        wanted = -residual[:k].ravel()[order[:rank]]
        change = Q[:, :rank] @ solve_triangular(R[:rank, :rank], wanted, trans="T")
        basis = Q[:, rank:]
        change = change - basis @ _shortest(soft @ basis, z + soft @ change)
    step[classes, rows] = change
    step[largest, every] = -step.sum(axis=0)
    if k == 0:
        return step, before
    # The multipliers with which no slope is left on the fractional labels.
    slopes = held.T @ before.ravel() + soft.T @ (z + soft @ change)
    after = before - _shortest(held.T, slopes).reshape(before.shape)
    return step, after / roots


def _on_simplex(P: Matrix) -> Matrix:
    """The weights without overshoot, those of each row with sum one."""
    P = np.maximum(P, 0.0)
    return np.asarray(P / P.sum(axis=0))


def _shortest(A: Matrix, b: Vector) -> Vector:
    """The shortest least-squares solution of A x = b."""
    cut = max(A.shape) * np.finfo(np.float64).eps
    # By orthogonal factorisation, three times as fast as by singular values.
    return np.asarray(lstsq(A, b, cond=cut, lapack_driver="gelsy", check_finite=False)[0])
