"""The tables that commands read, by the options that they share, and those that they write."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tacit._words import listed
from tacit.tables._errors import TableError, import_pyarrow
from tacit.tables._text import ReadOptions

if TYPE_CHECKING:
    from tacit.tables import Column, MixedTable

# The arguments of `read_table` that decide what is learned from, and their options.
CHOICES = {"mark": "--unlabeled", "labels": "--label", "keep": "--keep", "drop": "--drop"}
SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
# How the note on a column that is left out goes on after its name; more names are counted.
LEFT_OUT, MOST_NAMES = " was left out: ", 5
# What a formula begins with; some spreadsheets take the full-width signs, too, and cut blanks off.
FORMULAS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
SUFFIXES = (*SEPARATORS, ".parquet", ".pq")


def read(
    table: str,
    target: str,
    unlabeled: list[str] | None,
    label: list[str] | None,
    keep: list[str] | None,
    drop: list[str] | None,
    options: ReadOptions,
    **settings: Any,
) -> MixedTable:
    """Read a table by the options of a command; `settings` are those of `read_table`."""
    from tacit.tables._table import read_table

    settings |= {"labels": label or (), "keep": keep or (), "drop": drop or ()}
    return read_table(table, target, unlabeled, options=options, **settings)


def in_short(columns: Sequence[Column], notes: Sequence[str], others: str) -> list[str]:
    """The notes on a table, with one line for all columns of one kind that were left out.

    `others` says where to find their notes.
    """
    by_kind: dict[str, list[str]] = {}
    for column in columns:
        if not column.is_feature:
            by_kind.setdefault(column.kind, []).append(repr(column.name))
    lines = {note: note for note in notes}
    for names in (names for names in by_kind.values() if len(names) > 1):
        first, *more = (n for n in lines if n.startswith(tuple(f"{x}{LEFT_OUT}" for x in names)))
        reason = first.partition(LEFT_OUT)[2].rstrip(".")
        lines[first] = f"{listed(names, MOST_NAMES)} were left out; {names[0]}: {reason}. {others}"
        for note in more:
            del lines[note]
    return list(lines.values())


def choices(table: MixedTable) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """What was said that decides what is learned from: for `read_table`, and of the text."""
    markers = table.target.markers
    values = (markers.values, markers.labels, table.keep, table.drop)
    written = {name: value for name, value in asdict(table.options).items() if value is not None}
    return dict(zip(CHOICES, values, strict=True)), written


def as_options(table: MixedTable) -> list[str]:
    """The options by which a table was read, to be given again."""
    chosen, written = choices(table)
    pairs = [(CHOICES[name], value) for name, values in chosen.items() for value in values]
    pairs += [(f"--{name.replace('_', '-')}", value) for name, value in written.items()]
    return [part for pair in pairs for part in pair]


def check_format(out: str | Path) -> str:
    """The suffix of a table to write, or a complaint about it."""
    suffix = Path(out).suffix.lower()
    if suffix not in SUFFIXES:
        raise typer.BadParameter(
            f"{str(out)!r} must end in one of {', '.join(SUFFIXES)}.", param_hint="--out"
        )
    return suffix


def write(frames: Iterator[Any], target: Path, suffix: str) -> None:
    """Write frames one after the other, in the format of the suffix."""
    if suffix in SEPARATORS:
        with target.open("w", encoding="utf-8", newline="") as file:
            write_text(frames, file, SEPARATORS[suffix])
        return
    pyarrow = import_pyarrow()
    tables = (pyarrow.Table.from_pandas(frame, preserve_index=False) for frame in frames)
    try:
        first = next(tables)
        with pyarrow.parquet.ParquetWriter(target, first.schema) as writer:
            for table in itertools.chain([first], tables):
                writer.write_table(table.cast(first.schema))
    except pyarrow.ArrowException as error:
        raise TableError(f"The rows cannot be written to a {suffix} file ({error}).") from error


def write_text(frames: Iterator[Any], file: Any, separator: str = ",") -> None:
    """Write frames as text, with a quote before what spreadsheets would compute."""
    for number, frame in enumerate(frames):
        texts = {name: column for name, column in frame.items() if column.dtype.kind == "O"}
        safe = frame.assign(**{name: column.map(_no_formula) for name, column in texts.items()})
        safe = safe.rename(columns=_no_formula)
        safe.to_csv(file, index=False, header=number == 0, sep=separator)


def _no_formula(value: Any) -> Any:
    """A value with a quote before it, if it is a text that spreadsheets would compute."""
    is_formula = isinstance(value, str) and len(value) > 1 and value[0] in FORMULAS
    return f"'{value}" if is_formula and not value[1:].replace(".", "").isdigit() else value
