"""The updated second moment: a closed form on the moments of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit import LeastSquaresClassifier
from tacit.family._usm import USMClassifier
from tests.estimators.sources import SOURCES, assert_same_coefficients, data
from tests.estimators.tables import assert_same_model, partly_labeled
from tests.optional import da

DATA = partly_labeled(n_labeled=12, n_unlabeled=60, seed=1)
STORAGES = [
    "every other row and column",
    "single precision",
    "CSR",
    "memory map",
    "Parquet rows",
    "path",
    "Dask array of odd chunks",
    "Dask array of sparse chunks",
]


def closed_form(X: Any, Y: Any, X_u: Any, alpha: float, intercept: bool) -> Any:
    """The formula as it stands on paper."""
    if intercept:
        X, X_u = (np.column_stack([np.ones(len(Z)), Z]) for Z in (X, X_u))
    rows = np.concatenate([X, X_u])
    penalty = alpha * np.eye(X.shape[1])
    if intercept:
        penalty[0, 0] = 0.0
    return np.linalg.solve(len(X) / len(rows) * rows.T @ rows + penalty, X.T @ Y)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_the_closed_form(n_classes: int, alpha: float, intercept: bool) -> None:
    table = partly_labeled(16, 50, n_classes=n_classes, seed=3)
    X, y = table.labeled
    model = USMClassifier(alpha, fit_intercept=intercept).fit(table.X, table.marked)
    Y = y if n_classes == 2 else y[:, None] == np.arange(n_classes)
    beta = closed_form(X, np.asarray(Y, dtype=float), table.pool, alpha, intercept)
    coef = beta[1:] if intercept else beta
    np.testing.assert_allclose(model.coef_, np.atleast_2d(coef.T), atol=1e-10)
    constant = beta[0] if intercept else 0.0
    np.testing.assert_allclose(model.intercept_ + 0.5, constant, atol=1e-10)


def test_a_weight_is_so_many_equal_rows() -> None:
    weights = np.random.default_rng(0).integers(0, 3, len(DATA.X))
    weighted = USMClassifier(0.3).fit(DATA.X, DATA.marked, sample_weight=weights)
    index = np.repeat(np.arange(len(DATA.X)), weights)
    repeated = USMClassifier(0.3).fit(DATA.X[index], DATA.marked[index])
    assert_same_model(weighted, repeated)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.7, "loo"])
def test_without_unlabeled_rows_it_is_the_supervised_classifier(n_classes: int, alpha: Any) -> None:
    X, y = partly_labeled(20, 5, n_classes=n_classes).labeled
    model = USMClassifier(alpha).fit(X, y)
    supervised = LeastSquaresClassifier(alpha).fit(X, y)
    np.testing.assert_array_equal(model.coef_, supervised.coef_)
    np.testing.assert_array_equal(model.intercept_, supervised.intercept_)
    np.testing.assert_array_equal(model.supervised_coef_, supervised.coef_)
    assert model.alpha_ == supervised.alpha_
    assert len(model.soft_labels_) == 0
    assert model.certificate_.worst_change == model.certificate_.best_change == 0.0


def test_unlabeled_rows_may_be_marked_or_given_apart_and_classes_may_be_strings() -> None:
    marked = USMClassifier().fit(DATA.X, DATA.marked)
    apart = USMClassifier().fit(*DATA.labeled, X_unlabeled=DATA.pool)
    names = np.where(DATA.known, np.array(["no", "yes"])[DATA.y], "?")
    strings = USMClassifier(unlabeled="?").fit(DATA.X, names)
    assert_same_model(marked, apart)
    assert_same_model(marked, strings)
    assert strings.classes_.tolist() == ["no", "yes"]
    assert set(strings.predict(DATA.X)) <= {"no", "yes"}


@pytest.mark.parametrize("name", STORAGES)
def test_every_storage_gives_the_same_answer(name: str, tmp_path: Any) -> None:
    table = data(300)
    expected = USMClassifier().fit(table.X, table.y, table.X_unlabeled)
    model = USMClassifier().fit(table.X, table.y, SOURCES[name](tmp_path, table.X_unlabeled))
    assert_same_coefficients(model, expected)
    np.testing.assert_allclose(np.asarray(model.soft_labels_), expected.soft_labels_, atol=1e-9)
    assert model.certificate_.worst_change == pytest.approx(expected.certificate_.worst_change)


def test_sparse_labeled_rows_give_the_same_answer() -> None:
    dense = USMClassifier().fit(DATA.X, DATA.marked)
    assert_same_model(USMClassifier().fit(sparse.csr_array(DATA.X), DATA.marked), dense)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_soft_labels_are_labels_and_the_certificate_is_attained(n_classes: int) -> None:
    table = partly_labeled(12, 60, n_classes=n_classes, seed=5)
    model = USMClassifier().fit(table.X, table.marked)
    labels = model.soft_labels_.reshape(len(table.pool), -1)
    assert (labels >= 0.0).all()
    if n_classes == 2:
        values = model.decision_function(table.pool) + 0.5
        np.testing.assert_allclose(labels[:, 0], np.clip(values, 0.0, 1.0))
    else:
        np.testing.assert_allclose(labels.sum(axis=1), 1.0)
    assert model.certificate_.guaranteed_improvement is None
    assert model.certificate_.best_change < model.certificate_.worst_change
    assert model.n_iter_ == 1


def test_missing_numbers_in_rows_that_live_elsewhere_are_told() -> None:
    rows = DATA.pool.copy()
    rows[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"Column 2 .* contains NaN"):
        USMClassifier().fit(*DATA.labeled, X_unlabeled=da.from_array(rows, chunks=(9, 4)))
