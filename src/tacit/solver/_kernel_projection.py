"""The projection of a kernel fit onto the kernel ridge solutions of all labelings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from tacit._typing import Matrix, Vector
from tacit.rows import NumpyRows
from tacit.solver._certificate import Certificate
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._kernel_active_set import solve_active_set
from tacit.solver._kernel_ridge import (
    NOT_A_KERNEL,
    BorderedSystem,
    Expansion,
    KernelFeatures,
    is_small,
)
from tacit.solver._least_squares import fit_least_squares, supervised_basis
from tacit.solver._method import Method
from tacit.solver._problem import Problem
from tacit.solver._projection import SURPLUS, project
from tacit.solver._solution import Solution, Status

# Rounding errors of one entry of the kernel, relative to the largest.
ROUNDING = float(np.finfo(np.float64).eps)
# What a factor may leave out before the matrix counts as indefinite: part of the largest entry, and
# of the kernel itself over alpha, most of which the labels may have taken away.
LEFT_OUT = 1e-8
# Of so many directions a label, the active set is worth a try before the interior-point method.
MANY_DIRECTIONS = 0.5

KernelMetric = Literal["labeled", "all"]


@dataclass(frozen=True)
class KernelTable:
    """The kernel between all rows, labeled ones first, and what is known of them.

    The values y of the labeled rows have one column of indicators a class where soft labels are to
    be on the simplex. Weights are ones by default; those of unlabeled rows may be zero.
    """

    K: Matrix
    y: Matrix
    weights: Vector | None = None
    unlabeled_weights: Vector | None = None

    @property
    def n_labeled(self) -> int:
        """L, the number of labeled rows."""
        return len(self.y)

    @property
    def n_unlabeled(self) -> int:
        """U, the number of unlabeled rows."""
        return len(self.K) - len(self.y)

    @property
    def roots(self) -> Vector:
        """Square roots of the weights of the unlabeled rows."""
        if self.unlabeled_weights is None:
            return np.ones(self.n_unlabeled)
        return np.sqrt(self.unlabeled_weights)

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all rows."""
        labeled = self.n_labeled if self.weights is None else self.weights.sum()
        return float(labeled + (self.roots**2).sum())


@dataclass(frozen=True)
class KernelProjection:
    """The kernel ridge solution of some labeling that is nearest to the supervised one.

    `inside` says whether the supervised solution itself belongs to some labeling, and so is the
    answer; the squared distance is in the metric that was minimised, summed over the classes.
    """

    start: Expansion
    answer: Expansion
    solution: Solution
    inside: bool
    squared_distance: float


@dataclass(frozen=True)
class PenalisedCertificate(Certificate):
    """A certificate with a guarantee on the squared loss plus alpha times the squared norm.

    All other numbers are about the squared loss itself.

    Attributes
    ----------
    penalised_improvement : float
        The penalised loss on all rows, divided by their number, falls by at least this much,
        whatever the labels are. Without a penalty it is `guaranteed_improvement`; always given.
    """

    penalised_improvement: float = 0.0

    def _second_sentence(self) -> str:
        if self.guaranteed_improvement is not None or self.worst_change == self.best_change == 0.0:
            return super()._second_sentence()
        return (
            "Whatever the unknown labels are, the squared loss on these rows plus the penalty "
            f"falls by at least {self.penalised_improvement:.4g} a row; the squared loss alone "
            f"changes by {self.best_change:+.4g} at best and {self.worst_change:+.4g} at worst."
        )


def project_kernel(
    table: KernelTable, alpha: float, fit_intercept: bool, metric: KernelMetric, method: Method
) -> KernelProjection:
    """Project the supervised kernel fit onto the kernel ridge solutions of all labelings.

    The penalty `alpha` on the squared norm is in the supervised fit, in every member of the set and
    in the metric: the penalised loss on the labeled rows, or the change on all rows with its
    penalty. O(N^3) for the factors, and as much a few times for the labels. With one column a class
    and a kernel of low rank r the interior-point method takes O(U r^2 K^2 + (r K)^3) an iteration.
    """
    if is_small(alpha, table.K):
        return _by_features(table, alpha, fit_intercept, metric, method)
    n, K = table.n_labeled, table.K
    within, between, among = K[:n, :n], K[:n, n:], K[n:, n:]
    n_unlabeled, roots = table.n_unlabeled, table.roots
    system = BorderedSystem(within, table.weights, alpha, fit_intercept)
    start = system.solve(table.y)
    nothing = np.zeros((n_unlabeled, *table.y.shape[1:]))
    padded = Expansion(np.concatenate([start.dual, nothing]), start.intercept)
    if not roots.any():
        empty = method.empty(n_unlabeled, np.zeros((0, *table.y.shape[1:])))
        return KernelProjection(padded, padded, empty, True, 0.0)

    # 1. What the labels leave open on the unlabeled rows, as a factor F F'.
    known = system.solve(between, np.ones(n_unlabeled) if fit_intercept else 0.0)
    open_variance = (among - between.T @ known.dual - known.intercept) / alpha
    rounding = ROUNDING * len(table.K) * float(table.K.diagonal().max()) / alpha
    F = _factor(roots[:, None] * open_variance * roots, rounding * float(roots.max()) ** 2)
    # 2. The problem of the labels, and its solution.
    inner = cho_factor(F.T @ F + np.eye(F.shape[1]), lower=True, check_finite=False)
    if metric == "labeled":
        V = cho_solve(inner, F.T, check_finite=False).T
    else:
        V = solve_triangular(inner[0], F.T, lower=True, check_finite=False).T
    V = np.ascontiguousarray(roots[:, None] * V)
    values = start.values(between.T)
    solution, inside = _solve(V, values, method)
    if inside:
        return KernelProjection(padded, padded, solution, True, 0.0)
    # 3. Kernel ridge regression on all rows with these labels: alpha c = w (label - value).
    change = solution.labels() - values
    distance = float(np.linalg.norm(V.T @ change)) ** 2
    change = (roots * change.T).T
    change = change - F @ cho_solve(inner, F.T @ change, check_finite=False)
    dual = (roots * change.T).T / alpha
    labeled = system.solve(table.y - between @ dual, -dual.sum(axis=0))
    answer = Expansion(np.concatenate([labeled.dual, dual]), labeled.intercept)
    return KernelProjection(padded, answer, solution, False, distance)


def _factor(matrix: Matrix, rounding: float) -> Matrix:
    """F with F F' = `matrix`, as many columns as its rank, by a Cholesky factor with pivots."""
    diagonal = matrix.diagonal()
    largest = float(np.abs(diagonal).max())
    factor, pivots, rank, _ = dpstrf(matrix, tol=max(rounding, ROUNDING * largest), lower=1)
    F = np.empty((len(matrix), int(rank)))
    F[pivots - 1] = np.tril(factor[:, : int(rank)])
    left_out = float(np.abs(diagonal - (F**2).sum(axis=1)).max())
    if left_out > LEFT_OUT * (largest + rounding / ROUNDING):
        raise ValueError(NOT_A_KERNEL)
    return F


def _solve(V: Matrix, values: Matrix, method: Method) -> tuple[Solution, bool]:
    """The labels nearest to the values, and whether they lead to the supervised solution itself."""
    surplus = np.zeros(len(values))
    if values.ndim == 2:
        # What values do not add up to over the classes is the same for all labels: out of reach.
        surplus = 1.0 - values.sum(axis=1)
        values = values + surplus[:, None] / values.shape[1]
    problem = Problem(V, V.T @ values)
    solution = _solve_problem(problem, values, method)
    size = float(np.linalg.norm(problem.target) + np.linalg.norm(V.sum(axis=0)))
    is_same = bool(np.linalg.norm(surplus @ V) <= SURPLUS * size)
    return solution, is_same and solution.status is Status.INSIDE


def _solve_problem(problem: Problem, values: Matrix, method: Method) -> Solution:
    if method.solver != "auto":
        return method.dense(problem)
    solution = None
    inside = bool((values >= 0.0).all() and (values.ndim == 2 or (values <= 1.0).all()))
    if inside or problem.rank > MANY_DIRECTIONS * problem.n_labels:
        solution = solve_active_set(problem, values, method.tol, method.max_iter)
    if solution is not None:
        return solution
    solution = method.dense(problem)
    if solution.status is Status.STALLED:
        # Close to the answer, so that it is plain which labels are at their bounds.
        start = solution.labels()
        exact = solve_active_set(problem, values, method.tol, method.max_iter, start)
        solution = solution if exact is None else exact.after(solution)
    return solution


def _by_features(
    table: KernelTable, alpha: float, fit_intercept: bool, metric: KernelMetric, method: Method
) -> KernelProjection:
    """The linear projection on features of the kernel, with its rules for missing rank."""
    features = KernelFeatures.of(table.K, fit_intercept)
    n = table.n_labeled
    X, rows = features.values[:n], NumpyRows(features.values[n:], table.unlabeled_weights)
    basis, moments = supervised_basis(X, table.weights, alpha, fit_intercept)
    start = fit_least_squares(basis, X, table.y, table.weights)
    labeled = LabeledRows(X, table.y, table.weights)
    constraints = ConstraintSet.of(labeled, moments, rows, alpha, fit_intercept)
    projection = project(constraints, start, metric, basis, method)
    solution = projection.solution
    if solution.labeling is not None:
        solution = replace(solution, soft_labels=solution.labeling.of_rows(rows))
    return KernelProjection(
        features.expansion(start),
        features.expansion(projection.coefficients),
        solution,
        projection.inside,
        projection.squared_distance,
    )
