"""The guarantee of the kernel projection, for every labeling."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from tacit import KernelICLSClassifier
from tests.problems import project_kernel
from tests.properties.strategies import seeds

alphas = st.sampled_from([1e-3, 0.1, 1.0, 10.0])
kernels = st.sampled_from(["rbf", "narrow rbf", "poly", "linear"])


@dataclass(frozen=True)
class _Table:
    """The kernel between all rows, labeled ones first, their labels, and weights of all rows."""

    K: Any
    y: Any
    given: Any  # weights, or None

    @property
    def n_unlabeled(self):
        return len(self.K) - len(self.y)

    @property
    def weights(self):
        return np.ones(len(self.K)) if self.given is None else self.given

    def fit(self, alpha, intercept, metric):
        codes = self.y if self.y.ndim == 1 else self.y.argmax(axis=1)
        marked = np.concatenate([codes, np.full(self.n_unlabeled, -1.0)])
        model = KernelICLSClassifier("precomputed", metric, alpha, fit_intercept=intercept)
        return model.fit(self.K, marked, sample_weight=self.given)

    def ridge(self, labels, alpha, intercept):
        """Dual coefficients and constant of kernel ridge regression on these labels."""
        n = len(self.K)
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = self.K + alpha * np.diag(1.0 / self.weights)
        system[:n, n] = system[n, :n] = 1.0 if intercept else 0.0
        system[n, n] = 0.0 if intercept else 1.0
        found = np.linalg.solve(system, np.append(labels, 0.0))
        return found[:n], found[n]

    def penalised(self, dual, constant, labels, alpha):
        """The penalised loss on the first rows, as many as there are labels."""
        n = len(labels)
        loss = np.sum(self.weights[:n] @ ((self.K @ dual + constant)[:n] - labels) ** 2)
        return float(loss + alpha * np.vdot(dual, self.K @ dual))


def _start(model, y):
    return model.supervised_dual_coef_.T.reshape(-1, *y.shape[1:]), _number(
        model.supervised_intercept_, y
    )


def _answer(model, y):
    return model.dual_coef_.T.reshape(-1, *y.shape[1:]), _number(model.intercept_, y)


def _number(intercept, y):
    return (intercept[0] if y.ndim == 1 else intercept) + 0.5


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
    return _Table(K, y, weights)


@given(kernels, seeds, alphas, st.booleans())
def test_the_penalised_loss_on_all_rows_never_rises_whatever_the_labels(
    kernel, seed, alpha, intercept
):
    table = _table(kernel, seed)
    _, projection = project_kernel(table.K, table.y, alpha, "all", intercept, table.given)
    guaranteed = projection.squared_distance - 2.0 * projection.solution.gap()
    model = table.fit(alpha, intercept, "all")
    random = np.random.default_rng(seed)
    for soft in (True, False, False):
        u = random.uniform(size=table.n_unlabeled)
        u = np.concatenate([table.y, u if soft else np.round(u)])
        before = table.penalised(*_start(model, table.y), u, alpha)
        after = table.penalised(*_answer(model, table.y), u, alpha)
        assert after <= before - guaranteed + 1e-8 * (1.0 + before)


@given(kernels, seeds, alphas, st.booleans())
def test_the_penalised_labeled_loss_is_never_above_that_of_another_labeling(
    kernel, seed, alpha, intercept
):
    table = _table(kernel, seed)
    model = table.fit(alpha, intercept, "labeled")
    random = np.random.default_rng(seed)
    best = table.penalised(*_answer(model, table.y), table.y, alpha)
    start = table.penalised(*_start(model, table.y), table.y, alpha)
    assert best >= start - 1e-9 * (1.0 + best)
    near = np.clip(model.soft_labels_ + random.normal(0, 1e-2, table.n_unlabeled), 0, 1)
    for labels in (near, random.integers(0, 2, size=table.n_unlabeled).astype(float)):
        member = table.ridge(np.concatenate([table.y, labels]), alpha, intercept)
        assert best <= table.penalised(*member, table.y, alpha) * (1.0 + 1e-7) + 1e-9


@given(kernels, seeds, alphas, st.booleans(), st.sampled_from([3, 4]))
def test_the_penalised_loss_of_several_classes_never_rises_whatever_the_labels(
    kernel, seed, alpha, intercept, n_classes
):
    table = _table(kernel, seed, n_classes)
    _, projection = project_kernel(table.K, table.y, alpha, "all", intercept, table.given)
    guaranteed = projection.squared_distance - 2.0 * projection.solution.gap()
    model = table.fit(alpha, intercept, "all")
    random = np.random.default_rng(seed)
    soft = random.dirichlet(np.ones(n_classes), size=table.n_unlabeled)
    hard = (np.eye(n_classes)[random.integers(n_classes, size=len(soft))] for _ in range(2))
    for P in (soft, *hard):
        labels = np.concatenate([table.y, P])
        before = table.penalised(*_start(model, table.y), labels, alpha)
        after = table.penalised(*_answer(model, table.y), labels, alpha)
        assert after <= before - guaranteed + 1e-8 * (1.0 + before)


@given(kernels, seeds, alphas, st.sampled_from(["labeled", "all"]))
def test_two_classes_on_the_simplex_are_those_in_the_interval(kernel, seed, alpha, metric):
    table = _table(kernel, seed)
    F, one = project_kernel(table.K, table.y, alpha, metric, True, table.given)
    columns = np.column_stack([1.0 - table.y, table.y])
    _, two = project_kernel(table.K, columns, alpha, metric, True, table.given)
    first, second = one.coefficients, two.coefficients
    values = second.values(F)
    np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-7)
    # In the metric, where the gaps say how far either can be from the answer.
    apart = first.coef - second.coef[:, 1]
    n = len(table.y) if metric == "labeled" else len(F)
    square = table.weights[:n] @ (first.values(F) - values[:, 1])[:n] ** 2 + alpha * apart @ apart
    allowed = np.sqrt(2.0 * one.solution.gap()) + np.sqrt(two.solution.gap())
    assert np.sqrt(square) <= allowed + 1e-8


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
    for metric in ("labeled", "all"):
        none, little = (
            answer.coefficients.values(F)
            for F, answer in (
                project_kernel(X @ X.T, y, penalty, metric, intercept) for penalty in (0.0, alpha)
            )
        )
        np.testing.assert_allclose(none, little, atol=1e-3)
