"""The implicitly constrained classifiers: limiting cases and how they relate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.solver import Status
from tests.estimators.tables import (
    IMPLICIT,
    PartlyLabeled,
    assert_same_model,
    partly_labeled,
    regression_values,
)

TABLES = [partly_labeled(seed=seed) for seed in range(4)]
METRICS = ["all", "labeled", "euclidean"]


def many_noisy_labels() -> PartlyLabeled:
    """Labels with hardly any signal, so that the supervised solution lies inside the set."""
    return partly_labeled(n_labeled=100, n_unlabeled=200, noise=20.0)


@pytest.mark.parametrize("alpha", [0.0, 0.7, "loo"])
@pytest.mark.parametrize("n_labeled", [4, 8])
def test_the_projection_in_the_labeled_metric_is_icls(alpha: Any, n_labeled: int) -> None:
    data = partly_labeled(n_labeled=n_labeled)
    icls = ICLSClassifier(alpha=alpha).fit(data.X, data.marked)
    projected = ProjectedLeastSquaresClassifier("labeled", alpha=alpha).fit(data.X, data.marked)
    np.testing.assert_array_equal(projected.coef_, icls.coef_)
    np.testing.assert_array_equal(projected.intercept_, icls.intercept_)
    assert projected.certificate_ == icls.certificate_


def test_the_metrics_give_different_answers() -> None:
    data = TABLES[0]
    coefs = [
        ProjectedLeastSquaresClassifier(metric).fit(data.X, data.marked).coef_  # type: ignore[arg-type]
        for metric in METRICS
    ]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert not np.allclose(coefs[first], coefs[second], rtol=1e-3)


@pytest.mark.parametrize("data", TABLES)
def test_each_metric_wins_by_its_own_measure(data: PartlyLabeled) -> None:
    models = [
        ProjectedLeastSquaresClassifier(metric).fit(data.X, data.marked)  # type: ignore[arg-type]
        for metric in METRICS
    ]
    X, y = data.labeled

    def moved(model: Any) -> float:
        start = regression_values(model.supervised_coef_, model.supervised_intercept_, data.X)
        return float(((model.decision_function(data.X) + 0.5 - start) ** 2).sum())

    def labeled_loss(model: Any) -> float:
        return float(((model.decision_function(X) + 0.5 - y) ** 2).sum())

    def length(model: Any) -> float:
        coef = model.coef_ - model.supervised_coef_
        return float((coef**2).sum() + (model.intercept_ - model.supervised_intercept_)[0] ** 2)

    for winner, measure in enumerate((moved, labeled_loss, length)):
        values = [measure(model) for model in models]
        assert values[winner] <= min(values) * (1 + 1e-7) + 1e-12


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("alpha", [0.0, 0.7, "loo"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_unlabeled_rows_it_is_supervised_least_squares(
    estimator: Any, alpha: Any, fit_intercept: bool
) -> None:
    X, y = TABLES[0].labeled
    model = estimator(alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
    supervised = LeastSquaresClassifier(alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_array_equal(model.coef_, supervised.coef_)
    np.testing.assert_array_equal(model.intercept_, supervised.intercept_)
    assert model.alpha_ == supervised.alpha_
    assert model.soft_labels_.shape == (0,)
    assert model.solution_.status is Status.EMPTY
    assert model.n_iter_ == 0
    assert model.certificate_.supervised_in_set is True
    assert model.certificate_.worst_change == model.certificate_.best_change == 0.0


@pytest.mark.parametrize("solver", ["interior-point", "lbfgsb"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_supervised_solution_inside_the_set_is_returned_to_the_last_bit(
    solver: str, metric: Any
) -> None:
    data = many_noisy_labels()
    model = ProjectedLeastSquaresClassifier(metric, solver=solver).fit(data.X, data.marked)
    supervised = LeastSquaresClassifier().fit(*data.labeled)
    assert model.solution_.status is Status.INSIDE
    assert (model.coef_ == supervised.coef_).all()
    assert (model.intercept_ == supervised.intercept_).all()
    assert (model.coef_ == model.supervised_coef_).all()
    certificate = model.certificate_
    assert certificate.supervised_in_set is True
    assert certificate.worst_change == certificate.best_change == certificate.labeled_change == 0.0
    assert "changes nothing" in str(certificate)
    # The soft labels prove it: least squares on them gives the supervised solution.
    X = np.concatenate([data.X[data.known], data.pool])
    y = np.concatenate([data.y[data.known], model.soft_labels_])
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y)[0]
    np.testing.assert_allclose(beta[1:], supervised.coef_[0], atol=1e-9)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("data", TABLES)
def test_both_solvers_give_the_same_classifier(estimator: Any, data: PartlyLabeled) -> None:
    one = estimator(solver="interior-point").fit(data.X, data.marked)
    other = estimator(solver="lbfgsb").fit(data.X, data.marked)
    auto = estimator().fit(data.X, data.marked)
    assert_same_model(one, other, rtol=1e-5, atol=1e-7)
    assert_same_model(auto, one)
    assert one.solution_.solver == "interior-point"
    assert other.solution_.solver == "lbfgsb"


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("solver", ["interior-point", "lbfgsb"])
def test_the_solution_shows_that_it_is_optimal(estimator: Any, solver: str) -> None:
    data = TABLES[0]
    model = estimator(solver=solver).fit(data.X, data.marked)
    solution = model.solution_
    assert solution.status is Status.OPTIMAL
    assert solution.status.is_success
    assert solution.is_optimal(1e-8)
    assert 0.0 <= solution.relative_gap() <= 1e-8
    assert solution.kkt_residual() < 1e-5
    assert solution.n_iter == model.n_iter_ >= 1


@pytest.mark.parametrize("data", TABLES)
def test_no_labeling_gives_a_smaller_loss_on_the_labeled_rows_than_icls(
    data: PartlyLabeled,
) -> None:
    model = ICLSClassifier().fit(data.X, data.marked)
    X, y = data.labeled
    best = float(((model.decision_function(X) + 0.5 - y) ** 2).sum())
    random = np.random.default_rng(0)
    rows = np.column_stack([np.ones(len(data.X)), np.concatenate([X, data.pool])])
    near = np.clip(model.soft_labels_ + 0.05 * random.normal(size=(200, len(data.pool))), 0, 1)
    far = random.uniform(size=(200, len(data.pool)))
    for labels in (*near, *far):
        beta = np.linalg.lstsq(rows, np.concatenate([y, labels]))[0]
        loss = float(((rows[: len(y)] @ beta - y) ** 2).sum())
        assert loss >= best * (1 - 1e-9)


def test_a_penalty_on_icls_is_in_the_loss_and_in_every_member_of_the_set() -> None:
    data, alpha = TABLES[0], 2.0
    model = ICLSClassifier(alpha=alpha).fit(data.X, data.marked)
    X, y = data.labeled
    rows = np.concatenate([X, data.pool])
    members = LeastSquaresClassifier(alpha=alpha)

    def penalised(coef: np.ndarray, intercept: np.ndarray) -> float:
        values = regression_values(coef, intercept, X)
        return float(((values - y) ** 2).sum() + alpha * (coef**2).sum())

    # The soft labels reproduce the model by ridge regression on all rows.
    centred = rows - rows.mean(axis=0)
    labels = np.concatenate([y, model.soft_labels_])
    ridge = np.linalg.solve(centred.T @ centred + alpha * np.eye(4), centred.T @ labels)
    np.testing.assert_allclose(model.coef_[0], ridge, atol=1e-8)
    best = penalised(model.coef_, model.intercept_)
    for hard in np.random.default_rng(0).integers(0, 2, size=(100, len(data.pool))):
        member = members.fit(rows, np.concatenate([y, hard]))
        assert penalised(member.coef_, member.intercept_) >= best - 1e-9


def test_a_penalty_on_the_projection_is_only_in_its_start() -> None:
    data = TABLES[0]
    model = ProjectedLeastSquaresClassifier(alpha=2.0).fit(data.X, data.marked)
    start = LeastSquaresClassifier(alpha=2.0).fit(*data.labeled)
    np.testing.assert_array_equal(model.supervised_coef_, start.coef_)
    # The soft labels reproduce the model by plain least squares on all rows.
    rows = np.concatenate([data.X[data.known], data.pool])
    labels = np.concatenate([data.y[data.known], model.soft_labels_])
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(rows)), rows]), labels)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], atol=1e-8)
