"""Kernel ridge regression, and its projection onto the solutions of all labelings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from tacit._typing import Index, Matrix, Vector
from tacit.rows import Moments, NumpyRows
from tacit.solver._basis import RANK_CUT, Coefficients
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._kernel_active_set import solve_active_set
from tacit.solver._least_squares import fit_supervised
from tacit.solver._method import Method
from tacit.solver._nearest_labels import already_inside
from tacit.solver._problem import Problem
from tacit.solver._projection import SURPLUS, project
from tacit.solver._solution import Solution, Status

NOT_A_KERNEL = (
    "kernel gives a matrix that is not positive semi-definite; use a function that is a kernel, "
    "or a precomputed matrix of one."
)
# Below this part of the largest entry of its diagonal, a penalty does not save the kernel matrix
# from its rounding errors. Then the rank rule of the features does.
SMALL_PENALTY = 1e-7
# Rounding errors of one entry of the kernel, relative to the largest.
ROUNDING = float(np.finfo(np.float64).eps)
# What a factor may leave out before the matrix counts as indefinite: part of the largest entry, and
# of the kernel itself over alpha, most of which the labels may have taken away.
LEFT_OUT = 1e-8
# Of so many directions a label, the active set is worth a try before the interior-point method.
MANY_DIRECTIONS = 0.5

KernelMetric = Literal["labeled", "all"]


@dataclass(frozen=True)
class Expansion:
    """A function f(x) = sum_i dual_i k(x_i, x) + intercept, or several side by side."""

    dual: Matrix
    intercept: Vector

    def values(self, K: Matrix) -> Matrix:
        """The values on rows, from the kernel between them and the rows of the expansion."""
        return np.asarray(K @ self.dual + self.intercept)


def is_small(alpha: float, K: Matrix) -> bool:
    """Whether the penalty is none, or too small for equations in the kernel matrix itself."""
    return alpha <= SMALL_PENALTY * float(K.diagonal().max(initial=0.0))


def fit_kernel_ridge(
    K: Matrix, Y: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
) -> Expansion:
    """The minimiser of sum_i w_i (f(x_i) + b - y_i)^2 + alpha ||f||^2, in O(n^3).

    Each column of Y is its own problem.
    """
    if not is_small(alpha, K):
        return BorderedSystem(K, weights, alpha, fit_intercept).solve(Y)
    features = KernelFeatures.of(K, fit_intercept)
    return features.expansion(fit_supervised(features.values, Y, weights, alpha, fit_intercept)[0])


class BorderedSystem:
    """The equations of kernel ridge regression with an intercept, factored once.

    The minimiser of sum_i w_i (f(x_i) - y_i)^2 + alpha ||f||^2 over f = sum_i c_i k(x_i, .) + b,
    with the norm of the function without b, solves

        (K + alpha W^-1) c + b 1 = y,    1'c = 0.

    The border keeps the intercept free of the penalty, which must be positive. Without an intercept
    there is no border.
    """

    def __init__(
        self, K: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
    ) -> None:
        self.matrix = K.copy()
        np.einsum("ii->i", self.matrix)[:] += alpha if weights is None else alpha / weights
        self.fit_intercept = fit_intercept
        try:
            self.factor = cho_factor(self.matrix, lower=True, check_finite=False)
        except np.linalg.LinAlgError as error:
            raise ValueError(NOT_A_KERNEL) from error
        self.border = cho_solve(self.factor, np.ones(len(K)), check_finite=False)

    def solve(self, right: Matrix, total: Matrix | float = 0.0) -> Expansion:
        """The expansion with values `right` and 1'c = `total`, with one step of refinement."""
        first = self._solve(right, total)
        residual = right - self.matrix @ first.dual - first.intercept
        left = total - first.dual.sum(axis=0)
        second = self._solve(residual, left)
        return Expansion(first.dual + second.dual, first.intercept + second.intercept)

    def _solve(self, right: Matrix, total: Matrix | float) -> Expansion:
        dual = cho_solve(self.factor, right, check_finite=False)
        if not self.fit_intercept:
            return Expansion(dual, np.zeros(right.shape[1:]))
        intercept = np.asarray((dual.sum(axis=0) - total) / self.border.sum())
        return Expansion(dual - np.multiply.outer(self.border, intercept), intercept)


@dataclass(frozen=True)
class KernelFeatures:
    """One row of r features for each row of the table, K = F F' up to a shift of the origin.

    Linear methods on F are kernel methods: the squared length of coefficients is the squared norm
    of the function, and the shift goes into the intercept.
    """

    values: Matrix  # F
    weights: Matrix  # from coefficients of F to those of the expansion in the kernel
    means: Vector  # of each column of the kernel; zeros where the origin was not shifted

    @classmethod
    def of(cls, K: Matrix, centred: bool) -> KernelFeatures:
        """The principal components of the kernel, by one eigendecomposition of O(n^3).

        Components whose eigenvalue is below the square root of the machine precision times the
        largest count as zero, as for the Gram matrix of a linear fit.
        """
        means = K.mean(axis=0) if centred else np.zeros(len(K))
        shifted = K - means[:, None] - means[None] + means.mean() if centred else K
        eigenvalues, vectors = np.linalg.eigh(0.5 * (shifted + shifted.T))
        largest = float(np.abs(eigenvalues).max(initial=0.0))
        if eigenvalues.min(initial=0.0) < -RANK_CUT * largest:
            raise ValueError(NOT_A_KERNEL)
        # A constant kernel has nothing left but the rounding errors of the shift.
        kept = eigenvalues > RANK_CUT * max(largest, RANK_CUT * float(np.abs(K).max(initial=0.0)))
        roots = np.sqrt(eigenvalues[kept])
        return cls(vectors[:, kept] * roots, vectors[:, kept] / roots, means)

    @classmethod
    def of_landmarks(cls, K: Matrix, landmarks: Index) -> KernelFeatures:
        """Those of the functions that some rows span, K between all rows and these (Nystroem)."""
        within = cls.of(K[landmarks], centred=False)
        return cls(K @ within.weights, within.weights, within.means)

    def expansion(self, coefficients: Coefficients) -> Expansion:
        """The function with these coefficients of the features."""
        dual = self.weights @ coefficients.coef
        if self.means.any():
            # Centred components sum to zero, but only to the rounding errors of the smallest of
            # them, which large coefficients would carry into every value.
            dual = dual - dual.mean(axis=0)
        return Expansion(dual, np.asarray(coefficients.intercept - self.means @ dual))


@dataclass(frozen=True)
class KernelTable:
    """The kernel between all rows, labeled ones first, and all or some, and what is known of them.

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
        features = KernelFeatures.of(table.K, fit_intercept)
        return project_features(features, table, alpha, fit_intercept, metric, method)
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
    inside = bool((values >= 0.0).all() and (values.ndim == 2 or (values <= 1.0).all()))
    if inside or problem.rank > MANY_DIRECTIONS * problem.n_labels:
        exact = solve_active_set(problem, values, method.tol, method.max_iter)
        if exact is not None:
            return exact
    solution = method.dense(problem)
    if solution.status is not Status.STALLED:
        return solution
    # Close to the answer, so that it is plain which labels are at their bounds.
    exact = solve_active_set(problem, values, method.tol, method.max_iter, solution.labels())
    return solution if exact is None else exact.after(solution)


def project_features(
    features: KernelFeatures,
    table: KernelTable,
    alpha: float,
    fit_intercept: bool,
    metric: KernelMetric,
    method: Method,
) -> KernelProjection:
    """The linear projection on features of the kernel, with its rules for missing rank."""
    n = table.n_labeled
    X, rows = features.values[:n], NumpyRows(features.values[n:], table.unlabeled_weights)
    start, rank = fit_supervised(X, table.y, table.weights, alpha, fit_intercept)
    projection = already_inside(rows, start, fit_intercept) if method.solver == "auto" else None
    if projection is None:
        labeled = LabeledRows(X, table.y, table.weights)
        moments = Moments.of(NumpyRows(X, table.weights))
        constraints = ConstraintSet.of(labeled, moments, rows, alpha, fit_intercept)
        projection = project(constraints, start, metric, rank, method)
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
