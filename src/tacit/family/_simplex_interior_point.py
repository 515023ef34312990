"""Minimising a function of class moments over soft labels, by an interior-point method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from tacit._typing import AnyArray, Matrix, Vector
from tacit.solver import Status
from tacit.solver._curvature import Curvature

# Fraction of the way to the boundary that a step may go.
TO_BOUNDARY = 0.995
# Of the decrease that the barrier function promises along a step, this part is demanded (Armijo).
SUFFICIENT = 1e-4
# Halvings of a step at the most; what still does not descend then is rounding.
HALVINGS = 30
# The barrier shrinks by this factor as soon as the Newton step promises less than this part of
# what the barrier itself costs.
SHRINK = 0.1
NEARLY = 0.3
# The parts of the negative curvature that are tried in turn until the step is one of descent. As
# much of it as the barrier can bear makes long steps; reversing it takes two to four times as many.
PARTS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
# Labels that differ by less than this belong to the same solution.
SAME = 1e-3
# Added to the unit diagonal of the Newton system, above what rounding can take from it.
ROUNDING = 1e-13
# The step of complex differentiation: any number whose square vanishes beside one will do.
STEP = 1e-30


class MomentObjective:
    """A smooth function of class moments v: a row a class, its weight and the sum of its rows."""

    is_convex: ClassVar[bool] = False

    def value(self, v: Matrix) -> float:
        """The value at v."""
        raise NotImplementedError

    def gradient(self, v: AnyArray) -> AnyArray:
        """The gradient at v, of its shape; analytic, so that v may be complex, and a stack."""
        raise NotImplementedError

    def hessian(self, v: Matrix) -> Matrix:
        """The second derivatives at v, flattened row by row, by complex steps of the gradient.

        Exact to rounding: no difference of nearby numbers is taken (Squire & Trapp 1998).
        """
        K, width = v.shape
        blocks = []
        for k in range(K):
            steps = np.zeros((width, K, width), dtype=complex)
            steps[:, k] = 1j * STEP * np.eye(width)
            blocks.append(self.gradient(v + steps).imag.reshape(width, v.size) / STEP)
        return np.concatenate(blocks)


@dataclass(frozen=True)
class SimplexProblem:
    """Minimise `objective` over all soft labelings of unlabeled rows.

    `rows` (U x (1 + r)) are what a row adds to the moments of its class: its weight, and its weight
    times itself; `labeled` the moments of the labeled rows.
    """

    rows: Matrix
    labeled: Matrix
    objective: MomentObjective

    @property
    def total_weight(self) -> float:
        """The weight of all rows, labeled ones included."""
        return float(self.rows[:, 0].sum() + self.labeled[:, 0].sum())

    def moments(self, u: Matrix) -> Matrix:
        """The class moments for soft labels u."""
        return self.labeled + u.T @ self.rows

    def slopes(self, u: Matrix) -> Matrix:
        """The derivative of the objective by each soft label."""
        return self.rows @ self.objective.gradient(self.moments(u)).T


@dataclass(frozen=True)
class SimplexSolution:
    """Soft labels and how good they are."""

    #: One row of non-negative numbers that add up to one for each unlabeled row.
    soft_labels: Matrix
    moments: Matrix  #: Weights and sums of the classes, labeled rows included.
    objective: float  #: The function at the moments.
    #: The largest first-order decrease over all labelings; of a convex function a bound.
    duality_gap: float
    total_weight: float  #: The weight of all rows, which gives the gap a unit.
    status: Status  #: Why the search stopped.
    n_iter: int  #: Newton steps, of all starts together.

    def gap(self) -> float:
        """The largest first-order decrease over all labelings."""
        return self.duality_gap

    def relative_gap(self) -> float:
        """The gap for each unit of weight: nats a row, where the objective is a likelihood."""
        return self.duality_gap / self.total_weight

    def is_optimal(self, tol: float = 1e-9) -> bool:
        """Whether the gap for each row is at most `tol`, whatever the status says."""
        return self.relative_gap() <= tol


def gap_of(u: Matrix, slopes: Matrix) -> float:
    """The largest first-order decrease over all labelings (Frank & Wolfe 1956)."""
    above = slopes - slopes.min(axis=1, keepdims=True)
    return float(np.sum(u * above))


def solve_simplex(
    problem: SimplexProblem, start: Matrix, tol: float = 1e-10, max_iter: int = 200
) -> SimplexSolution:
    """Minimise over soft labels to a gap of `tol` for each row; at least one row is needed.

    The objective sees the U x K labels only through K (1 + r) moments, so a Newton step takes
    one weighted Gram matrix of the rows for each pair of classes, O(U r^2 K^2), and a factorisation
    of order (K - 1)(1 + r). Every step decreases the barrier function.
    """
    u = 0.9 * start + 0.1 / start.shape[1]
    problem.objective.value(problem.moments(u))  # refuses a start without a value
    slopes, curvature = problem.slopes(u), Curvature(problem.rows, u.shape[1])
    mu = max(gap_of(u, slopes), tol * problem.total_weight) / u.size
    multipliers = mu / u
    smallest = 1e-3 * tol * problem.total_weight / u.size
    status = Status.MAX_ITERATIONS
    for n_iter in range(max_iter + 1):
        # 1. Judge where we are.
        if gap_of(u, slopes) <= tol * problem.total_weight:
            status = Status.OPTIMAL
        if n_iter == max_iter or status is not Status.MAX_ITERATIONS:
            break
        # 2. The Newton direction for the barrier; for a smaller one where little is left to gain.
        hessian = problem.objective.hessian(problem.moments(u))
        newton = _Newton(curvature, u / multipliers, hessian)
        direction = newton.direction(mu / u - slopes)
        while mu > smallest and _promise(u, direction, slopes, mu) <= NEARLY * mu * u.size:
            mu = max(SHRINK * mu, smallest)
            direction = newton.direction(mu / u - slopes)
        # 3. A step that decreases the barrier function.
        step = _line_search(problem, u, direction, slopes, mu)
        if step == 0.0:
            if mu <= smallest:
                status = Status.STALLED
            mu = max(SHRINK * mu, smallest)
        change = mu / u - multipliers - multipliers / u * direction
        u = u + step * direction
        u = u / u.sum(axis=1, keepdims=True)  # against the rounding errors of many steps
        multipliers = multipliers + _longest(multipliers, change) * change
        slopes = problem.slopes(u)
    v = problem.moments(u)
    value, gap = problem.objective.value(v), gap_of(u, slopes)
    return SimplexSolution(u, v, value, gap, problem.total_weight, status, n_iter)


def best_of_starts(
    problem: SimplexProblem, starts: list[Matrix], tol: float = 1e-10, max_iter: int = 200
) -> SimplexSolution:
    """The best of the solutions from several starts, with the Newton steps of all of them.

    Where the solutions differ, the mean of their labels is one more start. A solution that met the
    tolerance is preferred to one that did not.
    """
    solutions = [solve_simplex(problem, start, tol, max_iter) for start in starts]
    labels = np.array([solution.soft_labels for solution in solutions])
    if np.ptp(labels, axis=0).max() > SAME:
        solutions.append(solve_simplex(problem, labels.mean(axis=0), tol, max_iter))
    best = min(solutions, key=lambda s: (not s.status.is_success, s.objective))
    return replace(best, n_iter=sum(s.n_iter for s in solutions))


class _Newton:
    """One factorisation of the Newton system, reduced to moments.

    With Q the inverse of a row's diagonal D = multiplier / u on the simplex's tangent space, the
    change of the labels is Q (rhs - A H A'du), A the map from labels to moments and H = R'JR, J a
    diagonal of signs. With y = J R A'du that is (J + R S R') y = R A'Q rhs, S = A'QA. The direction
    is one of descent exactly where J + R S R' has as many negative eigenvalues as J (Haynsworth).
    """

    def __init__(self, curvature: Curvature, inverse: Matrix, hessian: Matrix) -> None:
        self.rows, self.inverse = curvature.V, inverse
        self.total = inverse.sum(axis=1, keepdims=True)
        self.largest = inverse.argmax(axis=1)[:, None]
        n_free, width = inverse.shape[1] - 1, self.rows.shape[1]
        # What one class gains the last one loses.
        blocks = hessian.reshape(n_free + 1, width, n_free + 1, width)
        first = blocks[:-1] - blocks[-1:]
        differences = first[:, :, :-1] - first[:, :, -1:]
        curvatures, vectors = np.linalg.eigh(differences.reshape(n_free * width, -1))
        root = np.sqrt(np.abs(curvatures))[:, None] * vectors.T
        # S without the last class, which loses what the others gain.
        upper = np.triu(curvature.at(inverse.T)[: len(root), : len(root)])
        bent = root @ (upper + np.triu(upper, 1).T) @ root.T
        for part in PARTS:
            factors = np.sqrt(np.where(curvatures < 0.0, part, 1.0))
            signs = np.where((curvatures < 0.0) & (part > 0.0), -1.0, 1.0)
            system = bent * np.outer(factors, factors)
            # Scaled to a diagonal of about one, so that what rounding leaves of zero is known.
            # Beside large weights, rounding may leave less than zero of it.
            scale = 1.0 / np.sqrt(1.0 + np.maximum(system.diagonal(), 0.0))
            system = (system + np.diag(signs + ROUNDING / scale**2)) * np.outer(scale, scale)
            factor, pivots, singular = lapack.dsytrf(system, lower=1)
            # Sylvester: the system has the inertia of the blocks of its factor, and one of order
            # two, a pair of negative pivots, has one eigenvalue of each sign (Bunch & Kaufman).
            n_negative = (factor.diagonal()[pivots > 0] < 0.0).sum() + (pivots < 0).sum() // 2
            if not singular and n_negative == (signs < 0.0).sum():
                break
        self.root = (scale * factors)[:, None] * root
        self.solve: Callable[[Vector], tuple[Vector, int]]
        self.solve = partial(lapack.dsytrs, factor, pivots, lower=1)

    def direction(self, rhs: Matrix) -> Matrix:
        """The change of the soft labels for this right-hand side."""
        moved = self._on_tangent(rhs)
        t = self.root @ (moved[:, :-1].T @ self.rows).ravel()
        bend = (self.root.T @ (self.solve(t)[0])).reshape(-1, self.rows.shape[1])
        bent = np.zeros_like(rhs)
        bent[:, :-1] = self.rows @ bend.T
        return moved - self._on_tangent(bent)

    def _on_tangent(self, x: Matrix) -> Matrix:
        # A constant in each row makes no difference; this one avoids cancellation.
        x = x - np.take_along_axis(x, self.largest, axis=1)
        mean = np.sum(self.inverse * x, axis=1, keepdims=True) / self.total
        return np.asarray(self.inverse * (x - mean))


def _longest(x: Matrix, direction: Matrix) -> float:
    """The longest step, of one at the most, that leaves all numbers positive."""
    falls = direction < 0
    return min(1.0, TO_BOUNDARY * float(np.min(-x[falls] / direction[falls], initial=np.inf)))


def _promise(u: Matrix, direction: Matrix, slopes: Matrix, mu: float) -> float:
    """The first-order decrease of the barrier function along a full step."""
    return float(np.sum((mu / u - slopes) * direction))


def _line_search(
    problem: SimplexProblem, u: Matrix, direction: Matrix, slopes: Matrix, mu: float
) -> float:
    """The first of the halved steps that decreases the barrier function enough; 0 if none does."""
    v, change = problem.moments(u), direction.T @ problem.rows
    promise = _promise(u, direction, slopes, mu)
    start = problem.objective.value(v)
    step = _longest(u, direction)
    for _ in range(HALVINGS):
        # The logarithm of a ratio keeps the digits that a difference of sums would lose.
        barrier = -mu * float(np.sum(np.log1p(step * direction / u)))
        merit = problem.objective.value(v + step * change) - start + barrier
        if merit <= -SUFFICIENT * step * promise + 1e-14 * abs(start):
            return step
        step *= 0.5
    return 0.0
