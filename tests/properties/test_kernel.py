"""The guarantee of the kernel projection, for every labeling."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from tacit import KernelICLSClassifier
from tacit.solver import Method
from tacit.solver._kernel_projection import KernelTable, fit_kernel_ridge, project_kernel
from tests.properties.strategies import seeds

alphas = st.sampled_from([1e-3, 0.1, 1.0, 10.0])
kernels = st.sampled_from(["rbf", "narrow rbf", "poly", "linear"])


def _table(kernel, seed, n_classes=None):
    random = np.random.default_rng(seed)
    sizes = ((n_classes or 2, 15), (1, 40), (1, 6))
    n_labeled, n_unlabeled, d = (int(random.integers(*r)) for r in sizes)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    if random.uniform() < 0.3:
        X = X[random.integers(0, max(3, len(X) // 2), size=len(X))]
    y = (X[:n_labeled, 0] + random.normal(size=n_labeled) > 0).astype(float)
    y[0], y[1] = 0.0, 1.0
    if n_classes is not None:
        codes = random.integers(n_classes, size=n_labeled)
        codes[:n_classes] = np.arange(n_classes)
        y = np.eye(n_classes)[codes]
    K = {
        "rbf": lambda: rbf_kernel(X),
        "narrow rbf": lambda: rbf_kernel(X, gamma=5.0),
        "poly": lambda: polynomial_kernel(X),
        "linear": lambda: X @ X.T,
    }[kernel]()
    weights = random.uniform(0.2, 3.0, size=len(X)) if random.uniform() < 0.5 else None
    if weights is None:
        return KernelTable(K, y)
    return KernelTable(K, y, weights[:n_labeled], weights[n_labeled:])


def _penalised(table, expansion, labels, alpha):
    values = expansion.values(table.K)
    w = np.ones(len(values))
    if table.weights is not None:
        w = np.concatenate([table.weights, table.unlabeled_weights])
    loss = np.sum(w @ (values - np.concatenate([table.y, labels])) ** 2)
    return float(loss + alpha * np.vdot(expansion.dual, table.K @ expansion.dual))


@given(kernels, seeds, alphas, st.booleans())
def test_the_penalised_loss_on_all_rows_never_rises_whatever_the_labels(
    kernel, seed, alpha, intercept
):
    table = _table(kernel, seed)
    projection = project_kernel(table, alpha, intercept, "all", Method())
    guaranteed = projection.squared_distance - 2.0 * projection.solution.gap()
    random = np.random.default_rng(seed)
    for soft in (True, False, False):
        u = random.uniform(size=table.n_unlabeled)
        u = u if soft else np.round(u)
        before = _penalised(table, projection.start, u, alpha)
        after = _penalised(table, projection.answer, u, alpha)
        assert after <= before - guaranteed + 1e-8 * (1.0 + before)


@given(kernels, seeds, alphas, st.booleans())
def test_the_penalised_labeled_loss_is_never_above_that_of_another_labeling(
    kernel, seed, alpha, intercept
):
    table = _table(kernel, seed)
    projection = project_kernel(table, alpha, intercept, "labeled", Method())
    random = np.random.default_rng(seed)
    n = table.n_labeled

    def labeled_loss(expansion):
        w = np.ones(n) if table.weights is None else table.weights
        loss = w @ (expansion.values(table.K)[:n] - table.y) ** 2
        return float(loss + alpha * expansion.dual @ table.K @ expansion.dual)

    best = labeled_loss(projection.answer)
    assert best >= labeled_loss(projection.start) - 1e-9 * (1.0 + best)
    w = None
    if table.weights is not None:
        w = np.concatenate([table.weights, table.unlabeled_weights])
    near = np.clip(projection.solution.labels() + random.normal(0, 1e-2, table.n_unlabeled), 0, 1)
    for labels in (near, random.integers(0, 2, size=table.n_unlabeled).astype(float)):
        values = np.concatenate([table.y, labels])
        member = fit_kernel_ridge(table.K, values, w, alpha, intercept)
        assert best <= labeled_loss(member) * (1.0 + 1e-7) + 1e-9


@given(kernels, seeds, alphas, st.booleans(), st.sampled_from([3, 4]))
def test_the_penalised_loss_of_several_classes_never_rises_whatever_the_labels(
    kernel, seed, alpha, intercept, n_classes
):
    table = _table(kernel, seed, n_classes)
    projection = project_kernel(table, alpha, intercept, "all", Method())
    guaranteed = projection.squared_distance - 2.0 * projection.solution.gap()
    random = np.random.default_rng(seed)
    soft = random.dirichlet(np.ones(n_classes), size=table.n_unlabeled)
    hard = (np.eye(n_classes)[random.integers(n_classes, size=len(soft))] for _ in range(2))
    for P in (soft, *hard):
        before = _penalised(table, projection.start, P, alpha)
        after = _penalised(table, projection.answer, P, alpha)
        assert after <= before - guaranteed + 1e-8 * (1.0 + before)


@given(kernels, seeds, alphas, st.sampled_from(["labeled", "all"]))
def test_two_classes_on_the_simplex_are_those_in_the_interval(kernel, seed, alpha, metric):
    table = _table(kernel, seed)
    one = project_kernel(table, alpha, True, metric, Method())
    columns = replace(table, y=np.column_stack([1.0 - table.y, table.y]))
    two = project_kernel(columns, alpha, True, metric, Method())
    values = two.answer.values(table.K)
    np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-7)
    # In the metric, where the gaps say how far either can be from the answer.
    dual = one.answer.dual - two.answer.dual[:, 1]
    w = np.ones(len(values))
    if table.weights is not None:
        w = np.concatenate([table.weights, table.unlabeled_weights])
    if metric == "labeled":
        w[table.n_labeled :] = 0.0
    square = w @ (one.answer.values(table.K) - values[:, 1]) ** 2 + alpha * dual @ table.K @ dual
    allowed = np.sqrt(2.0 * one.solution.gap()) + np.sqrt(two.solution.gap())
    # What is squared is the difference of two large sums.
    size = np.abs(one.answer.dual)
    rounding = np.finfo(np.float64).eps * alpha * (size @ np.abs(table.K) @ size)
    assert np.sqrt(max(square, 0.0)) <= allowed + np.sqrt(rounding) + 1e-8


@given(seeds, st.floats(-3.0, 0.0))
def test_the_guarantee_holds_where_the_kernel_matrix_is_nearly_singular(seed, power):
    random = np.random.default_rng(seed)
    n_labeled, n_unlabeled = random.integers(4, 20), random.integers(3, 30)
    X = random.normal(size=(n_labeled + n_unlabeled, random.integers(1, 4)))
    y = random.integers(0, 2, size=len(X))
    y[:2], y[n_labeled:] = (0, 1), -1
    model = KernelICLSClassifier(kernel="rbf", gamma=10.0**power, metric="all", alpha=0.0)
    certificate = model.fit(X, y).certificate_
    assert not certificate.kept_start
    rounding = 1e-6 * (1.0 + abs(certificate.best_change))
    assert certificate.worst_change <= -certificate.guaranteed_improvement + rounding


@given(seeds, st.sampled_from([1e-12, 1e-9, 1e-7, 1e-6]), st.booleans())
def test_a_small_penalty_is_close_to_none(seed, alpha, intercept):
    # Only with enough labels are the coefficients determined without a penalty.
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 2))
    y = (X[:12, 0] + random.normal(size=12) > 0).astype(float)
    y[0], y[1] = 0.0, 1.0
    table = KernelTable(X @ X.T, y)
    for metric in ("labeled", "all"):
        none = project_kernel(table, 0.0, intercept, metric, Method())
        little = project_kernel(table, alpha, intercept, metric, Method())
        np.testing.assert_allclose(
            none.answer.values(table.K), little.answer.values(table.K), atol=1e-3
        )
