"""Labels of every type: `classes_` and `predict` give back what y was made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tacit import ICLSClassifier, LeastSquaresClassifier
from tests.estimators.tables import ALL, SEMI_SUPERVISED, assert_same_model, partly_labeled

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
