from __future__ import annotations

import base64
import hashlib
import itertools
import re
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from tacit.report import Figure, Ids, Markup, Page, Section, Table, Text, Verdict
from tacit.report._page import LARGEST
from tests.report.outline import Element, read
from tests.report.sample import picture, sample_page

HOSTILE = "</script></style><script>alert(1)</script><img src=//x onerror=alert(1)>\"'&"
# Words that choose among a few; hostile ones are refused.
CHOICES = {"kind", "style", "better", "language", "form"}


@pytest.fixture(scope="module")
def page() -> Element:
    return read(sample_page().html())


def hostile(value: Any) -> Any:
    """The same value with hostile text in every place that takes text."""
    if isinstance(value, str):
        return HOSTILE
    if isinstance(value, tuple):
        return tuple(map(hostile, value))
    if is_dataclass(value) and not isinstance(value, type):
        kept = {f.name: getattr(value, f.name) for f in fields(value)}
        return type(value)(**{k: v if k in CHOICES else hostile(v) for k, v in kept.items()})
    return value


def test_no_text_becomes_markup_wherever_it_stands(page):
    attacked = read(hostile(sample_page()).html())
    assert len(attacked.all("script")) == 1
    assert [e.attributes["src"][:10] for e in attacked.all("img")] == ["data:image"]
    assert {e.tag for e in attacked.all()} == {e.tag for e in page.all()}
    assert not any(name.startswith("on") for e in attacked.all() for name in e.attributes)
    assert attacked.one("h1").text == HOSTILE


def test_every_part_of_the_hostile_text_is_shown_as_it_is():
    attacked = read(hostile(sample_page()).html())
    for place in ("h1", "h2", "caption", "dt", "dd", "pre", "figcaption", "summary"):
        assert any(HOSTILE in e.text for e in attacked.all(place)), place


def test_identifiers_are_unique_and_every_reference_leads_somewhere(page):
    ids = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
    assert len(ids) > 10
    assert len(set(ids)) == len(ids)
    for e in page.all():
        for name in ("aria-labelledby", "aria-describedby"):
            if name in e.attributes:
                assert e.attributes[name] in ids
        if e.tag == "a":
            assert e.attributes["href"].startswith("#")
            assert e.attributes["href"][1:] in ids


def test_the_page_has_its_landmarks_and_headings_in_order(page):
    for landmark in ("header", "main", "nav", "footer", "h1"):
        page.one(landmark)
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("body").children[0].classes == ["skip"]
    levels = [int(e.tag[1]) for e in page.all() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_the_verdict_is_the_first_thing_after_the_title(page):
    main = page.one("main")
    assert "verdict" in main.children[0].children[0].classes


def test_nothing_on_the_page_refers_to_anything_outside():
    text = sample_page().html()
    page = read(text)
    for e in page.all():
        for name in ("src", "href", "data", "action", "poster", "srcset", "xlink:href"):
            value = e.attributes.get(name)
            assert value is None or value.startswith(("data:", "#")), (e.tag, value)
    assert "@import" not in text
    assert "url(" not in text
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
    assert rules["img-src"] == "data:"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        digest = hashlib.sha256(page.one(tag).text.encode()).digest()
        assert rules[name] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert "unsafe" not in policy
    # The policy forbids them, so a page that used them would look broken.
    assert not any("style" in e.attributes for e in page.all())


def test_the_script_and_the_style_cannot_end_too_early(page):
    for tag in ("script", "style"):
        assert "</" not in page.one(tag).text


def test_the_page_is_small(page):
    assert len(sample_page().html().encode()) < 150_000


def test_contents_are_listed_only_where_there_are_several_sections(page):
    assert len(page.one("nav").all("a")) == len(sample_page().sections)
    short = Page("x", [Section("a", [Text("b")]), Section("c", [Text("d")], level=3)])
    assert not read(short.html()).all("nav")


def test_a_collapsed_section_keeps_its_heading_in_sight(page):
    folded = page.one("details", "folded")
    assert "open" not in folded.attributes
    assert folded.one("summary").one("h2").text == "Versions"


def test_sections_with_the_same_title_have_anchors_of_their_own():
    page = read(Page("x", [Section("content", []), Section("content", [], name="b")]).html())
    assert [e.attributes["id"] for e in page.all("section")] == ["content-2", "b"]


def test_the_same_values_give_the_same_page():
    assert sample_page().html() == sample_page().html()


def test_any_value_with_markup_is_a_block():
    class Own:
        def markup(self, ids: Ids) -> Markup:
            return Markup(f'<p id="{ids.new("own")}">mine</p>')

    page = read(Page("x", [Section("a", [Own(), Own()])]).html())
    assert [e.attributes["id"] for e in page.one("section").all("p")] == ["own", "own-2"]


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path):
    file = tmp_path / "report.html"
    file.write_text("old")
    assert sample_page().write(str(file)) == file
    assert file.read_text(encoding="utf-8") == sample_page().html()
    assert list(tmp_path.iterdir()) == [file]


def test_a_page_that_cannot_be_made_leaves_the_old_file_alone(tmp_path):
    file = tmp_path / "report.html"
    file.write_text("old")
    broken = Page("x", [Section("a", [Figure(tmp_path / "missing.png", "x")])])
    with pytest.raises(FileNotFoundError):
        broken.write(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_while_writing_leaves_the_old_file_alone(tmp_path, monkeypatch):
    file = tmp_path / "report.html"
    file.write_text("old")

    def full(self, target):
        raise OSError("No space left on device")

    monkeypatch.setattr(type(file), "replace", full)
    with pytest.raises(OSError, match="No space"):
        sample_page().write(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere.* create it"):
        Page("x").write(tmp_path / "nowhere" / "report.html")


def test_a_page_that_is_too_large_is_refused_with_what_to_do():
    noise = picture() + bytes(LARGEST)
    with pytest.raises(ValueError, match=r"would have 4\.\d MB, more than 3 MB; leave out"):
        Page("x", lead=[Figure(noise, "noise")]).html()


def test_a_thousand_rows_fit_on_a_page():
    rows = [(f"row {k}", k, 1.0 / (k + 1), None) for k in range(1000)]
    assert len(Page("x", lead=[Table(("a", "b", "c", "d"), rows)]).html()) < LARGEST / 5


def test_headings_may_not_skip_a_level():
    with pytest.raises(ValueError, match=r"level of the section 'b' was 4 .* use 3"):
        Page("x", [Section("a", []), Section("b", [], level=4)])
    with pytest.raises(ValueError, match="it must be 2 to 6"):
        Section("a", [], level=1)
    with pytest.raises(ValueError, match="title of a section was empty"):
        Section(" ", [])


def test_text_that_no_file_could_hold_is_written_all_the_same(tmp_path):
    page = Page("caf\udce9 \x00", lead=[Verdict("good", "日本語 ✓ \u202e")])
    text = page.write(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "caf\ufffd \ufffd" in text
    assert "日本語 ✓" in text
