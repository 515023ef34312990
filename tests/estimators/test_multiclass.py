"""More than two classes in the implicitly constrained classifiers."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from tacit import LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import NumpyRows
from tests.estimators.tables import IMPLICIT, assert_same_model, partly_labeled
from tests.rows.storages import write_parquet

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
