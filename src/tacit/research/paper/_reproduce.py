"""Everything of the paper from one call: compute, write tables and figures, sum up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacit._files import remove_left_behind, write_text, written_whole
from tacit._words import number_of
from tacit.report import check_can_write_pages, save_figure
from tacit.research.datasets import Dataset, DatasetNotFoundError, load_prepared
from tacit.research.experiments import (
    CrossValidation,
    LearningCurves,
    Results,
    RunStore,
    complete_table,
    run,
)
from tacit.research.experiments._error_cells import repeats_asked
from tacit.research.experiments._grid import Grid
from tacit.research.experiments._measures import ERROR, TEST_LOSS
from tacit.research.paper import _findings as judge
from tacit.research.paper._figure1 import CAPTION as FIGURE1_CAPTION
from tacit.research.paper._figure1 import draw_figure1
from tacit.research.paper._figure2 import SHOWN, figure2
from tacit.research.paper._findings import Finding
from tacit.research.paper._plans import Effort, experiments
from tacit.research.paper._tables import (
    PAPER_COLUMNS,
    REGULARISED_COLUMNS,
    regularised_table,
    table1,
    table2,
    theorem_table,
)
from tacit.research.paper.theorem import check

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = ("table1", "table2", "regularised", "figure1", "figure2", "theorem")
FITTED = {"table2", "regularised", "figure2"}
NEED_DATA = {"table1", *FITTED}
OnProgress = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Section:
    """One part of the paper, as it came out here."""

    name: str  # Of PARTS, and for people
    title: str
    words: tuple[str, ...] = ()  # Paragraphs
    findings: tuple[Finding, ...] = ()  # What agrees with the paper
    grids: tuple[Grid, ...] = ()  # Tables
    # File names without suffix (each there as .png and .svg), and what they show.
    figures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """What came out, and where it lies."""

    out: Path  # The folder
    sections: tuple[Section, ...]  # In the order of the paper
    datasets: tuple[str, ...]  # Those that were used
    missing: dict[str, str]  # Datasets that no source has, and why
    effort: Effort  # How much was computed
    seconds: float  # How long it took, without what an earlier run into the same folder had done

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of all sections."""
        return tuple(finding for section in self.sections for finding in section.findings)


def reproduce(
    out: Path,
    parts: Sequence[str],
    names: Sequence[str],
    effort: Effort,
    *,
    data: Path | None = None,
    jobs: int = -1,
    cluster: str | None = None,
    must_have: bool = False,
    on_progress: OnProgress = lambda *_: None,
) -> Reproduction:
    """Compute some of `PARTS` on the datasets of these names and write them, without the page.

    Runs are kept in `out/runs`, so that an interrupted call goes on where it stopped. The folder
    `data` is asked for datasets first; one that cannot be found is an error if all are a
    `must_have`, and else left out and named. `on_progress` is called with what is being done, the
    work done and all work.
    """
    start = time.monotonic()
    check_can_write_pages(
        bool({"figure1", "figure2"} & set(parts))
    )  # what is missing is told now, not after all fits
    datasets, missing = load_prepared(names if NEED_DATA & set(parts) else (), data)
    if missing and must_have:
        raise DatasetNotFoundError("\n".join(missing.values()))
    tables = tuple(complete_table(each.name, each.X, each.y) for each in datasets)
    results = Results.of([])
    if wanted := experiments(tables, parts, effort):
        results = run(
            wanted,
            RunStore(out / "runs"),
            jobs=jobs,
            cluster=cluster,
            on_progress=lambda done, total: on_progress("Fitting", done, total),
        )
    validated = results.select(protocol=CrossValidation.name)
    makers: dict[str, Callable[[], Section]] = {
        "table1": lambda: _table1(datasets, missing),
        "figure1": lambda: _figure1(out),
        "theorem": lambda: _theorem(effort, on_progress),
        "figure2": lambda: _figure2(out, results.select(protocol=LearningCurves.name)),
        "table2": lambda: _table2(validated),
        "regularised": lambda: _regularised(validated),
    }
    sections = []
    for part, make in makers.items():
        if part in parts and (datasets or part not in NEED_DATA):
            sections.append(make())
            for grid in sections[-1].grids:
                grid.write(out, part)
    write_text(out / "findings.md", "\n".join(_findings_in_markdown(sections)))
    remove_left_behind(out)
    used = tuple(data.name for data in datasets)
    return Reproduction(out, tuple(sections), used, missing, effort, time.monotonic() - start)


def _table1(datasets: Sequence[Dataset], missing: dict[str, str]) -> Section:
    return Section(
        "table1",
        "Table 1: the datasets",
        findings=(judge.table1_finding(datasets),),
        grids=(table1(datasets, missing),),
    )


def _figure1(out: Path) -> Section:
    _write_figure(draw_figure1(), out / "figure1")
    return Section(
        "figure1", "Figure 1: Theorem 1 in a picture", figures=(("figure1", FIGURE1_CAPTION),)
    )


def _write_figure(figure: Figure, stem: Path) -> None:
    for suffix in (".png", ".svg"):
        with written_whole(stem.with_name(stem.name + suffix)) as partial:
            save_figure(figure, partial)


def _theorem(effort: Effort, on_progress: OnProgress) -> Section:
    total = effort.n_problems
    on_progress("Checking Theorem 1", 0.0, total)
    outcome = check(total, on_progress=lambda done: on_progress("Checking Theorem 1", done, total))
    return Section(
        "theorem",
        "Theorem 1, checked on random problems",
        findings=(judge.theorem_finding(outcome),),
        grids=(theorem_table(outcome),),
    )


def _figure2(out: Path, results: Results) -> Section:
    drawn = (
        ("figure2", ERROR, "Mean error on the test rows against the number of unlabeled rows."),
        ("figure2-loss", TEST_LOSS, "The same for the squared loss on the test rows."),
    )
    for name, measure, _ in drawn:
        _write_figure(figure2(results, measure), out / name)
    repeats = repeats_asked(results)
    band = f"{number_of(repeats, 'repeat')}; the band is one standard error of the mean."
    if repeats == 1:
        band = "1 repeat, which has no standard error."
    return Section(
        "figure2",
        "Figure 2: learning curves",
        findings=(*judge.figure2_findings(results), *judge.incomplete_findings(results, SHOWN)),
        figures=tuple((name, f"{caption} {band}") for name, _, caption in drawn),
    )


def _table2(results: Results) -> Section:
    grid = table2(results)
    findings = (
        *judge.table2_findings(results),
        *judge.incomplete_findings(results, PAPER_COLUMNS),
    )
    return Section("table2", grid.title, findings=findings, grids=(grid,))


def _regularised(results: Results) -> Section:
    return Section(
        "regularised",
        "Beyond the paper: against tuned classifiers",
        words=(judge.regularised_words(results),),
        findings=tuple(judge.incomplete_findings(results, REGULARISED_COLUMNS)),
        grids=(regularised_table(results),),
    )


def _findings_in_markdown(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        for finding in section.findings:
            yield f"- **{finding.claim}** *{finding.verdict}*: {finding.evidence}"
        for words in section.words:
            yield f"\n{words}\n"
    yield ""
