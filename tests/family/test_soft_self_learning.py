"""Soft-label self-learning as a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from tacit import LeastSquaresClassifier
from tacit.family import _soft_self_learning as soft_self_learning
from tacit.family._soft_self_learning import SoftSelfLearningClassifier, solve_soft_self_learning
from tacit.rows import Moments, NumpyRows
from tacit.solver import Basis, ConstraintSet, LabeledRows, Status
from tacit.solver._least_squares import fit_least_squares
from tests.estimators.sources import SOURCES, assert_same_coefficients, data
from tests.estimators.tables import assert_same_model, partly_labeled
from tests.optional import da

DATA = partly_labeled(n_labeled=8, n_unlabeled=60, seed=1)
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


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.8])
def test_least_squares_on_the_soft_labels_gives_the_model_back(
    n_classes: int, alpha: float
) -> None:
    table = partly_labeled(12, 60, n_classes=n_classes, seed=4)
    model = SoftSelfLearningClassifier(alpha).fit(table.X, table.marked)
    X, y = table.labeled
    rows = np.concatenate([X, table.pool])
    Y = y.astype(float) if n_classes == 2 else (y[:, None] == np.arange(n_classes)) * 1.0
    Y = np.concatenate([Y, model.soft_labels_])
    centred = rows - rows.mean(axis=0)
    coef = np.linalg.solve(centred.T @ centred + alpha * np.eye(4), centred.T @ Y)
    np.testing.assert_allclose(model.coef_, np.atleast_2d(coef.T), atol=1e-9)
    values = rows.mean(axis=0) @ coef
    np.testing.assert_allclose(model.intercept_ + 0.5, Y.mean(axis=0) - values, atol=1e-9)
    assert model.n_iter_ >= 1
    assert not np.allclose(model.coef_, model.supervised_coef_, atol=1e-4)


def test_two_classes_are_the_simplex_with_two_corners() -> None:
    # Least squares on two indicators is least squares on one of them, twice.
    X, y = DATA.labeled
    Y = (y[:, None] == np.arange(2)) * 1.0
    moments = Moments.of(NumpyRows(X))
    basis = Basis.of(moments)
    start = fit_least_squares(basis, X, Y, None)
    constraints = ConstraintSet.of(LabeledRows(X, Y, None), moments, NumpyRows(DATA.pool))
    result = solve_soft_self_learning(constraints, start, basis.rank)
    model = SoftSelfLearningClassifier().fit(DATA.X, DATA.marked)
    np.testing.assert_allclose(result.coefficients.coef[:, 1], model.coef_[0], atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.7, "loo"])
@pytest.mark.parametrize("intercept", [True, False])
def test_without_unlabeled_rows_it_is_the_supervised_classifier(
    n_classes: int, alpha: Any, intercept: bool
) -> None:
    X, y = partly_labeled(20, 5, n_classes=n_classes).labeled
    model = SoftSelfLearningClassifier(alpha, fit_intercept=intercept).fit(X, y)
    supervised = LeastSquaresClassifier(alpha, fit_intercept=intercept).fit(X, y)
    np.testing.assert_array_equal(model.coef_, supervised.coef_)
    np.testing.assert_array_equal(model.intercept_, supervised.intercept_)
    assert model.alpha_ == supervised.alpha_
    assert model.solution_.status is Status.EMPTY
    assert model.n_iter_ == 0
    assert len(model.soft_labels_) == 0
    assert model.certificate_.worst_change == model.certificate_.best_change == 0.0


def test_values_inside_the_interval_change_nothing() -> None:
    table = partly_labeled(100, 50, noise=20.0)
    model = SoftSelfLearningClassifier().fit(table.X, table.marked)
    supervised = LeastSquaresClassifier().fit(*table.labeled)
    assert model.solution_.status is Status.INSIDE
    np.testing.assert_array_equal(model.coef_, supervised.coef_)
    assert model.certificate_.supervised_in_set is True
    assert "changes nothing" in str(model.certificate_)


def test_a_weight_is_so_many_equal_rows() -> None:
    weights = np.random.default_rng(0).integers(0, 3, len(DATA.X))
    weights[DATA.known] += 1
    weighted = SoftSelfLearningClassifier(0.3).fit(DATA.X, DATA.marked, sample_weight=weights)
    index = np.repeat(np.arange(len(DATA.X)), weights)
    repeated = SoftSelfLearningClassifier(0.3).fit(DATA.X[index], DATA.marked[index])
    assert_same_model(weighted, repeated)


def test_unlabeled_rows_may_be_marked_or_given_apart_and_classes_may_be_strings() -> None:
    marked = SoftSelfLearningClassifier().fit(DATA.X, DATA.marked)
    apart = SoftSelfLearningClassifier().fit(*DATA.labeled, X_unlabeled=DATA.pool)
    names = np.where(DATA.known, np.array(["no", "yes"])[DATA.y], "?")
    strings = SoftSelfLearningClassifier(unlabeled="?").fit(DATA.X, names)
    assert_same_model(marked, apart)
    assert_same_model(marked, strings)
    np.testing.assert_allclose(apart.soft_labels_, marked.soft_labels_, atol=1e-9)
    assert strings.classes_.tolist() == ["no", "yes"]
    assert set(strings.predict(DATA.X)) <= {"no", "yes"}


@pytest.mark.parametrize("name", STORAGES)
def test_every_storage_gives_the_same_answer(name: str, tmp_path: Any) -> None:
    table = data(300)
    expected = SoftSelfLearningClassifier().fit(table.X, table.y, table.X_unlabeled)
    source = SOURCES[name](tmp_path, table.X_unlabeled)
    model = SoftSelfLearningClassifier().fit(table.X, table.y, source)
    assert_same_coefficients(model, expected)
    np.testing.assert_allclose(np.asarray(model.soft_labels_), expected.soft_labels_, atol=1e-8)
    assert model.solution_.status is Status.OPTIMAL
    assert model.certificate_.worst_change == pytest.approx(expected.certificate_.worst_change)


def test_sparse_labeled_rows_give_the_same_answer() -> None:
    dense = SoftSelfLearningClassifier().fit(DATA.X, DATA.marked)
    again = SoftSelfLearningClassifier().fit(sparse.csr_array(DATA.X), DATA.marked)
    assert_same_model(again, dense)


def test_swapping_the_classes_mirrors_the_decision() -> None:
    one = SoftSelfLearningClassifier().fit(DATA.X, DATA.marked)
    swapped = np.where(DATA.known, 1 - DATA.y, -1)
    other = SoftSelfLearningClassifier().fit(DATA.X, swapped)
    np.testing.assert_allclose(
        other.decision_function(DATA.X), -one.decision_function(DATA.X), atol=1e-9
    )


def test_too_few_steps_are_told() -> None:
    with pytest.warns(ConvergenceWarning, match=r"duality gap of .* raise max_iter \(now 1\)"):
        model = SoftSelfLearningClassifier(max_iter=1).fit(DATA.X, DATA.marked)
    assert model.solution_.status is Status.MAX_ITERATIONS
    assert model.n_iter_ == 1


def far_away() -> tuple[Any, Any, Any]:
    random = np.random.default_rng(24)
    centres = random.normal(size=(4, 4))
    y = np.arange(16) % 4
    X = centres[y] + random.normal(size=(16, 4))
    pool = centres[np.arange(40) % 4] + random.normal(size=(40, 4)) + 1e5
    return X, y, pool


def test_unlabeled_rows_far_from_the_labeled_ones_do_not_stop_it() -> None:
    # Had failed: line searches were too coarse for the short pieces, and steps came to nothing.
    X, y, pool = far_away()
    model = SoftSelfLearningClassifier().fit(X, y, X_unlabeled=pool)
    assert model.solution_.status is Status.OPTIMAL
    assert model.solution_.is_optimal(1e-8)


def test_steps_that_come_to_nothing_are_told_and_more_of_them_are_not_advised(
    monkeypatch: Any,
) -> None:
    monkeypatch.setattr(soft_self_learning, "HALVINGS", 1)
    X, y, pool = far_away()
    with pytest.warns(ConvergenceWarning, match=r"raise tol .* or scale the features"):
        model = SoftSelfLearningClassifier(max_iter=2000).fit(X, y, X_unlabeled=pool)
    assert model.solution_.status is Status.STALLED
    assert model.n_iter_ < 200


def test_missing_numbers_in_rows_that_live_elsewhere_are_told() -> None:
    rows = DATA.pool.copy()
    rows[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"Column 2 .* contains NaN"):
        SoftSelfLearningClassifier().fit(
            *DATA.labeled, X_unlabeled=da.from_array(rows, chunks=(9, 4))
        )
