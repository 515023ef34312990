"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tacit._files import check_can_write
from tacit.tables._reading import STANDARD_INPUT
from tacit.tables._reading import existing as existing
from tacit.tables._text import ReadOptions


def _jobs(jobs: int) -> int:
    """Refuse numbers of processes that make no sense."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(
            f"{jobs} processes make no sense; give a positive number, or -1 for one a core."
        )
    return jobs


def is_piped(source: str) -> bool:
    """Whether a table is to come from the standard input."""
    return source == STANDARD_INPUT


def read_options(separator: str | None, *others: str | None) -> ReadOptions:
    """How a table of text is written, by the options of a command."""
    tab = "\t" if separator in ("tab", "\\t") else separator
    try:
        return ReadOptions(tab, *others)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from error


def check_output(file: Path, option: str, *read: str | Path) -> None:
    """Complain of a file that cannot be written, or that would replace some of what is `read`.

    `option` is how the user named it, such as --out.
    """
    check_can_write(file, option)
    for source in map(str, read):
        if _is_part_of(file, source):
            raise typer.BadParameter(
                f"{str(file)!r} would be written over or into {source!r}, which is read; name "
                "another file.",
                param_hint=option,
            )


def _is_part_of(file: Path, source: str) -> bool:
    """Whether a file is the one that is read, by whatever name or link, or would be among them."""
    if Path(source).is_dir():
        is_parquet = file.suffix.lower() in (".parquet", ".pq")
        return is_parquet and file.resolve().is_relative_to(Path(source).resolve())
    # Devices, such as /dev/null, may be read and written.
    if not file.is_file():
        return False
    try:
        read = os.fstat(sys.stdin.fileno()) if is_piped(source) else os.stat(source)
    except (AttributeError, OSError, ValueError):  # no standard input, or no such file
        return False
    return os.path.samestat(file.stat(), read)


def check_folder(out: Path) -> None:
    """Create the folder for everything written, or say why that cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise OSError(
            f"--out is {str(out)!r}, which cannot be a folder to write into ({error.strerror}); "
            "name another."
        ) from error


def chosen(given: list[str] | None, known: Sequence[str], option: str) -> tuple[str, ...]:
    """The known names among those given, in their order; all where none are given."""
    if not given:
        return tuple(known)
    by_name = {name.lower(): name for name in known}
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in by_name]
    if strangers or not names:
        what = f"{', '.join(strangers)} is unknown" if strangers else "no name was given"
        raise typer.BadParameter(f"{what}; name some of: {', '.join(known)}.", param_hint=option)
    wanted = {by_name[name.lower()] for name in names}
    return tuple(name for name in known if name in wanted)


TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV, TSV, JSON lines, Excel or Parquet file, also packed (.gz, .bz2, .xz, "
        ".zip, .zst); - is the standard input.",
    ),
]
Target = Annotated[
    str, typer.Option("--target", "-t", help="The column of labels; blank or NA means unlabeled.")
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

OutFolder = Annotated[Path, typer.Option(help="Folder for everything written.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Folder with datasets, asked before other sources.")
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(help="Only these datasets; repeat the option or separate by commas."),
]
OwnMethods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="FILE:NAME",
        help="A method of your own, such as mine.py:MyClassifier: a semi-supervised classifier of "
        "scikit-learn's kind, for which -1 marks rows without label. Repeatable.",
    ),
]
Cluster = Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on instead.")]

# Heeded by whoever reports errors, which may come before any command has begun.
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]


def check_scoring(scoring: str, margin: float | None = None) -> None:
    """Refuse a score that is none, or a margin that no difference of it could leave."""
    from tacit.selection._measure import read_measure

    try:
        measure = read_measure(scoring)
        if margin is not None:
            measure.check_margin(margin)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from error
