"""The edges of the projection, decided once."""

from dataclasses import replace

import numpy as np
import pytest

from tacit import ICLSClassifier
from tacit.rows import Moments, NumpyRows
from tacit.solver import Basis, Coefficients, Method, Status, project
from tests.problems import KINDS, Table, projected, table, table_of_classes

METRICS = ("labeled", "all", "euclidean")


@pytest.mark.parametrize("metric", METRICS)
def test_a_supervised_solution_in_the_set_is_returned_exactly(metric):
    for seed in range(10):
        answer, start, _ = projected(table("supervised solution inside", seed), metric)
        assert answer.inside
        assert answer.solution.status is Status.INSIDE
        assert answer.coefficients is start
        assert answer.squared_distance == 0.0


@pytest.mark.parametrize("metric", METRICS)
def test_all_metrics_agree_on_whether_the_supervised_solution_is_in_the_set(metric):
    for seed in range(30):
        data = table("one unlabeled row", seed)
        prediction = projected(data, "all")[1].values(data.X_u)[0]
        # One row more with its own prediction as label changes nothing, if that is a label.
        assert projected(data, metric)[0].inside == (0.0 <= prediction <= 1.0)


@pytest.mark.parametrize("metric", METRICS)
def test_no_unlabeled_rows_give_the_supervised_solution(metric):
    data = table("plain", 0)
    empty = Table(data.X, data.y, data.X_u[:0], data.y_u[:0])
    answer, start, _ = projected(empty, metric)
    assert answer.solution.status is Status.EMPTY
    assert answer.coefficients is start
    assert answer.inside
    assert answer.squared_distance == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_least_squares_fit_of_its_own_soft_labels(kind):
    for seed in range(5):
        data = table(kind, seed)
        answer, _, _ = projected(data, "labeled")
        if answer.inside:
            continue
        X = np.vstack([data.X, data.X_u])
        labels = np.concatenate([data.y, answer.solution.soft_labels])
        centred = X - X.mean(axis=0)
        unit = np.sqrt((centred**2).sum(axis=0))
        varies = unit > 1e-9 * np.abs(X).max(axis=0)
        design = np.column_stack([np.ones(len(X)), centred[:, varies] / unit[varies]])
        fitted = design @ np.linalg.lstsq(design, labels, rcond=1e-4)[0]
        np.testing.assert_allclose(answer.coefficients.values(X), fitted, atol=1e-6)


def test_the_formula_of_the_theory_holds_without_any_basis():
    data = table("plain", 3)
    answer, _, _ = projected(data, "labeled")
    X = np.column_stack([np.ones(len(data.X)), data.X])
    X_u = np.column_stack([np.ones(len(data.X_u)), data.X_u])
    A = X.T @ X + X_u.T @ X_u
    beta = np.linalg.solve(A, X.T @ data.y + X_u.T @ answer.solution.soft_labels)
    np.testing.assert_allclose(answer.coefficients.stacked(), beta, atol=1e-10)


def test_a_penalty_is_in_the_set_of_the_labeled_metric_and_spares_the_intercept():
    data = table("plain", 3)
    alpha = 2.5
    answer, start, _ = projected(data, "labeled", alpha=alpha)
    X = np.column_stack([np.ones(len(data.X)), data.X])
    X_u = np.column_stack([np.ones(len(data.X_u)), data.X_u])
    J = np.eye(X.shape[1])
    J[0, 0] = 0.0
    sup = np.linalg.solve(X.T @ X + alpha * J, X.T @ data.y)
    np.testing.assert_allclose(start.stacked(), sup, atol=1e-10)
    A = X.T @ X + X_u.T @ X_u + alpha * J
    beta = np.linalg.solve(A, X.T @ data.y + X_u.T @ answer.solution.soft_labels)
    np.testing.assert_allclose(answer.coefficients.stacked(), beta, atol=1e-10)


def test_a_penalty_that_is_rounding_beside_a_column_leaves_ties_to_be_broken():
    # The labeled rows do not see the only column, and beside 1e8 the penalty is nothing either.
    X, y = np.array([[0.0], [0.0], [0.0], [1e8], [0.0]]), np.array([0, 1, -1, -1, -1])
    model = ICLSClassifier(alpha=0.1).fit(X, y, sample_weight=[2.0, 1.9, 0.7, 1.1, 1.9])
    u, w = np.r_[0.0, 1.0, model.soft_labels_], np.array([2.0, 1.9, 0.7, 1.1, 1.9])
    # Of one row far away and others at zero the values are their mean labels, but for the penalty.
    at_zero, far = X[:, 0] == 0.0, X[:, 0] > 0.0
    values = model.decision_function(X) + 0.5
    np.testing.assert_allclose(values[at_zero], np.average(u[at_zero], weights=w[at_zero]))
    np.testing.assert_allclose(values[far], u[far], rtol=0.0, atol=1e-9)


def test_a_penalty_of_the_start_is_not_in_the_set_of_the_other_metrics():
    data = table("plain", 3)
    answer, _, _ = projected(data, "all", alpha=2.5)
    X = np.column_stack([np.ones(len(data.X)), data.X])
    X_u = np.column_stack([np.ones(len(data.X_u)), data.X_u])
    A = X.T @ X + X_u.T @ X_u
    beta = np.linalg.solve(A, X.T @ data.y + X_u.T @ answer.solution.soft_labels)
    np.testing.assert_allclose(answer.coefficients.stacked(), beta, atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_of_unlabeled_rows_equal_repeated_rows(fit_intercept):
    data = table("plain", 4)
    times = np.random.default_rng(0).integers(1, 4, size=len(data.X_u))
    repeated = Table(data.X, data.y, np.repeat(data.X_u, times, axis=0), np.zeros(times.sum()))
    weighted = NumpyRows(data.X_u, times.astype(float))
    assert weighted.total_weight == times.sum()
    ours = Moments.of(weighted)
    theirs = Moments.of(NumpyRows(repeated.X_u))
    np.testing.assert_allclose(ours.mean, theirs.mean)
    np.testing.assert_allclose(ours.scatter, theirs.scatter)
    a, b = (Basis.of(m, 0.0, fit_intercept).functions.stacked() for m in (ours, theirs))
    np.testing.assert_allclose(a @ a.T, b @ b.T, atol=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_of_three_classes_the_supervised_solution_is_in_the_set_unless_labels_cannot_have_its_sum(
    metric,
):
    data = table_of_classes("supervised solution inside", 0, 3)
    answer, start, constraints = projected(data, metric)
    assert answer.inside
    # Values of labels add up to one over the classes.
    moved = Coefficients(start.coef, start.intercept + 0.01)
    other = project(constraints, moved, metric, constraints.basis.rank, Method())
    assert not other.inside
    np.testing.assert_allclose(
        other.coefficients.values(data.X_u).sum(axis=1).mean(), 1.0, atol=0.05
    )


@pytest.mark.parametrize("metric", ["labeled", "all"])
def test_with_known_shares_the_supervised_solution_is_in_the_set_if_it_has_them(metric):
    data = table("supervised solution inside", 0)
    _, start, free = projected(data, metric)
    implied = free.constant() @ (free.coordinates(start) - free.offset) / len(data.X_u)
    for prior, is_member in ((implied, True), (implied + 0.05, False)):
        constraints = replace(free, prior=np.asarray(prior))
        answer = project(constraints, start, metric, free.basis.rank, Method())
        assert answer.solution.status.is_success
        assert answer.inside == is_member
        labels = answer.solution.labeling.of_rows(NumpyRows(data.X_u))
        assert labels.mean() == pytest.approx(prior, abs=1e-6)


def test_classes_without_a_share_have_no_labels_and_an_infinite_price():
    data = table_of_classes("plain", 1, 3)
    _, start, free = projected(data, "all")
    rank = free.basis.rank
    for prior in ((0.0, 0.4, 0.6), (0.0, 1.0, 0.0)):
        constraints = replace(free, prior=np.array(prior))
        answer = project(constraints, start, "all", rank, Method())
        labels = answer.solution.labeling.of_rows(NumpyRows(data.X_u))
        np.testing.assert_allclose(labels.mean(axis=0), prior, atol=1e-6)
        assert np.isinf(answer.prices).tolist() == [share == 0.0 for share in prior]
        np.testing.assert_allclose(answer.solution.labeling.total, data.X_u.T @ labels, atol=1e-7)
        # A row of this basis apart from the start is what the distance is measured by.
        moved = free.coordinates(answer.coefficients) - free.coordinates(start)
        assert answer.squared_distance == pytest.approx(float(np.vdot(moved, moved)))
        labeled = project(constraints, start, "labeled", rank, Method())
        assert labeled.prices is None
