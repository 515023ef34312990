"""What classifiers may answer with: one of the classes for each row, as a vector or a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from tacit.selection import compare, learning_curve
from tests.selection.tables import two_classes

X, Y = two_classes()
SCORES = ["accuracy", "balanced_accuracy", "f1_macro"]


class Answering(ClassifierMixin, BaseEstimator):
    """Learns from labeled rows, and answers in its own way."""

    def __init__(self, way: str = "vector") -> None:
        self.way = way

    def fit(self, X: Any, y: Any) -> Answering:
        self.model_ = GaussianNB().fit(X[y != -1], y[y != -1])
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        answers = self.model_.predict(X)
        return {
            "vector": answers,
            "column": answers[:, None],
            "floats": answers.astype(float),
            "probabilities": self.model_.predict_proba(X),
            "first row": answers[:1],
            "the mark": np.where(answers == 1, -1, answers),
            "texts": answers.astype(str),
            "nothing": np.where(answers == 1, np.nan, answers),
        }[self.way]


def twins(way: str) -> dict[str, Any]:
    return {"vector": Answering(), way: (Answering(way), "vector")}


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize("way", ["column", "floats"])
def test_answers_of_any_form_are_judged_alike(way: str, scoring: str) -> None:
    found = compare(X, Y, twins(way), cv=3, n_repeats=1, scoring=scoring)
    assert found.losses[way] == found.losses["vector"]
    assert found.methods[way].decisive.disagreement == 0.0
    curve = learning_curve(X, Y, twins(way), cv=3, n_repeats=1, scoring=scoring)
    losses = [[p.loss for p in curve.points("labels", name)] for name in ("vector", way)]
    assert losses[0] == losses[1]


BAD = {
    "probabilities": r"'probabilities' \(Answering\) .* of the shape \(\d+, 2\) for \d+ rows",
    "first row": r"of the shape \(1,\) for \d+ rows; it must give one class for each row",
    "the mark": r"answered -1, which is none of the classes that it was given \(0, 1\)",
    "texts": r"answered '[01]', which is none of the classes",
    "nothing": r"answered nan, which is none of the classes",
}


@pytest.mark.parametrize("function", [compare, learning_curve])
@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize(("way", "message"), BAD.items(), ids=BAD)
def test_answers_that_are_not_a_class_for_each_row_are_refused(
    way: str, message: str, scoring: str, function: Any
) -> None:
    with pytest.raises(ValueError, match=message):
        function(X, Y, twins(way), cv=3, n_repeats=1, scoring=scoring)
