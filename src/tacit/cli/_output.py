"""What all commands print with."""

from __future__ import annotations

import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table
from rich.text import Text

from tacit._words import spelled_out
from tacit.cli import _interrupts as interrupts

if TYPE_CHECKING:
    from tacit.report import Entry
    from tacit.research.experiments._grid import Grid

PIPE_WIDTH = 100
# The same for the tables of experiments, of which the widest fits.
WIDE_PIPE = 140
# Spaces between two columns, and where there is room.
GAP, WIDE_GAP = 2, 3
# Longer lines are hard to read, however wide the terminal is.
MOST_WIDTH = 110
CERTIFIED, DONE = "What holds for any labels of the unlabeled rows", "What was done to the data"
STYLES = {
    "helps": "green",
    "makes no difference": "blue",
    "may hurt": "red",
    "too few labels to tell": "yellow",
}


def plain(text: str) -> str:
    """A text with whatever would steer a terminal spelled out."""
    return spelled_out(text, but="\n\t")


class PlainTerminal:
    """The standard output, if it is a terminal, as a file of which the text cannot steer it."""

    def write(self, text: str) -> None:
        """Write a text with whatever would steer the terminal spelled out."""
        sys.stdout.write(plain(text.replace("\r\n", "\n")))


def stdout_console(pipe_width: int = PIPE_WIDTH) -> Console:
    """For results. In a pipe it has no colours, and a fixed width unless COLUMNS gives another."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = pipe_width
    return console


def stderr_console() -> Console:
    """For progress, which must not mix with results."""
    return Console(stderr=True, highlight=False)


@contextmanager
def stages() -> Iterator[Callable[[str, float, float], None]]:
    """One bar for each stage on the standard error, with an estimate of what remains.

    Moved by a call with the name of the stage, the work done and all work. The bars vanish in the
    end, and nothing of them is written where there is no terminal.
    """
    console = stderr_console()
    # The pace of the last minute: trials differ in size by a factor of a hundred.
    with Progress(
        console=console, transient=True, disable=not console.is_terminal, speed_estimate_period=60.0
    ) as progress:
        tasks: dict[str, TaskID] = {}

        def on_progress(stage: str, done: float, total: float) -> None:
            interrupts.check()
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done, total=total)

        yield on_progress


@contextmanager
def stage(description: str) -> Iterator[Callable[[float, float], None]]:
    """A bar with one stage, moved by a call with the work done and all work."""
    with stages() as on_progress:
        yield lambda done, total: on_progress(description, done, total)


def new_grid(*headings: str, right: tuple[int, ...] = ()) -> Table:
    """A table with these headings, of which some are aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, heading in enumerate(headings):
        is_right = number in right
        table.add_column(
            Text(heading),
            justify="right" if is_right else "left",
            no_wrap=is_right,
            overflow="fold",
        )
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table of `new_grid`, as it is where it fits.

    Otherwise lines break between words, never within one nor within a number with its unit, and
    what still does not fit goes on below, with the first column again.
    """
    least, full = [], []
    for column in table.columns:
        heading, *cells = (str(text) for text in (column.header, *column.cells))
        lines = [line for cell in cells for line in cell.split("\n")]
        parts = lines if column.no_wrap else [word for line in lines for word in line.split(" ")]
        # No word may take the whole line.
        least.append(min(max(map(len, [*heading.split(), *parts])), console.width // 2))
        full.append(max(map(len, [heading, *lines])))
    if sum(full) + WIDE_GAP * (len(full) - 1) <= console.width:
        console.print(table)
        return
    for group in _groups(least, console.width + GAP):
        columns = [table.columns[k] for k in group]
        narrow = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
        narrow.leading = table.leading
        for k, column in zip(group, columns, strict=True):
            narrow.add_column(column.header, justify=column.justify, min_width=least[k])
        for row in zip(*(column.cells for column in columns), strict=True):
            narrow.add_row(*row)
        if group[1] > 1:
            console.print()
        console.print(narrow)


def _groups(least: list[int], width: int) -> list[list[int]]:
    """The columns in as few groups as fit, each with the first one."""
    groups = [[0]]
    for column in range(1, len(least)):
        if sum(least[k] + GAP for k in (*groups[-1], column)) > width and len(groups[-1]) > 1:
            groups.append([0])
        groups[-1].append(column)
    return groups


def print_grid(console: Console, grid: Grid, *, title: bool = True) -> None:
    """Print a table of the experiments with its note and, unless it stands above, its title.

    Remarks beside entries go below them.
    """
    if title:
        console.print(Text(grid.caption, style="bold"))
    table = new_grid(*grid.columns)
    table.leading = int(any(cell.beside for row in grid.rows for cell in row))
    for column in table.columns[1:]:
        column.justify = "right"
    for row in grid.rows:
        table.add_row(*map(_entry, row))
    print_table(console, table)
    console.print(Text(f"\n{grid.note}\n", style="dim"))


def _entry(cell: Entry) -> Text:
    style = " ".join(name for name in ("bold", "underline") if getattr(cell, name))
    below = [("\n", ""), (cell.beside, "dim")] if cell.beside else []
    return Text.assemble((cell.text, style), *below)


def print_points(
    console: Console, sentences: Iterable[str], heading: str = "", point: str = "- "
) -> None:
    """Sentences as points of a list, with hanging indents."""
    print_heading(console, heading)
    for sentence in sentences:
        lines = textwrap.wrap(
            sentence,
            min(console.width, MOST_WIDTH),
            initial_indent=point,
            subsequent_indent=" " * len(point),
            break_long_words=False,
            break_on_hyphens=False,
        )
        print_line(console, "\n".join(lines))


def counted(counts: Iterable[tuple[Any, int]]) -> str:
    """How many there are of each: "no: 39, yes: 21"."""
    return ", ".join(f"{name!s}: {count:,}" for name, count in counts)


def print_paragraph(console: Console, text: str, heading: str = "") -> None:
    """Sentences, each on a line of its own or on several."""
    # Spelled out first, for there are more ends of lines than one.
    print_points(console, plain(text).splitlines(), heading, point="")


def print_line(console: Console, text: str) -> None:
    """One line, however long, so that what stands in it can be copied."""
    console.print(Text(plain(text)), soft_wrap=True)


def print_heading(console: Console, text: str) -> None:
    """A heading, if there is one, after an empty line."""
    if text:
        console.print()
        console.print(Text(plain(text), style="bold"))


def print_json(value: Any) -> None:
    """Plain JSON on the standard output; numbers that JSON does not know become null."""
    text = json.dumps(value, default=lambda v: v.tolist() if hasattr(v, "tolist") else str(v))
    plain = json.loads(text, parse_constant=lambda _: None)
    sys.stdout.write(json.dumps(plain, indent=2) + "\n")


def this_command() -> str:
    """The command that was typed, to be typed again."""
    return shlex.join(["tacit", *sys.argv[1:]])
