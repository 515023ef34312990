from __future__ import annotations

import base64

import pytest

from tacit.report import (
    Code,
    Figure,
    Finding,
    Findings,
    Ids,
    KeyValues,
    Rate,
    Rates,
    Styled,
    Text,
    Verdict,
)
from tests.report.outline import read
from tests.report.sample import picture


def test_one_text_is_one_paragraph():
    assert Text("a < b").markup(Ids()) == "<p>a &lt; b</p>"


def test_words_are_set_apart_within_a_paragraph():
    text = Text([("run ", Styled("tacit <x>"), " now"), Styled("x").text], style="note")
    assert text.markup(Ids()) == (
        '<p class="note">run <code>tacit &lt;x&gt;</code> now</p><p class="note">x</p>'
    )


def test_points_are_a_list():
    made = read(Text(["one", "two"], style="points").markup(Ids())).one("ul")
    assert [item.text for item in made.all("li")] == ["one", "two"]


def test_names_stand_with_their_values():
    made = read(KeyValues([("Numbers", "12"), ("City", (Styled("a&b"),))]).markup(Ids())).one("dl")
    assert [e.text for e in made.all("dt")] == ["Numbers", "City"]
    assert [e.text for e in made.all("dd")] == ["12", "a&b"]


def test_code_keeps_its_line_ends_and_can_be_reached_by_the_keyboard():
    made = read(Code("a\n  b <c>", "In Python").markup(Ids()))
    assert made.one("code").text == "a\n  b <c>"
    assert made.one("pre").attributes["tabindex"] == "0"
    assert made.one("pre").attributes["aria-label"] == "In Python"


@pytest.mark.parametrize("kind", ["good", "neutral", "bad", "unknown"])
def test_a_finding_says_in_words_and_by_a_sign_how_it_came_out(kind):
    made = read(Findings([Finding("It holds.", kind, "agrees", "3 of 4")]).markup(Ids()))
    item = made.one("li")
    assert item.classes == [kind]
    assert "It holds. agrees" in item.text
    assert item.one("p", "evidence").text == "3 of 4"
    assert item.one("svg").attributes["aria-hidden"] == "true"


def test_signs_of_different_kinds_have_different_shapes():
    shapes = {
        tuple(path.attributes["d"] for path in read(Verdict(kind, "x").markup(Ids())).all("path"))
        for kind in ("good", "neutral", "bad", "unknown")
    }
    assert len(shapes) == 4


def test_a_kind_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="kind was 'fine'; it must be one of good"):
        Verdict("fine", "x")
    with pytest.raises(ValueError, match="kind was 'fine'"):
        Finding("x", "fine", "y")
    with pytest.raises(ValueError, match="style was 'loud'"):
        Text("x", style="loud")
    with pytest.raises(ValueError, match="style was 'loud'"):
        Styled("x", "loud")


def test_a_verdict_has_words_for_its_kind_even_where_none_are_given():
    made = read(Verdict("unknown", "Who knows?").markup(Ids()))
    assert made.one("p", "label").text == "Cannot be told yet"
    assert made.one("p", "sentence").text == "Who knows?"
    assert not made.all("p", "explanation")


@pytest.mark.parametrize(
    ("part", "words", "filled"),
    [
        (0.131, "13 of 100 wrong", 13),
        (0.125, "13 of 100 wrong", 13),
        (0.0, "0 of 100 wrong", 0),
        (0.004, "fewer than 1 of 100 wrong", 0),
        (0.996, "more than 99 of 100 wrong", 100),
        (1.0, "100 of 100 wrong", 100),
    ],
)
def test_a_rate_is_as_many_filled_dots_as_its_words_say(part, words, filled):
    made = read(Rates([Rate("x", part)]).markup(Ids()))
    assert made.one("strong").text == words
    assert made.one("path", "dot-filled").attributes["d"].count("M") == filled
    assert made.one("path", "dot-open").attributes["d"].count("M") == 100 - filled


@pytest.mark.parametrize("part", [-0.1, 1.1, float("nan")])
def test_a_rate_outside_0_to_1_is_refused(part):
    with pytest.raises(ValueError, match="part was"):
        Rate("x", part)


def test_a_picture_is_part_of_the_page(tmp_path):
    file = tmp_path / "slope.png"
    file.write_bytes(picture())
    for given in (picture(), file, str(file)):
        image = read(Figure(given, 'a "slope"', "Rows").markup(Ids())).one("img")
        assert image.attributes["alt"] == 'a "slope"'
        start, _, content = image.attributes["src"].partition(",")
        assert start == "data:image/png;base64"
        assert base64.b64decode(content) == picture()


def test_what_is_no_picture_is_refused():
    with pytest.raises(ValueError, match="not a PNG picture"):
        Figure(b"<svg>", "x").markup(Ids())
    with pytest.raises(ValueError, match="alt was empty"):
        Figure(picture(), "")
