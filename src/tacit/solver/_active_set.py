"""The last steps to the exact answer: which labels are fractional, and what they are.

`reach` and `refine` finish an iterate that is near the answer; `descend_faces` is the last resort
where rounding stops the interior-point method before it is near enough. All of them work on the
weights of the vertices (see LabelSet), shape (K, U).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq
from scipy.linalg.lapack import dpotrf, dpotrs

from tacit._typing import Index, Mask, Matrix, Vector
from tacit.solver._curvature import Curvature, Factor
from tacit.solver._problem import Problem
from tacit.solver._solution import Solution, Status

# The target counts as reached when the residual is this part of the problem's own size.
REACHED = 1e-11
# Overshoot of a label below zero that counts as rounding and is clipped.
ROUNDING = 1e-11
# More fractional labels than this are no sign of many equal rows but of an early iterate.
MANY_FREE = 500
# Faces that are ever visited. From where rounding stops the interior-point method, one to five are
# usual.
MOST_FACES = 100
# Multipliers whose mean is below this part of the largest that it can be are all small. With fifty
# directions and hardly any fractional label it is about a tenth.
SMALL_SLOPES = 0.01
# Exact solves in which fractional labels that were overlooked are added, as long as they are a
# small part of all: at an early iterate they are many, and the next one is worth more.
CORRECTIONS = 4
FEW_OVERLOOKED = 0.05
# Rounds of the exact solve on the simplex: the first is off by the ridge that makes it solvable,
# the others by ever less of it.
ROUNDS = 4
RIDGE = 1e-13
# Weight on the equalities in the method of multipliers; each round divides what is missing by
# about this much.
EQUALITY_WEIGHT = 1e4
EQUALITY_ROUNDS = 8


@dataclass(frozen=True)
class Candidate:
    """Labels, and the dual vector that they need where there are equalities."""

    labels: Matrix
    q: Matrix | None = None

    def is_reached(self, problem: Problem) -> bool:
        """Whether V'u is the target, equalities and all, up to rounding."""
        return bool(np.linalg.norm(problem.residual(self.labels)) <= REACHED * problem.unit)


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
    found, status, n_iter = solve(problem.times(1.0 / unit))
    dual = None if found.q is None else found.q * unit
    return Solution.of(problem, found.labels, q=dual, status=status, solver=name, n_iter=n_iter)


def finish(
    problem: Problem,
    curvature: Curvature,
    now: Candidate,
    multipliers: Matrix,
    tol: float,
    near: bool,
) -> Candidate | None:
    """The exact answer, if the iterate is near enough to tell it; `near` if it may be zero."""
    if near:
        reached = reach(problem, curvature, now.labels)
        if reached is not None:
            return reached
    free = fractional(problem, now, multipliers)
    for _ in range(CORRECTIONS):
        exact = refine(problem, now, free)
        if exact is None:
            return None
        if problem.judge(exact.labels, exact.q).badness <= tol:
            return exact
        # Where nearly all multipliers are rounding errors a few are overlooked. What draws a label
        # off its bound says which.
        drawn = ~free & _drawn(problem, exact)
        n_moving = int(free.sum()) - problem.n_labels
        if not 0 < drawn.sum() <= max(1, FEW_OVERLOOKED * n_moving):
            return None
        free = free | drawn
    return None


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


def _drawn(problem: Problem, exact: Candidate) -> Mask:
    """The vertices with a lower slope than the largest of their row."""
    q = problem.dual(exact.labels) if exact.q is None else exact.q
    P, slopes = problem.label_set.weights(exact.labels), problem.label_set.slopes(problem.V @ q)
    drawn = slopes < slopes[P.argmax(axis=0), np.arange(problem.n_labels)]
    return np.asarray(drawn if problem.allowed is None else drawn & problem.allowed.T)


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
    found = Candidate(kind.labels(_on_simplex(P)))
    return found if found.is_reached(problem) else None


def refine(problem: Problem, now: Candidate, free: Mask) -> Candidate | None:
    """Solve exactly for the weights in `free`, with all others at zero.

    A row with one free vertex has it; the others move along the differences between their free
    vertices, which generically are at most r (K - 1) in number. None when there are too many for
    that to be the answer, or when a weight would be negative.
    """
    kind = problem.label_set
    P = kind.weights(now.labels)
    largest = P.argmax(axis=0)
    moving = free.copy()
    moving[largest, np.arange(len(largest))] = False
    classes, rows = np.nonzero(moving)
    if len(rows) > max(2 * problem.rank * (kind.n_vertices - 1), MANY_FREE):
        return None
    P = _on_simplex(np.where(free, P, 0.0))
    q = now.q
    if len(rows) and problem.target.ndim == 1:
        P, q = _solve_interval(problem, P, rows, q)
    elif len(rows):
        solved = _solve_simplex(problem, P, rows, classes, largest[rows], q)
        if solved is None:
            return None
        P, q = solved
    if P.min(initial=0.0) < -ROUNDING:
        return None
    labels = kind.labels(_on_simplex(P))
    if q is not None:
        k = problem.n_equalities
        q = np.concatenate([q[:k], problem.residual(labels)[k:] / problem.counts])
    return Candidate(labels, q)


def _solve_interval(
    problem: Problem, P: Matrix, rows: Index, q: Matrix | None
) -> tuple[Matrix, Matrix | None]:
    """The best labels of these rows, by orthogonal factors, which lose nothing to squaring.

    On the simplex they would take ten times as long as the method below.
    """
    k = problem.n_equalities
    z = problem.residual(P[1])
    generators = problem.V[rows]
    # The shortest step that meets the equalities, then the best one along their null space.
    step, basis = np.zeros(len(rows)), np.eye(len(rows))
    if k:
        left, singular, right = np.linalg.svd(generators[:, :k].T, full_matrices=True)
        rank = int((singular > 1e-12 * singular.max(initial=0.0)).sum())
        step = right[:rank].T @ ((left[:, :rank].T @ -z[:k]) / singular[:rank])
        basis = right[rank:].T
    soft = generators[:, k:].T
    step = step + basis @ _shortest(soft @ basis, -z[k:] - soft @ step)
    P = P.copy()
    P[1, rows] += step
    P[0, rows] -= step
    if q is not None:
        # The multipliers with which no slope is left on the fractional labels.
        left_over = generators[:, :k] @ q[:k] + soft.T @ (z[k:] + soft @ step)
        q = np.concatenate([q[:k] - _shortest(generators[:, :k], left_over), q[k:]])
    return P, q


def _solve_simplex(
    problem: Problem, P: Matrix, rows: Index, classes: Index, largest: Index, q: Matrix | None
) -> tuple[Matrix, Matrix | None] | None:
    """The best weights along v (x) (e_k - e_l), k a free class and l the largest of its row.

    The equalities are met by the method of multipliers.
    """
    k, V, vertices = problem.n_equalities, problem.V[rows], problem.label_set.vertices
    E = vertices[classes] - vertices[largest]
    weight = np.ones(problem.rank)
    weight[:k] = EQUALITY_WEIGHT
    gram = ((V * weight) @ V.T) * ((E / problem.counts) @ E.T)
    diagonal = np.einsum("ii->i", gram)
    diagonal += RIDGE * float(diagonal.sum())
    factor, failed = dpotrf(gram.T, lower=True, overwrite_a=True, clean=False)
    if failed:
        return None
    dual = np.zeros_like(problem.target) if q is None else q.copy()
    z = problem.residual(P.T) / problem.counts
    P = P.copy()
    for _ in range(EQUALITY_ROUNDS if k else ROUNDS):
        pull = np.concatenate([dual[:k] + EQUALITY_WEIGHT * z[:k], z[k:]])
        step, _ = dpotrs(factor, -((V @ pull) * E).sum(axis=1), lower=True)
        np.add.at(P, (classes, rows), step)
        np.add.at(P, (largest, rows), -step)
        z = problem.residual(P.T) / problem.counts
        dual[:k] += EQUALITY_WEIGHT * z[:k]
    return P, (dual if k else None)


def descend_faces(problem: Problem, labels: Matrix, free: Mask, tol: float) -> Candidate | None:
    """From face to face down to labels with a relative gap of at most `tol`, or None.

    The weights in `free` are solved for exactly with all others at zero. Those that would be
    negative stop the way there and are held at zero; at the lowest point of a face all that are
    drawn off zero are freed. The objective never rises. This is the method of Stark and Parker
    (1995) for bounded least squares, with all labels on the wrong side freed at once: those that
    the next step would push out are held again where they are, and one always remains, because the
    step is one of descent.

    Unlike the interior-point method it has no matrix whose condition grows towards the answer,
    so it reaches the last digits where every label is fractional, some of them barely. For
    problems without equalities only.
    """
    if problem.n_equalities:
        return None
    V, kind = problem.V, problem.label_set
    # What a unit of each vertex counts, in the norm of the objective.
    vertices = kind.vertices / np.sqrt(problem.counts)
    target = problem.target.reshape(problem.rank, -1) / np.sqrt(problem.counts)
    every = np.arange(problem.n_labels)
    P, free = kind.weights(labels), free.copy()
    free[P.argmax(axis=0), every] = True
    P = _on_simplex(np.where(free, P, 0.0))
    lowest = smallest = np.inf
    for _ in range(MOST_FACES):
        # 1. The lowest point of this face, each row moving against its largest vertex.
        largest = P.argmax(axis=0)
        moving = free.copy()
        moving[largest, every] = False
        classes, rows = np.nonzero(moving)
        if len(rows) > max(2 * problem.rank * (len(P) - 1), MANY_FREE):
            return None
        directions = np.einsum("nr,nm->rmn", V[rows], vertices[classes] - vertices[largest[rows]])
        residual = target - V.T @ P.T @ vertices
        step = np.zeros_like(P)
        step[classes, rows] = _shortest(directions.reshape(target.size, -1), residual.ravel())
        step[largest, every] = -step.sum(axis=0)

        # 2. Go there, or as far as the weights allow.
        blocked = P + step < -ROUNDING
        if blocked.any():
            reach = P[blocked] / -step[blocked]
            length = float(reach.min())
            P = P + length * step
            stopped = np.flatnonzero(blocked)[reach <= length]
            P.flat[stopped] = 0.0
            free.flat[stopped] = False
            P = _on_simplex(P)
            continue
        P = _on_simplex(P + step)
        found = Candidate(kind.labels(P))
        judged = problem.judge(found.labels)
        if judged.badness <= tol:
            return found

        # 3. Free what is drawn off zero, as long as that leads down; at the end the gap tells.
        drawn = ~free & _drawn(problem, found)
        if not drawn.any() or (judged.objective >= lowest and judged.gap >= smallest):
            return None
        lowest, smallest = min(lowest, judged.objective), min(smallest, judged.gap)
        free |= drawn
    return None


def _on_simplex(P: Matrix) -> Matrix:
    """The weights without overshoot, those of each row with sum one."""
    P = np.maximum(P, 0.0)
    return np.asarray(P / P.sum(axis=0))


def _shortest(A: Matrix, b: Vector) -> Vector:
    """The shortest least-squares solution of A x = b."""
    if A.size == 0:
        return np.zeros(A.shape[1])
    cut = max(A.shape) * np.finfo(np.float64).eps
    # By orthogonal factorisation, three times as fast as by singular values.
    return np.asarray(lstsq(A, b, cond=cut, lapack_driver="gelsy", check_finite=False)[0])
