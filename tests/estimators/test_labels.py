"""Labels of every type, and marks among them: `predict` gives back what y was made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tests.estimators.tables import ALL, SEMI_SUPERVISED, assert_same_model, partly_labeled
from tests.optional import pd

DATA = partly_labeled()
NAMES = np.where(DATA.y == 1, "yes", "no")


def with_mark(values: Any, mark: Any) -> list[Any]:
    pairs = zip(values, DATA.known, strict=True)
    return [value if known else mark for value, known in pairs]


# y, the classes to expect, and the kinds of dtype they may have.
TYPES: dict[str, tuple[Callable[[], Any], list[Any], str]] = {
    "int64": (lambda: DATA.marked, [0, 1], "i"),
    "int8": (lambda: DATA.marked.astype(np.int8), [0, 1], "i"),
    "float64": (lambda: DATA.marked.astype(float), [0.0, 1.0], "f"),
    "float with NaN": (lambda: np.where(DATA.known, DATA.y, np.nan), [0.0, 1.0], "f"),
    "objects": (lambda: np.array(with_mark(DATA.y.tolist(), None), object), [0, 1], "i"),
    "list of ints": (lambda: with_mark(DATA.y.tolist(), -1), [0, 1], "i"),
    "list of ints and None": (lambda: with_mark(DATA.y.tolist(), None), [0, 1], "i"),
    "list of strings and -1": (lambda: with_mark(NAMES.tolist(), -1), ["no", "yes"], "UO"),
    "list of strings and NaN": (lambda: with_mark(NAMES.tolist(), np.nan), ["no", "yes"], "UO"),
    "tuple of strings and None": (
        lambda: tuple(with_mark(NAMES.tolist(), None)),
        ["no", "yes"],
        "UO",
    ),
    "list of booleans and None": (
        lambda: with_mark((DATA.y == 1).tolist(), None),
        [False, True],
        "b",
    ),
    "list of booleans and -1": (lambda: with_mark((DATA.y == 1).tolist(), -1), [False, True], "b"),
    "Series of ints": (lambda: pd.Series(DATA.marked), [0, 1], "i"),
    "Series of objects": (lambda: pd.Series(with_mark(NAMES.tolist(), None)), ["no", "yes"], "UO"),
    "Int64 with NA": (
        lambda: pd.Series(with_mark(DATA.y.tolist(), pd.NA), dtype="Int64"),
        [0, 1],
        "i",
    ),
    "Int64 with -1": (lambda: pd.Series(DATA.marked, dtype="Int64"), [0, 1], "i"),
    "Int64 array": (
        lambda: pd.array(with_mark(DATA.y.tolist(), pd.NA), dtype="Int64"),
        [0, 1],
        "i",
    ),
    "Float64 with NA": (
        lambda: pd.Series(with_mark(DATA.y.astype(float).tolist(), pd.NA), dtype="Float64"),
        [0.0, 1.0],
        "f",
    ),
    "boolean with NA": (
        lambda: pd.Series(with_mark((DATA.y == 1).tolist(), pd.NA), dtype="boolean"),
        [False, True],
        "b",
    ),
    "string with NA": (
        lambda: pd.Series(with_mark(NAMES.tolist(), pd.NA), dtype="string"),
        ["no", "yes"],
        "UO",
    ),
    "categorical": (
        lambda: pd.Series(with_mark(NAMES.tolist(), None), dtype="category"),
        ["no", "yes"],
        "UO",
    ),
    "categorical array": (
        lambda: pd.Categorical(with_mark(NAMES.tolist(), None)),
        ["no", "yes"],
        "UO",
    ),
    "categorical of ints": (
        lambda: pd.Series(with_mark(DATA.y.tolist(), -1), dtype="category"),
        [0, 1],
        "i",
    ),
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("estimator", ALL)
def test_labels_of_any_type_give_the_same_model_and_come_back_as_they_are(
    estimator: Any, kind: str
) -> None:
    make, classes, dtype_kinds = TYPES[kind]
    model = estimator().fit(DATA.X, make())
    assert_same_model(model, estimator().fit(DATA.X, DATA.marked))
    assert model.classes_.tolist() == classes
    assert [type(label) for label in model.classes_.tolist()] == [type(c) for c in classes]
    assert model.classes_.dtype.kind in dtype_kinds
    predictions = model.predict(DATA.X)
    assert predictions.dtype == model.classes_.dtype
    expected = np.asarray(classes)[estimator().fit(DATA.X, DATA.marked).predict(DATA.X)]
    assert predictions.tolist() == expected.tolist()


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
@pytest.mark.parametrize("kind", TYPES)
def test_every_mark_counts_as_one_unlabeled_row(estimator: Any, kind: str) -> None:
    model = estimator().fit(DATA.X, TYPES[kind][0]())
    assert model.soft_labels_.shape == ((~DATA.known).sum(),)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.float32, "U3", object])
def test_fully_labeled_arrays_keep_their_type(dtype: Any) -> None:
    y = NAMES if dtype == "U3" else DATA.y
    y = y.astype(dtype)
    model = LeastSquaresClassifier().fit(DATA.X, y)
    wanted = np.dtype(np.int64) if dtype is object else y.dtype
    assert model.classes_.dtype == wanted
    assert model.predict(DATA.X).dtype == wanted


def test_classes_are_sorted_and_a_positive_decision_means_the_second() -> None:
    y = np.where(DATA.known, np.where(DATA.y == 1, "a", "b"), "")
    model = ICLSClassifier(unlabeled="").fit(DATA.X, y)
    assert model.classes_.tolist() == ["a", "b"]
    second = model.decision_function(DATA.X) > 0
    assert second.any()
    assert not second.all()
    np.testing.assert_array_equal(model.predict(DATA.X) == "b", second)


def test_swapping_the_classes_mirrors_the_model() -> None:
    model = ICLSClassifier().fit(DATA.X, DATA.marked)
    swapped = ICLSClassifier().fit(DATA.X, np.where(DATA.known, 1 - DATA.y, -1))
    np.testing.assert_allclose(swapped.coef_, -model.coef_, atol=1e-9)
    np.testing.assert_allclose(swapped.intercept_, -model.intercept_, atol=1e-9)
    np.testing.assert_allclose(
        swapped.decision_function(DATA.X), -model.decision_function(DATA.X), atol=1e-9
    )


def test_a_column_of_labels_is_accepted_with_the_usual_warning() -> None:
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = ICLSClassifier().fit(DATA.X, DATA.marked[:, None])
    assert_same_model(model, ICLSClassifier().fit(DATA.X, DATA.marked))


@pytest.mark.parametrize("estimator", ALL)
def test_y_is_not_changed_by_fitting(estimator: Any) -> None:
    y = np.array(with_mark(NAMES.tolist(), None), dtype=object)
    before = y.copy()
    estimator().fit(DATA.X, y)
    assert y.tolist() == before.tolist()


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
    "pandas NA": lambda: pd.NA,
    "pandas NaT": lambda: pd.NaT,
}


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS.keys())
@pytest.mark.parametrize("estimator", ALL)
def test_missing_values_and_minus_one_mark_unlabeled_rows(estimator: Any, mark: Any) -> None:
    model = estimator().fit(DATA.X, marked_by(mark() if callable(mark) else mark))
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
