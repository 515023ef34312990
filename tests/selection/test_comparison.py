"""A comparison can be printed, tabulated and drawn."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

from tacit import ICLSClassifier, LeastSquaresClassifier
from tacit.selection import Comparison, Kind, compare
from tacit.selection._wording import difference_text
from tests.selection.tables import mover, pair, two_classes


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    X, y = two_classes(shift=0.4)
    return compare(X, y, pair(), cv=3, n_repeats=2)


@pytest.fixture(scope="module")
def without_scores() -> Comparison:
    X, y = two_classes()
    y[np.flatnonzero(y == 1)[1:]] = 0
    return compare(X, y, pair())


def test_the_frame_has_one_row_for_each_contestant(comparison: Comparison) -> None:
    frame = comparison.frame().set_index("name")
    twin = comparison.methods["ICLS"].against_twin
    assert frame.index.tolist() == ["ridge", "ICLS"]
    assert frame.loc["ICLS", "difference"] == twin.mean
    assert frame.loc["ICLS", "verdict"] == str(comparison.methods["ICLS"].kind)
    assert frame.loc["ridge", "twin"] is None
    assert frame["loss"].to_dict() == comparison.losses


def test_the_frame_of_splits_holds_every_loss(comparison: Comparison) -> None:
    frame = comparison.splits_frame()
    assert len(frame) == 2 * 3 * 2
    assert frame.groupby("name")["loss"].mean().to_dict() == pytest.approx(comparison.losses)
    assert (frame.groupby(["name", "repeat"])["n_test"].sum() == 24).all()


def test_the_text_has_the_verdict_first_and_then_the_table(comparison: Comparison) -> None:
    lines = str(comparison).splitlines()
    assert lines[0] == str(comparison.verdict.kind).upper()
    assert lines[1] == comparison.verdict.sentence
    assert [line.split()[0] for line in lines[-2:]] == ["ridge", "ICLS"]


def test_the_figure_has_the_verdict_as_title_and_one_line_for_each_method(
    comparison: Comparison,
) -> None:
    figure = comparison.plot()
    title = " ".join(figure.get_suptitle().split())
    assert title == comparison.verdict.sentence
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert labels[:2] == ["ICLS", "against ridge"]
    drawn = figure.axes[0].lines[1].get_xdata()
    twin = comparison.methods["ICLS"].against_twin
    assert np.asarray(drawn) == pytest.approx([100 * twin.low, 100 * twin.high])


def test_the_one_to_use_is_the_method_that_helps_or_the_best_supervised(
    comparison: Comparison,
) -> None:
    helped = comparison.verdict.kind == "helps"
    assert comparison.recommended == ("ICLS" if helped else "ridge")


def test_differences_name_the_twin_and_another_best_classifier() -> None:
    X, y = two_classes(shift=0.4)
    estimators = pair()
    estimators["poor"] = type(estimators["ridge"])(alpha=1e9)
    estimators["ICLS"] = (estimators["ICLS"][0], "poor")
    comparison = compare(X, y, estimators, cv=3, n_repeats=1)
    method = comparison.methods["ICLS"]
    assert (method.against_twin.reference, method.against_best.reference) == ("poor", "ridge")


def test_a_comparison_without_scores_can_be_printed_tabulated_and_drawn(
    without_scores: Comparison,
) -> None:
    assert "only one label" in str(without_scores)
    assert without_scores.frame()["loss"].isna().all()
    assert len(without_scores.splits_frame()) == 0
    assert "too few labels" in without_scores.plot().get_suptitle()


@pytest.fixture(scope="module")
def beaten() -> Comparison:
    """ICLS is far better than its twin, and logistic regression better still."""
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 700)
    X = random.normal(size=(700, 60))
    X[:, 0] += 2 * (2 * truth - 1)
    y = np.where(np.arange(700) < 70, truth, -1)
    estimators = {
        "plain": LeastSquaresClassifier(),
        "logistic": LogisticRegression(),
        "ICLS": (ICLSClassifier(), "plain"),
    }
    return compare(X, y, estimators, n_repeats=3)


def test_table_frame_page_and_picture_show_the_difference_that_the_verdict_is_about(
    beaten: Comparison,
) -> None:
    method = beaten.methods["ICLS"]
    assert method.kind is Kind.MAY_HURT
    assert method.against_twin.mean < 0.0 < method.decisive.mean
    assert method.decisive == method.against_best
    row = beaten.frame().set_index("name").loc["ICLS"]
    assert (row["twin"], row["against"]) == ("plain", "logistic")
    assert row["difference"] == row["against_best"] == method.against_best.mean
    assert row["p_worse"] == method.against_best.p_worse
    assert row["against_twin"] == method.against_twin.mean
    assert f"logistic: {difference_text(method.decisive, beaten.measure)}" in str(beaten)
    page = beaten.to_html()
    assert "Without the unlabeled rows (logistic)" in page
    assert "against logistic" in page
    assert "from logistic" in page
    labels = [text.get_text() for text in beaten.plot().axes[0].texts]
    assert labels[:2] == ["ICLS", "against logistic"]


def test_a_single_split_has_no_interval_and_can_be_printed_and_drawn() -> None:
    X, y = two_classes(shift=0.4)
    splitter = StratifiedShuffleSplit(1, test_size=0.3, random_state=0)
    comparison = compare(X, y, mover(), cv=splitter)
    assert comparison.verdict.kind is Kind.TOO_FEW
    assert "(90% interval: unknown)" in str(comparison)
    for text in (str(comparison), comparison.to_html()):
        assert not re.search(r"\b(nan|inf)\b", text)
    comparison.plot().canvas.draw()


def test_classes_that_steer_a_terminal_are_spelled_out_in_what_python_prints():
    random = np.random.default_rng(0)
    # No column tells anything, so that the class is named in a sentence, too.
    X, y = random.normal(size=(60, 2)), np.array(["\x1b[31m\u202e\x9b", "b"], dtype=object)
    y = np.where(np.arange(60) % 3 > 0, *y).astype(object)
    y[40:] = None
    found = compare(X, y, cv=2, n_repeats=1, random_state=0, unlabeled=None)
    few = np.array(["\x1b[31m\u202e\x9b", *"bbb", *[None] * 56], dtype=object)
    for each in (found, compare(X, few, cv=2, n_repeats=1, random_state=0, unlabeled=None)):
        for text in (str(each), str(each.verdict)):
            assert "\\x1b[31m\\u202e\\x9b" in text
            assert not {"\x1b", "\u202e", "\x9b"} & set(text)
