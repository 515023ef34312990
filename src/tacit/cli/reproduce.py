"""`tacit reproduce`: every table and figure of the paper, beside the published numbers."""

from __future__ import annotations

import shlex
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from tacit.cli.experiment_options import check_folder, check_jobs, chosen_datasets
from tacit.cli.grids import new_console, print_grid
from tacit.cli.progress import stage_bars
from tacit.datasets import PAPER, DatasetFileError, DatasetNotFoundError
from tacit.paper.findings import Finding
from tacit.paper.page import duration, summary_in_words, write_page
from tacit.paper.plans import Effort
from tacit.paper.reproduce import PARTS, Request, with_repeats
from tacit.paper.reproduce import reproduce as run_request

Part = Enum("Part", {name: name for name in ("all", *PARTS)}, type=str)  # type: ignore[misc]
_COLOURS = {True: "green", False: "red", None: "yellow"}


def reproduce(
    parts: Annotated[
        list[Part] | None, typer.Argument(help="What to reproduce.", show_default="all")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few repeats only, in about a minute.")
    ] = False,
    datasets: Annotated[
        list[str] | None,
        typer.Option(help="Only these datasets; repeat the option or separate by commas."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Repeats, instead of 20 (tables), 100 (figure 2).")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for everything written.")] = Path("reproduced"),
    data: Annotated[
        Path | None, typer.Option(help="Folder with datasets, asked before other sources.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1 is one for each core.")] = -1,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to run on instead.")
    ] = None,
) -> None:
    """Reproduce the tables and figures of Krijthe & Loog (2015) beside the published numbers.

    Runs are kept in the folder as they come: a call that was interrupted goes on where it stopped,
    and a call with more repeats adds to what is there.
    """
    console = new_console()
    chosen = chosen_datasets(datasets)
    check_jobs(jobs)
    names = {part.value for part in parts or []}
    request = Request(
        out=out,
        parts=PARTS if not names or "all" in names else tuple(p for p in PARTS if p in names),
        datasets=chosen or PAPER,
        effort=with_repeats(Effort.quick() if quick else Effort(), repeats),
        data=data,
        jobs=jobs,
        cluster=cluster,
        must_have=chosen is not None,
    )
    try:
        check_folder(out)
        with stage_bars(console) as on_progress:
            result = run_request(request, on_progress)
        page = write_page(result, _command())
    except KeyboardInterrupt:
        console.print(f"Interrupted. What was done is in {out}; the same command goes on from it.")
        raise typer.Exit(130) from None
    except (ValueError, ImportError, OSError, DatasetNotFoundError, DatasetFileError) as error:
        typer.echo(f"tacit reproduce: {error}", err=True)
        raise typer.Exit(1) from None

    for section in result.sections:
        console.rule(Text(section.title, style="bold"), align="left")
        for grid in section.grids:
            print_grid(console, grid, title=grid.title != section.title)
        for words in section.words:
            console.print(Text(f"{words}\n"))
        for name, caption in section.figures:
            console.print(Text(f"{out / name}.png: {caption}\n"))
        for finding in section.findings:
            _print_finding(console, finding)
    for name, reason in result.missing.items():
        console.print(Text.assemble((f"{name} was left out: ", "yellow"), f"{reason}\n"))
    console.rule(align="left")
    console.print(Text(summary_in_words(result), style="bold"))
    console.print(Text(f"It took {duration(result.seconds)}. Everything is on one page: {page}"))


def _print_finding(console: Console, finding: Finding) -> None:
    verdict = (f"{finding.verdict}: ", f"bold {_COLOURS[finding.holds]}")
    console.print(Text.assemble(verdict, f"{finding.claim} ", (f"{finding.evidence}\n", "dim")))


def _command() -> str:
    return shlex.join(["tacit", *sys.argv[1:]])
