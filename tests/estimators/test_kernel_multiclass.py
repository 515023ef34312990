"""More than two classes in implicitly constrained least squares with a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.utils import get_tags

from tacit import (
    KernelICLSClassifier,
    KernelLeastSquaresClassifier,
)
from tacit.solver import Status
from tests.estimators.tables import partly_labeled
from tests.problems import project_kernel

METRICS: tuple[Any, ...] = ("labeled", "all")
DATA = partly_labeled(n_labeled=20, n_unlabeled=70, n_features=3, n_classes=4, seed=3)
FIRST = np.flatnonzero(DATA.known)
ORDER = np.concatenate([FIRST, np.flatnonzero(~DATA.known)])


@pytest.mark.parametrize("metric", METRICS)
def test_attributes_have_one_row_or_column_a_class(metric: Any) -> None:
    model = KernelICLSClassifier("rbf", metric, alpha=0.1).fit(DATA.X, DATA.marked)
    assert model.dual_coef_.shape == model.supervised_dual_coef_.shape == (4, 90)
    assert model.intercept_.shape == model.supervised_intercept_.shape == (4,)
    assert model.soft_labels_.shape == (70, 4)
    assert model.soft_labels_.min() >= 0.0
    np.testing.assert_allclose(model.soft_labels_.sum(axis=1), 1.0, atol=1e-12)
    assert model.decision_function(DATA.X).shape == (90, 4)
    assert model.solution_.is_optimal(1e-8)
    assert set(model.predict(DATA.X)) <= {0, 1, 2, 3}


@pytest.mark.parametrize("kernel", [linear_kernel, rbf_kernel, polynomial_kernel])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.1, 1.0])
def test_two_classes_on_the_simplex_are_the_binary_answer(
    kernel: Any, metric: Any, alpha: float
) -> None:
    table = partly_labeled(16, 60, seed=2, n_features=3)
    first = np.argsort(~table.known, kind="stable")
    K, y = kernel(table.X[first]), table.y[first][:16].astype(np.float64)
    F, one = project_kernel(K, y, alpha, metric)
    _, two = project_kernel(K, np.column_stack([1.0 - y, y]), alpha, metric)
    assert one.inside == two.inside
    values = two.coefficients.values(F)
    np.testing.assert_allclose(values[:, 1], one.coefficients.values(F), atol=1e-8)
    np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-8)
    assert two.squared_distance == pytest.approx(2.0 * one.squared_distance, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_kernel_ridge_regression_on_the_soft_labels_gives_the_model_back(
    metric: Any, alpha: float, intercept: bool, weighted: bool
) -> None:
    model = KernelICLSClassifier("rbf", metric, alpha=alpha, fit_intercept=intercept)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(DATA.X)) if weighted else None
    model.fit(DATA.X, DATA.marked, sample_weight=weights)
    assert model.solution_.status is Status.OPTIMAL
    labels = np.vstack([np.eye(4)[DATA.y[FIRST]], model.soft_labels_])
    twin = KernelLeastSquaresClassifier("rbf", alpha, fit_intercept=intercept)
    # One regression a class: a soft label is a row of the class and one of the rest, weighted.
    X, w = DATA.X[ORDER], np.ones(90) if weights is None else weights[ORDER]
    for k in range(4):
        shares = np.concatenate([labels[:, k], 1.0 - labels[:, k]])
        twin.fit(np.vstack([X, X]), np.repeat([1, 0], 90), sample_weight=shares * np.tile(w, 2))
        np.testing.assert_allclose(
            model.decision_function(DATA.X)[:, k], twin.decision_function(DATA.X), atol=1e-7
        )


def test_rows_without_weight_get_equal_shares() -> None:
    weights = np.where(DATA.known, 1.0, 0.0)
    model = KernelICLSClassifier(alpha=0.1).fit(DATA.X, DATA.marked, sample_weight=weights)
    np.testing.assert_array_equal(model.dual_coef_, model.supervised_dual_coef_)
    np.testing.assert_array_equal(model.soft_labels_, 0.25)


def test_without_an_intercept_values_that_do_not_add_up_are_no_labels() -> None:
    # Far from all labels the values of all classes are small, and no labels are.
    model = KernelICLSClassifier("rbf", "all", alpha=20.0, fit_intercept=False)
    model.fit(DATA.X, DATA.marked)
    certificate = model.certificate_
    assert certificate.supervised_in_set is False
    assert certificate.penalised_improvement is not None
    assert certificate.penalised_improvement > 0.0
    assert (model.dual_coef_ != model.supervised_dual_coef_).any()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("gamma", [0.3, 20.0])
def test_both_solvers_give_the_same_classifier(metric: Any, gamma: float) -> None:
    auto = KernelICLSClassifier("rbf", metric, alpha=0.05, gamma=gamma).fit(DATA.X, DATA.marked)
    other = clone(auto).set_params(solver="interior-point").fit(DATA.X, DATA.marked)
    np.testing.assert_allclose(
        auto.decision_function(DATA.X), other.decision_function(DATA.X), atol=1e-7
    )


def test_the_order_of_the_classes_does_not_matter() -> None:
    order = np.array([2, 0, 3, 1])
    model = KernelICLSClassifier(alpha=0.05).fit(DATA.X, DATA.marked)
    renamed = np.where(DATA.known, order[DATA.y], -1)
    other = KernelICLSClassifier(alpha=0.05).fit(DATA.X, renamed)
    np.testing.assert_allclose(other.soft_labels_[:, order], model.soft_labels_, atol=1e-7)


def test_a_precomputed_kernel_and_names_of_classes_give_the_same_answer() -> None:
    names = np.array(["oak", "ash", "elm", "fir"])[DATA.y].astype(object)
    names[~DATA.known] = None
    named = KernelICLSClassifier("rbf", gamma=0.5, alpha=0.1).fit(DATA.X, names)
    K = rbf_kernel(DATA.X, gamma=0.5)
    precomputed = KernelICLSClassifier("precomputed", alpha=0.1).fit(K, names)
    assert precomputed.dual_coef_.shape == (4, 90)
    np.testing.assert_allclose(
        precomputed.decision_function(K), named.decision_function(DATA.X), atol=1e-9
    )
    assert set(named.predict(DATA.X)) <= {"ash", "elm", "fir", "oak"}


def test_the_certificate_is_attained_and_covered_by_the_guarantee() -> None:
    model = KernelICLSClassifier("rbf", "all", alpha=0.01, gamma=0.3).fit(DATA.X, DATA.marked)
    K = rbf_kernel(DATA.X, DATA.X[ORDER], gamma=0.3)
    before = K @ model.supervised_dual_coef_.T + model.supervised_intercept_ + 0.5
    after = model.decision_function(DATA.X) + 0.5
    cost = np.stack(
        [0.5 * ((after - e) ** 2 - (before - e) ** 2).sum(axis=1) for e in np.eye(4)], axis=1
    )
    known = cost[DATA.known, DATA.y[DATA.known]].sum()
    worst = (known + cost[~DATA.known].max(axis=1).sum()) / len(DATA.X)
    best = (known + cost[~DATA.known].min(axis=1).sum()) / len(DATA.X)
    certificate: Any = model.certificate_
    assert certificate.worst_change == pytest.approx(worst, abs=1e-12)
    assert certificate.best_change == pytest.approx(best, abs=1e-12)
    assert certificate.guaranteed_improvement is None
    norms = [
        np.trace(dual @ K[ORDER] @ dual.T)
        for dual in (model.dual_coef_, model.supervised_dual_coef_)
    ]
    penalised = worst + 0.5 * 0.01 * (norms[0] - norms[1]) / len(DATA.X)
    assert 0.0 < certificate.penalised_improvement <= -penalised + 1e-12
    assert "plus the penalty falls by at least" in str(certificate)


def test_one_solver_is_for_two_classes() -> None:
    model = KernelICLSClassifier(solver="lbfgsb")
    with pytest.raises(ValueError, match=r'Only binary.*solver is "lbfgsb".*y has 4; use "auto"'):
        model.fit(DATA.X, DATA.marked)
    assert get_tags(model).classifier_tags.multi_class is False
    assert get_tags(KernelICLSClassifier()).classifier_tags.multi_class is True
