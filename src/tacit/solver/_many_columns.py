"""Where columns are more than rows: the projection in the span of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.rows import Block, CentredRows, Rows, Sample, check_memory
from tacit.solver._basis import Coefficients
from tacit.solver._constraint_set import LabeledRows
from tacit.solver._kernel_projection import KernelMetric, KernelTable, project_kernel
from tacit.solver._labeling import Labeling
from tacit.solver._method import Method
from tacit.solver._projection import Projection


def project_in_span(
    labeled: LabeledRows,
    unlabeled: Rows,
    start: Coefficients,
    alpha: float,
    fit_intercept: bool,
    metric: KernelMetric,
    method: Method,
) -> Projection:
    """The projection of a ridge fit where there are fewer rows than columns.

    All members of the set are combinations of rows, so it is that of kernel ridge regression with
    the inner products of the rows, N x N numbers whatever the columns are.
    """
    n_labeled, n = labeled.X.shape[0], labeled.X.shape[0] + unlabeled.n_rows
    check_memory(
        n * n,
        f"the inner products of {n:,} rows",
        "use fewer unlabeled rows, or fewer columns than rows (for example TruncatedSVD)",
    )
    pool = _collected(unlabeled)
    own = Sample(labeled.X, None, np.zeros(n_labeled, dtype=np.int64))
    rows = CentredRows(Sample.of([own, replace(pool, weights=None)]).X, None, fit_intercept)
    table = KernelTable(rows.gram(), labeled.y, labeled.weights, pool.weights)
    found = project_kernel(table, alpha, fit_intercept, metric, method)
    labels = found.solution.labels()
    solution = replace(found.solution, labeling=Labeling.of_values(unlabeled, labels))
    if found.inside:
        return Projection(start, solution, True, 0.0)
    coef = rows.back(found.answer.dual)
    answer = Coefficients(coef, np.asarray(found.answer.intercept - rows.mean @ coef))
    return Projection(answer, solution, False, found.squared_distance)


def _collected(rows: Rows) -> Sample:
    """All rows in memory."""

    def kernel(block: Block) -> list[Sample]:
        index = np.arange(block.start, block.start + block.X.shape[0], dtype=np.int64)
        return [Sample(block.X, block.weights, index)]

    return Sample.of(rows.reduce(kernel, list.__add__))
