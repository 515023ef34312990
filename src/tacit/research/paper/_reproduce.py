"""Everything of the paper from one call: compute, write tables, figures and the page, sum up."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import scipy
import sklearn

from tacit import __version__
from tacit._files import remove_left_behind, write_text, written_whole
from tacit._words import listed, number_of
from tacit.report import Page, Picture, check_can_write_pages, inlined, save_figure
from tacit.research.datasets import Dataset, DatasetNotFoundError, load_prepared
from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    Experiment,
    LearningCurves,
    Results,
    RunStore,
    complete_table,
    paper_contestants,
    run,
)
from tacit.research.experiments._contestants import regularised_contestants
from tacit.research.experiments._grid import Grid
from tacit.research.experiments._measures import ERROR, TEST_LOSS
from tacit.research.paper import _findings as judge
from tacit.research.paper import _tables as grids
from tacit.research.paper._figures import FIGURE1_CAPTION, draw_figure1, draw_figure2
from tacit.research.paper._published import CITATION, TABLE_1
from tacit.research.paper._theorem import check_theorem
from tacit.selection._labeled_table import LabeledTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = ("table1", "table2", "regularised", "figure1", "figure2", "theorem")
FITTED = {"table2", "regularised", "figure2"}
NEED_DATA = {"table1", *FITTED}
OnProgress = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Effort:
    """How much is computed."""

    # Repeats of cross-validation and of learning curves; the paper has 20 and 100.
    table_repeats: int = 20
    figure_repeats: int = 100
    n_problems: int = 100_000  # Random problems of Theorem 1


# Enough to see that everything works, in about a minute.
QUICK = Effort(2, 4, 5_000)


@dataclass(frozen=True)
class Section:
    """One part of the paper, as it came out here."""

    name: str  # Of PARTS, and for people
    title: str
    grid: Grid | None = None  # The table
    words: str = ""  # A paragraph
    findings: tuple[judge.Finding, ...] = ()  # What agrees with the paper
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


def experiments(
    tables: tuple[LabeledTable, ...],
    parts: Collection[str],
    effort: Effort,
    own: tuple[Contestant, ...] = (),
) -> list[Experiment]:
    """Those behind some parts of the paper; none without tables. `own` methods are in all."""
    validation = CrossValidation(effort.table_repeats)
    with_own = (*paper_contestants(), *own)
    plans = {
        "table2": (validation, with_own),
        "regularised": (validation, regularised_contestants()),
        "figure2": (LearningCurves(effort.figure_repeats), with_own),
    }
    # Tuned penalties are shown beside the same draws without.
    asked = {*parts, "table2"} if "regularised" in parts else set(parts)
    return [Experiment(tables, *plans[part]) for part in plans if part in asked and tables]


def reproduce(
    out: Path,
    parts: Sequence[str],
    names: tuple[str, ...],
    effort: Effort,
    *,
    data: Path | None = None,
    jobs: int = -1,
    cluster: str | None = None,
    must_have: bool = False,
    own: tuple[Contestant, ...] = (),
    on_progress: OnProgress = lambda *_: None,
) -> Reproduction:
    """Compute some of `PARTS` on the datasets of these names and write them, without the page.

    Runs are kept in `out/runs`, so that an interrupted call goes on where it stopped. The folder
    `data` is asked for datasets first; one that cannot be found is an error if all are a
    `must_have`, and else left out and named. `own` methods, whose twin is "supervised", are columns
    of the tables and curves of Figure 2. `on_progress` is called with what is being done, the work
    done and all work.
    """
    start = time.monotonic()
    # What is missing is told now, not after all fits.
    check_can_write_pages(bool({"figure1", "figure2"} & set(parts)))
    datasets, missing = load_prepared(names if NEED_DATA & set(parts) else (), data)
    if missing and must_have:
        raise DatasetNotFoundError("\n".join(missing.values()))
    tables = tuple(complete_table(each.name, each.X, each.y) for each in datasets)
    results = Results.of([])
    if wanted := experiments(tables, parts, effort, own):
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
        "theorem": lambda: _theorem(effort.n_problems, on_progress),
        "figure2": lambda: _figure2(out, results.select(protocol=LearningCurves.name)),
        "table2": lambda: _table2(validated),
        "regularised": lambda: _regularised(validated),
    }
    possible = set(parts) - (set() if datasets else NEED_DATA)
    sections = tuple(make() for part, make in makers.items() if part in possible)
    for section in sections:
        if section.grid is not None:
            section.grid.write(out, section.name)
    write_text(out / "findings.md", "\n".join(_findings_in_markdown(sections)))
    remove_left_behind(out)
    used = tuple(data.name for data in datasets)
    return Reproduction(out, sections, used, missing, effort, time.monotonic() - start)


def _table1(datasets: Sequence[Dataset], missing: dict[str, str]) -> Section:
    grid = grids.table1(datasets, missing)
    others = [d.name for d in datasets if (d.n_rows, d.n_features) != TABLE_1[d.name]]
    finding = judge.Finding(
        "The datasets have the objects and features of Table 1.",
        not others,
        f"{len(datasets) - len(others)} of {len(datasets)} have"
        + (f"; not {listed(others)}." if others else "."),
    )
    return Section("table1", grid.caption, grid, findings=(finding,))


def _figure1(out: Path) -> Section:
    _write_figure(draw_figure1(), out / "figure1")
    shown = (("figure1", FIGURE1_CAPTION),)
    return Section("figure1", "Figure 1: Theorem 1 in a picture", figures=shown)


def _write_figure(figure: Figure, stem: Path) -> None:
    for suffix in (".png", ".svg"):
        with written_whole(stem.with_name(stem.name + suffix)) as partial:
            save_figure(figure, partial)


def _theorem(n_problems: int, on_progress: OnProgress) -> Section:
    def tell(done: int) -> None:
        on_progress("Checking Theorem 1", done, n_problems)

    tell(0)
    outcome = check_theorem(n_problems, on_progress=tell)
    title, findings = "Theorem 1, checked on random problems", (judge.theorem_finding(outcome),)
    return Section("theorem", title, grids.theorem_table(outcome), findings=findings)


def _figure2(out: Path, results: Results) -> Section:
    repeats = results.n_repeats()
    band = f"{number_of(repeats, 'repeat')}; the band is one standard error of the mean."
    if repeats == 1:
        band = "1 repeat, which has no standard error."
    captions = {
        "figure2": f"Mean error on the test rows against the number of unlabeled rows. {band}",
        "figure2-loss": f"The same for the squared loss on the test rows. {band}",
    }
    for name, measure in zip(captions, (ERROR, TEST_LOSS), strict=True):
        _write_figure(draw_figure2(results, measure), out / name)
    findings = (*judge.figure2_findings(results), *_flaws(results, grids.PAPER_COLUMNS))
    figures = tuple(captions.items())
    return Section("figure2", "Figure 2: learning curves", findings=findings, figures=figures)


def _flaws(results: Results, columns: Collection[str]) -> Iterator[judge.Finding]:
    return judge.incomplete_findings(results, (*columns, *grids.own_methods(results)))


def _table2(results: Results) -> Section:
    grid = grids.table2(results)
    findings = (*judge.table2_findings(results), *_flaws(results, grids.PAPER_COLUMNS))
    return Section("table2", grid.caption, grid, findings=findings)


def _regularised(results: Results) -> Section:
    title = "Beyond the paper: against tuned classifiers"
    grid, words = grids.regularised_table(results), judge.regularised_words(results)
    flaws = tuple(_flaws(results, grids.REGULARISED_COLUMNS))
    return Section("regularised", title, grid, words, flaws)


def _findings_in_markdown(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        for finding in section.findings:
            yield f"- **{finding.claim}** *{finding.verdict}*: {finding.evidence}"
        if section.words:
            yield f"\n{section.words}\n"
    yield ""


def write_page(reproduction: Reproduction, command: str) -> Path:
    """Write `index.html`, one file without references to others; `command` gives the same."""
    out, sections = reproduction.out, reproduction.sections
    names = [section.name for section in sections]
    values = {
        **vars(reproduction),
        "summary": summary_in_words(reproduction),
        "computed": _computed(reproduction.effort, names),
        "pictures": {
            name: Picture(alt, (inlined((out / f"{name}.svg").read_text(encoding="utf-8"), alt),))
            for section in sections
            for name, alt in section.figures
        },
        "left_out": [part for part in PARTS if part not in names],
        "citation": CITATION,
        "explain_names": not NEED_DATA.isdisjoint(names),
        "command": command,
        "duration": duration(reproduction.seconds),
        "fitted": [name for name in names if name in FITTED],
        "theorem": "theorem" in names,
        "versions": f"Tacit {__version__}, Python {platform.python_version()}, "
        f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}",
    }
    title = "Implicitly constrained semi-supervised least squares, reproduced"
    return Page("paper.html", title, values).write(out / "index.html")


def summary_in_words(reproduction: Reproduction) -> str:
    """One or two sentences: how many findings agree, and which do not."""
    holds = [f.holds for section in reproduction.sections for f in section.findings]
    agree, not_so, unknown = (holds.count(answer) for answer in (True, False, None))
    text = (
        f"Put to the test: {number_of(len(holds), 'statement')}. Confirmed: {agree}, not: {not_so}"
    )
    text += f", open for want of repeats: {unknown}." if unknown else "."
    if reproduction.missing:
        text += f" Left out for want of data: {', '.join(reproduction.missing)}."
    return text


def _computed(effort: Effort, names: Collection[str]) -> list[str]:
    """What was computed, and how much of it."""
    validation = f"cross-validation with {number_of(effort.table_repeats, 'repeat')}"
    done = {
        "table2": validation,
        "regularised": validation,
        "figure2": f"learning curves with {number_of(effort.figure_repeats, 'repeat')}",
        "theorem": f"the theorem on {effort.n_problems:,} random problems",
    }
    return list(dict.fromkeys(text for part, text in done.items() if part in names))


def duration(seconds: float) -> str:
    """Minutes and seconds, for people."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
