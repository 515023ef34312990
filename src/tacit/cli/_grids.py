"""Tables of the library on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tacit.report import Entry
    from tacit.research.experiments._grid import Grid

# Where the output is no terminal there is no width to keep to; the widest table fits.
PIPE_WIDTH = 140
# Spaces between two columns.
GAP = 2
# The same where there is room.
WIDE_GAP = 3


def print_grid(console: Console, grid: Grid, *, title: bool = True) -> None:
    """Print a table with its note and, unless it stands above already, its title.

    Remarks beside entries go below them. Lines break between an entry's parts, never within one: a
    table that is too wide for the terminal goes on below itself, with its first column again.
    """
    least, full = _widths(grid)
    for number, columns in enumerate(_groups(least, console.width)):
        room = console.width - GAP * len(columns)
        widths = _shared([least[k] for k in columns], [full[k] for k in columns], room)
        shown = grid.title if title and number == 0 else None
        console.print(_table(grid, columns, widths, shown))
    console.print(Padding(Text(grid.note, style="dim"), (0, 0, 1, 0)))


def print_table(console: Console, table: Table) -> None:
    """Print a table of `new_grid`, as it is where it fits.

    Otherwise lines break between words, never within one nor within a number with its unit, and
    what still does not fit goes on below, with the first column again.
    """
    least, full = [], []
    for column in table.columns:
        heading, *cells = (str(text) for text in (column.header, *column.cells))
        parts = cells if column.justify == "right" else [w for cell in cells for w in cell.split()]
        longest = max(map(len, [*heading.split(), *parts]))
        # No word may take the whole line.
        least.append(min(longest, console.width // 2))
        full.append(max(map(len, [heading, *cells])))
    if sum(full) + WIDE_GAP * (len(full) - 1) <= console.width:
        console.print(table)
        return
    for number, group in enumerate(_groups(least, console.width + GAP)):
        room = console.width - GAP * (len(group) - 1)
        widths = _shared([least[k] for k in group], [full[k] for k in group], room)
        narrow = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
        for k, width in zip(group, widths, strict=True):
            column = table.columns[k]
            narrow.add_column(column.header, justify=column.justify, width=width, overflow="fold")
        for row in zip(*(table.columns[k].cells for k in group), strict=True):
            narrow.add_row(*row)
        if number:
            console.print()
        console.print(narrow)


def _widths(grid: Grid) -> tuple[list[int], list[int]]:
    """Of each column: where lines break at every space, and where they break nowhere."""
    least, full = [], []
    for column, name in enumerate(grid.columns):
        cells = [row[column] for row in grid.rows]
        texts = [name, *(text for cell in cells for text in (cell.text, cell.beside))]
        full.append(max(map(len, texts)))
        # A space that must not break a line is another character.
        least.append(max(len(word) for text in texts for word in text.split(" ")))
    return least, full


def _groups(least: list[int], width: int) -> list[list[int]]:
    """The columns in as few groups as fit, each with the first one."""
    groups = [[0]]
    for column in range(1, len(least)):
        if sum(least[k] + GAP for k in (*groups[-1], column)) > width and len(groups[-1]) > 1:
            groups.append([0])
        groups[-1].append(column)
    return groups


def _shared(least: list[int], full: list[int], room: int) -> list[int]:
    """Widths from least to full, the room that is left going to whoever lacks most."""
    widths = list(least)
    while sum(widths) < min(room, sum(full)):
        lacking = [most - width for most, width in zip(full, widths, strict=True)]
        widths[lacking.index(max(lacking))] += 1
    return widths


def _table(grid: Grid, columns: list[int], widths: list[int], title: str | None) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        leading=int(any(cell.beside for row in grid.rows for cell in row)),
    )
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            Text(grid.columns[column]),
            justify="left" if column == 0 else "right",
            width=width,
            overflow="fold",
        )
    for row in grid.rows:
        table.add_row(*(_shown(row[column]) for column in columns))
    return table


def _shown(cell: Entry) -> RenderableType:
    style = " ".join(name for name in ("bold", "underline") if getattr(cell, name))
    text = Text(cell.text, style=style)
    return Group(text, Text(cell.beside, style="dim", justify="right")) if cell.beside else text
