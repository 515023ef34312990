"""Data that cannot be fitted on, each with an error that says what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from tacit import ICLSClassifier
from tests.estimators.tables import ALL, IMPLICIT, SEMI_SUPERVISED, partly_labeled

DATA = partly_labeled()
N, D = DATA.X.shape


def spoiled(X: np.ndarray, value: Any) -> np.ndarray:
    copy = X.astype(object) if isinstance(value, str) else X.copy()
    copy[2, 1] = value
    return copy


FEATURES: dict[str, tuple[Any, type[Exception], str]] = {
    "NaN": (spoiled(DATA.X, np.nan), ValueError, "Input X contains NaN"),
    "infinity": (spoiled(DATA.X, np.inf), ValueError, "Input X contains infinity"),
    "words": (spoiled(DATA.X, "tall"), ValueError, "could not convert string to float: 'tall'"),
    "one dimension": (DATA.X[:, 0], ValueError, "Expected 2D array, got 1D array"),
    "no rows": (np.zeros((0, D)), ValueError, r"0 sample\(s\) .*minimum of 1 is required"),
    "no columns": (np.zeros((N, 0)), ValueError, r"0 feature\(s\) .*minimum of 1 is required"),
    "complex": (DATA.X.astype(complex), ValueError, "Complex data not supported"),
}


@pytest.mark.parametrize("case", FEATURES)
@pytest.mark.parametrize("estimator", ALL)
def test_features_that_are_no_table_of_finite_numbers_are_refused(
    estimator: Any, case: str
) -> None:
    X, error, message = FEATURES[case]
    with pytest.raises(error, match=message):
        estimator().fit(X, DATA.marked[: X.shape[0]])


@pytest.mark.parametrize("case", sorted(set(FEATURES) - {"no rows"}))
@pytest.mark.parametrize("estimator", ALL)
def test_errors_in_the_rows_apart_name_them(estimator: Any, case: str) -> None:
    X, error, message = FEATURES[case]
    wanted = f"X_unlabeled cannot be used: .*{message}"
    if case == "no columns":
        wanted = "X_unlabeled has 0 columns and X has 4; both must have the same features"
    with pytest.raises(error, match=wanted):
        estimator().fit(DATA.X, DATA.marked, X)


@pytest.mark.parametrize("estimator", ALL)
def test_rows_apart_need_the_columns_of_the_others(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"X_unlabeled has 3 columns and X has 4; .* same order"):
        estimator().fit(DATA.X, DATA.marked, DATA.X[:, :3])
    with pytest.raises(ValueError, match=r"X_unlabeled cannot be used: .* 3 features.* 4 features"):
        estimator().fit(DATA.X, DATA.marked, DATA.X[:, :3].tolist())


LABELS: dict[str, tuple[Any, type[Exception], str]] = {
    "None": (None, ValueError, r"requires y to be passed, but the target y is None.*X_unlabeled"),
    "too short": (DATA.marked[:5], ValueError, r"y has 5 values and X has 48 rows; y needs one"),
    "no labels": (np.full(N, -1), ValueError, r"y has no labels: .*\(-1, None, NaN\).*two classes"),
    "all NaN": (np.full(N, np.nan), ValueError, r"y has no labels: every row is marked"),
    "list of None": ([None] * N, ValueError, r"y has no labels: every row is marked"),
    "one class": (
        np.where(DATA.y == 1, 7, np.nan),
        ValueError,
        r"y has labels of only one class, 7\.0; at least two classes are needed",
    ),
    "one name": (["a"] * N, ValueError, r"y has labels of only one class, 'a'; at least two"),
    "fractions": (DATA.y + 0.5, ValueError, r"Unknown label type: continuous"),
    "infinity": (
        np.where(DATA.known, DATA.y, np.inf),
        ValueError,
        r"Input y contains infinity; labels must be finite",
    ),
    "two columns": (np.zeros((N, 2)), ValueError, r"y should be a 1d array, got .*\(48, 2\)"),
    "names and numbers": (
        ["a", "b", 1, 0] * (N // 4),
        TypeError,
        r"y mixes labels of the kinds float and str; give all labels one type",
    ),
    "booleans and numbers": (
        [True, False, 1, 0] * (N // 4),
        TypeError,
        r"y mixes labels of the kinds bool and float",
    ),
    "bytes": (np.where(DATA.y == 1, b"a", b"b"), TypeError, "bytes is not supported"),
}


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("estimator", ALL)
def test_labels_that_are_no_classes_are_refused(estimator: Any, case: str) -> None:
    y, error, message = LABELS[case]
    with pytest.raises(error, match=message):
        estimator().fit(DATA.X, y)


def test_the_error_for_missing_labels_names_the_marks_in_force() -> None:
    with pytest.raises(ValueError, match=r"marked as unlabeled \('\?', None, NaN\)"):
        ICLSClassifier(unlabeled="?").fit(DATA.X, ["?"] * N)
    with pytest.raises(ValueError, match=r"marked as unlabeled \(None, NaN\)"):
        ICLSClassifier(unlabeled=None).fit(DATA.X, [None] * N)


def test_the_hint_about_minus_one_is_given_only_where_it_may_help() -> None:
    with pytest.raises(ValueError, match="set unlabeled=None"):
        ICLSClassifier().fit(DATA.X, np.where(DATA.y == 1, 1, -1))
    with pytest.raises(ValueError, match="only one class") as caught:
        ICLSClassifier().fit(DATA.X, np.ones(N))
    assert "unlabeled=None" not in str(caught.value)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_three_classes_are_refused_by_the_solver_for_two(estimator: Any) -> None:
    data = partly_labeled(n_classes=3, n_labeled=12)
    with pytest.raises(ValueError, match=r'solver is "lbfgsb".*for two classes, and y has 3; use'):
        estimator(solver="lbfgsb").fit(data.X, data.marked)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_a_third_class_that_looks_like_a_mark_is_pointed_out(estimator: Any) -> None:
    y = np.where(DATA.known, DATA.y, -1).astype(str)
    with pytest.raises(ValueError, match=r'the label "-1", a string.*unlabeled="-1"'):
        estimator().fit(DATA.X, y)
    model = estimator(unlabeled="-1").fit(DATA.X, y)
    assert model.classes_.tolist() == ["0", "1"]


@pytest.mark.parametrize("estimator", ALL)
def test_three_classes_are_fine_for_all(estimator: Any) -> None:
    data = partly_labeled(n_classes=3, n_labeled=12)
    model = estimator().fit(data.X, data.marked)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(data.X).shape == (len(data.X), 3)


@pytest.mark.parametrize("estimator", ALL)
def test_predicting_before_fitting_says_so(estimator: Any) -> None:
    with pytest.raises(NotFittedError, match=estimator.__name__):
        estimator().predict(DATA.X)
    with pytest.raises(NotFittedError, match=estimator.__name__):
        estimator().decision_function(DATA.X)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_predicting_rows_with_other_columns_is_refused(estimator: Any) -> None:
    model = estimator().fit(DATA.X, DATA.marked)
    with pytest.raises(ValueError, match=r"3 features.* expecting 4 features"):
        model.predict(DATA.X[:, :3])
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(spoiled(DATA.X, np.nan))
