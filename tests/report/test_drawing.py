"""The two pictures of comparisons, as figures and inside pages."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tacit.report import (
    COLOURS,
    PALETTE,
    Panel,
    Series,
    draw_curves,
    draw_differences,
    inlined,
    save_figure,
)
from tacit.report._drawing import log_places, thinned
from tacit.report._figures import NARROW, shortened, svg_text
from tests.report.outline import read
from tests.report.sample import UNLABELED, differences, panel


@pytest.mark.parametrize("width", [8.0, NARROW])
def test_marks_and_intervals_stand_where_their_values_are(width):
    rows = differences()
    (axes,) = draw_differences(rows, "points", 1.0, width).axes
    marks = [line.get_xdata()[0] for line in axes.lines if line.get_marker() in ("o", "s", "D")]
    assert marks == [row.mean for row in rows]
    intervals = [tuple(line.get_xdata()) for line in axes.lines if line.get_marker() == "|"]
    assert intervals == [(row.low, row.high) for row in rows]
    texts = [text.get_text() for text in axes.texts]
    for row in rows:
        assert {row.label, row.note, row.value, row.words} <= set(texts)
    low, high = axes.get_xlim()
    assert low < -11.9
    assert high > 6.4


def test_there_is_room_on_both_sides_of_zero_and_endless_intervals_leave_the_picture():
    row = replace(differences()[0], low=-math.inf, high=math.inf)
    (axes,) = draw_differences([row], "points", 1.0).axes
    low, high = axes.get_xlim()
    assert low < -7 < 1 < high < 10
    (interval,) = [line.get_xdata() for line in axes.lines if line.get_marker() == "|"]
    assert interval[0] < low
    assert interval[1] > high
    nothing = replace(row, mean=0.0, low=0.0, high=0.0)
    (axes,) = draw_differences([nothing], "", 0.0).axes
    assert axes.get_xlim()[0] < 0 < axes.get_xlim()[1]


def test_curves_go_through_their_values_and_differ_in_colour_and_shape():
    (axes,) = draw_curves([panel()], "Wrong answers").axes
    assert [tuple(line.get_ydata()) for line in axes.lines] == [s.y for s in panel().series]
    assert len({(line.get_color(), line.get_marker()) for line in axes.lines}) == 3
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--", "-"]
    assert [label.get_text() for label in axes.get_xticklabels()][-1] == "4,940"


def test_one_panel_beside_another_has_the_same_scale_and_no_stops():
    figure = draw_curves([panel(), panel()], "Wrong answers", 11.0)
    left, right = figure.axes
    assert left.get_ylim() == right.get_ylim()
    assert "stop-0" not in svg_text(figure)


def test_a_gap_in_a_curve_and_a_missing_interval_can_be_drawn():
    gap = Series("a", [1.0, math.nan, 2.0], [math.nan] * 3, [math.nan] * 3)
    assert "<svg" in svg_text(draw_curves([Panel("", "x", [1, 2, 4], [gap])], "y"))


def test_zero_has_a_place_left_of_the_rest():
    places = log_places([0, 16, 32])
    assert places[0] < places[1] < places[2]
    assert log_places([2, 4, 8]) == [1.0, 2.0, 3.0]


def test_ticks_that_would_touch_are_left_out_and_the_last_is_there():
    assert thinned([0, 1, 10], ["100", "200", "300"], 0.5) == ["", "200", "300"]
    assert thinned([0, 5, 10], ["100", "200", "300"], 0.5) == ["100", "200", "300"]


def test_names_in_pictures_are_short_plain_and_never_mathematics():
    assert shortened("a\nb\x00 $c$") == "a b\ufffd \\$c\\$"
    assert shortened("x" * 40) == "x" * 27 + "…"


def test_a_picture_on_a_page_has_its_words_the_colours_of_the_page_and_its_stops():
    svg = svg_text(draw_curves([panel()], "Wrong answers"))
    root = read(inlined(svg, "What it shows")).one("svg")
    assert (root.attributes["role"], root.attributes["aria-label"]) == ("img", "What it shows")
    assert {"Wrong answers", "Unlabeled rows", "ICLS"} <= {e.text for e in root.all("text")}
    assert len(root.all("g", "stop")) == len(UNLABELED)
    painted = {e.attributes.get(k, "none") for e in root.all() for k in ("fill", "stroke")}
    assert painted <= {"none", *(f"var(--{name})" for name in PALETTE)}
    assert "var(--series-1)" in painted
    assert len(set(COLOURS)) == 7


def test_figures_are_saved_without_a_date(tmp_path):
    for name in ("one.svg", "two.svg", "one.png"):
        save_figure(draw_differences(differences(), "points", 1.0), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert ">ICLS</text>" in (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
