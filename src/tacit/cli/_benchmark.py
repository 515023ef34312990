"""`tacit benchmark`: every method against its supervised twin, on the paper's datasets."""

from __future__ import annotations

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
    chosen_datasets,
)
from tacit.cli._interrupts import resumable
from tacit.cli._options import Debug, Jobs
from tacit.cli._output import stage, stdout_console

if TYPE_CHECKING:
    from tacit.selection import Contestant


def benchmark(
    datasets: Datasets = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these methods, with their supervised twins.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of 5-fold cross-validation.")] = 8,
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
    chosen = chosen_datasets(datasets)
    from tacit.cli._grids import PIPE_WIDTH, print_grid
    from tacit.research.datasets import PAPER, DatasetNotFoundError, load_prepared
    from tacit.research.experiments import (
        CrossValidation,
        Experiment,
        RunStore,
        complete_table,
        run,
    )
    from tacit.research.experiments._family import N_FOLDS, family_table

    contestants = _contestants(methods)
    check_folder(out)
    found, missing = load_prepared(chosen or PAPER, data)
    if missing and (chosen or not found):
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


def _contestants(methods: list[str] | None) -> tuple[Contestant, ...]:
    from tacit.research.experiments._family import family_contestants

    every = family_contestants()
    if not methods:
        return every
    known = {contestant.name.lower(): contestant for contestant in every}
    names = [name.strip() for text in methods for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in known]
    if strangers or not names:
        what = f"{', '.join(strangers)} is unknown" if strangers else "no name was given"
        raise typer.BadParameter(
            f"{what}; name some of: {', '.join(c.name for c in every)}.",
            param_hint="--methods",
        )
    wanted = {known[name.lower()].name for name in names}
    wanted |= {str(known[name.lower()].twin) for name in names}
    return tuple(contestant for contestant in every if contestant.name in wanted)
