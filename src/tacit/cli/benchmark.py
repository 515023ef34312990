"""`tacit benchmark`: every method against its supervised twin, on the paper's datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tacit.cli.experiment_options import check_folder, check_jobs, chosen_datasets
from tacit.cli.grids import new_console, print_grid
from tacit.cli.progress import progress_bar
from tacit.datasets import PAPER, DatasetFileError, load_prepared
from tacit.experiments import Contender, CrossValidation, RunStore, Table, run
from tacit.experiments.family import family_contenders, family_experiments, family_table

# Half the usual ten: there are twenty methods.
N_FOLDS = 5


def benchmark(
    datasets: Annotated[
        list[str] | None,
        typer.Option(help="Only these datasets; repeat the option or separate by commas."),
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these methods, with their supervised twins.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of 5-fold cross-validation.")] = 8,
    out: Annotated[Path, typer.Option(help="Folder for everything written.")] = Path("benchmarked"),
    data: Annotated[
        Path | None, typer.Option(help="Folder with datasets, asked before other sources.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1 is one for each core.")] = -1,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to run on instead.")
    ] = None,
) -> None:
    """Compare every method with its supervised twin by repeated cross-validation.

    Runs are kept in the folder as they come: a call that was interrupted goes on where it stopped.
    """
    console = new_console()
    check_jobs(jobs)
    contenders = _contenders(methods)
    check_folder(out)
    try:
        found, missing = load_prepared(chosen_datasets(datasets) or PAPER, data)
        tables = tuple(Table.of(each.name, each.X, each.y) for each in found)
        with progress_bar(console, "Fitting") as on_progress:
            results = run(
                family_experiments(tables, CrossValidation(repeats, n_folds=N_FOLDS), contenders),
                RunStore(out / "runs"),
                jobs=jobs,
                cluster=cluster,
                on_progress=on_progress,
            )
    except KeyboardInterrupt:
        console.print(f"Interrupted. What was done is in {out}; the same command goes on from it.")
        raise typer.Exit(130) from None
    except (ValueError, ImportError, OSError, DatasetFileError) as error:
        typer.echo(f"tacit benchmark: {error}", err=True)
        raise typer.Exit(1) from None
    grid = family_table(results, contenders)
    grid.write(out, "family")
    print_grid(console, grid)
    for name, reason in missing.items():
        console.print(Text.assemble((f"{name} was left out: ", "yellow"), f"{reason}\n"))
    console.print(Text(f"The table is in {out / 'family.md'}, .tex and .csv."))


def _contenders(methods: list[str] | None) -> tuple[Contender, ...]:
    every = family_contenders()
    if not methods:
        return every
    known = {contender.name.lower(): contender for contender in every}
    names = [name.strip() for text in methods for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in known]
    if strangers:
        raise typer.BadParameter(
            f"{', '.join(strangers)} is none of: {', '.join(c.name for c in every)}.",
            param_hint="--methods",
        )
    wanted = {known[name.lower()].name for name in names}
    wanted |= {known[name.lower()].twin for name in names}
    return tuple(contender for contender in every if contender.name in wanted)
