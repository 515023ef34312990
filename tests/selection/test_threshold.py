"""The threshold of the decision, where a rare class counts as much as a common one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, f1_score

from tacit import (
    ICLSClassifier,
    KernelICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
    TacitClassifier,
    TunedLogisticRegression,
)
from tacit.family import S3VMClassifier
from tacit.selection import compare, learning_curve, tune_threshold
from tests.selection.tables import pair, two_classes

MODELS = [
    LeastSquaresClassifier("loo"),
    ICLSClassifier("loo"),
    ProjectedLeastSquaresClassifier(alpha="loo"),
    KernelICLSClassifier(),
    SelfLearningClassifier(LeastSquaresClassifier("loo")),
    TacitClassifier(["linear", "rbf"], [], random_state=0),
    S3VMClassifier(),
]


def rare(n: int, n_labeled: int, share: float = 0.08, seed: int = 0) -> tuple[Any, Any, Any]:
    """Rows, all labels, and those of the first rows; about one row of a dozen is of class 1."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < share).astype(int)
    X = random.normal(size=(n, 4)) + 1.1 * y[:, None] * np.array([1, 1, 0, 0])
    return X, y, np.where(np.arange(n) < n_labeled, y, -1)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rows_of_a_rare_class_are_found_in_new_rows_too(model: Any) -> None:
    X, _, partly = rare(260, 160)
    new_X, new_y, _ = rare(2000, 0, seed=1)
    fitted = clone(model).fit(X, partly)
    for scoring, score in (("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)):
        tuned = tune_threshold(fitted, scoring)
        predicted = tuned.predict(new_X)
        assert score(new_y, predicted) > score(new_y, fitted.predict(new_X)) + 0.05
        assert predicted[new_y == 1].mean() > 0.3
        np.testing.assert_array_equal(tuned.predict_proba(new_X), fitted.predict_proba(new_X))
        np.testing.assert_array_equal(tuned.classes_, fitted.classes_)


def test_no_other_threshold_is_better_on_the_labels_that_were_held_back() -> None:
    X, _, partly = rare(200, 45, share=0.2)
    model = ICLSClassifier(alpha=1.0).fit(X, partly)
    found = model._held_back.left_out()
    decisions = found.decisions[:, 0]
    threshold = tune_threshold(model, "f1").threshold
    scores = [f1_score(found.codes, decisions >= other) for other in np.sort(decisions)]
    assert f1_score(found.codes, decisions >= threshold) == max(scores)


def test_names_of_classes_are_numbered_in_their_order() -> None:
    X, _, partly = rare(200, 120)
    names = np.array(["common", "rare", None], dtype=object)[partly]
    by_number = tune_threshold(ICLSClassifier(alpha=1.0).fit(X, partly), "f1")
    by_name = tune_threshold(ICLSClassifier(alpha=1.0).fit(X, names), "f1")
    assert by_name.threshold == by_number.threshold
    assert (by_name.predict(X) == np.where(by_number.predict(X) == 1, "rare", "common")).all()


def test_without_labels_to_hold_back_the_threshold_is_that_of_the_classifier() -> None:
    X, y = two_classes(n_labeled=2)
    model = LeastSquaresClassifier(alpha=1.0).fit(X, y)
    tuned = tune_threshold(model)
    assert tuned.threshold == 0.0
    np.testing.assert_array_equal(tuned.predict(X), model.predict(X))


X, _, PARTLY = rare(120, 80, share=0.2)
THREE = np.where(PARTLY < 0, -1, np.arange(120) % 3)


@pytest.mark.parametrize(
    ("model", "scoring", "error", "message"),
    [
        (TunedLogisticRegression().fit(X, PARTLY), "f1", TypeError, "TunedThresholdClassifierCV"),
        (LeastSquaresClassifier().fit(X, THREE), "f1_macro", ValueError, "3 classes; a threshold"),
        (LeastSquaresClassifier().fit(X, PARTLY), "roc_auc", ValueError, "score of predicted"),
        (LeastSquaresClassifier().fit(X, PARTLY), "fame", ValueError, "scoring is 'fame'"),
        (LeastSquaresClassifier(), "f1", NotFittedError, "not fitted"),
    ],
)
def test_what_has_no_threshold_is_refused(
    model: Any, scoring: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tune_threshold(model, scoring)


def contestants() -> dict[str, Any]:
    """Two that keep held-back decisions, and two others: with decisions, with probabilities."""
    trees = ExtraTreesClassifier(20, min_samples_leaf=5, random_state=0)
    return pair() | {"logistic": TunedLogisticRegression((1.0,)), "trees": trees}


@pytest.mark.parametrize("scoring", ["f1", "balanced_accuracy"])
def test_a_comparison_by_a_score_of_a_rare_class_recommends_what_finds_it(scoring: str) -> None:
    X, y, partly = rare(400, 160)
    settings: dict[str, Any] = {"cv": 4, "n_repeats": 1}
    found = compare(X, partly, contestants(), scoring=scoring, **settings)
    plain = compare(X, partly, contestants(), **settings)
    assert any("by the threshold that is best by this score" in note for note in found.notes)
    assert not any("threshold" in note for note in plain.notes)
    for name, model in found.models.items():
        of_rare = model.predict(X[160:])[y[160:] == 1]
        assert of_rare.mean() > plain.models[name].predict(X[160:])[y[160:] == 1].mean(), name
    assert found.models[found.recommended or "ridge"].predict(X[160:])[y[160:] == 1].mean() > 0.3


def test_scores_that_one_class_alone_could_win_have_no_threshold_of_their_own() -> None:
    X, _, partly = rare(200, 100, share=0.3)
    found = compare(X, partly, pair(), scoring="recall", cv=2, n_repeats=1)
    assert not hasattr(found.models["ridge"], "threshold")


def test_learning_curves_are_of_the_same_thresholds() -> None:
    X, _, partly = rare(300, 150)
    given: dict[str, Any] = {"n_labeled": [], "n_unlabeled": [150], "cv": 3, "n_repeats": 1}
    curve = learning_curve(X, partly, pair(), scoring="f1", **given)
    losses = [run.value for run in curve.losses]
    assert max(losses) < 0.9  # without thresholds, few rows of the rare class are found
