"""Every mistake gets one sentence that says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

import tacit
from tacit import ICLSClassifier, LeastSquaresClassifier
from tacit.selection import Contestant, compare, learning_curve
from tacit.selection._contestants import read_contestants
from tests.optional import pd
from tests.selection.tables import pair, two_classes

X, Y = two_classes()
LABELED = np.where(Y == -1, 0, Y)
ICLS = ICLSClassifier()


@pytest.mark.parametrize("function", [compare, learning_curve])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(len(Y), -1), "y has no labels"),
        ([None] * len(Y), "y has no labels"),
        (np.where(Y == 1, -1, Y), "only one class, 0"),
        (np.where(Y == -1, 5, 5), "only one class, 5"),
        (Y[:-1], "y has 63 values and X has 64 rows"),
        (np.linspace(0.0, 1.0, len(Y)), "looks like a measurement"),
        (LABELED, "Every row has a label"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(function: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(X, y, pair())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cv": 1}, "cv is 1"),
        ({"cv": "many"}, "cv is 'many'"),
        ({"n_repeats": 0}, "n_repeats is 0"),
        ({"random_state": -1}, "random_state is -1; it must be a whole number from 0 on"),
        ({"random_state": "seed"}, "random_state is 'seed'"),
        ({"cv": [(np.arange(12), np.arange(12, 24))]}, "cv is a list; it must be a whole number"),
        ({"scoring": "exactness"}, "scoring is 'exactness'"),
        ({"scoring": "exactness"}, "'accuracy', 'balanced_accuracy', 'roc_auc' or 'f1_macro'"),
        ({"scoring": None}, "scoring is None"),
        ({"scoring": "r2"}, "scoring is 'r2', which is for regression"),
        ({"scoring": "neg_mean_squared_error"}, "which is for regression"),
        ({"scoring": make_scorer(r2_score)}, "scoring is 'r2_score', which is for regression"),
        ({"margin": 0.0}, "margin is 0.0"),
        ({"margin": float("nan")}, "margin is nan; it must be a positive number"),
        ({"margin": 2}, "margin is 2; it must be below 1, .* 2 points are 0.02"),
        ({"margin": 1.0}, "margin is 1.0; it must be below 1, .* 2 points are 0.02"),
        ({"margin": 500, "scoring": "f1"}, "because 1 - f1 is a part of one .* 2 points are 0.02"),
        ({"cv": KFold(2)}, "lack a class"),
        (
            {"scoring": "neg_log_loss", "estimators": {"a": RidgeClassifier(), "b": (ICLS, "a")}},
            "'a' .* could not be fitted and scored",
        ),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(given: Any, message: str) -> None:
    y = np.sort(Y)  # so that plain folds lose a class
    with pytest.raises(ValueError, match=message):
        compare(X, y, **{"estimators": pair()} | given)


RIDGE = LeastSquaresClassifier()


@pytest.mark.parametrize(
    ("estimators", "error", "message"),
    [
        ({"ridge": RIDGE}, ValueError, "nothing to compare"),
        ({}, ValueError, "nothing to compare"),
        ({"ridge": RIDGE, "ICLS": ICLSClassifier()}, ValueError, "has no twin"),
        (
            {"ridge": RIDGE, "self": SelfTrainingClassifier(LogisticRegression())},
            ValueError,
            "has no twin",
        ),
        ({"ICLS": (ICLSClassifier(), "ridge")}, ValueError, "which is not among the estimators"),
        (
            {"a": (ICLSClassifier(), "b"), "b": (ICLSClassifier(), "a")},
            ValueError,
            "has a twin itself",
        ),
        ({"ridge": RIDGE, "ICLS": (ICLSClassifier(), "ridge", 3)}, ValueError, "a tuple of 3"),
        ({"": RIDGE}, ValueError, "names must be non-empty strings"),
        ({"ridge": LeastSquaresClassifier}, TypeError, "made but not fitted"),
        ({"line": LinearRegression()}, TypeError, "is not a classifier"),
        ([RIDGE], TypeError, "pass a dictionary"),
        ([Contestant("a", RIDGE), Contestant("a", RIDGE)], ValueError, "two contestants of one"),
    ],
)
def test_estimators_that_cannot_be_compared_are_refused(
    estimators: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        compare(X, Y, estimators)


@pytest.mark.parametrize("function", [compare, learning_curve])
def test_a_score_that_some_split_does_not_have_is_blamed_on_scoring_and_cv(function: Any) -> None:
    given = {"cv": LeaveOneOut(), "scoring": "roc_auc"}
    message = r"^scoring is 'roc_auc', which gives nan where cv leaves 1 row to .* Leave cv out"
    with pytest.raises(ValueError, match=message):
        function(X, Y, pair(), **given)


@pytest.mark.parametrize("function", [compare, learning_curve])
@pytest.mark.parametrize(
    ("scoring", "instead"), [("roc_auc", "'roc_auc_ovr'"), ("f1", "'f1_macro'")]
)
def test_scores_for_two_classes_are_refused_where_there_are_three(
    function: Any, scoring: str, instead: str
) -> None:
    y = np.where(Y == -1, -1, np.arange(len(Y)) % 3)
    with pytest.raises(ValueError, match=f"for two classes, and y has 3; use .*{instead}"):
        function(X, y, pair(), scoring=scoring)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc", "f1_macro"])
def test_every_score_that_the_error_proposes_works_with_the_default_estimators(
    scoring: str,
) -> None:
    assert compare(X, Y, cv=2, n_repeats=1, scoring=scoring).losses["ridge"] < 0.5


# What learns from labels alone; everything else that tacit exports needs a twin.
SUPERVISED = {
    "KernelLeastSquaresClassifier",
    "LDAClassifier",
    "LeastSquaresClassifier",
    "NearestMeanClassifier",
    "TunedLogisticRegression",
}
ALL = [name for name in tacit.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", ALL)
def test_every_classifier_of_tacit_that_learns_from_unlabeled_rows_needs_a_twin(name: str) -> None:
    kind = getattr(tacit, name)
    classifier = kind(RIDGE) if name == "SelfLearningClassifier" else kind()
    given = [Contestant("it", classifier), Contestant("ICLS", ICLSClassifier(), "it")]
    if name in SUPERVISED:
        read_contestants(given)
        return
    with pytest.raises(ValueError, match="is semi-supervised and has no twin"):
        read_contestants(given)


def test_a_search_over_a_semi_supervised_classifier_needs_a_twin_too() -> None:
    steps = make_pipeline(StandardScaler(), ICLSClassifier())
    search = GridSearchCV(steps, {"iclsclassifier__alpha": [0.1, 1.0]})
    with pytest.raises(ValueError, match="is semi-supervised and has no twin"):
        compare(X, Y, {"search": search, **pair()})


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (X[:, 0], ValueError, "two dimensions"),
        (None, ValueError, "X is None"),
        ("rows.parquet", TypeError, "Pass a random sample"),
        (lambda: pd.DataFrame(X).assign(town="x"), ValueError, r"not numbers \(town\)"),
        (X.astype(object), ValueError, "not numbers"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(
    table: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        compare(table() if callable(table) else table, Y)


@pytest.mark.parametrize(
    ("extra", "error", "message"),
    [
        (X[:, :2], ValueError, "X_unlabeled has 2 columns and X has 3"),
        (lambda: pd.DataFrame(X), TypeError, "both as DataFrames or both as arrays"),
    ],
)
def test_unlabeled_rows_that_do_not_fit_are_refused(
    extra: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        compare(X, Y, pair(), X_unlabeled=extra() if callable(extra) else extra)


def test_frames_with_other_column_names_are_refused() -> None:
    with pytest.raises(ValueError, match="other column names"):
        compare(pd.DataFrame(X), Y, pair(), X_unlabeled=pd.DataFrame(X, columns=["a", "b", "c"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_labeled": [1]}, "n_labeled has 1; each must be a whole number from 2 to 19"),
        ({"n_labeled": [30]}, "n_labeled has 30"),
        ({"n_labeled": [4.5]}, "n_labeled has 4.5"),
        ({"n_labeled": [float("nan")]}, "n_labeled has nan"),
        ({"n_labeled": ["a"]}, "n_labeled has 'a'; each must be a whole number"),
        ({"n_labeled": 10}, r"n_labeled is 10; it must be a list .* such as \[10\]"),
        ({"n_unlabeled": "all"}, "n_unlabeled is 'all'; it must be a list"),
        ({"n_labeled": [], "n_unlabeled": []}, "both empty"),
        ({"n_unlabeled": [41]}, "n_unlabeled has 41; each must be a whole number from 0 to 40"),
    ],
)
def test_sizes_that_no_split_can_give_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learning_curve(X, Y, pair(), **given)


def test_a_learning_curve_needs_two_labels_of_each_class() -> None:
    y = Y.copy()
    y[np.flatnonzero(y == 1)[1:]] = 0
    with pytest.raises(ValueError, match="a single label of the class 1"):
        learning_curve(X, y, pair())
