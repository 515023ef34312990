"""The page says what was done, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from tacit.report import Entry
from tacit.research.experiments._grid import Grid
from tacit.research.paper._findings import Finding
from tacit.research.paper._reproduce import (
    Effort,
    Reproduction,
    Section,
    summary_in_words,
    write_page,
)

GRID = Grid(
    "Numbers <1>", ("dataset", "error"), ((Entry("a & b"), Entry(".1", "paper .2")),), "note"
)


@pytest.fixture
def reproduction(tmp_path):
    findings = (
        Finding("It <holds>.", True, "10 of 10."),
        Finding("It fails.", False, "0 of 10."),
        Finding("Who knows.", None, "1 of 1."),
    )
    section = Section("table2", "Table 2", GRID, "In words.", findings)
    return Reproduction(tmp_path, (section,), ("WDBC",), {}, Effort(3, 4, 5), 61.0)


def text_of(reproduction: Reproduction) -> str:
    return write_page(reproduction, "tacit reproduce table2").read_text()


def test_the_summary_counts_what_holds_what_does_not_and_what_is_open(reproduction):
    assert summary_in_words(reproduction) == (
        "Put to the test: 3 statements. Confirmed: 1, not: 1, open for want of repeats: 1."
    )


def test_the_summary_speaks_of_few_repeats_only_where_they_leave_something_open(reproduction):
    (section,) = reproduction.sections
    judged = replace(section, findings=section.findings[:2])
    assert summary_in_words(replace(reproduction, sections=(judged,))) == (
        "Put to the test: 2 statements. Confirmed: 1, not: 1."
    )


def test_text_is_escaped(reproduction):
    page = text_of(reproduction)
    assert "It &lt;holds&gt;." in page
    assert "a &amp; b" in page
    assert "<1>" not in page


def test_the_page_speaks_of_the_parts_that_were_run_and_no_other(reproduction):
    page = text_of(reproduction)
    assert "cross-validation with 3 repeats, on WDBC." in page
    assert "learning curves with" not in page
    assert "random problems" not in page
    assert "Not asked for: table1, regularised, figure1, figure2, theorem." in page


def page_of(reproduction, *names):
    sections = tuple(Section(name, name.title(), GRID) for name in names)
    return text_of(replace(reproduction, sections=sections))


def test_repeats_are_told_where_only_tuned_classifiers_were_asked_for(reproduction):
    assert "cross-validation with 3 repeats, on WDBC." in page_of(reproduction, "regularised")
    both = page_of(reproduction, "table2", "regularised")
    assert both.count("cross-validation with 3 repeats") == 1
    once = replace(reproduction, effort=Effort(1, 1, 5))
    page = page_of(once, "table2", "figure2")
    assert "cross-validation with 1 repeat, learning curves with 1 repeat, on" in page


def test_a_file_of_runs_is_named_only_where_there_is_one(reproduction):
    without = page_of(reproduction, "table1", "figure1")
    assert "runs.parquet" not in without
    assert "earlier" not in without
    theorem = page_of(reproduction, "theorem")
    assert "runs.parquet" not in theorem
    assert "theorem.csv" in theorem
    fitted = page_of(reproduction, "table1", "table2", "figure2", "theorem")
    assert "behind table2 and figure2 are in <code>runs/runs.parquet</code>" in fitted


def test_the_page_does_not_claim_to_be_computed_anew(reproduction):
    page = page_of(reproduction, "table2")
    assert "anew" not in page
    assert "this run" not in page
    assert "fits that an earlier call had left in the same folder were not made again" in page


def test_what_the_names_mean_is_told_where_they_are_used(reproduction):
    assert "<dt>oracle</dt>" in text_of(reproduction)
    figure = Section("theorem", "Theorem", GRID)
    alone = replace(reproduction, sections=(figure,), datasets=())
    assert "<dt>oracle</dt>" not in text_of(alone)


def test_missing_datasets_are_named_with_the_way_to_get_them(reproduction):
    page = text_of(replace(reproduction, missing={"Sonar": "pip install 'tacit[data]'"}))
    assert "Left out for want of data: Sonar" in page
    assert "tacit[data]" in page


def test_an_earlier_page_stays_where_writing_fails(reproduction, monkeypatch):
    file = write_page(reproduction, "first")

    def fail(self: Path, *arguments: object, **options: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="disk full"):
        write_page(reproduction, "second")
    assert "first" in file.read_text()
    assert [path.name for path in file.parent.iterdir()] == ["index.html"]
