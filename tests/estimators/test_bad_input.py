"""Data that cannot be fitted on are refused with a reason, and leave the estimator as it was."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tests.estimators.tables import ALL, IMPLICIT, partly_labeled
from tests.optional import pd

DATA = partly_labeled()
N, D = DATA.X.shape


def spoiled(X: np.ndarray, value: Any) -> np.ndarray:
    copy = X.astype(object) if isinstance(value, str) else X.copy()
    copy[2, 1] = value
    return copy


# In X itself scikit-learn's checks see to them, in the conformance suite.
FEATURES: dict[str, tuple[Any, type[Exception], str]] = {
    "NaN": (spoiled(DATA.X, np.nan), ValueError, "Input X contains NaN"),
    "infinity": (spoiled(DATA.X, np.inf), ValueError, "Input X contains infinity"),
    "words": (spoiled(DATA.X, "tall"), ValueError, "could not convert string to float: 'tall'"),
    "one dimension": (DATA.X[:, 0], ValueError, "Expected 2D array, got 1D array"),
    "no rows": (np.zeros((0, D)), ValueError, r"0 sample\(s\) .*minimum of 1 is required"),
    "no columns": (np.zeros((N, 0)), ValueError, r"0 feature\(s\) .*minimum of 1 is required"),
    "complex": (DATA.X.astype(complex), ValueError, "Complex data not supported"),
}


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
        r"y mixes labels of the kinds int and str; give all labels one type",
    ),
    "booleans and numbers": (
        [True, False, 1, 0] * (N // 4),
        TypeError,
        r"y mixes labels of the kinds bool and int",
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


WIDER = partly_labeled(n_features=7, seed=5)

# Arguments of `fit` with more columns than the first fit had, each with something wrong.
FAILURES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "NaN in X": ((np.full_like(WIDER.X, np.nan), WIDER.marked), {}),
    "no labels": ((WIDER.X, np.full(len(WIDER.X), -1)), {}),
    "one class": ((WIDER.X, np.ones(len(WIDER.X))), {}),
    "y of the wrong length": ((WIDER.X, WIDER.marked[:5]), {}),
    "bad weights": ((WIDER.X, WIDER.marked), {"sample_weight": -1.0}),
    "columns apart": ((WIDER.X, WIDER.marked, DATA.X), {}),
    "names": ((lambda: pd.DataFrame(WIDER.X, columns=list("abcdefg")), np.ones(len(WIDER.X))), {}),
}


def fail(model: Any, case: str) -> None:
    (X, *rest), keywords = FAILURES[case]
    X = X() if callable(X) else X
    with pytest.raises(ValueError):  # noqa: PT011 - the messages have tests of their own
        model.fit(X, *rest, **keywords)


@pytest.mark.parametrize("case", FAILURES)
@pytest.mark.parametrize("estimator", ALL)
def test_a_model_whose_refit_fails_predicts_as_before(estimator: Any, case: str) -> None:
    # Had failed: the number of columns was that of the failed fit, so that predict refused rows.
    model = estimator().fit(DATA.X, DATA.marked)
    before = vars(model).copy()
    decisions, predictions = model.decision_function(DATA.X), model.predict(DATA.X)
    fail(model, case)
    assert set(vars(model)) == set(before)
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.decision_function(DATA.X), decisions)
    np.testing.assert_array_equal(model.predict(DATA.X), predictions)


@pytest.mark.parametrize("case", FAILURES)
@pytest.mark.parametrize("estimator", ALL)
def test_a_model_whose_first_fit_fails_is_not_fitted(estimator: Any, case: str) -> None:
    # Had failed: predict complained about a missing attribute instead.
    model = estimator()
    fail(model, case)
    assert not [name for name in vars(model) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        model.predict(DATA.X)


def test_a_bad_parameter_leaves_the_earlier_fit_in_place() -> None:
    model = LeastSquaresClassifier().fit(DATA.X, DATA.marked)
    coef = model.coef_
    model.set_params(alpha=-1)
    with pytest.raises(ValueError, match="alpha"):
        model.fit(WIDER.X, WIDER.marked)
    assert model.coef_ is coef
    assert model.n_features_in_ == 4


def test_three_classes_leave_the_earlier_fit_of_a_two_class_solver_in_place() -> None:
    model = ICLSClassifier(solver="lbfgsb").fit(DATA.X, DATA.marked)
    expected = model.predict(DATA.X)
    with pytest.raises(ValueError, match="Only binary classification"):
        model.fit(WIDER.X, np.arange(len(WIDER.X)) % 3)
    np.testing.assert_array_equal(model.predict(DATA.X), expected)


class FailsOnTheThirdFit(ClassifierMixin, BaseEstimator):
    fits = 0

    def fit(self, X: Any, y: Any) -> FailsOnTheThirdFit:
        type(self).fits += 1
        if self.fits == 3:
            raise RuntimeError("the third fit fails")
        self.fitted_ = LeastSquaresClassifier().fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.fitted_.predict(X)


def test_a_base_that_fails_half_way_leaves_self_learning_unfitted() -> None:
    FailsOnTheThirdFit.fits = 0
    model = SelfLearningClassifier(FailsOnTheThirdFit())
    with pytest.raises(RuntimeError, match="the third fit fails"):
        model.fit(DATA.X, DATA.marked)
    with pytest.raises(NotFittedError):
        model.predict(DATA.X)


def test_a_warning_leaves_the_model_fitted() -> None:
    model = ICLSClassifier(max_iter=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(DATA.X, DATA.marked)
    assert [warning.category for warning in caught] == [ConvergenceWarning]
    assert model.predict(DATA.X).shape == (len(DATA.X),)


def test_a_refit_with_another_base_keeps_nothing_of_the_first() -> None:
    # Had failed: coefficients of the first base stayed beside the second, which has none.
    model = SelfLearningClassifier(LogisticRegression()).fit(DATA.X, DATA.marked)
    assert model.coef_.shape == (1, 4)
    model.set_params(estimator=GaussianNB()).fit(DATA.X, DATA.marked)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "intercept_")
