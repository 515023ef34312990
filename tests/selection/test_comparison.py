"""A comparison can be printed, tabulated and drawn."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.selection import Comparison, compare
from tests.selection.tables import pair, two_classes


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
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["ICLS\ninstead of ridge"]
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
    assert [d.reference for d in comparison.differences] == ["poor", "ridge"]


def test_a_comparison_without_scores_can_be_printed_tabulated_and_drawn(
    without_scores: Comparison,
) -> None:
    assert "only one label" in str(without_scores)
    assert without_scores.frame()["loss"].isna().all()
    assert len(without_scores.splits_frame()) == 0
    assert "too few labels" in without_scores.plot().get_suptitle()
