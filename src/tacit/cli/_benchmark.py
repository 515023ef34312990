"""`tacit benchmark`: every method against its supervised twin, and the flagship's own proof."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from tacit._files import remove_left_behind
from tacit.cli._experiment_options import (
    Cluster,
    DataFolder,
    Datasets,
    OutFolder,
    check_folder,
    chosen,
)
from tacit.cli._interrupts import resumable
from tacit.cli._options import Debug, Jobs
from tacit.cli._output import stage, stdout_console

if TYPE_CHECKING:
    from tacit.selection import Contestant


class Suite(StrEnum):
    """What is run."""

    FAMILY = "family"
    EVIDENCE = "evidence"


def benchmark(
    suite: Annotated[
        Suite,
        typer.Option(
            help="family: every method on the paper's datasets. evidence: TacitClassifier, its "
            "anchors and its peers on 52 public datasets."
        ),
    ] = Suite.FAMILY,
    datasets: Datasets = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these methods, with their supervised twins.")
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Repeats of 5-fold cross-validation (8), or draws of the labels (20).",
            show_default=False,
        ),
    ] = None,
    out: OutFolder = Path("benchmarked"),
    data: DataFolder = None,
    jobs: Jobs = -1,
    cluster: Cluster = None,
    debug: Debug = False,
) -> None:
    """Compare every method with its supervised twin.

    By repeated cross-validation on the paper's datasets. Runs are kept in the folder as they come:
    a call that was interrupted goes on where it stopped.
    """
    if suite is Suite.EVIDENCE:
        return _evidence(datasets, methods, 20 if repeats is None else repeats, out, jobs, cluster)
    repeats = 8 if repeats is None else repeats
    from tacit.research.datasets import PAPER

    names = chosen(datasets, PAPER, "--datasets")
    from tacit.cli._grids import PIPE_WIDTH, print_grid
    from tacit.research.datasets import DatasetNotFoundError, load_prepared
    from tacit.research.experiments import (
        CrossValidation,
        Experiment,
        RunStore,
        complete_table,
        run,
    )
    from tacit.research.experiments._family import N_FOLDS, family_contestants, family_table

    contestants = _contestants(family_contestants(), methods)
    check_folder(out)
    found, missing = load_prepared(names, data)
    if missing and (datasets or not found):
        raise DatasetNotFoundError(" ".join(missing.values()))
    tables = tuple(complete_table(each.name, each.X, each.y) for each in found)
    with resumable(out):
        with stage("Fitting") as on_progress:
            results = run(
                [Experiment(tables, CrossValidation(repeats, n_folds=N_FOLDS), contestants)],
                RunStore(out / "runs"),
                jobs=jobs,
                cluster=cluster,
                on_progress=on_progress,
            )
        grid = family_table(results, contestants, N_FOLDS)
        grid.write(out, "family")
        remove_left_behind(out)
    console = stdout_console(PIPE_WIDTH)
    print_grid(console, grid)
    for name, reason in missing.items():
        console.print(Text.assemble((f"{name} was left out: ", "yellow"), f"{reason}\n"))
    console.print(Text(f"The table is in {out / 'family.md'}, .tex and .csv."))


def _evidence(
    datasets: list[str] | None,
    methods: list[str] | None,
    repeats: int,
    out: Path,
    jobs: int,
    cluster: str | None,
) -> None:
    from tacit.cli._grids import PIPE_WIDTH, print_grid
    from tacit.report import save_figure
    from tacit.research.experiments import Experiment, RunStore, run
    from tacit.research.experiments import _evidence as suite

    contestants = _contestants(suite.evidence_contestants(), methods)
    names = chosen(datasets, suite.evidence_datasets(), "--datasets")
    check_folder(out)
    with resumable(out):
        with stage("Reading"):
            tables = [suite.evidence_table(name) for name in names]
        results = []
        for asked in suite.LABELS:
            some = tuple(t for t in tables if suite.labels_for(t, asked) is not None)
            if not some:
                continue
            with stage(f"{asked} labels") as on_progress:
                experiment = Experiment(some, suite.HeldBack(repeats, asked), contestants)
                store = RunStore(out / f"runs-{asked}")
                results.append(
                    run([experiment], store, jobs=jobs, cluster=cluster, on_progress=on_progress)
                )
        methods = [contestant.name for contestant in contestants]
        cases = suite.evidence_cases(results, methods)
        grid = suite.evidence_grid(cases, repeats, suite.incomplete_runs(results, methods))
        grid.write(out, "evidence")
        if any(case.method == suite.TACIT for case in cases):
            save_figure(suite.evidence_figure(cases), out / "evidence.png")
        remove_left_behind(out)
    console = stdout_console(PIPE_WIDTH)
    print_grid(console, grid)
    console.print(Text(f"The table is in {out / 'evidence.md'}, .tex and .csv (every case)."))


def _contestants(
    every: tuple[Contestant, ...], methods: list[str] | None
) -> tuple[Contestant, ...]:
    wanted = set(chosen(methods, [c.name for c in every], "--methods"))
    wanted |= {str(contestant.twin) for contestant in every if contestant.name in wanted}
    return tuple(contestant for contestant in every if contestant.name in wanted)
