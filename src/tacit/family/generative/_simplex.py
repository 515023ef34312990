"""Functions of class moments over soft labels: the problem, its gap and its solution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.solver._stopping import StopReason


class MomentObjective(Protocol):
    """A smooth function of class weights and sums.

    The argument `v` has one row a class: the weight of the class, then the sum of its rows.
    """

    @property
    def is_convex(self) -> bool:
        """Whether the function is convex, so that a vanishing gap means a global minimum."""

    def value(self, v: Matrix) -> float:
        """The value at v."""

    def gradient(self, v: Matrix) -> Matrix:
        """The gradient at v, of its shape."""

    def hessian(self, v: Matrix) -> Matrix:
        """The second derivatives at v, flattened row by row."""


class SimplexStatus(StopReason):
    """Why the search for soft labels stopped."""

    OPTIMAL = "optimal"
    """The gap is within tolerance: a minimum if the function is convex, else a stationary point."""
    EMPTY = "empty"
    """There are no unlabeled rows."""
    MAX_ITERATIONS = "max_iterations"
    STALLED = "stalled"
    """Rounding errors stopped all progress before the tolerance was met."""

    @property
    def is_success(self) -> bool:
        """Whether the tolerance was met."""
        return self in (SimplexStatus.OPTIMAL, SimplexStatus.EMPTY)


@dataclass(frozen=True)
class SimplexProblem:
    """Minimise a function of class moments over all soft labelings of rows.

    Attributes
    ----------
    Z : ndarray of shape (U, r)
        The unlabeled rows.
    weights : ndarray of shape (U,)
        Their weights.
    labeled : ndarray of shape (K, 1 + r)
        Weights and sums of the labeled rows of each class.
    objective : MomentObjective
        What to minimise.
    """

    Z: Matrix
    weights: Vector
    labeled: Matrix
    objective: MomentObjective

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.labeled)

    @property
    def total_weight(self) -> float:
        """The weight of all rows, labeled ones included."""
        return float(self.weights.sum() + self.labeled[:, 0].sum())

    @cached_property
    def rows(self) -> Matrix:
        """What a row adds to the moments of its class: its weight, and its weight times itself."""
        return np.column_stack([self.weights, self.weights[:, None] * self.Z])

    def moments(self, u: Matrix) -> Matrix:
        """Weights and sums of the classes for soft labels u."""
        return self.labeled + u.T @ self.rows

    def slopes(self, u: Matrix) -> Matrix:
        """The derivative of the objective by each soft label."""
        return self.rows @ self.objective.gradient(self.moments(u)).T


def gap_of(u: Matrix, slopes: Matrix) -> float:
    """The largest first-order decrease over all labelings (Frank & Wolfe 1956).

    For a convex function it bounds the distance to the minimum; in general it vanishes exactly at
    stationary points.
    """
    above = slopes - slopes.min(axis=1, keepdims=True)
    return float(np.sum(u * above))


@dataclass(frozen=True)
class SimplexSolution:
    """Soft labels and how good they are.

    Attributes
    ----------
    soft_labels : ndarray of shape (U, K)
        One row of non-negative numbers that add up to one for each unlabeled row.
    moments : ndarray of shape (K, 1 + r)
        Weights and sums of the classes, labeled rows included.
    objective : float
        The function at the moments.
    duality_gap : float
        See `gap_of`.
    total_weight : float
        The weight of all rows, which gives the gap a unit.
    status : SimplexStatus
        Why the search stopped.
    n_iter : int
        Newton steps, of all starts together.
    is_convex : bool
        Whether the gap bounds the distance to the global minimum.
    """

    soft_labels: Matrix
    moments: Matrix
    objective: float
    duality_gap: float
    total_weight: float
    status: SimplexStatus
    n_iter: int
    is_convex: bool

    def gap(self) -> float:
        """The largest first-order decrease over all labelings."""
        return self.duality_gap

    def relative_gap(self) -> float:
        """The gap for each unit of weight: nats a row, where the objective is a likelihood."""
        return self.duality_gap / self.total_weight

    def is_optimal(self, tol: float = 1e-9) -> bool:
        """Whether the gap for each row is at most `tol`, whatever the status says."""
        return self.relative_gap() <= tol

    @classmethod
    def of(
        cls, problem: SimplexProblem, u: Matrix, status: SimplexStatus, n_iter: int
    ) -> SimplexSolution:
        """Measure the soft labels u on `problem`."""
        v = problem.moments(u)
        return cls(
            soft_labels=u,
            moments=v,
            objective=problem.objective.value(v),
            duality_gap=gap_of(u, problem.slopes(u)),
            total_weight=problem.total_weight,
            status=status,
            n_iter=n_iter,
            is_convex=problem.objective.is_convex,
        )

    @classmethod
    def without_rows(cls, labeled: Matrix, objective: float) -> SimplexSolution:
        """The solution where there is nothing to label."""
        return cls(
            soft_labels=np.zeros((0, len(labeled))),
            moments=labeled,
            objective=objective,
            duality_gap=0.0,
            total_weight=float(labeled[:, 0].sum()),
            status=SimplexStatus.EMPTY,
            n_iter=0,
            is_convex=True,
        )
