"""Projections in the span of the rows, beside the matrices of all columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import CentredRows, CsrRows, NumpyRows, as_rows
from tacit.solver import Coefficients, LabeledRows, Problem, Status, solve_interior_point
from tacit.solver import _many_columns as module
from tacit.solver._least_squares import RowsRidge, fit_supervised
from tacit.solver._many_columns import (
    all_weights,
    is_ridge_fit,
    project_by_rows,
    project_in_span,
    project_matrix_free,
)
from tacit.solver._method import Method

L, U, D = 14, 20, 50
metrics = pytest.mark.parametrize("metric", ["labeled", "all"])
intercepts = pytest.mark.parametrize("fit_intercept", [True, False])
weighted = pytest.mark.parametrize("is_weighted", [False, True])


class Drawn:
    """Rows with few labels, their ridge fit, and the dense matrices of it all."""

    def __init__(
        self,
        n_classes: int = 2,
        is_weighted: bool = False,
        fit_intercept: bool = True,
        alpha: float = 0.3,
        form: Any = np.asarray,
        lengths: Any = 1.0,
    ) -> None:
        random = np.random.default_rng(n_classes)
        X = (random.normal(size=(L + U, D)) + 1.0) * lengths
        codes = np.arange(L) % n_classes
        X[:, 0] += 2.0 * np.r_[codes, random.integers(0, n_classes, U)]
        targets: Any = np.eye(n_classes)[codes]
        self.y = targets[:, 1] if n_classes == 2 else targets
        w = random.uniform(0.4, 2.0, L + U)
        self.w = w if is_weighted else np.ones(L + U)
        own, others = (w[:L], w[L:]) if is_weighted else (None, None)
        self.X, self.alpha, self.fit_intercept = X, alpha, fit_intercept
        start, _ = fit_supervised(form(X[:L]), self.y, own, alpha, fit_intercept)
        self.start, self.labeled = start, LabeledRows(form(X[:L]), self.y, own)
        self.unlabeled = as_rows(form(X[L:]), others)
        self.settings = self.labeled, self.unlabeled, start, alpha, fit_intercept
        roots = np.sqrt(self.w)[:, None]
        self.design = roots * np.column_stack([np.full(L + U, fit_intercept), X])
        self.penalty = alpha * np.diag(np.r_[0.0 if fit_intercept else 1.0, np.ones(D)])

    def fitted(self, labels: Any) -> Any:
        """The ridge fit to all rows, with the constant first."""
        both = np.concatenate([self.y, labels])
        right = self.design.T @ (np.sqrt(self.w) * both.T).T
        return np.linalg.solve(self.design.T @ self.design + self.penalty, right)

    def best(self, metric: str) -> Any:
        """The dense problem and its answer."""
        A = self.design.T @ self.design + self.penalty
        S = self.design[:L].T @ self.design[:L] + self.penalty
        root = np.linalg.cholesky(A if metric == "all" else S)
        moved = root.T @ np.linalg.solve(A, self.design[L:].T)
        start = self.start.stacked()
        known = np.linalg.solve(A, self.design[:L].T @ (np.sqrt(self.w[:L]) * self.y.T).T)
        problem = Problem(moved.T * np.sqrt(self.w[L:])[:, None], root.T @ (start - known))
        return problem, solve_interior_point(problem)

    def check(self, found: Any, metric: str, digits: float = 1e-6) -> None:
        """That the labels are the best, and the coefficients the ridge fit to them."""
        problem, best = self.best(metric)
        labels = found.solution.labels()
        assert best.status is Status.OPTIMAL
        assert found.solution.status is Status.OPTIMAL
        assert not found.inside
        assert found.solution.is_optimal(1e-8)
        assert problem.centred().relative_gap(labels) <= 1e-6
        np.testing.assert_allclose(labels, best.labels(), atol=1e-4)
        beta = self.fitted(labels)
        np.testing.assert_allclose(found.coefficients.coef, beta[1:], atol=digits)
        np.testing.assert_allclose(found.coefficients.intercept, beta[0], atol=10 * digits)
        np.testing.assert_array_equal(found.solution.labeling.of_rows(self.unlabeled), labels)
        moved = (self.w[L:] * labels.T).T
        np.testing.assert_allclose(found.solution.labeling.total, self.X[L:].T @ moved, atol=1e-8)
        change = beta - self.start.stacked()
        A = self.design.T @ self.design + self.penalty
        distance = float(np.vdot(change, A @ change))
        assert found.squared_distance == pytest.approx(distance, rel=1e-4)


@metrics
@intercepts
@weighted
@pytest.mark.parametrize("n_classes", [2, 3])
def test_inner_products_of_rows_are_enough(
    metric: Any, fit_intercept: bool, is_weighted: bool, n_classes: int
) -> None:
    drawn = Drawn(n_classes, is_weighted, fit_intercept)
    found = project_in_span(*drawn.settings, metric, Method())
    drawn.check(found, metric)


@metrics
@intercepts
@weighted
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_with_a_small_penalty_principal_directions_are(
    metric: Any, fit_intercept: bool, is_weighted: bool, form: Any
) -> None:
    drawn = Drawn(2, is_weighted, fit_intercept, 1e-6, form)
    found = project_in_span(*drawn.settings, metric, Method())
    # Next to nothing is left of the start there; what labels there are fits them.
    labels = found.solution.labels()
    assert found.solution.status.is_success
    beta = drawn.fitted(labels)
    np.testing.assert_allclose(found.coefficients.coef, beta[1:], atol=1e-5)
    assert not found.inside
    problem, best = drawn.best(metric)
    assert problem.objective(labels) <= best.objective * (1.0 + 1e-5) + 1e-12 * best.scale
    labeling: Any = found.solution.labeling
    np.testing.assert_allclose(labeling.total, drawn.X[L:].T @ (drawn.w[L:] * labels))


@metrics
def test_where_squares_lose_directions_singular_values_find_them(metric: Any) -> None:
    lengths = np.where(np.arange(D) < 3, 1e4, 1.0)
    drawn = Drawn(2, False, True, 1e-3, lengths=lengths)
    found = project_in_span(*drawn.settings, metric, Method())
    assert found.solution.status.is_success
    beta = drawn.fitted(found.solution.labels())
    np.testing.assert_allclose(found.coefficients.coef, beta[1:], atol=1e-6)


def test_rows_without_weight_leave_the_start_as_it_is() -> None:
    drawn = Drawn()
    nothing = as_rows(drawn.X[L:], np.zeros(U))
    settings = drawn.labeled, nothing, drawn.start, drawn.alpha, True
    found = project_in_span(*settings, "labeled", Method())
    np.testing.assert_allclose(found.coefficients.coef, drawn.start.coef, atol=1e-9)
    assert found.solution.labels().shape == (U,)


def test_a_ridge_fit_is_one_to_rounding_in_every_coefficient() -> None:
    # One column is so short that the penalty is as much.
    drawn = Drawn(2, True, lengths=np.where(np.arange(D) == 7, 0.1, 1.0))
    rows = CentredRows(drawn.X, drawn.w, True)
    labels = np.random.default_rng(0).uniform(size=U)
    beta = drawn.fitted(labels)
    both = np.concatenate([drawn.y, labels])
    # A step along one coefficient alone is seen in the values of all rows.
    unit = np.sqrt(drawn.w.sum())
    for k in (0, 7, D - 1):
        length = np.sqrt(
            (drawn.w * (drawn.X[:, k] - drawn.w @ drawn.X[:, k] / drawn.w.sum()) ** 2).sum()
            + drawn.alpha
        )
        for part, is_fit in ((0.9e-6, True), (1.2e-6, False), (-1.2e-6, False)):
            coef = beta[1:].copy()
            coef[k] += part * unit / length
            mean = drawn.w @ drawn.X / drawn.w.sum()
            level = beta[0] + mean @ (beta[1:] - coef)
            found = is_ridge_fit(Coefficients(coef, np.asarray(level)), rows, both, drawn.alpha)
            assert found == is_fit
    # Nor is the fit to other labels or of another penalty.
    answer = Coefficients(beta[1:], np.asarray(beta[0]))
    assert is_ridge_fit(answer, rows, both, drawn.alpha)
    assert not is_ridge_fit(answer, rows, 1.0 - both, drawn.alpha)
    assert not is_ridge_fit(answer, rows, both, 1.1 * drawn.alpha)
    two = Coefficients(np.column_stack([beta[1:]] * 2), np.full(2, beta[0]))
    assert is_ridge_fit(two, rows, np.column_stack([both] * 2), drawn.alpha)
    assert not is_ridge_fit(two, rows, np.column_stack([both, 1.0 - both]), drawn.alpha)


def test_an_answer_that_is_no_ridge_fit_is_not_called_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = Drawn(alpha=1e-6)
    monkeypatch.setattr(module, "is_ridge_fit", lambda *arguments: False)
    found = project_in_span(*drawn.settings, "labeled", Method())
    assert found.solution.status is Status.STALLED
    assert not found.inside
    told: list[Any] = []

    def judged(*arguments: Any) -> bool:
        told.append(arguments)
        return True

    monkeypatch.setattr(module, "is_ridge_fit", judged)
    found = project_in_span(*drawn.settings, "labeled", Method())
    assert found.solution.status.is_success
    answer, rows, y, alpha = told[0]
    np.testing.assert_allclose(answer.coef, found.coefficients.coef)
    np.testing.assert_allclose(y, np.concatenate([drawn.y, found.solution.labels()]))
    assert alpha == drawn.alpha
    np.testing.assert_allclose(rows.dense(), drawn.X - drawn.X.mean(axis=0))


@metrics
@pytest.mark.parametrize("alpha", [0.3, 1e-6])
def test_a_start_that_some_labels_give_is_returned_itself(metric: Any, alpha: float) -> None:
    drawn = Drawn(alpha=alpha)
    values = drawn.start.values(drawn.X[L:])
    inner = NumpyRows(drawn.X[L:][(values > 0.2) & (values < 0.8)])
    assert inner.n_rows >= 2
    settings = drawn.labeled, inner, drawn.start, alpha, True
    found = project_in_span(*settings, metric, Method())
    assert found.inside
    assert found.coefficients is drawn.start
    assert found.squared_distance == 0.0
    assert found.solution.status is Status.INSIDE
    labeling: Any = found.solution.labeling
    np.testing.assert_allclose(labeling.of_rows(inner), drawn.start.values(inner.X), atol=1e-6)


@pytest.mark.parametrize(("metric", "alpha"), [("labeled", 0.3), ("all", 0.3), ("all", 1e-6)])
def test_a_start_that_other_labels_than_its_values_give_is_returned_itself(
    metric: Any, alpha: float
) -> None:
    drawn = Drawn(alpha=alpha)
    coef = drawn.start.coef
    X = drawn.X[L : L + 2]
    wanted = np.array([0.6, 0.15])
    X = X + np.outer(wanted - drawn.start.values(X), coef / (coef @ coef))
    # Twice the first is the sum of the others, so that labels can move and lead back to it.
    X = np.vstack([X, 2.0 * X[0] - X[1]])
    np.testing.assert_allclose(drawn.start.values(X), [0.6, 0.15, 1.05])
    settings = drawn.labeled, NumpyRows(X), drawn.start, alpha, True
    found = project_in_span(*settings, metric, Method())
    assert found.inside
    assert found.coefficients is drawn.start
    assert found.squared_distance == 0.0
    labels = found.solution.labels()
    assert 0.0 <= labels.min() <= labels.max() <= 1.0
    np.testing.assert_allclose(X.T @ labels, X.T @ [0.6, 0.15, 1.05], atol=1e-6)


def ridge_of(drawn: Drawn) -> RowsRidge:
    weights = None if drawn.labeled.weights is None else drawn.w
    rows = CentredRows(drawn.X, weights, drawn.fit_intercept)
    return RowsRidge(rows.gram(), rows.roots, drawn.alpha, drawn.fit_intercept, rows)


@pytest.mark.parametrize("low", [-1e-3, 1e-3])
@pytest.mark.parametrize("high", [1.0 - 1e-3, 1.0 + 1e-3])
def test_values_that_are_labels_need_no_solver(low: float, high: float) -> None:
    drawn = Drawn()
    values = drawn.start.values(drawn.X[L:])
    # A start with these lowest and highest values.
    times = (high - low) / (values.max() - values.min())
    start = Coefficients(
        times * drawn.start.coef,
        np.asarray(low + times * (float(drawn.start.intercept) - values.min())),
    )
    arguments = ridge_of(drawn), drawn.labeled, drawn.unlabeled, start, "labeled", Method()
    found = project_by_rows(*arguments)  # type: ignore[arg-type]
    assert (found.solution.solver == "values") == (low > 0.0 and high < 1.0)
    if low > 0.0 and high < 1.0:
        labeling: Any = found.solution.labeling
        np.testing.assert_allclose(labeling.of_rows(drawn.unlabeled), start.values(drawn.X[L:]))


@metrics
def test_of_values_that_do_not_add_up_to_one_the_rest_is_out_of_reach(metric: Any) -> None:
    drawn = Drawn(3)
    surplus = 0.3
    start = Coefficients(drawn.start.coef, drawn.start.intercept + surplus / 3.0)
    arguments = ridge_of(drawn), drawn.labeled, drawn.unlabeled
    plain = project_by_rows(*arguments, drawn.start, metric, Method())
    found = project_by_rows(*arguments, start, metric, Method())
    # The same labels are the best, but never the start itself.
    np.testing.assert_allclose(found.solution.labels(), plain.solution.labels(), atol=1e-5)
    np.testing.assert_allclose(found.coefficients.coef, plain.coefficients.coef, atol=1e-6)
    change = plain.coefficients.stacked() - start.stacked()
    A = drawn.design.T @ drawn.design + drawn.penalty
    assert found.squared_distance == pytest.approx(float(np.vdot(change, A @ change)), rel=1e-5)
    middle = Coefficients(0.01 * drawn.start.coef, np.full(3, (1.0 + surplus) / 3.0))
    inside = project_by_rows(*arguments, middle, metric, Method())
    assert not inside.inside
    assert inside.solution.solver != "values"
    exact = Coefficients(0.01 * drawn.start.coef, np.full(3, 1.0 / 3.0))
    coef = exact.coef - exact.coef.mean(axis=1, keepdims=True)
    assert project_by_rows(*arguments, Coefficients(coef, exact.intercept), metric, Method()).inside


@metrics
@intercepts
@weighted
def test_products_with_sparse_rows_give_the_same(
    metric: Any, fit_intercept: bool, is_weighted: bool
) -> None:
    drawn = Drawn(2, is_weighted, fit_intercept, form=sparse.csr_array)
    found = project_matrix_free(*drawn.settings, metric, Method())
    drawn.check(found, metric, 1e-5)
    assert found.solution.solver == "matrix-free"


def test_equal_rows_are_one_with_the_weight_of_all() -> None:
    drawn = Drawn(2, True, form=sparse.csr_array)
    which = np.r_[np.arange(U), 3, 3, 8]
    X, w = sparse.csr_array(drawn.X[L:][which]), np.r_[drawn.w[L:], 0.5, 0.1, 0.7]
    more = CsrRows(X, w)
    found = project_matrix_free(drawn.labeled, more, drawn.start, 0.3, True, "all", Method())
    once = CsrRows(sparse.csr_array(drawn.X[L:]), np.bincount(which, w).astype(float))
    plain = project_matrix_free(drawn.labeled, once, drawn.start, 0.3, True, "all", Method())
    np.testing.assert_allclose(found.coefficients.coef, plain.coefficients.coef, atol=1e-8)
    np.testing.assert_allclose(found.solution.labels(), plain.solution.labels()[which], atol=1e-7)
    labeling: Any = found.solution.labeling
    np.testing.assert_allclose(labeling.mass, w @ found.solution.labels())


@pytest.mark.parametrize(
    ("n_rows", "form", "n_classes", "is_so"),
    [
        (L + U, sparse.csr_array, 2, True),
        (L + U + 1, sparse.csr_array, 2, False),
        (L + U, np.asarray, 2, False),
        (L + U, sparse.csr_array, 3, False),
    ],
)
def test_many_sparse_rows_of_two_classes_are_for_products_alone(
    n_rows: int, form: Any, n_classes: int, is_so: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MANY_ROWS", n_rows)
    drawn = Drawn(n_classes, form=form)
    found = project_in_span(*drawn.settings, "labeled", Method())
    assert (found.solution.solver == "matrix-free") == is_so

    def lost(*arguments: Any) -> Any:
        raise np.linalg.LinAlgError

    # Where that fails the inner products are still there, if they fit.
    monkeypatch.setattr(module, "project_matrix_free", lost)
    again = project_in_span(*drawn.settings, "labeled", Method())
    np.testing.assert_allclose(again.coefficients.coef, found.coefficients.coef, atol=1e-5)
    orders: list[int] = []
    monkeypatch.setattr(module, "check_memory", lambda numbers, *words: orders.append(numbers))
    project_in_span(*drawn.settings, "labeled", Method())
    assert orders == [(L + U) ** 2]


def test_weights_of_labeled_rows_come_first_and_those_not_given_are_one() -> None:
    plain = LabeledRows(np.ones((2, 1)), np.zeros(2), None)
    given = LabeledRows(np.ones((3, 1)), np.zeros(3), np.array([2.0, 3.0, 4.0]))
    assert all_weights(plain, plain) is None
    for first, second, expected in [
        (plain, given, [1.0, 1.0, 2.0, 3.0, 4.0]),
        (given, plain, [2.0, 3.0, 4.0, 1.0, 1.0]),
        (given, given, [2.0, 3.0, 4.0] * 2),
    ]:
        found = all_weights(first, second)
        assert found is not None
        assert found.tolist() == expected
