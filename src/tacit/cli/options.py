"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.errors import set_debug


def _jobs(jobs: int) -> int:
    """Refuse numbers of processes that make no sense."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(
            f"{jobs} processes make no sense; give a positive number, or -1 for one a core."
        )
    return jobs


def check_table(source: str) -> None:
    """Complain of a table that is not there, before what reads tables is imported."""
    from tacit.tables.reading import STANDARD_INPUT, existing

    if source != STANDARD_INPUT:
        existing(source)


TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="A CSV, TSV, Parquet or Feather file; - is the standard input."
    ),
]
Target = Annotated[
    str,
    typer.Option("--target", "-t", help="The column of labels; blank or NA means unlabeled."),
]
Mark = Annotated[
    list[str] | None,
    typer.Option(
        "--unlabeled",
        metavar="VALUE",
        help="A value of the target that means unlabeled too. Repeatable.",
    ),
]
Label = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="VALUE",
        help="A value of the target that is a class, even if it looks like a mark, such as None "
        "or NA. Repeatable.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="COLUMN", help="Use a column that looks like an identifier. Repeatable."
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COLUMN", help="Leave a column out. Repeatable."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 is one for each core.", callback=_jobs)]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is random.")]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file that `tacit fit` wrote.")
]


def _debug(wanted: bool) -> bool:
    set_debug(wanted)
    return wanted


Debug = Annotated[
    bool,
    typer.Option("--debug", callback=_debug, is_eager=True, help="Show where an error comes from."),
]
