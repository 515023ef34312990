"""Where columns are more than rows: the projection in the span of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.rows import CentredRows, Moments, NumpyRows, Rows, Sample, check_memory
from tacit.rows._moments import random_sample
from tacit.solver._basis import Coefficients
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._kernel_features import KernelFeatures
from tacit.solver._labeling import Labeling
from tacit.solver._least_squares import fit_supervised
from tacit.solver._method import Method
from tacit.solver._projection import Metric, Projection, project


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
    check_memory(
        n * n,
        f"the inner products of {n:,} rows",
        "use fewer unlabeled rows, or fewer columns than rows (for example TruncatedSVD)",
    )
    pool = random_sample(unlabeled, unlabeled.n_rows, seed=0)  # all of them
    known = Sample(labeled.X, None, np.zeros(n_labeled, dtype=np.int64))
    rows = CentredRows(Sample.of([known, replace(pool, weights=None)]).X, None, fit_intercept)
    features = KernelFeatures.of(rows.gram(), centred=False, alpha=alpha)
    F, y, weights = features.values, labeled.y, labeled.weights
    own, others = NumpyRows(F[:n_labeled], weights), NumpyRows(F[n_labeled:], pool.weights)
    first, rank = fit_supervised(own.X, y, weights, alpha, fit_intercept)
    few = LabeledRows(own.X, y, weights)
    constraints = ConstraintSet.of(few, Moments.of(own), others, alpha, fit_intercept)
    found = project(constraints, first, metric, rank, method)
    labels = found.solution.labels()
    solution = replace(found.solution, labeling=Labeling.of_values(unlabeled, labels))
    coef = rows.back(features.weights @ found.coefficients.coef)
    moved = Coefficients(coef, found.coefficients.intercept - rows.mean @ coef)
    return replace(found, solution=solution, coefficients=start if found.inside else moved)
