"""`tacit benchmark`: every method against its supervised twin, and the flagship's own proof."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from tacit._files import remove_left_behind, written_whole
from tacit.cli import _options as given
from tacit.cli._interrupts import resumable
from tacit.cli._output import WIDE_PIPE, print_grid, stage, stdout_console

if TYPE_CHECKING:
    from tacit.research.experiments import Contestant
    from tacit.research.experiments._grid import Grid


# What is run, by its name in small letters.
Suite = StrEnum("Suite", ["FAMILY", "EVIDENCE", "BOOK"])


def benchmark(
    suite: Annotated[
        Suite,
        typer.Option(
            help="family: every method on the paper's datasets. evidence: TacitClassifier, its "
            "anchors and its peers on 52 public datasets. book: the same on the splits of the "
            "book by Chapelle and others (2006)."
        ),
    ] = Suite.FAMILY,
    datasets: given.Datasets = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these methods, with their supervised twins.")
    ] = None,
    method: given.OwnMethods = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Repeats of 5-fold cross-validation (8), draws of the labels (20), or splits of "
            "the book (12).",
            show_default=False,
        ),
    ] = None,
    out: given.OutFolder = Path("benchmarked"),
    data: given.DataFolder = None,
    jobs: given.Jobs = -1,
    cluster: given.Cluster = None,
    debug: given.Debug = False,
) -> None:
    """Compare every method with its supervised twin.

    By repeated cross-validation on the paper's datasets. Runs are kept in the folder as they come:
    a call that was interrupted goes on where it stopped.
    """
    where: dict[str, Any] = {"jobs": jobs, "cluster": cluster}
    if suite is Suite.FAMILY:
        grids, missing = _family(where, datasets, (methods, method), repeats or 8, out, data)
    else:
        is_book, missing = suite is Suite.BOOK, {}
        grids = _tacit(where, is_book, datasets, (methods, method), repeats, out)
    console = stdout_console(WIDE_PIPE)
    for grid in grids.values():
        print_grid(console, grid)
    for name, reason in missing.items():
        console.print(Text.assemble((f"{name} was left out: ", "yellow"), f"{reason}\n"))
    names = ", ".join(f"{name}.md" for name in grids)
    console.print(Text(f"The table is in {out}: {names}, .tex and .csv."))


def _family(
    where: dict[str, Any],
    datasets: list[str] | None,
    asked: tuple[list[str] | None, list[str] | None],
    repeats: int,
    out: Path,
    data: Path | None,
) -> tuple[dict[str, Grid], dict[str, str]]:
    """The table of the family, and the datasets that no source has."""
    from tacit.research.datasets import PAPER

    # A name that is written wrongly is told at once: before what takes long to import.
    names = given.chosen(datasets, PAPER, "--datasets")
    from tacit.research import experiments
    from tacit.research.datasets import DatasetNotFoundError, load_prepared
    from tacit.research.experiments import _family as suite

    contestants = _contestants(suite.family_contestants(), *asked, suite.LEAST_SQUARES)
    given.check_folder(out)
    found, missing = load_prepared(names, data)
    if missing and (datasets or not found):
        raise DatasetNotFoundError(" ".join(missing.values()))
    tables = tuple(experiments.complete_table(each.name, each.X, each.y) for each in found)
    experiment = experiments.Experiment(
        tables, experiments.CrossValidation(repeats, n_folds=suite.N_FOLDS), contestants
    )
    with resumable(out):
        with stage("Fitting") as on_progress:
            store = experiments.RunStore(out / "runs")
            results = experiments.run([experiment], store, on_progress=on_progress, **where)
        grid = suite.family_table(results, contestants, suite.N_FOLDS)
        grid.write(out, "family")
        remove_left_behind(out)
    return {"family": grid}, missing


def _tacit(
    where: dict[str, Any],
    is_book: bool,
    datasets: list[str] | None,
    asked: tuple[list[str] | None, list[str] | None],
    repeats: int | None,
    out: Path,
) -> dict[str, Grid]:
    """TacitClassifier with its anchors and peers: draws of our own, or the splits of the book."""
    from tacit.report import save_figure
    from tacit.research.experiments import Experiment, RunStore, run
    from tacit.research.experiments import _evidence as suite
    from tacit.research.experiments._peers import ANCHORS, TACIT, evidence_contestants

    known = suite.BOOK_TABLES if is_book else suite.evidence_datasets()
    sizes = suite.BOOK_LABELS if is_book else suite.LABELS
    n_draws = min(repeats or suite.BOOK_SPLITS, suite.BOOK_SPLITS) if is_book else repeats or 20
    contestants = _contestants(evidence_contestants(), *asked, ANCHORS)
    methods = [contestant.name for contestant in contestants]
    names = given.chosen(datasets, known, "--datasets")
    given.check_folder(out)
    results, grids = [], {}
    with resumable(out):
        with stage("Reading"):
            tables = [suite.evidence_table(name) for name in names]
        for size in sizes:
            some = tuple(t for t in tables if is_book or suite.labels_for(t, size) is not None)
            if not some:
                continue
            protocol = (suite.BookSplits if is_book else suite.HeldBack)(n_draws, size)
            experiment = Experiment(some, protocol, contestants)
            with stage(f"{size} labels") as on_progress:
                store = RunStore(out / f"runs-{size}")
                results.append(run([experiment], store, on_progress=on_progress, **where))
            if is_book:
                grids[f"book-{size}"] = suite.book_grid(results[-1], methods, size)
        if not is_book:
            cases = suite.evidence_cases(results, methods)
            incomplete = suite.incomplete_runs(results, methods)
            grids = {"evidence": suite.evidence_grid(cases, n_draws, incomplete)}
            if any(case.method == TACIT for case in cases):
                with written_whole(out / "evidence.png") as partial:
                    save_figure(suite.evidence_figure(cases), partial)
        for name, grid in grids.items():
            grid.write(out, name)
        remove_left_behind(out)
    return grids


def _contestants(
    every: tuple[Contestant, ...], methods: list[str] | None, files: list[str] | None, twin: str
) -> tuple[Contestant, ...]:
    """Those asked for, with their twins; the user's own are compared with `twin`."""
    from tacit.research.experiments._contestants import own_contestants

    own = own_contestants(files or [], twin)
    wanted = {*given.chosen(methods, [c.name for c in every], "--methods"), *(c.name for c in own)}
    wanted |= {str(c.twin) for c in (*every, *own) if c.name in wanted}
    return tuple(c for c in (*every, *own) if c.name in wanted)
