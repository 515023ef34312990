"""Which values of y mean that the label of a row is unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tests.estimators.tables import ALL, SEMI_SUPERVISED, assert_same_model, partly_labeled

DATA = partly_labeled()


def marked_by(mark: Any) -> np.ndarray:
    """The labels as objects, with `mark` where they are unknown."""
    y = DATA.y.astype(object)
    y[~DATA.known] = mark
    return y


MARKS = {
    "minus one": -1,
    "float minus one": -1.0,
    "numpy minus one": np.int8(-1),
    "None": None,
    "NaN": float("nan"),
    "numpy NaN": np.float32("nan"),
    "pandas NA": pd.NA,
    "pandas NaT": pd.NaT,
}


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS.keys())
@pytest.mark.parametrize("estimator", ALL)
def test_missing_values_and_minus_one_mark_unlabeled_rows(estimator: Any, mark: Any) -> None:
    model = estimator().fit(DATA.X, marked_by(mark))
    reference = estimator().fit(*DATA.labeled, DATA.pool)
    assert_same_model(model, reference)
    assert model.classes_.tolist() == [0, 1]


def test_rows_marked_by_nan_in_a_float_array_are_unlabeled() -> None:
    y = np.where(DATA.known, DATA.y, np.nan)
    model = ICLSClassifier().fit(DATA.X, y)
    assert len(model.soft_labels_) == (~DATA.known).sum()
    assert model.classes_.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("mark", ["?", 99, 99.0, np.int64(99), True], ids=repr)
def test_a_value_of_ones_own_marks_unlabeled_rows(mark: Any) -> None:
    model = ICLSClassifier(unlabeled=mark).fit(DATA.X, marked_by(mark))
    assert_same_model(model, ICLSClassifier().fit(DATA.X, DATA.marked))


def test_a_string_mark_works_in_an_array_of_strings() -> None:
    names = np.where(DATA.known, np.where(DATA.y == 1, "yes", "no"), "unknown")
    model = ICLSClassifier(unlabeled="unknown").fit(DATA.X, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert_same_model(model, ICLSClassifier().fit(DATA.X, DATA.marked))


def test_missing_values_are_marks_beside_a_value_of_ones_own() -> None:
    y = marked_by("?")
    y[np.flatnonzero(~DATA.known)[::2]] = None
    model = ICLSClassifier(unlabeled="?").fit(DATA.X, y)
    assert_same_model(model, ICLSClassifier().fit(DATA.X, DATA.marked))


def test_minus_one_is_a_class_like_any_other_once_another_value_is_the_mark() -> None:
    y = np.where(DATA.known, 2 * DATA.y - 1, 0)
    model = ICLSClassifier(unlabeled=0).fit(DATA.X, y)
    assert model.classes_.tolist() == [-1, 1]
    assert_same_model(model, ICLSClassifier().fit(DATA.X, DATA.marked))


@pytest.mark.parametrize("estimator", ALL)
def test_classes_minus_one_and_one_need_unlabeled_none(estimator: Any) -> None:
    signs = 2 * DATA.y - 1
    X, y = DATA.X[DATA.known], signs[DATA.known]
    with pytest.raises(ValueError, match=r"only one class, 1; .* set unlabeled=None"):
        estimator().fit(X, y, DATA.pool)
    apart = estimator(unlabeled=None).fit(X, y, DATA.pool)
    marked = estimator(unlabeled=None).fit(DATA.X, np.where(DATA.known, signs, np.nan))
    assert apart.classes_.tolist() == marked.classes_.tolist() == [-1, 1]
    assert set(apart.predict(DATA.X)) == {-1, 1}
    assert_same_model(apart, estimator().fit(DATA.X, DATA.marked))
    assert_same_model(marked, apart)


def test_self_learning_hands_the_class_minus_one_to_a_base_that_takes_it_for_a_mark() -> None:
    # Had failed: the base saw only one class.
    signs = np.where(DATA.known, 2 * DATA.y - 1, np.nan)
    base = LeastSquaresClassifier(alpha="loo")
    model = SelfLearningClassifier(base, unlabeled=None).fit(DATA.X, signs)
    assert set(model.predict(DATA.X)) == {-1, 1}
    assert base.unlabeled == -1


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_the_string_minus_one_is_no_mark(estimator: Any) -> None:
    y = np.where(DATA.known, np.where(DATA.y == 1, "b", "-1"), "b")
    with pytest.raises(ValueError, match="unlabeled=None if it is a class"):
        estimator().fit(DATA.X, y)
    model = estimator(unlabeled=None).fit(DATA.X, y)
    assert model.classes_.tolist() == ["-1", "b"]
    assert len(model.soft_labels_) == 0


def test_a_number_does_not_mark_booleans_nor_false_mark_zeros() -> None:
    model = ICLSClassifier(unlabeled=0).fit(DATA.X, DATA.y == 1)
    assert len(model.soft_labels_) == 0
    model = ICLSClassifier(unlabeled=False).fit(DATA.X, DATA.y)
    assert len(model.soft_labels_) == 0


def test_nat_in_an_array_of_dates_is_a_mark() -> None:
    # Had failed: NaT became a third class.
    dates = np.where(DATA.y == 1, np.datetime64("2020-01-01"), np.datetime64("2021-01-01"))
    dates[~DATA.known] = np.datetime64("NaT")
    model = ICLSClassifier().fit(DATA.X, dates)
    assert len(model.classes_) == 2
    assert len(model.soft_labels_) == (~DATA.known).sum()


def test_least_squares_ignores_unlabeled_rows_wherever_they_are() -> None:
    alone = LeastSquaresClassifier().fit(*DATA.labeled)
    marked = LeastSquaresClassifier().fit(DATA.X, DATA.marked)
    apart = LeastSquaresClassifier().fit(*DATA.labeled, DATA.pool)
    for model in (marked, apart):
        np.testing.assert_array_equal(model.coef_, alone.coef_)
        np.testing.assert_array_equal(model.intercept_, alone.intercept_)
