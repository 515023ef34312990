"""Where columns are more than rows: the projection in the span of the rows."""

from __future__ import annotations

import operator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from tacit._typing import Matrix, Vector
from tacit.rows import CentredRows, Moments, NumpyRows, Rows, Sample, check_memory
from tacit.rows._moments import random_sample
from tacit.solver._basis import Coefficients, low_rank_factor
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._labeling import Labeling
from tacit.solver._least_squares import Principal, RowsRidge, is_small
from tacit.solver._matrix_free import MatrixFree, Unexplained
from tacit.solver._method import Method
from tacit.solver._nearest_labels import SUM, inside
from tacit.solver._problem import Problem
from tacit.solver._projection import SURPLUS, Metric, Projection, project
from tacit.solver._semismooth import Quadratic
from tacit.solver._solution import Status

# From so many rows on, sparse ones of two classes do without a matrix of that order.
MANY_ROWS = 4000
# How far coefficients may be from what their labels give, in units of values of one on all rows.
FITTED = 1e-6


def project_in_span(
    labeled: LabeledRows,
    unlabeled: Rows,
    start: Coefficients,
    alpha: float,
    fit_intercept: bool,
    metric: Metric,
    method: Method,
) -> Projection:
    """The projection of a ridge fit where there are fewer rows than columns.

    All members of the set are combinations of rows, so it is that of features of their inner
    products, N x N numbers whatever the columns are.
    """
    n_labeled, n = labeled.X.shape[0], labeled.X.shape[0] + unlabeled.n_rows
    if sparse.issparse(labeled.X) and start.coef.ndim == 1 and n >= MANY_ROWS:
        with suppress(np.linalg.LinAlgError):
            return project_matrix_free(
                labeled, unlabeled, start, alpha, fit_intercept, metric, method
            )
    check_memory(
        n * n,
        f"the inner products of {n:,} rows",
        "use fewer unlabeled rows, or fewer columns than rows (for example TruncatedSVD)",
    )
    pool = random_sample(unlabeled, unlabeled.n_rows, seed=0)  # all of them
    known = Sample(labeled.X, None, np.zeros(n_labeled, dtype=np.int64))
    X = Sample.of([known, replace(pool, weights=None)]).X
    rows = CentredRows(X, all_weights(labeled, pool), fit_intercept)
    ridge = RowsRidge(rows.gram(), rows.roots, alpha, fit_intercept, rows)
    if not is_small(alpha, ridge.gram) and unlabeled.total_weight > 0.0:
        return project_by_rows(ridge, labeled, unlabeled, start, metric, method)
    whole, rows = rows, CentredRows(X, None, fit_intercept)
    principal = Principal.of(rows.gram(), alpha, rows)
    left, lengths, right = principal.left, principal.lengths, principal.right
    F, y, weights = left * lengths, labeled.y, labeled.weights
    own, others = NumpyRows(F[:n_labeled], weights), NumpyRows(F[n_labeled:], pool.weights)
    theta = left.T @ rows.times(start.coef) if right is None else right.T @ start.coef
    if right is None:
        theta = (theta.T / lengths).T
    first = Coefficients(theta, start.intercept + rows.mean @ start.coef)
    few = LabeledRows(own.X, y, weights)
    constraints = ConstraintSet.of(few, Moments.of(own), others, alpha, fit_intercept)
    found = project(constraints, first, metric, len(lengths) + fit_intercept, method)
    labels = found.solution.labels()
    solution = replace(found.solution, labeling=Labeling.of_values(unlabeled, labels))
    theta = found.coefficients.coef
    coef = rows.back(left @ (theta.T / lengths).T) if right is None else right @ theta
    answer = Coefficients(coef, found.coefficients.intercept - rows.mean @ coef)
    answer = start if found.inside else answer
    is_fit = is_ridge_fit(answer, whole, np.concatenate([y, labels]), alpha)
    if solution.status.is_success and not is_fit:
        solution = replace(solution, status=Status.STALLED)
        return replace(found, solution=solution, coefficients=answer, inside=False)
    return replace(found, solution=solution, coefficients=answer)


def is_ridge_fit(answer: Coefficients, rows: CentredRows, y: Matrix, alpha: float) -> bool:
    """Whether no coefficient by itself could lower the penalised loss by more than rounding.

    Rounding errors of rows with columns of very different lengths may lose the short ones.
    """
    values = np.add.outer(np.zeros(len(y)), rows.mean @ answer.coef + answer.intercept) - y
    residual = rows.times(answer.coef) + (rows.roots * values.T).T
    slopes = rows.back(residual) + alpha * answer.coef
    steps = slopes.T / np.sqrt(rows.squares() + alpha)
    return bool(np.abs(steps).max(initial=0.0) <= FITTED * np.linalg.norm(rows.roots))


def project_matrix_free(
    labeled: LabeledRows,
    unlabeled: Rows,
    start: Coefficients,
    alpha: float,
    fit_intercept: bool,
    metric: Metric,
    method: Method,
) -> Projection:
    """The projection of a ridge fit to sparse rows in two classes, from products with these rows.

    Equal rows have equal labels, and are one with the weight of all. A LinAlgError where rows are
    combinations of others, as they are where they exceed the columns, and equations of their order
    have no answer.
    """
    pool = random_sample(unlabeled, unlabeled.n_rows, seed=0)  # all of them
    pool.X.sum_duplicates()
    marks = pool.X @ np.random.default_rng(0).normal(size=(unlabeled.n_features, 2))
    _, first, which = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    weights = np.bincount(which, pool.weights).astype(np.float64)
    X = pool.X[first]
    known = CentredRows(labeled.X, labeled.weights, fit_intercept)
    T = Unexplained.of(known, CentredRows(X, weights, fit_intercept), alpha, fit_intercept)
    solver = MatrixFree(T, start.values(X), of_all=metric == "all")
    solution, y = solver.solve(method.tol, method.max_iter, method.report)
    labels = solution.labels()[which]
    labeling = Labeling.of_values(unlabeled, labels)
    solution = replace(solution, soft_labels=labels, labeling=labeling)
    if solution.status is Status.INSIDE:
        return Projection(start, solution, True, 0.0)
    change = solver.coefficients(y)
    moved = Coefficients(start.coef + change.coef, start.intercept + change.intercept)
    return Projection(moved, solution, False, solver.squared_change(y))


def all_weights(labeled: Any, unlabeled: Any) -> Vector | None:
    """Those of the labeled, then of the unlabeled rows; None where all are one."""
    if labeled.weights is None and unlabeled.weights is None:
        return None
    both = (labeled, unlabeled)
    return np.concatenate(
        [np.ones(rows.X.shape[0]) if rows.weights is None else rows.weights for rows in both]
    )


def project_by_rows(
    ridge: RowsRidge,
    labeled: LabeledRows,
    unlabeled: Rows,
    start: Coefficients,
    metric: Metric,
    method: Method,
) -> Projection:
    """The projection of a ridge fit to the labeled rows, from a ridge regression of all rows.

    It is linear in the labels u, and the start its answer to the own values f of the start on the
    unlabeled rows. So (u - f)'Q(u - f) is to be minimised, Q a matrix of these rows, and whatever
    the columns are they have no part in that.
    """
    assert ridge.rows is not None, "coefficients are asked for"
    values = np.concatenate(unlabeled.reduce(lambda b: [start.values(b.X)], operator.add))
    surplus = np.zeros(len(values))
    if values.ndim == 2:
        # What values do not add up to over the classes is the same for all labels: out of reach.
        surplus = 1.0 - values.sum(axis=1)
        values += surplus[:, None] / values.shape[1]
    if values.min() >= 0.0 and values.max() <= 1.0 and np.abs(surplus).max() <= SUM:
        return inside(start, Labeling.of_values(unlabeled, values), "values")
    Q = ridge.metric(len(labeled.y), of_all=metric == "all")
    V = low_rank_factor(Q)
    problem = Problem(V, V.T @ values)
    solution = method.dense(problem, Quadratic(values, Q))
    labels = solution.labels()
    solution = replace(solution, labeling=Labeling.of_values(unlabeled, labels))
    size = float(np.linalg.norm(problem.target) + np.linalg.norm(V.sum(axis=0)))
    is_member_possible = np.linalg.norm(surplus @ V) <= SURPLUS * size
    if solution.status is Status.INSIDE and is_member_possible:
        return Projection(start, solution, True, 0.0)
    answer = ridge.coefficients(np.concatenate([labeled.y, labels]))
    coef, intercept = answer.coef - start.coef, answer.intercept - start.intercept
    change = ridge.rows.times(coef)
    change += np.multiply.outer(ridge.roots, ridge.rows.mean @ coef + intercept)
    distance = float(np.vdot(change, change) + ridge.alpha * np.vdot(coef, coef))
    return Projection(answer, solution, False, distance)
