"""The report of a table is the page of its comparison, with more sections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tacit.cli._compare import report_page
from tacit.tables import read_table
from tacit.tables._comparing import TableComparison, compare_table
from tests.report.browser import Browser, Tab, chromium, running_browser
from tests.report.outline import read
from tests.report.test_in_browser import complaints, requests
from tests.tables import generated


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> TableComparison:
    path = tmp_path_factory.mktemp("table") / "sensor.csv"
    generated.write(generated.sensor(n_rows=300), path)
    return compare_table(read_table(str(path), "state"), cv=3, n_repeats=1, with_curve=True)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with running_browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(found: TableComparison, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    assert found.curve is not None
    folder = tmp_path_factory.mktemp("pages")
    report_page(found, "tacit compare sensor.csv --target state").write(folder / "report.html")
    found.comparison.to_html(folder / "comparison.html")
    found.curve.to_html(folder / "curve.html")
    return {path.stem: path for path in folder.iterdir()}


def test_the_report_begins_with_the_page_of_the_comparison(pages: dict[str, Path]) -> None:
    alone, report = (
        read(pages[kind].read_text(encoding="utf-8")) for kind in ("comparison", "report")
    )
    titles = [e.text for e in report.all("h2")]
    assert titles[:4] == [e.text for e in alone.all("h2")]
    assert titles[4:] == [
        "What holds for any labels",
        "Learning curves",
        "What was done to the data",
        "How to repeat this",
    ]
    assert report.one("div", "opening").text == alone.one("div", "opening").text
    for one, other in zip(alone.all("section"), report.all("section"), strict=False):
        assert one.text == other.text


@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")
@pytest.mark.parametrize("kept", ["all", "no p-values"])
def test_the_report_is_as_wide_as_paper_so_that_no_browser_shrinks_it(
    kept: str, found: TableComparison, pages: dict[str, Path], browser: Browser, tmp_path: Path
) -> None:
    path = pages["report"]
    if kept == "no p-values":
        methods = {
            name: replace(method, certain=True) for name, method in found.comparison.methods.items()
        }
        found = replace(found, comparison=replace(found.comparison, methods=methods))
        path = report_page(found, "tacit compare").write(tmp_path / "page.html")
    tab = Tab(browser)
    # A4 with the margins of Chromium.
    tab.view(718, media="print")
    tab.open(path)
    assert tab.ask("document.documentElement.scrollWidth") == 718
    widths = tab.ask("[...document.querySelectorAll('table')].map(table => table.offsetWidth)")
    assert len(widths) == 5
    assert max(widths) <= 718
    assert tab.ask("document.querySelector('th .chip').getClientRects().length") == 1
    tab.close()


@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")
def test_names_of_columns_and_the_picture_on_top_fit_a_screen_of_1200_pixels(
    found: TableComparison, browser: Browser, tmp_path: Path
) -> None:
    quality = {n: replace(q, only_class="no") for n, q in found.comparison.quality.items()}
    wordy = replace(found, comparison=replace(found.comparison, quality=quality))
    tab = Tab(browser)
    tab.view(1200)
    tab.open(report_page(wordy, "tacit compare").write(tmp_path / "page.html"))
    table = "document.querySelector('#the-numbers .scroll')"
    beyond = "[...document.querySelectorAll('.scroll')].map(s => s.scrollWidth - s.clientWidth)"
    assert set(tab.ask(beyond)) == {0}
    # Each name stands in one line, with its sign beside it.
    lines = f"[...{table}.querySelectorAll('thead .title')].map(t => t.getClientRects().length)"
    assert tab.ask(lines) == [1] * 8
    # The recommended model, the other one and the guess, side by side.
    tops = "[...document.querySelectorAll('.rates svg')].map(s => s.getBoundingClientRect().top)"
    assert len(tab.ask(tops)) in (3, 4)
    assert len(set(tab.ask(tops)[:3])) == 1
    tab.close()


@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("kind", ["report", "comparison", "curve"])
def test_pages_render_without_complaints_requests_or_sideways_scrolling(
    kind: str, width: int, scheme: str, pages: dict[str, Path], browser: Browser
) -> None:
    path = pages[kind]
    tab = Tab(browser)
    tab.view(width, prefers_color_scheme=scheme)
    tab.open(path)
    assert tab.ask("document.documentElement.scrollWidth") <= width
    assert tab.ask("document.querySelectorAll('svg').length") > 0
    # No table is cut: wide ones use the page, and on a telephone their rows become lists.
    fits = "[...document.querySelectorAll('.scroll')].every(b => b.scrollWidth <= b.clientWidth)"
    assert tab.ask(fits)
    assert complaints(tab) == []
    assert requests(tab) == [path.resolve().as_uri()]
    tab.close()
