"""The sample page in headless Chromium: what a person sees, clicks and hears."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.browser import Browser, Tab, chromium, running_browser
from tests.report.sample import sample_page
from tests.report.test_page import HOSTILE

pytestmark = pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")

TABLE = "document.querySelector('table.sortable')"
# The drawing of the curves that is shown at this width.
CURVES = "[...document.querySelectorAll('.drawing:has(.stop)')].find(e => e.checkVisibility())"
STOP = f"{CURVES}.querySelectorAll('.stop')"
READOUT = f"{CURVES}.querySelector('.readout')"


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    with running_browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    return sample_page().write(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def tab(browser) -> Iterator[Tab]:
    opened = Tab(browser)
    yield opened
    opened.close()


def complaints(tab: Tab) -> list[dict]:
    kinds = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    return tab.events(*kinds)


def requests(tab: Tab) -> list[str]:
    sent = (event["request"]["url"] for event in tab.events("Network.requestWillBeSent"))
    return [url for url in sent if not url.startswith("data:")]


def entries(tab: Tab, column: int) -> list[str]:
    return tab.ask(f"[...{TABLE}.tBodies[0].rows].map(row => row.cells[{column}].innerText)")


def head(column: int) -> str:
    return f"{TABLE}.tHead.rows[0].cells[{column}]"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 800, 1400])
def test_it_renders_without_complaints_requests_or_sideways_scrolling(tab, page, width, scheme):
    tab.view(width, prefers_color_scheme=scheme)
    tab.open(page)
    assert tab.ask("document.querySelector('.verdict .sentence').innerText").startswith(
        "The unlabeled rows help"
    )
    assert tab.ask("document.documentElement.scrollWidth") <= width
    # One drawing of each picture is shown: the one for this width.
    shown = "[...document.querySelectorAll('.drawing')].map(e => e.checkVisibility())"
    assert tab.ask(shown) == ([True, False] * 2 if width >= 800 else [False, True] * 2)
    inside = "[...document.querySelectorAll('.drawing')].every(e => e.scrollWidth <= e.clientWidth)"
    assert tab.ask(inside)
    assert complaints(tab) == []
    assert requests(tab) == [page.as_uri()]


def test_hostile_text_runs_nothing_fetches_nothing_and_does_not_widen_the_page(tab, tmp_path):
    attacked = sample_page(lambda _: HOSTILE).write(tmp_path / "hostile.html")
    tab.view(400)
    tab.open(attacked)
    assert tab.ask("document.querySelector('h1').innerText").startswith("</script>")
    tab.mouse("mouseMoved", *tab.middle(f"{STOP}[5]"))
    assert "<script>" in tab.ask(f"{READOUT}.innerText")
    assert tab.ask("document.documentElement.scrollWidth") <= 400
    assert complaints(tab) == []
    assert requests(tab) == [attacked.as_uri()]


@pytest.mark.parametrize(
    ("scheme", "ground"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(19, 22, 26)")]
)
def test_it_follows_the_scheme_of_the_reader(tab, page, scheme, ground):
    tab.view(1400, prefers_color_scheme=scheme)
    tab.open(page)
    assert tab.ask("getComputedStyle(document.body).backgroundColor") == ground


def test_a_click_sorts_numbers_by_size_then_turns_round_then_restores(tab, page):
    tab.view(1400)
    tab.open(page)
    given = entries(tab, 1)
    tab.click(f"{head(1)}.querySelector('button')")
    rising = entries(tab, 1)
    assert rising == ["12.8", "13.1", "15.7", "20.1", "23.6", "100.0"]
    assert tab.ask(f"{head(1)}.getAttribute('aria-sort')") == "ascending"
    assert tab.ask("document.querySelector('[role=status]').innerText") == (
        "Rows are sorted by Wrong answers, ascending."
    )
    tab.click(f"{head(1)}.querySelector('button')")
    assert entries(tab, 1) == rising[::-1]
    assert tab.ask(f"{head(1)}.getAttribute('aria-sort')") == "descending"
    tab.click(f"{head(1)}.querySelector('button')")
    assert entries(tab, 1) == given
    assert tab.ask(f"{head(1)}.getAttribute('aria-sort')") is None


def test_missing_entries_stay_last_and_only_one_column_is_sorted(tab, page):
    tab.view(1400)
    tab.open(page)
    tab.click(f"{head(1)}.querySelector('button')")
    tab.click(f"{head(2)}.querySelector('button')")
    shown = [text.split("\n")[0] for text in entries(tab, 2)]
    assert shown[:4] == ["−7.0", "−4.4", "−1.9", "+3.5"]
    tab.click(f"{head(2)}.querySelector('button')")
    shown = [text.split("\n")[0] for text in entries(tab, 2)]
    assert shown[:4] == ["+3.5", "−1.9", "−4.4", "−7.0"]
    assert tab.ask(f"{TABLE}.querySelectorAll('[aria-sort]').length") == 1


def test_the_keyboard_sorts_texts(tab, page):
    tab.view(1400)
    tab.open(page)
    tab.ask(f"{head(0)}.querySelector('button').focus()")
    tab.press("Enter")
    names = entries(tab, 0)
    assert names == sorted(names, key=str.lower)


@pytest.mark.parametrize("width", [400, 1400])
def test_pointing_at_a_curve_tells_its_values_below_it(tab, page, width):
    tab.view(width)
    tab.open(page)
    assert "Point at the picture" in tab.ask(f"{READOUT}.innerText")
    for k, value in ((0, "20.1"), (5, "15.4"), (9, "13.1")):
        tab.mouse("mouseMoved", *tab.middle(f"{STOP}[{k}]"))
        words = tab.ask(f"{READOUT}.innerText").replace(".\u00a0", ". ").split()
        assert words[:2] == ["Unlabeled", "rows:"]
        assert words[words.index("ICLS") + 1].startswith(value)
    tab.mouse("mouseMoved", *tab.middle("document.querySelector('h1')"))
    assert "Point at the picture" in tab.ask(f"{READOUT}.innerText")


def test_a_chart_is_one_stop_of_the_tab_key_and_arrows_walk_along_it(tab, page):
    tab.view(1400)
    tab.open(page)
    assert tab.ask(f"{CURVES}.querySelectorAll('.stop[tabindex=\"0\"]').length") == 1
    tab.ask(f"{STOP}[0].focus()")
    assert "Unlabeled rows: 0" in tab.ask(f"{READOUT}.innerText")
    for key, expected in (("ArrowRight", "16"), ("End", "4,940"), ("ArrowLeft", "2,048")):
        tab.press(key)
        assert f"Unlabeled rows: {expected}." in tab.ask(f"{READOUT}.innerText")
        spoken = tab.ask("document.activeElement.getAttribute('aria-label')")
        assert spoken.startswith(f"Unlabeled rows: {expected}. ICLS")
    tab.press("Tab")
    assert "Point at the picture" in tab.ask(f"{READOUT}.innerText")


def test_the_first_tab_goes_to_a_link_that_skips_to_the_content(tab, page):
    tab.view(1400)
    tab.open(page)
    tab.press("Tab")
    assert tab.ask("document.activeElement.innerText") == "Skip to the content"
    assert tab.ask("document.activeElement.getBoundingClientRect().left") >= 0
    tab.press("Enter")
    assert tab.ask("document.activeElement.tagName") == "MAIN"


def test_a_code_can_be_copied(tab, page):
    tab.view(1400)
    tab.open(page)
    # Whether the clipboard may be used depends on the system, so the page gets one that records.
    tab.ask(
        "Object.defineProperty(navigator, 'clipboard', "
        "{value: {writeText: async (text) => { window.copied = text; }}})"
    )
    tab.click("document.querySelector('.copy')")
    assert tab.ask("window.copied").startswith("tacit compare churn.csv")
    assert tab.ask("document.querySelector('.copy').innerText") == "Copied"


def test_without_scripts_everything_is_there_to_read(tab, page):
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    tab.view(400)
    tab.open(page)
    assert tab.ask("document.querySelectorAll('button').length") == 0
    assert len(entries(tab, 1)) == 6
    assert tab.ask("document.querySelector('.verdict').offsetHeight") > 100
    tab.click("document.querySelector('.picture summary')")
    assert tab.ask("document.querySelector('.picture table').checkVisibility()")


def test_on_paper_all_is_unfolded_light_and_without_buttons(tab, page):
    tab.view(720, media="print", prefers_color_scheme="dark")
    tab.open(page)
    assert tab.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.ask("document.querySelectorAll('details:not([open])').length") == 1
    assert tab.ask("document.querySelector('details table').checkVisibility()")
    hidden = tab.ask("[...document.querySelectorAll('.copy, .sign, nav, .readout')]"
                     ".map(e => getComputedStyle(e).display)")  # fmt: skip
    assert set(hidden) == {"none"}
    assert tab.ask(f"{head(1)}.innerText").startswith("Wrong answers")


def test_it_prints_and_folds_again_afterwards(tab, page):
    tab.view(1400)
    tab.open(page)
    printed = tab.pdf()
    assert printed.startswith(b"%PDF-")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12
    assert tab.ask("document.querySelectorAll('details[open]').length") == 0
    assert complaints(tab) == []
