"""From rows and a metric to coefficients: the projection of a start onto the constraint set."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows.moments import Moments
from tacit.rows.protocol import Block, Rows
from tacit.solver.basis import Basis, Coefficients
from tacit.solver.methods import Method
from tacit.solver.problem import BoxProblem
from tacit.solver.solution import Solution, Status
from tacit.solver.ties import solve_with_ties

Metric = Literal["labeled", "all", "euclidean"]


@dataclass(frozen=True)
class LabeledRows:
    """The labeled rows X, their values y in [0, 1], and their weights (None for ones)."""

    X: Matrix
    y: Vector
    weights: Vector | None

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(len(self.X) if self.weights is None else self.weights.sum())

    def weighted(self, Z: Matrix) -> Matrix:
        """Z with each row times its weight."""
        return Z if self.weights is None else Z * self.weights[:, None]


@dataclass(frozen=True)
class ConstraintSet:
    """C: all coefficients that least squares gives for some soft labeling of the unlabeled rows.

    In the basis B of all rows, with B'(A + alpha J)B = I, a member is
    theta(u) = B'(X'y + X_u'u), so C is the cube of labelings under the linear map X_u B.

    Attributes
    ----------
    basis : Basis
        B, orthonormal over labeled and unlabeled rows together.
    moments : Moments
        Of all rows.
    labeled : LabeledRows
        The labeled rows.
    unlabeled : Rows
        The unlabeled rows.
    """

    basis: Basis
    moments: Moments
    labeled: LabeledRows
    unlabeled: Rows

    @classmethod
    def of(
        cls,
        labeled: LabeledRows,
        labeled_moments: Moments,
        unlabeled: Rows,
        alpha: float = 0.0,
        fit_intercept: bool = True,
    ) -> ConstraintSet:
        """The constraint set of these rows: one sweep for the moments."""
        moments = labeled_moments + Moments.of(unlabeled)
        return cls(Basis.of(moments, alpha, fit_intercept), moments, labeled, unlabeled)

    def offset(self) -> Vector:
        """B'X'y: where the labeled rows alone put the set."""
        Z = self.basis.functions.values(self.labeled.X)
        return np.asarray(self.labeled.weighted(Z).T @ self.labeled.y)

    def generators(self) -> Matrix:
        """X_u B with each row times its weight, one generator of the zonotope a row."""
        functions = self.basis.functions

        def kernel(block: Block) -> list[Matrix]:
            Z = functions.values(block.X)
            return [Z if block.weights is None else Z * block.weights[:, None]]

        return np.vstack(self.unlabeled.reduce(kernel, operator.add))

    def coordinates(self, coefficients: Coefficients) -> Vector:
        """Theta of given coefficients: B'(A + alpha J) beta."""
        return self.basis.inner(self.moments, coefficients)

    def coefficients(self, theta: Vector) -> Coefficients:
        """The coefficients at theta."""
        return self.basis.functions.combine(theta)


@dataclass(frozen=True)
class Projection:
    """The member of C nearest to the start.

    Attributes
    ----------
    coefficients : Coefficients
        The answer.
    solution : Solution
        The soft labels that produce it, with their certificate.
    inside : bool
        Whether the start itself lies in C; then it is the answer, exactly.
    squared_distance : float
        ||start - answer||^2 in the metric A + alpha J of all rows.
    """

    coefficients: Coefficients
    solution: Solution
    inside: bool
    squared_distance: float


def project(
    constraints: ConstraintSet,
    start: Coefficients,
    metric: Metric,
    labeled_basis: Basis,
    method: Method,
) -> Projection:
    """Project `start` onto `constraints` in the metric of that name.

    Parameters
    ----------
    constraints : ConstraintSet
        The set C.
    start : Coefficients
        What to project, usually the supervised solution.
    metric : {"labeled", "all", "euclidean"}
        S, A or I of the theory page.
    labeled_basis : Basis
        Of the labeled rows; its rank says in how many directions S is not flat.
    method : callable
        Solves one BoxProblem.

    Returns
    -------
    Projection
        With the certificate of its optimality.
    """
    theta_start = constraints.coordinates(start)
    theta_zero = constraints.offset()
    Z = constraints.generators()
    target = theta_start - theta_zero

    if metric == "labeled":
        solution = _solve_labeled(constraints, Z, target, labeled_basis.rank, method)
    elif metric == "euclidean":
        # ||B theta||^2 = ||R theta||^2 with B = QR.
        R = np.linalg.qr(constraints.basis.functions.stacked()).R
        solution = method(BoxProblem(Z @ R.T, R @ target))
    else:
        solution = method(BoxProblem(Z, target))

    inside = solution.status in (Status.INSIDE, Status.EMPTY)
    if inside:
        return Projection(start, solution, True, 0.0)
    change = solution.soft_labels @ Z - target
    answer = constraints.coefficients(theta_start + change)
    return Projection(answer, solution, False, float(change @ change))


def _solve_labeled(
    constraints: ConstraintSet, Z: Matrix, target: Vector, rank: int, method: Method
) -> Solution:
    """The metric S + alpha J, which is flat in all but `rank` directions.

    In the basis of all rows it has eigenvalues between 0 and 1: the part of what is known about a
    direction that the labeled rows contribute.
    """
    basis, labeled = constraints.basis, constraints.labeled
    labeled_values = basis.functions.values(labeled.X)
    coef = basis.functions.coef
    metric = labeled.weighted(labeled_values).T @ labeled_values
    metric = metric + basis.alpha * (coef.T @ coef)
    eigenvalues, vectors = np.linalg.eigh(metric)
    rank = min(rank, basis.rank)
    steep, flat = vectors[:, basis.rank - rank :], vectors[:, : basis.rank - rank]
    roots = np.sqrt(np.maximum(eigenvalues[basis.rank - rank :], 0.0))
    first = BoxProblem(Z @ (steep * roots), roots * (steep.T @ target))
    if flat.shape[1] == 0:
        return method(first)
    return solve_with_ties(first, BoxProblem(Z @ flat, flat.T @ target), method)
