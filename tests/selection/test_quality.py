"""How good the recommended model is by itself, apart from what unlabeled rows add."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from tacit import LeastSquaresClassifier, TacitClassifier
from tacit.selection import Comparison, compare
from tacit.selection._quality import Usability
from tests.selection.tables import Spy, mover, pair, two_classes


def noise(n_labeled: int = 40, rare: int = 3, seed: int = 0) -> tuple[Any, Any]:
    """Columns that say nothing; every `rare`-th label is "yes"."""
    X = np.random.default_rng(seed).normal(size=(n_labeled + 60, 3))
    y = np.where(np.arange(len(X)) % rare == 0, "yes", "no").astype(object)
    y[n_labeled:] = None
    return X, y


@pytest.fixture(scope="module")
def useless() -> Comparison:
    return compare(*noise(), pair(), n_repeats=1)


def test_a_model_that_is_no_better_than_the_commonest_class_is_told_first(
    useless: Comparison,
) -> None:
    quality, guess = useless.quality["ridge"], useless.guess
    assert guess is not None
    assert guess.answer == "no"
    assert guess.error == pytest.approx(0.35, abs=0.01)
    assert quality.usability is Usability.NO_BETTER
    start = r"ridge gets \d+ in 100 wrong, no better than always saying 'no'( \(35 in 100\))?: not "
    assert re.match(start + "usable yet", useless.verdict.sentence)
    assert useless.verdict.sentence.startswith(useless.verdict.model)
    assert useless.verdict.advice.startswith("Label more rows, or add columns")
    page = html.unescape(useless.to_html())
    assert "Not usable yet. " in page
    assert '<div class="verdict bad">' in page
    assert useless.plot().get_suptitle().startswith("ridge gets ")


def test_a_model_that_gives_every_row_one_class_is_named_in_headline_table_and_evidence() -> None:
    X, y = noise(60, rare=6)
    estimators = mover() | {"ridge": LeastSquaresClassifier(alpha=1e6)}
    found = compare(X, y, estimators, n_repeats=1)
    assert found.quality["ridge"].only_class == "no"
    assert found.frame().set_index("name").loc["ridge", "only_class"] == "no"
    assert "It gives every row the class 'no'." in found.verdict.sentence
    assert any("every row that was held back the class 'no'" in e for e in found.verdict.evidence)
    assert "without unlabeled rows; always says 'no'" in str(found)
    assert "always says 'no'" in html.unescape(found.to_html())


def test_a_good_model_is_told_beside_the_guess_after_the_verdict() -> None:
    X, y = two_classes(40, shift=2.0)
    found = compare(X, y, pair(), n_repeats=1)
    assert found.quality["ridge"].usability is Usability.USABLE
    said = r"ridge gets \d+ in 1(00|,000) wrong, always saying 0 50+ in 1(00|,000)\. "
    assert re.fullmatch(said + r"Its AUC is 1\.00\.", found.verdict.model)
    assert not found.verdict.sentence.startswith(found.verdict.model)
    assert found.verdict.lines == [
        found.verdict.sentence,
        found.verdict.model,
        found.verdict.advice,
    ]
    assert found.verdict.model in str(found)
    assert found.verdict.model in html.unescape(found.to_html())


def test_a_model_that_finds_no_rare_row_but_ranks_them_first_is_not_called_useless() -> None:
    random = np.random.default_rng(0)
    truth = (np.arange(500) % 20 == 0).astype(int)
    X = random.normal(size=(500, 3)) + 1.2 * truth[:, None]
    y = np.where(np.arange(500) < 200, truth, -1)
    estimators = pair() | {"ridge": LeastSquaresClassifier(alpha=100.0)}
    found = compare(X, y, estimators, n_repeats=1)
    assert found.quality["ridge"].usability is Usability.RANKS_ONLY
    assert "no better than always saying 0, though it ranks rows" in found.verdict.sentence
    assert "'balanced_accuracy'" in found.verdict.advice
    assert "not usable" not in str(found)


def test_too_few_labels_to_beat_the_commonest_class_are_said_to_be_too_few() -> None:
    X, y = two_classes(6, shift=0.9)
    found = compare(X, y, pair(), n_repeats=1)
    assert found.quality["ridge"].usability is Usability.UNPROVEN
    assert "and 6 labels are too few to tell the two apart: not usable yet" in found.verdict.model
    assert found.verdict.sentence.startswith(found.verdict.model)


def test_noise_is_hardly_ever_called_usable() -> None:
    estimators = {"ridge": LeastSquaresClassifier(1.0), "same": (Same(1.0), "ridge")}
    found = [
        compare(*noise(30, seed=seed), estimators, cv=5, n_repeats=1).quality["ridge"]
        for seed in range(30)
    ]
    assert sum(quality.usability is Usability.USABLE for quality in found) <= 3
    assert np.mean([quality.auc for quality in found]) == pytest.approx(0.5, abs=0.1)


class Same(LeastSquaresClassifier):
    """Does not look at unlabeled rows."""


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("way", ["decision_function", "predict_proba"])
def test_the_auc_is_that_of_scikit_learn_on_rows_held_back_from_the_fits(
    n_classes: int, way: str
) -> None:
    random = np.random.default_rng(0)
    truth = np.arange(90) % n_classes
    X = random.normal(size=(90, 3))
    X[np.arange(90), truth] += 1.0
    y = np.where(np.arange(90) < 45, truth, -1)
    model = GaussianNB() if way == "predict_proba" else LeastSquaresClassifier(1.0)
    splitter = StratifiedKFold(3)
    found = compare(X, y, {"one": model, **pair()}, cv=splitter)
    expected = []
    for train, test in splitter.split(X[:45], y[:45]):
        scores = getattr(model.fit(X[train], y[train]), way)(X[test])
        scores = scores if scores.ndim == 2 else np.column_stack([-scores, scores])
        if way == "decision_function":
            others = [np.delete(scores, k, axis=1).max(axis=1) for k in range(n_classes)]
            scores = scores - np.column_stack(others)
        areas = [roc_auc_score(y[test] == k, scores[:, k]) for k in range(n_classes)]
        expected.append(np.mean(areas))
    assert found.quality["one"].auc == pytest.approx(np.mean(expected))
    assert found.frame().set_index("name").loc["one", "auc"] == found.quality["one"].auc
    assert f"{found.quality['one'].auc:.2f}" in str(found)


def test_a_class_between_two_others_has_the_auc_of_its_probability() -> None:
    random = np.random.default_rng(0)
    truth = np.arange(240) % 3
    X = random.normal(size=(240, 2))
    X[:, 0] += 3.0 * truth
    y = np.where(np.arange(240) < 120, truth, -1)
    estimators = {"logistic": LogisticRegression(), **pair()}
    found = compare(X, y, estimators, cv=5, n_repeats=1)
    by_scorer = compare(X, y, estimators, cv=5, n_repeats=1, scoring="roc_auc_ovr")
    expected = 1.0 - by_scorer.losses["logistic"]
    assert expected > 0.95
    assert found.quality["logistic"].auc == pytest.approx(expected, abs=0.01)


def test_few_folds_do_not_hide_that_a_model_is_better_than_a_guess() -> None:
    X, y = two_classes(60, shift=1.5)
    found = compare(X, y, pair(), cv=3, n_repeats=1)
    assert found.quality["ridge"].usability is Usability.USABLE


def test_of_equal_errors_the_better_ranking_is_recommended_and_fitted_for_its_rare_class() -> None:
    X, y = noise(60, rare=6)
    X[:, 0] += np.where(np.arange(len(X)) % 6 == 0, 2.0, 0.0)
    seer, blind = (
        make_pipeline(ColumnTransformer([("one", "passthrough", [k])]), LeastSquaresClassifier(1e6))
        for k in (0, 1)
    )
    found = compare(
        X, y, {"blind": blind, "seer": seer, "same": (clone(seer), "seer")}, n_repeats=1
    )
    assert found.losses["blind"] == found.losses["seer"]
    assert found.recommended == "seer"
    assert found.quality["seer"].usability is Usability.RANKS_ONLY
    assert "choose the classes by the score 'balanced_accuracy'" in found.verdict.advice
    assert found.scoring_to_fit == "balanced_accuracy"
    assert "say little about the classes" not in str(found)


class WrongOnce(ClassifierMixin, BaseEstimator):
    """Knows the class of every row but one; the first column has the numbers of the rows."""

    def __init__(self, row: int = 0, shade: float = 1.0) -> None:
        self.row = row
        self.shade = shade

    def fit(self, X: Any, y: Any) -> WrongOnce:
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X: Any) -> Any:
        return np.where(X[:, 0] == self.row, -self.shade * X[:, 1], X[:, 1])

    def predict(self, X: Any) -> Any:
        return (self.decision_function(X) > 0.0).astype(int)


def test_folds_that_differ_by_a_row_do_not_tell_as_many_errors_apart() -> None:
    truth = np.arange(20) % 2
    X = np.column_stack([np.arange(20.0), 2.0 * truth - 1.0])
    y = np.where(np.arange(20) < 13, truth, -1)
    folds = StratifiedKFold(2)
    large, small = sorted((t for _, t in folds.split(X[:13], y[:13])), key=len, reverse=True)
    # One error each; that in the larger fold makes the smaller mean, and the worse ranking.
    estimators = {
        "large": WrongOnce(int(large[0])),
        "small": WrongOnce(int(small[0]), shade=0.1),
        "same": (WrongOnce(int(small[0]), shade=0.1), "small"),
    }
    found = compare(X, y, estimators, cv=folds)
    assert found.losses["large"] < found.losses["small"]
    assert found.recommended == "small"


def test_a_model_without_scores_has_no_auc_and_is_compared_all_the_same() -> None:
    X, y = two_classes(40, shift=2.0)
    found = compare(X, y, {**pair(), "spy": Spy()}, cv=3, n_repeats=1)
    assert found.quality["spy"].auc is None
    assert found.quality["spy"].only_class == 0
    assert "nan" not in str(found)


def test_other_measures_are_beside_the_guess_by_that_measure_and_by_errors() -> None:
    X, y = noise(60, rare=4)
    X[:, 0] += np.where(y == "yes", 3.0, 0.0)
    found = compare(X, y, pair(), n_repeats=1, scoring="balanced_accuracy")
    assert re.search(
        r"ridge has a balanced error of \d+\.\d%, always saying 'no' one of 50\.0%\.",
        found.verdict.model,
    )
    frame = found.frame().set_index("name")
    assert frame.loc["ridge", "error"] < frame.loc["ridge", "loss"]
    # A constant answer has a perfect recall of its class, which is no reason to praise it.
    by_recall = compare(X, y, pair(), n_repeats=1, scoring="recall")
    assert "ridge has a balanced error of " in by_recall.verdict.model
    assert by_recall.guess is not None
    assert by_recall.guess.by_own == 1.0  # it never finds the class that recall is about


def test_the_picture_on_top_shows_the_recommended_model_beside_what_else_there_is() -> None:
    X, y = two_classes(40, shift=0.6)
    estimators = {"poor": LeastSquaresClassifier(1e6), **mover()}
    found = compare(X, y, estimators, cv=4, n_repeats=1)
    page = html.unescape(found.to_html())
    rates = re.findall(r'rate-label">(.*?)</span><strong>(?:fewer than )?(\d+) of 100', page)
    shown = {label: int(count) / 100.0 for label, count in rates}
    assert list(shown) == [
        f"Without the unlabeled rows ({found.recommended}), recommended",
        "With them (self)",
        "Always saying 0",
    ]
    in_table = [found.losses[str(found.recommended)], found.losses["self"], 0.5]
    np.testing.assert_allclose(list(shown.values()), in_table, atol=0.0051)


def test_a_twin_that_is_inside_another_fit_is_fitted_with_it_and_answers_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = two_classes(20, 30, shift=0.5)
    fits, fit = [], TacitClassifier._fit

    def counted(self: TacitClassifier, data: Any) -> None:
        fits.append(self.views)
        fit(self, data)

    monkeypatch.setattr(TacitClassifier, "_fit", counted)
    whole = TacitClassifier(["linear", "rbf"], ["components"], random_state=0)
    alone = TacitClassifier(["linear", "rbf"], [], random_state=0)
    together = compare(X, y, {"alone": alone, "tacit": (whole, "alone")}, cv=3, n_repeats=1)
    # Three folds and five parts share their fits; the models that are kept do not.
    assert (fits.count([]), fits.count(["components"])) == (1, 9)
    assert together.models["alone"].views == []
    assert not together.models["alone"].evidence_.uses_views
    # Another seed is another fit.
    other = TacitClassifier(["linear", "rbf"], [], random_state=1)
    fits.clear()
    apart = compare(X, y, {"alone": other, "tacit": (whole, "alone")}, cv=3, n_repeats=1)
    assert fits.count([]) == 9
    assert apart.losses == together.losses
    # The twin has a threshold of its own, and still tells of its own fit.
    given: dict[str, Any] = {"cv": 3, "n_repeats": 1, "scoring": "balanced_accuracy"}
    tuned = [compare(X, y, {"a": a, "tacit": (whole, "a")}, **given) for a in (alone, other)]
    assert tuned[0].losses == tuned[1].losses
    assert not tuned[0].models["a"].estimator_.evidence_.uses_views
    assert apart.quality["alone"] == together.quality["alone"]
