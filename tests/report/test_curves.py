from __future__ import annotations

import itertools
import json
import math
import re

import numpy as np
import pytest

from tacit.report import Curves, Ids, Series
from tests.report.outline import read
from tests.report.sample import LABEL_CURVES, UNLABELED, UNLABELED_CURVES


def drawn(curves: Curves):
    return read(curves.markup(Ids()))


def test_there_is_a_stop_for_each_x_that_tells_every_value():
    stops = drawn(UNLABELED_CURVES).all("g", "stop")
    assert len(stops) == len(UNLABELED)
    assert stops[5].attributes["data-head"] == "Unlabeled rows: 256"
    assert json.loads(stops[5].attributes["data-told"])[0] == [0, "ICLS", "15.4", "12.9 to 17.9"]
    spoken = stops[5].attributes["aria-label"]
    assert spoken.startswith("Unlabeled rows: 256. ICLS 15.4, 12.9 to 17.9. supervised")
    assert "self-learning 22.4" in stops[5].one("title").text


def test_the_stops_cover_the_whole_width_without_gaps():
    for curves in (UNLABELED_CURVES, LABEL_CURVES):
        reached = 0.0
        for stop in drawn(curves).all("g", "stop"):
            strip = stop.one("rect").attributes
            assert float(strip["x"][:-1]) == pytest.approx(reached, abs=0.03)
            reached += float(strip["width"][:-1])
            at = float(stop.one("line", "guide").attributes["x1"][:-1])
            assert float(strip["x"][:-1]) - 0.02 <= at <= reached + 0.02
        assert reached == pytest.approx(100, abs=0.1)


def test_markers_and_lines_are_at_the_same_places():
    made = drawn(LABEL_CURVES)
    lines = [re.findall(r"([\d.]+) ([\d.]+)", e.attributes["d"]) for e in made.all("path", "line")
             if "M1 8" not in e.attributes["d"]]  # fmt: skip
    at = [(float(x) / 10, float(y)) for line in lines for x, y in line]
    plot = made.one("div", "plot")
    markers = [
        (float(e.attributes["x"][:-1]), float(e.attributes["y"]) - 10)
        for e in plot.all("svg", "marker")
    ]
    assert len(at) == 12
    assert np.allclose(at, markers, atol=0.1)
    # Larger values are higher up.
    assert markers[0][1] > markers[6][1]


def test_series_differ_in_colour_dashes_and_shape():
    plot = drawn(UNLABELED_CURVES).one("div", "plot")
    assert len({e.attributes["class"] for e in plot.all("path", "line")}) == 3
    shapes = {e.one("path").attributes["d"] for e in plot.all("svg", "marker") if e.classes[1:]}
    assert len(shapes) == 3


def test_a_gap_in_a_curve_stays_a_gap():
    y = [1.0, 2.0, math.nan, 2.0, 3.0]
    made = drawn(Curves("x", "y", range(5), [Series("a", y, [0] * 5, [4, 4, math.nan, 4, 4])]))
    plot = made.one("div", "plot")
    assert plot.one("path", "line").attributes["d"].count("M") == 2
    assert len(plot.all("path", "band")) == 2
    assert len(plot.all("svg", "marker")) == 4
    assert json.loads(plot.all("g", "stop")[2].attributes["data-told"]) == [[0, "a", "–", ""]]


def test_the_numbers_are_there_as_a_table_too():
    made = drawn(UNLABELED_CURVES).one("details")
    rows = made.one("tbody").all("tr")
    assert len(rows) == len(UNLABELED)
    assert [e.text for e in made.one("thead").all("th")][:2] == ["Unlabeled rows", "ICLS"]
    assert "15.4" in rows[5].text
    assert "12.9 to 17.9" in rows[5].text


def test_the_picture_is_described_in_words():
    words = UNLABELED_CURVES.description()
    assert words.startswith(
        "Curves of Wrong answers in 100 against Unlabeled rows, from 0 to 4,940."
    )
    assert "ICLS goes from 20.1 to 13.1." in words
    made = drawn(UNLABELED_CURVES)
    picture = next(e for e in made.all("svg") if e.attributes.get("role") == "group")
    described = picture.attributes["aria-describedby"]
    assert next(e for e in made.all("p") if e.attributes.get("id") == described).text == words


def test_labels_at_the_ends_do_not_touch():
    series = [Series(f"method {k}", [1.0, 2.0 + 0.001 * k]) for k in range(10)]
    labels = drawn(Curves("x", "y", [0, 1], series)).one("svg", "labels")
    heights = [float(e.attributes["y"]) for e in labels.all("text")]
    assert all(b - a >= 18.9 for a, b in itertools.pairwise(heights))
    assert heights[-1] < 310


def test_a_broken_axis_is_marked_only_where_zero_is_apart():
    assert drawn(UNLABELED_CURVES).all("path", "break")
    assert not drawn(LABEL_CURVES).all("path", "break")


@pytest.mark.parametrize("log_x", [False, True])
def test_one_point_and_equal_values_can_be_drawn(log_x):
    made = drawn(Curves("x", "y", [5], [Series("a", [0.3])], log_x=log_x))
    assert made.one("div", "plot").one("svg", "marker").attributes["x"] == "50.00%"


def test_arrays_of_numpy_are_values_too():
    x = np.array([1, 2, 3])
    y = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    made = drawn(Curves("x", "y", x, [Series("a", y, y - 0.1, y + 0.1)]))
    assert len(made.all("g", "stop")) == 3


@pytest.mark.parametrize(
    ("x", "series", "log_x", "message"),
    [
        ([], [Series("a", [])], False, "empty"),
        ([1], [], False, "empty"),
        ([2, 1], [Series("a", [1, 2])], False, "rising order"),
        ([1, 1], [Series("a", [1, 2])], False, "rising order"),
        ([1, math.inf], [Series("a", [1, 2])], False, "not finite"),
        ([-1, 1], [Series("a", [1, 2])], True, "below zero"),
        ([0], [Series("a", [1])], True, "above zero"),
        ([1, 2], [Series("a", [1])], False, "y of the series 'a' had 1 values for 2"),
        ([1, 2], [Series("a", [1, 2], [1, 2], [1])], False, "high of the series 'a'"),
        ([1, 2], [Series("a", [1, 2], [1, 2])], False, "one of low and high"),
    ],
)
def test_senseless_input_is_refused(x, series, log_x, message):
    with pytest.raises(ValueError, match=message):
        Curves("x", "y", x, series, log_x=log_x)
