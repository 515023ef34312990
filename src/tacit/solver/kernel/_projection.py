"""The projection of a kernel fit onto the kernel ridge solutions of all labelings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from tacit._typing import Matrix, Vector
from tacit.rows import Moments, NumpyRows
from tacit.solver._basis import Basis
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._least_squares import fit_least_squares
from tacit.solver._methods import Method
from tacit.solver._problem import BoxProblem
from tacit.solver._projection import SURPLUS, project
from tacit.solver._solution import Solution, Status
from tacit.solver.kernel._active_set import solve_active_set
from tacit.solver.kernel._features import KernelFeatures
from tacit.solver.kernel._fit import is_small
from tacit.solver.kernel._ridge import NOT_A_KERNEL, BorderedSystem, Expansion
from tacit.solver.kernel._simplex_active_set import solve_simplex_active_set
from tacit.solver.simplex._problem import SimplexProblem

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

    Attributes
    ----------
    K : ndarray of shape (N, N)
        The kernel.
    y : ndarray of shape (L,) or (L, K)
        The values of the first L rows; the others are unlabeled. One column of indicators a class
        where soft labels are to be on the simplex.
    weights : ndarray of shape (L,) or None
        Positive weights of the labeled rows; None stands for ones.
    unlabeled_weights : ndarray of shape (N - L,) or None
        Weights of the others, which may be zero.
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

    def blocks(self) -> tuple[Matrix, Matrix, Matrix]:
        """Between labeled rows, between labeled and unlabeled rows, and between unlabeled rows."""
        n = self.n_labeled
        return self.K[:n, :n], self.K[:n, n:], self.K[n:, n:]


@dataclass(frozen=True)
class KernelProjection:
    """The kernel ridge solution of some labeling that is nearest to the supervised one.

    Attributes
    ----------
    start, answer : Expansion
        The supervised solution and its projection, with one dual coefficient for every row (and
        class, where the table has one column a class).
    solution : Solution
        The soft labels that produce the answer, with their certificate.
    inside : bool
        Whether the supervised solution itself belongs to some labeling; then it is the answer.
    squared_distance : float
        In the metric that was minimised, summed over the classes.
    """

    start: Expansion
    answer: Expansion
    solution: Solution
    inside: bool
    squared_distance: float


def project_kernel(
    table: KernelTable, alpha: float, fit_intercept: bool, metric: KernelMetric, method: Method
) -> KernelProjection:
    """Project the supervised kernel fit onto the kernel ridge solutions of all labelings.

    Parameters
    ----------
    table : KernelTable
        The rows.
    alpha : float
        The penalty on the squared norm, in the supervised fit, in every member of the set and in
        the metric.
    fit_intercept : bool
        Whether there is a constant, which is not penalised.
    metric : {"labeled", "all"}
        The penalised loss on the labeled rows, or the change on all rows with its penalty.
    method : Method
        The solver.

    Returns
    -------
    KernelProjection
        With the certificate of its optimality.

    Notes
    -----
    O(N^3) for the factors, and as much a few times for the labels. With one column a class and a
    kernel of low rank r the interior-point method takes O(U r^2 K^2 + (r K)^3) an iteration.
    """
    if is_small(alpha, table.K):
        return _by_features(table, alpha, fit_intercept, metric, method)
    within, between, among = table.blocks()
    n_unlabeled, roots = table.n_unlabeled, table.roots
    system = BorderedSystem(within, table.weights, alpha, fit_intercept)
    start = system.solve(table.y)
    nothing = np.zeros((n_unlabeled, *table.y.shape[1:]))
    padded = Expansion(np.concatenate([start.dual, nothing]), start.intercept)
    if not roots.any():
        return KernelProjection(padded, padded, _empty(nothing, method), True, 0.0)

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


def _empty(labels: Matrix, method: Method) -> Solution:
    """The solution where no row counts, and all labels are as good."""
    nothing, share = np.zeros((0, 0)), 0.5
    problem: BoxProblem | SimplexProblem = BoxProblem(nothing, np.zeros(0))
    if labels.ndim == 2:
        share = 1.0 / labels.shape[1]
        problem = SimplexProblem(nothing, np.zeros((0, labels.shape[1])))
    return replace(method.box(problem), soft_labels=np.full(labels.shape, share))


def _solve(V: Matrix, values: Matrix, method: Method) -> tuple[Solution, bool]:
    """The labels nearest to the values, and whether they lead to the supervised solution itself."""
    if values.ndim == 1:
        box = BoxProblem(V, values @ V)
        inside = bool(((values >= 0.0) & (values <= 1.0)).all())
        solution = _solve_problem(box, inside, method, partial(solve_active_set, box, values))
        return solution, solution.status is Status.INSIDE
    # What values do not add up to over the classes is the same for all labels, and out of reach.
    surplus = 1.0 - values.sum(axis=1)
    values = values + surplus[:, None] / values.shape[1]
    simplex = SimplexProblem(V, V.T @ values)
    solution = _solve_problem(
        simplex,
        bool((values >= 0.0).all()),
        method,
        partial(solve_simplex_active_set, simplex, values),
    )
    size = float(np.linalg.norm(simplex.target) + np.linalg.norm(V.sum(axis=0)))
    is_same = bool(np.linalg.norm(surplus @ V) <= SURPLUS * size)
    return solution, is_same and solution.status is Status.INSIDE


def _solve_problem(
    problem: BoxProblem | SimplexProblem,
    inside: bool,
    method: Method,
    active_set: Callable[..., Solution | None],
) -> Solution:
    if method.solver != "auto":
        return method.box(problem)
    solution = None
    if inside or problem.rank > MANY_DIRECTIONS * problem.n_labels:
        solution = active_set(method.tol, method.max_iter)
    if solution is not None:
        return solution
    solution = method.box(problem)
    if solution.status is Status.STALLED:
        # Close to the answer, so that it is plain which labels are at their bounds.
        exact = active_set(method.tol, method.max_iter, solution.labels())
        solution = solution if exact is None else exact.after(solution)
    return solution


def _by_features(
    table: KernelTable, alpha: float, fit_intercept: bool, metric: KernelMetric, method: Method
) -> KernelProjection:
    """The linear projection on features of the kernel, with its rules for missing rank."""
    features = KernelFeatures.of(table.K, fit_intercept)
    n = table.n_labeled
    X, rows = features.values[:n], NumpyRows(features.values[n:], table.unlabeled_weights)
    labeled = LabeledRows(X, table.y, table.weights)
    moments = Moments.of(NumpyRows(X, table.weights))
    basis = Basis.of(moments, alpha, fit_intercept)
    start = fit_least_squares(basis, X, table.y, table.weights)
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
