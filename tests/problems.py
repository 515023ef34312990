"""Random and degenerate least-squares problems, shared by several tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import Moments, NumpyRows
from tacit.solver import Basis, Coefficients, ConstraintSet, LabeledRows, Projection, project
from tacit.solver._kernel_features import KernelFeatures
from tacit.solver._least_squares import fit_least_squares, fit_supervised
from tacit.solver._method import Method
from tacit.solver._projection import Metric


@dataclass(frozen=True)
class Table:
    """Labeled and unlabeled rows, with the truth of the latter.

    Labels are numbers, or indicators, one column for each of several classes.
    """

    X: Matrix
    y: Matrix
    X_u: Matrix
    y_u: Matrix


KINDS = (
    "plain",
    "duplicate rows",
    "collinear columns",
    "constant column",
    "fewer labels than columns",
    "fewer unlabeled rows than columns",
    "one unlabeled row",
    "huge scale",
    "tiny scale",
    "mixed scales",
    "discrete columns",
    "heavy tails",
    "unbalanced classes",
    "supervised solution inside",
)


def table(kind: str, seed: int) -> Table:
    """A random problem of that kind."""
    random = np.random.default_rng([KINDS.index(kind), seed])
    d = int(random.integers(2, 9))
    n_labeled = d + 1 + int(random.integers(2, 8))
    n_unlabeled = int(random.integers(d + 2, 80))
    if kind == "fewer labels than columns":
        n_labeled = max(2, d - int(random.integers(0, d)))
    if kind == "fewer unlabeled rows than columns":
        n_unlabeled = int(random.integers(1, d + 1))
    if kind == "one unlabeled row":
        n_unlabeled = 1
    if kind == "supervised solution inside":
        n_unlabeled = 300
    n = n_labeled + n_unlabeled
    X = random.normal(size=(n, d))
    if kind == "heavy tails":
        X = random.standard_cauchy(size=(n, d))
    direction = random.normal(size=d)
    signal = X @ direction + random.normal(size=n)
    threshold = np.quantile(signal, 0.9) if kind == "unbalanced classes" else np.median(signal)
    y = (signal > threshold).astype(np.float64)
    if kind == "supervised solution inside":
        # Labels without any signal: small coefficients, well inside what 300 rows can imply.
        n_labeled = 200
        y = random.integers(0, 2, size=n).astype(np.float64)
    if kind == "duplicate rows":
        X = X[random.integers(0, max(3, n // 4), size=n)]
    if kind == "collinear columns":
        X = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
    if kind == "constant column":
        X = np.column_stack([X, np.full(n, 3.7)])
    if kind == "discrete columns":
        X = random.integers(0, 2, size=(n, d)).astype(np.float64)
    if kind == "huge scale":
        X = X * 1e8
    if kind == "tiny scale":
        X = X * 1e-8
    if kind == "mixed scales":
        X = X * 10.0 ** random.integers(-6, 7, size=d) + 10.0 ** random.integers(-3, 4, size=d)
    y[0], y[1] = 0.0, 1.0
    return Table(X[:n_labeled], y[:n_labeled], X[n_labeled:], y[n_labeled:])


def table_of_classes(kind: str, seed: int, n_classes: int) -> Table:
    """A random problem of that kind with labels of several classes, as indicators."""
    data = table(kind, seed)
    random = np.random.default_rng([KINDS.index(kind), seed, n_classes])
    n_more = max(0, n_classes + 1 - len(data.X))  # each class needs a label
    X_u, X = data.X_u, np.vstack([data.X, data.X_u[:n_more]])
    X = np.vstack([X, X[: max(0, n_classes + 1 - len(X))]])
    rows = np.vstack([X, X_u])
    scaled = (rows - rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-300)
    signal = scaled @ random.normal(size=(X.shape[1], n_classes))
    signal += random.normal(size=signal.shape)
    if kind == "unbalanced classes":
        signal[:, 0] += 3.0
    y = signal.argmax(axis=1)
    if kind == "supervised solution inside":
        y = random.integers(0, n_classes, size=len(rows))
    y[:n_classes] = np.arange(n_classes)
    indicators = np.eye(n_classes)[y]
    return Table(X, indicators[: len(X)], X_u, indicators[len(X) :])


def projected(
    data: Table,
    metric: Metric,
    solver: str = "auto",
    tol: float = 1e-8,
    alpha: float = 0.0,
    fit_intercept: bool = True,
) -> tuple[Projection, Coefficients, ConstraintSet]:
    """The projection of the supervised solution of `data`, that solution, and the set."""
    moments = Moments.of(NumpyRows(data.X))
    basis = Basis.of(moments, alpha, fit_intercept)
    start = fit_least_squares(basis, data.X, data.y, None)
    in_set = alpha if metric == "labeled" else 0.0
    constraints = ConstraintSet.of(
        LabeledRows(data.X, data.y, None), moments, NumpyRows(data.X_u), in_set, fit_intercept
    )
    solve = Method(solver, tol, 20_000)
    return project(constraints, start, metric, basis.rank, solve), start, constraints


def project_kernel(
    K: Matrix,
    y: Matrix,
    alpha: float,
    metric: Metric,
    fit_intercept: bool = True,
    weights: Vector | None = None,
) -> tuple[Matrix, Projection]:
    """Features of a kernel, labeled rows first, and the projection on them."""
    F, n = KernelFeatures.of(K, fit_intercept, alpha).values, len(y)
    own, others = (None, None) if weights is None else (weights[:n], weights[n:])
    start, rank = fit_supervised(F[:n], y, own, alpha, fit_intercept)
    moments = Moments.of(NumpyRows(F[:n], own))
    constraints = ConstraintSet.of(
        LabeledRows(F[:n], y, own), moments, NumpyRows(F[n:], others), alpha, fit_intercept
    )
    return F, project(constraints, start, metric, rank, Method())


def generators(constraints: ConstraintSet) -> Matrix:
    """X_u B with each row times its weight, one generator of the zonotope a row."""
    rank = constraints.basis.rank
    return constraints.problem(np.eye(rank), np.zeros(rank), with_prior=False).dense().V
