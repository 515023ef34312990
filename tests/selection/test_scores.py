"""Comparisons by other scores than accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer
from sklearn.semi_supervised import SelfTrainingClassifier

from tacit import LeastSquaresClassifier
from tacit.selection import Kind, compare, default_contestants
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
def test_classifiers_that_do_not_find_the_rare_class_are_called_no_better_than_guessing(
    scoring: str, told: str
) -> None:
    random = np.random.default_rng(3)
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


# All of scikit-learn's names but those of regression; of several labels a row, see below.
FOR_CLASSES = [
    name
    for name in get_scorer_names()
    if not get_scorer(name)._score_func.__module__.endswith("._regression")
    and not name.endswith("_samples")
]
TWO_ONLY = ("f1", "jaccard", "precision", "recall", "roc_auc")
RATIOS = ("positive_likelihood_ratio", "neg_negative_likelihood_ratio")


def table_of(n_classes: int) -> tuple[Any, Any]:
    names = np.array(["no", "yes", "often"][:n_classes], dtype=object)
    places = np.arange(60) % n_classes
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[np.arange(60), places] += 1.5
    y = names[places]
    y[36:] = None
    return X, y


def with_probabilities() -> dict[str, Any]:
    logistic = LogisticRegression()
    return {"logistic": logistic, "self-training": (SelfTrainingClassifier(logistic), "logistic")}


@pytest.mark.parametrize("scoring", FOR_CLASSES)
def test_every_score_for_classes_works_or_names_another(scoring: str) -> None:
    for n_classes in (2, 3):
        X, y = table_of(n_classes)
        given: dict[str, Any] = {"cv": 3, "n_repeats": 1, "scoring": scoring}
        is_for_two = scoring in TWO_ONLY + RATIOS
        if (n_classes == 3 and is_for_two) or (n_classes == 2 and scoring == "top_k_accuracy"):
            with pytest.raises(ValueError, match=rf"^scoring is '{scoring}', which .*; use '"):
                compare(X, y, with_probabilities(), **given)
            continue
        if n_classes == 3 and scoring == "neg_brier_score" and sklearn.__version__ < "1.7":
            continue  # scikit-learn 1.6 has it for two classes only
        found = compare(X, y, with_probabilities(), **given)
        assert np.isfinite(found.losses["logistic"])
        assert found.guess is not None
        # Better than a guess by whatever suits it.
        assert "not usable" not in str(found)


PROBABLE = ("neg_log_loss", "neg_brier_score", "roc_auc_ovr", "average_precision")


@pytest.mark.parametrize("scoring", PROBABLE)
def test_scores_of_probabilities_work_with_the_default_estimators(scoring: str) -> None:
    X, y = table_of(2)
    names = ("ridge", "ICLS", "self-learning")
    usual = {name: c for name, c in default_contestants().items() if name in names}
    found = compare(X, y, usual, cv=2, n_repeats=1, scoring=scoring)
    assert set(found.losses) == set(names)
    assert np.isfinite(list(found.losses.values())).all()


@pytest.mark.parametrize("scoring", ["f1_samples", "recall_samples"])
def test_scores_of_several_labels_a_row_are_refused_with_another(scoring: str) -> None:
    X, y = table_of(2)
    with pytest.raises(ValueError, match=f"several labels each.*use '{scoring[:-8]}_macro'"):
        compare(X, y, with_probabilities(), scoring=scoring)


def test_a_score_of_one_class_says_which_and_is_refused_where_it_cannot_be_told() -> None:
    X, y = table_of(2)
    found = compare(X, y, with_probabilities(), cv=3, n_repeats=1, scoring="f1")
    assert any("is about finding the class 'yes'; 'f1_macro' is" in note for note in found.notes)
    numbered = np.where(y == "yes", 7, np.where(y == "no", 3, -1))
    for scoring, other in (("f1", "f1_macro"), ("average_precision", "roc_auc")):
        with pytest.raises(ValueError, match=f"y has 3 and 7; name .* 0 and 1, or use '{other}'"):
            compare(X, numbered, with_probabilities(), scoring=scoring)
