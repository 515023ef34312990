"""`tacit label`: which rows to label next, and the answers back in the table."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tacit._files import written_whole
from tacit._words import number_of
from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.cli import _tables as tables
from tacit.tables._errors import TableError
from tacit.tables._reading import STANDARD_INPUT

# Suggestions that are printed; all are in the file.
MOST_SHOWN = 10


def label(
    table: given.TableFile,
    target: given.Target,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The CSV, TSV or Parquet file to write.")
    ],
    n: Annotated[int, typer.Option("-n", min=1, help="How many rows to suggest.")] = 20,
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The rows that were suggested, with labels filled in: write the table with them.",
        ),
    ] = None,
    unlabeled: given.Mark = None,
    label: given.Label = None,
    keep: given.Keep = None,
    drop: given.Drop = None,
    separator: given.Separator = None,
    encoding: given.Encoding = None,
    decimal: given.Decimal = None,
    thousands: given.Thousands = None,
    date_format: given.DateFormat = None,
    seed: given.Seed = 0,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Find the rows that are most worth a label next.

    The output has the number of each row (the first is 1), an empty column for the label, the
    reason, and the row's own columns. Fill in what you know, in any program, and give the file
    back with --answers: the output then is the whole table with your labels in it.
    """
    given.check_output(out, "--out", table, *([answers] if answers else []))
    suffix = tables.check_format(out)
    if STANDARD_INPUT in (table, answers):
        raise TableError(
            "The standard input has no rows to come back to; name the files of table and answers."
        )
    options = given.read_options(separator, encoding, decimal, thousands, date_format)
    for file in (table, answers or table):
        given.existing(file)
    from tacit.tables._labeling import fill_in, rows_to_label, suggest_rows

    console = screen.stdout_console()
    if answers is not None:
        filled = fill_in(table, answers, target, unlabeled, label or (), options)
        with written_whole(out) as partial:
            if suffix in tables.SEPARATORS:  # texts untouched
                filled.frame.to_csv(partial, index=False, sep=tables.SEPARATORS[suffix])
            else:
                tables.write(iter([filled.frame]), partial, suffix)
        if as_json:
            values = {key: value for key, value in vars(filled).items() if key != "frame"}
            screen.print_json({"file": str(out), **values})
            return
        screen.print_paragraph(console, str(filled))
        screen.print_line(console, f"The table with these labels is in {out}.")
        return
    with screen.stderr_console().status("Reading the table") as status:
        data = tables.read(table, target, unlabeled, label, keep, drop, options)
        status.update("Looking for rows")
        found = suggest_rows(data, n, seed)
        frame = rows_to_label(table, target, found, options)
        with written_whole(out) as partial:
            tables.write(iter([frame]), partial, suffix)
    if as_json:
        rows = [{**asdict(each), "row": each.row + 1} for each in found]
        screen.print_json({"file": str(out), "suggestions": rows, "notes": data.notes})
        return
    grid = screen.new_grid("row", "why", right=(0,))
    for each in found[:MOST_SHOWN]:
        grid.add_row(str(each.row + 1), Text(screen.plain(each.reason)))
    screen.print_table(console, grid)
    if data.notes:
        others = "tacit compare --verbose tells of the others."
        notes = tables.in_short(data.columns, data.notes, others)
        screen.print_points(console, notes, screen.DONE)
    console.print()
    screen.print_line(
        console, f"{number_of(len(found), 'row')} to label, the most useful first: see {out}."
    )
    command = ["tacit", "label", table, "--target", target, *tables.as_options(data)]
    command += ["--answers", str(out), "-o", f"labeled{suffix}"]
    screen.print_line(console, f"Next: fill in the column {target!r}, then {shlex.join(command)}")
