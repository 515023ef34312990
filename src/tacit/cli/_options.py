"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit._files import check_can_write
from tacit.cli._errors import set_debug
from tacit.tables._reading import STANDARD_INPUT, existing
from tacit.tables._text import ReadOptions


def _jobs(jobs: int) -> int:
    """Refuse numbers of processes that make no sense."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(
            f"{jobs} processes make no sense; give a positive number, or -1 for one a core."
        )
    return jobs


def check_table(source: str) -> None:
    """Complain of a table that is not there, before what reads tables is imported."""
    if not is_piped(source):
        existing(source)


def is_piped(source: str) -> bool:
    """Whether a table is to come from the standard input."""
    return source == STANDARD_INPUT


def read_options(
    separator: str | None,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None,
    date_format: str | None,
) -> ReadOptions:
    """How a table of text is written, by the options of a command."""
    tab = "\t" if separator in ("tab", "\\t") else separator
    try:
        return ReadOptions(tab, encoding, decimal, thousands, date_format)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from error


def check_output(file: Path, option: str, table: str, model: Path | None = None) -> None:
    """Complain of a file that cannot be written, or that would replace what is read.

    `option` is how the user named it, such as --out; `table` and `model` are what is read.
    """
    check_can_write(file, option)
    for what, given in (("table", table), ("model", model)):
        if given is not None and _is_read_from(file, str(given)):
            raise typer.BadParameter(
                f"{str(file)!r} is the {what} that is read, and would be overwritten; name another "
                "file.",
                param_hint=option,
            )
    if Path(table).is_dir() and _is_part_of(file, Path(table)):
        raise typer.BadParameter(
            f"{str(file)!r} would be one of the files of the table {table!r}; name a file in "
            "another folder.",
            param_hint=option,
        )


def _is_read_from(file: Path, given: str) -> bool:
    """Whether a file is the one given, by whatever name or link, or is piped in."""
    # Devices, such as /dev/null, may be read and written.
    if not file.is_file():
        return False
    if not is_piped(given):
        return os.path.exists(given) and os.path.samefile(file, given)
    try:
        return os.path.samestat(file.stat(), os.fstat(sys.stdin.fileno()))
    except (AttributeError, OSError, ValueError):  # no standard input
        return False


def _is_part_of(file: Path, folder: Path) -> bool:
    """Whether a file would be read as a part of a table that is a folder."""
    is_parquet = file.suffix.lower() in (".parquet", ".pq")
    return is_parquet and file.resolve().is_relative_to(folder.resolve())


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
Separator = Annotated[
    str | None, typer.Option(metavar="SIGN", help="Between the values of a text, if not found.")
]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="Of a text, such as cp1252.")]
Decimal = Annotated[str | None, typer.Option(metavar="SIGN", help="The decimal sign of a text.")]
Thousands = Annotated[
    str | None, typer.Option(metavar="SIGN", help="The sign between thousands in a text.")
]
DateFormat = Annotated[
    str | None, typer.Option(metavar="FORMAT", help="Of dates in a text, such as %d/%m/%Y.")
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
