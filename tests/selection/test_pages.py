"""Comparisons and learning curves as pages for the browser."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.selection import Comparison, LearningCurve, compare, default_contestants, learning_curve
from tests.selection.tables import pair, two_classes


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    X, y = two_classes(shift=0.4)
    return compare(X, y, cv=3, n_repeats=1)


@pytest.fixture(scope="module")
def curve() -> LearningCurve:
    X, y = two_classes(shift=0.4)
    return learning_curve(X, y, pair(), cv=3, n_repeats=1)


def words(page: str) -> str:
    """The text that a reader sees."""
    body = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def headings(page: str) -> list[str]:
    return re.findall(r"<h2[^>]*>(.*?)</h2>", page)


def test_the_page_has_the_verdict_then_the_picture_the_numbers_and_the_evidence(
    comparison: Comparison,
) -> None:
    page = comparison.to_html()
    assert page.startswith("<!doctype html>")
    parts = ["The picture", "The numbers", "How sure it is, and how often right"]
    assert headings(page) == [*parts, "The evidence in words"]
    text = words(page)
    verdict = comparison.verdict
    assert text.index(verdict.sentence) < text.index("The picture")
    for sentence in (verdict.advice, *verdict.evidence):
        assert sentence in text
    assert "24 labels, 40 unlabeled rows" in text
    assert not re.search(r"(src|href)=\"https?:", page)


def test_the_page_says_what_each_of_the_usual_classifiers_is(comparison: Comparison) -> None:
    text = words(comparison.to_html())
    described = [contestant.description for contestant in default_contestants().values()]
    assert len(described) == 8
    assert all(description and description in text for description in described)


def test_the_recommended_classifier_is_named_by_a_word_and_only_that_one(
    comparison: Comparison,
) -> None:
    page = comparison.to_html()
    marked = re.findall(r'<th [^>]*data-value="([^"]*)"[^>]*>[^<]*<span class="chip">(.*?)<', page)
    assert marked == [(comparison.recommended, "recommended")]
    # On a narrow screen all names are bold.
    assert "bold" not in words(page)


def test_methods_that_change_no_answer_have_no_p_values(comparison: Comparison) -> None:
    certain = [name for name, method in comparison.methods.items() if method.certain]
    page = comparison.to_html()
    rows = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    of = {name: next(row for row in rows if f">{name}<" in row) for name in comparison.methods}
    missing = {name: row.count('class="unseen">none') for name, row in of.items()}
    assert {name for name, count in missing.items() if count == 2} == set(certain)


@pytest.mark.parametrize("kind", ["comparison", "curve"])
def test_a_page_is_returned_or_written(kind: str, tmp_path: Path, request: Any) -> None:
    shown = request.getfixturevalue(kind)
    path = tmp_path / "page.html"
    path.write_text("old")
    assert shown.to_html(path) is None
    assert path.read_text(encoding="utf-8") == shown.to_html()
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    shown.to_html(str(path))


def test_a_folder_that_is_not_there_is_named(comparison: Comparison, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        comparison.to_html(tmp_path / "nowhere" / "page.html")


@pytest.mark.parametrize("kind", ["comparison", "curve"])
def test_a_notebook_shows_the_page_in_a_frame_and_its_name_in_short(
    kind: str, request: Any
) -> None:
    pytest.importorskip("jinja2")
    shown = request.getfixturevalue(kind)
    frame = shown._repr_html_()
    assert frame.startswith("<iframe ")
    source = re.search(r'srcdoc="([^"]*)"', frame)
    assert source is not None
    assert html.unescape(source[1]) == shown.to_html()
    assert len(repr(shown)) < 80
    assert "24 labels, 40 unlabeled rows" in repr(shown)


def test_a_comparison_without_scores_has_a_page_too() -> None:
    X, y = two_classes()
    y[np.flatnonzero(y == 1)[1:]] = 0
    page = compare(X, y, pair()).to_html()
    assert headings(page) == ["The evidence in words"]
    assert "only one label" in words(page)


def test_other_measures_are_shown_in_their_own_units() -> None:
    X, y = two_classes()
    comparison = compare(X, y, cv=2, n_repeats=1, scoring="neg_log_loss", estimators=probable())
    assert "log loss" in words(comparison.to_html())
    assert "of 100 wrong" not in comparison.to_html()
    curve = learning_curve(X, y, probable(), cv=2, n_repeats=1, scoring="roc_auc")
    assert "area under the ROC curve, in %" in words(curve.to_html())


def probable() -> dict[str, Any]:
    """A pair that gives probabilities."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.semi_supervised import SelfTrainingClassifier

    return {
        "logistic": LogisticRegression(),
        "self-training": (SelfTrainingClassifier(LogisticRegression()), "logistic"),
    }


def test_the_page_of_a_curve_has_the_sentence_both_pictures_and_the_forecast(
    curve: LearningCurve,
) -> None:
    page = curve.to_html()
    text = words(page)
    assert curve.sentence() in text
    for question in ("What do labels buy?", "What do unlabeled rows buy?", "What would 20 more"):
        assert question in text
    assert "mean over 3 splits" in text
    assert "Now is the curve's value too: the curve rests on 3 splits with up to 16" in text
    assert "by the curve, 24 labels" in text
    assert page.count("Show the numbers") == 2


def test_the_page_of_a_curve_leaves_out_what_was_not_measured() -> None:
    X, y = two_classes()
    one = learning_curve(X, y, pair(), n_labeled=[], n_unlabeled=[0, 40], cv=2, n_repeats=1)
    assert one.to_html().count("Show the numbers") == 1
    assert "more labels buy?" not in words(one.to_html()).split("Learning curves")[1]
    X, y = two_classes(n_labeled=4, n_unlabeled=6)
    none = learning_curve(X, y, pair(), n_labeled=[2], n_unlabeled=[6], n_repeats=1)
    assert "too few labels for curves" in words(none.to_html())
