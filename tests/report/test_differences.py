from __future__ import annotations

import math

import pytest

from tacit.report import Difference, Differences, Ids
from tests.report.outline import read
from tests.report.sample import DIFFERENCES


def place(text: str) -> float:
    assert text.endswith("%")
    return float(text[:-1])


@pytest.mark.parametrize(
    ("low", "high", "lower", "higher"),
    [
        (-5.0, -2.0, "good", "bad"),
        (2.0, 5.0, "bad", "good"),
        (-5.0, 2.0, "unknown", "unknown"),
        (-2.0, 5.0, "unknown", "unknown"),
        (-1.0, 0.5, "neutral", "neutral"),
        (math.nan, math.nan, "unknown", "unknown"),
        (-math.inf, math.inf, "unknown", "unknown"),
    ],
)
def test_the_interval_says_how_a_difference_came_out(low, high, lower, higher):
    mean = (low + high) / 2 if math.isfinite(low + high) else 0.0
    row = Difference("x", mean, low, high)
    assert Differences([row], margin=1.0).kind_of(row) == lower
    assert Differences([row], margin=1.0, better="higher").kind_of(row) == higher


def test_what_the_row_says_goes_before_its_interval():
    row = Difference("x", -3.0, -5.0, -2.0, kind="unknown", words="too few labels")
    made = read(Differences([row]).markup(Ids()))
    assert made.one("ul").one("li").classes == ["unknown"]
    assert made.one("small", "outcome").text == "too few labels"


def test_each_row_gives_its_numbers_as_text():
    made = read(DIFFERENCES.markup(Ids()))
    values = [e.text for e in made.all("div", "value")]
    assert values[0] == "−7.0 (−11.9 to −2.1) helps"
    assert values[-1] == "+3.5 (+0.6 to +6.4) may hurt"


def test_marks_stand_where_their_values_are_and_on_their_side_of_zero():
    made = read(DIFFERENCES.markup(Ids()))
    items = made.one("ul").all("li")
    zeros = [place(i.one("line", "zero").attributes["x1"]) for i in items]
    assert len(set(zeros)) == 1
    means = [place(i.all("svg", "marker")[-1].attributes["x"]) for i in items]
    expected = [row.mean for row in DIFFERENCES.rows]
    scale = (means[0] - zeros[0]) / expected[0]
    assert means == pytest.approx([zeros[0] + scale * mean for mean in expected], abs=0.02)
    assert scale > 0
    assert all(0 <= mean <= 100 for mean in means)


def test_whiskers_lie_within_the_picture_and_hold_the_mark():
    made = read(DIFFERENCES.markup(Ids()))
    for item in made.one("ul").all("li"):
        line = item.one("line", "whisker")
        low, high = place(line.attributes["x1"]), place(line.attributes["x2"])
        mean = place(item.all("svg", "marker")[-1].attributes["x"])
        assert 0 <= low <= mean <= high <= 100


def test_there_is_room_on_both_sides_of_zero_even_where_all_lie_on_one():
    made = read(Differences([Difference("x", -10, -12, -8)]).markup(Ids()))
    assert 10 < 100 - place(made.one("line", "zero").attributes["x1"]) < 50


def test_an_endless_interval_reaches_the_edge_without_a_stroke():
    made = read(Differences([Difference("x", 1, -math.inf, 2)]).markup(Ids()))
    assert place(made.one("line", "whisker").attributes["x1"]) == 0
    assert len(made.all("path", "whisker")) == 1
    assert "(−∞ to +2" in made.one("div", "value").text


def test_without_an_interval_there_is_only_the_mark():
    made = read(Differences([Difference("x", 1, math.nan, math.nan)]).markup(Ids()))
    assert not made.all(class_="whisker")
    assert "(no interval)" in made.one("div", "value").text


def test_the_sides_of_zero_are_named_and_turn_round_with_the_measure():
    def sides(**options):
        made = read(Differences([Difference("x", 1, 0, 2)], **options).markup(Ids()))
        return [e.text for e in made.one("div", "sides").one(class_="picture").all("span")]

    assert sides() == ["← better", "worse →"]
    assert sides(better="higher") == ["← worse", "better →"]


def test_only_zero_differences_can_be_drawn():
    made = read(Differences([Difference("x", 0, 0, 0)]).markup(Ids()))
    assert place(made.one("line", "zero").attributes["x1"]) == pytest.approx(50)


def test_senseless_input_is_refused():
    with pytest.raises(ValueError, match="mean of 'x' was nan"):
        Difference("x", math.nan, 0, 1)
    with pytest.raises(ValueError, match="does not hold its mean"):
        Difference("x", 2, 0, 1)
    with pytest.raises(ValueError, match="rows was empty"):
        Differences([])
    with pytest.raises(ValueError, match="better was 'left'"):
        Differences([Difference("x", 0, 0, 0)], better="left")
