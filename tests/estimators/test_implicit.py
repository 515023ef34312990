"""The implicitly constrained classifiers: limiting cases and how they relate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import NumpyRows
from tacit.solver import Status
from tests.estimators.tables import (
    IMPLICIT,
    PartlyLabeled,
    assert_same_model,
    partly_labeled,
    regression_values,
)
from tests.optional import da
from tests.rows.storages import write_parquet

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


def test_a_penalty_on_the_projection_may_be_only_in_its_start() -> None:
    data = TABLES[0]
    model = ProjectedLeastSquaresClassifier(alpha=2.0, penalty="start").fit(data.X, data.marked)
    start = LeastSquaresClassifier(alpha=2.0).fit(*data.labeled)
    np.testing.assert_array_equal(model.supervised_coef_, start.coef_)
    # The soft labels reproduce the model by plain least squares on all rows.
    rows = np.concatenate([data.X[data.known], data.pool])
    labels = np.concatenate([data.y[data.known], model.soft_labels_])
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(rows)), rows]), labels)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], atol=1e-8)


DATA = partly_labeled(n_labeled=20, n_unlabeled=120, n_classes=4, seed=3)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_attributes_have_one_row_or_column_a_class(estimator: Any) -> None:
    model = estimator().fit(DATA.X, DATA.marked)
    assert model.coef_.shape == model.supervised_coef_.shape == (4, 4)
    assert model.intercept_.shape == (4,)
    assert model.soft_labels_.shape == (120, 4)
    assert model.soft_labels_.min() >= 0.0
    np.testing.assert_allclose(model.soft_labels_.sum(axis=1), 1.0, atol=1e-12)
    assert model.solution_.is_optimal(1e-8)
    supervised = LeastSquaresClassifier().fit(*DATA.labeled)
    np.testing.assert_allclose(model.supervised_coef_, supervised.coef_)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_coefficients_are_those_of_the_soft_labels(estimator: Any) -> None:
    model = estimator().fit(DATA.X, DATA.marked)
    if model.certificate_.supervised_in_set:
        pytest.fail("the example should lie outside of the set")
    Y = np.vstack([np.eye(4)[DATA.y[DATA.known]], model.soft_labels_])
    rows = np.vstack([DATA.X[DATA.known], DATA.pool])
    rows = np.column_stack([np.ones(len(rows)), rows])
    beta = np.linalg.lstsq(rows, Y, rcond=None)[0]
    np.testing.assert_allclose(model.coef_.T, beta[1:], atol=1e-9)
    np.testing.assert_allclose(model.intercept_ + 0.5, beta[0], atol=1e-9)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_no_unlabeled_rows_equals_the_supervised_fit(estimator: Any) -> None:
    model = estimator().fit(*DATA.labeled)
    supervised = LeastSquaresClassifier().fit(*DATA.labeled)
    np.testing.assert_array_equal(model.coef_, supervised.coef_)
    assert model.soft_labels_.shape == (0, 4)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("n_labeled", [4, 20])
def test_whole_weights_are_repeated_rows(estimator: Any, n_labeled: int) -> None:
    data = partly_labeled(n_labeled, 60, 6, 4, seed=1)
    weights = np.random.default_rng(0).integers(1, 4, size=len(data.X))
    weighted = estimator().fit(data.X, data.marked, sample_weight=weights)
    repeated = np.repeat(np.arange(len(data.X)), weights)
    ours = estimator().fit(data.X[repeated], data.marked[repeated])
    assert_same_model(weighted, ours, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("solver", ["interior-point", "working-set"])
@pytest.mark.parametrize("storage", ["sparse", "parquet", "dask", "rows"])
def test_every_storage_gives_the_same_model(
    estimator: Any, solver: str, storage: str, tmp_path: Any
) -> None:
    data = partly_labeled(30, 4000, 5, 3, seed=5)
    X, y = data.labeled
    expected = estimator(solver="interior-point").fit(X, y, X_unlabeled=data.pool)
    pool = {
        "sparse": lambda: sparse.csr_array(data.pool),
        "parquet": lambda: str(write_parquet(tmp_path / "rows.parquet", data.pool)),
        "dask": lambda: da.from_array(data.pool, chunks=(1100, 5)),
        "rows": lambda: NumpyRows(data.pool),
    }[storage]()
    model = estimator(solver=solver).fit(X, y, X_unlabeled=pool)
    assert_same_model(model, expected, rtol=1e-5, atol=1e-7)
    labels = np.asarray(model.soft_labels_)
    assert labels.shape == (4000, 3)
    np.testing.assert_allclose(labels.sum(axis=1), 1.0, atol=1e-12)


def test_the_certificate_is_attained_and_covered_by_the_guarantee() -> None:
    model = ProjectedLeastSquaresClassifier().fit(DATA.X, DATA.marked)
    before = DATA.X @ model.supervised_coef_.T + model.supervised_intercept_ + 0.5
    after = model.decision_function(DATA.X) + 0.5
    cost = np.stack(
        [0.5 * ((after - e) ** 2 - (before - e) ** 2).sum(axis=1) for e in np.eye(4)],
        axis=1,
    )
    known = cost[DATA.known, DATA.y[DATA.known]].sum()
    worst = (known + cost[~DATA.known].max(axis=1).sum()) / len(DATA.X)
    best = (known + cost[~DATA.known].min(axis=1).sum()) / len(DATA.X)
    certificate = model.certificate_
    assert certificate.worst_change == pytest.approx(worst, abs=1e-12)
    assert certificate.best_change == pytest.approx(best, abs=1e-12)
    assert certificate.guaranteed_improvement is not None
    assert 0.0 < certificate.guaranteed_improvement <= -worst + 1e-12


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_many_classes_and_strings_are_fine(estimator: Any) -> None:
    data = partly_labeled(n_labeled=24, n_unlabeled=60, n_classes=12, seed=2)
    names = np.array([f"class {k:02d}" for k in range(12)])[data.y].astype(object)
    names[~data.known] = None
    model = estimator().fit(data.X, names)
    assert model.solution_.status.is_success
    assert set(model.predict(data.X)) <= set(model.classes_)
