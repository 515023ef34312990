"""Comparisons by other scores than accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer

from tacit import LeastSquaresClassifier
from tacit.selection import Kind, compare
from tests.selection.tables import mover, pair, two_classes


class Ignorant(LeastSquaresClassifier):
    """Is given unlabeled rows and does not look at them."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(alpha)


def test_other_scores_are_turned_into_losses() -> None:
    X, y = two_classes()
    by_name = compare(X, y, pair(), cv=3, n_repeats=1, scoring="roc_auc")
    assert by_name.losses["ridge"] < 0.3
    same = by_name.methods["ICLS"].against_twin
    assert same.disagreement in (None, 0.0)

    def half_accuracy(model: Any, X: Any, y: Any) -> float:
        return 0.5 * float(np.mean(model.predict(X) == y))

    # In units of its own a score may be worth whole numbers.
    by_function = compare(X, y, pair(), cv=3, n_repeats=1, scoring=half_accuracy, margin=2.0)
    accuracy = compare(X, y, pair(), cv=3, n_repeats=1)
    assert by_function.losses["ridge"] == pytest.approx(-0.5 * (1.0 - accuracy.losses["ridge"]))


SCORINGS = ["accuracy", "balanced_accuracy", "f1", "f1_macro", "roc_auc", make_scorer(f1_score)]


@pytest.mark.parametrize("scoring", SCORINGS)
def test_four_labels_that_all_come_out_right_are_too_few_by_any_score(scoring: Any) -> None:
    random = np.random.default_rng(0)
    truth = np.arange(300) % 2
    X = random.normal(size=(300, 30)) + 0.4 * (2 * truth[:, None] - 1)
    X[:4] += 2.0 * (2 * truth[:4, None] - 1)
    y = np.where(np.arange(300) < 4, truth, -1)
    comparison = compare(X, y, mover(), scoring=scoring)
    found = comparison.methods["self"].against_twin
    assert found.mean == 0.0
    assert comparison.verdict.kind is Kind.TOO_FEW
    assert found.low < -0.02
    assert found.high > 0.02


@pytest.mark.parametrize("scoring", SCORINGS)
def test_the_same_function_makes_no_difference_by_any_score(scoring: Any) -> None:
    X, y = two_classes(n_unlabeled=100)
    ridge = LeastSquaresClassifier(alpha=1.0)
    comparison = compare(
        X, y, {"ridge": ridge, "same": (Ignorant(), "ridge")}, cv=3, n_repeats=1, scoring=scoring
    )
    assert comparison.verdict.kind is Kind.NO_DIFFERENCE
    assert comparison.methods["same"].certain
    assert str(comparison)


def test_the_same_classes_are_not_the_same_function_to_a_score_of_ranks() -> None:
    X, y = two_classes(n_unlabeled=100, shift=3.0)
    estimators = {
        "ridge": LeastSquaresClassifier(alpha=1.0),
        "other": (Ignorant(alpha=50.0), "ridge"),
    }

    def disagreement(scoring: str) -> float | None:
        comparison = compare(X, y, estimators, cv=3, n_repeats=1, scoring=scoring)
        return comparison.methods["other"].against_twin.disagreement

    assert disagreement("balanced_accuracy") == 0.0
    assert disagreement("roc_auc") is None


@pytest.mark.parametrize(
    ("scoring", "told"),
    [
        ("accuracy", "which is wrong for 10.0% of the labels"),
        ("balanced_accuracy", "which has a balanced error of 50.0%"),
    ],
)
def test_classifiers_that_never_find_the_rare_class_are_called_no_better_than_guessing(
    scoring: str, told: str
) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = np.where(np.arange(400) < 200, (np.arange(400) % 10 == 0).astype(int), -1)
    comparison = compare(X, y, pair(), n_repeats=1, scoring=scoring)
    (line,) = [line for line in comparison.verdict.evidence if "always answering 0" in line]
    assert told in line
    # Said only to whoever does not do it already.
    assert ("'balanced_accuracy' tells more" in line) == (scoring == "accuracy")


def test_nobody_is_sent_to_another_score_where_no_class_is_rare() -> None:
    X = np.random.default_rng(0).normal(size=(400, 3))
    y = np.where(np.arange(400) < 200, (np.arange(400) % 10 > 5).astype(int), -1)
    comparison = compare(X, y, pair(), n_repeats=1)
    (line,) = [line for line in comparison.verdict.evidence if "always answering 0" in line]
    assert "balanced_accuracy" not in line
