"""Pages: self-contained, small, escaped, with landmarks and headings in order."""

from __future__ import annotations

import base64
import builtins
import hashlib
import itertools
import re
import sys
from typing import Any, get_args

import pytest

from tacit.report import Page, Tone, _page
from tests.report.outline import Element, read
from tests.report.sample import sample_page

HOSTILE = "</script></style><script>alert(1)</script><img src=//x onerror=alert(1)>\"'&$x$"


def page_of(text: str) -> Page:
    """A page whose one text is this."""
    return Page("curve.html", text, {"subtitle": text, "sentence": text, "curve": {
        "charts": [], "forecast": None, "splits": text, "too_few": text}})  # fmt: skip


@pytest.fixture(scope="module")
def text() -> str:
    return sample_page().html()


@pytest.fixture(scope="module")
def page(text) -> Element:
    return read(text)


@pytest.fixture(scope="module")
def attacked() -> Element:
    return read(sample_page(lambda _: HOSTILE).html())


def test_no_text_becomes_markup_wherever_it_stands(page, attacked):
    assert len(attacked.all("script")) == 1
    assert not attacked.all("img")
    assert {e.tag for e in attacked.all()} == {e.tag for e in page.all()}
    assert not any(name.startswith("on") for e in attacked.all() for name in e.attributes)


def test_every_part_of_the_hostile_text_is_shown_as_it_is(attacked):
    for place in ("h1", "caption", "dt", "dd", "pre", "figcaption", "th", "td", "li", "p"):
        assert any(HOSTILE in e.text for e in attacked.all(place)), place
    names = {e.attributes.get("aria-label") for e in attacked.all("svg")}
    assert HOSTILE in names
    # In pictures names are cut, but never read as mathematics.
    assert any(e.text.startswith("</script></style><script>") for e in attacked.all("text"))


def test_a_name_of_ten_thousand_characters_is_shown_whole_beside_the_picture():
    name = "x" * 10_000
    page = read(sample_page(lambda text: name if text == "ICLS" else text).html())
    assert any(e.text.startswith(name) for e in page.all("th"))
    assert max(len(e.text) for e in page.all("text")) < 70


def test_text_that_no_file_could_hold_is_written_all_the_same(tmp_path):
    written = page_of("caf\udce9 \x00 日本語 ✓ \u202e").write(tmp_path / "a.html")
    assert "caf\ufffd \ufffd 日本語 ✓" in written.read_text(encoding="utf-8")
    odd = sample_page(lambda text: f"日本語\x00 {text}").html()
    assert "日本語\ufffd ICLS" in odd


def test_identifiers_are_unique_and_every_reference_leads_somewhere(page):
    ids = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
    assert len(ids) > 10
    assert len(set(ids)) == len(ids)
    for e in page.all():
        if "href" in e.attributes and e.tag in ("a", "use"):
            assert e.attributes["href"][0] == "#"
            assert e.attributes["href"][1:] in ids
        if "clip-path" in e.attributes:
            assert re.fullmatch(r"url\(#(.*)\)", e.attributes["clip-path"])[1] in ids


def test_the_page_has_its_landmarks_and_headings_in_order(page):
    for landmark in ("header", "main", "nav", "footer", "h1"):
        page.one(landmark)
    assert page.one("html").attributes["lang"] == "en"
    assert next(c for c in page.one("body").children if isinstance(c, Element)).classes == ["skip"]
    levels = [int(e.tag[1]) for e in page.all() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_the_verdict_comes_first_and_the_contents_name_every_section(page):
    opening = page.one("main").one("div", "opening")
    assert "verdict" in next(c for c in opening.children if isinstance(c, Element)).classes
    links = page.one("nav").all("a")
    assert [e.text for e in links] == [e.text for e in page.all("h2")]
    assert len(links) == 7
    assert not read(page_of("short").html()).all("nav")


def test_pictures_say_what_they_show_and_signs_differ_in_shape(page):
    for e in page.all("svg"):
        assert e.attributes.get("aria-hidden") == "true" or e.attributes["aria-label"]
    parts: Any = _page.environment().get_template("parts.html").make_module({"contents": []})
    signs = [read(parts.icon(tone)).all("path") for tone in get_args(Tone)]
    assert len({tuple(path.attributes["d"] for path in sign) for sign in signs}) == 4
    assert [e.classes for e in page.one("ul", "findings").all("li")] == [
        ["good"], ["neutral"], ["unknown"]
    ]  # fmt: skip


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
    parts = _page.environment().get_template("parts.html").make_module({"contents": []})
    made = read(parts.dots(part))
    assert made.one("strong").text == words
    assert made.one("path", "dot-filled").attributes["d"].count("M") == filled
    assert made.one("path", "dot-open").attributes["d"].count("M") == 100 - filled


def test_nothing_on_the_page_refers_to_anything_outside(text, page):
    for e in page.all():
        for name in ("src", "href", "data", "action", "poster", "srcset", "xlink:href"):
            value = e.attributes.get(name)
            assert value is None or value.startswith(("data:", "#")), (e.tag, value)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert "http://" not in text
    assert "https://" not in text


def test_the_policy_allows_this_script_and_this_style_and_nothing_else(page):
    policy = next(
        e.attributes["content"]
        for e in page.all("meta")
        if e.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        content = page.one(tag).text
        digest = hashlib.sha256(content.encode()).digest()
        assert rules[name] == f"'sha256-{base64.b64encode(digest).decode()}'"
        assert "</" not in content
    assert "unsafe" not in policy
    # The policy forbids them, so a page that used them would look broken.
    assert not any("style" in e.attributes for e in page.all())


def test_the_page_is_small_and_the_same_values_give_the_same_page(text):
    assert len(text.encode()) < 200_000
    assert sample_page().html() == text


def test_a_page_that_is_too_large_is_refused_with_what_to_do():
    with pytest.raises(ValueError, match=r"would have \d+\.\d MB, more than 3 MB; leave out"):
        page_of("x" * _page.LARGEST).html()


def test_writing_replaces_the_file_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "report.html"
    file.write_text("old")
    with pytest.raises(ValueError, match="more than 3 MB"):
        page_of("x" * _page.LARGEST).write(file)

    def full(self, target):
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(type(file), "replace", full)
        with pytest.raises(OSError, match="No space"):
            page_of("new").write(file)
    assert file.read_text() == "old"
    assert page_of("new").write(str(file)) == file
    assert file.read_text(encoding="utf-8") == page_of("new").html()
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere.* create it"):
        page_of("x").write(tmp_path / "nowhere" / "report.html")


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(missing, monkeypatch):
    pytest.importorskip("jinja2")  # it is asked for first
    given = builtins.__import__

    def without(name, *arguments, **options):
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return given(name, *arguments, **options)

    _page.environment.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=rf"(?i){missing}; install it with: .*tacit\[plots\]"):
        _page.check_can_write_pages()
    monkeypatch.undo()
    _page.environment.cache_clear()
