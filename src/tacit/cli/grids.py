"""Tables of the library on the terminal."""

from __future__ import annotations

import os

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacit.experiments.grid import Cell, Grid

# Where the output is no terminal there is no width to keep to; the widest table fits.
PIPE_WIDTH = 140


def new_console() -> Console:
    """Where commands print: as wide as the terminal, and wide enough for all tables in a pipe."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def print_grid(console: Console, grid: Grid, *, title: bool = True) -> None:
    """Print a table with its note and, unless it stands above already, its title.

    Remarks beside entries go below them. Lines break between an entry's parts, never within one.
    """
    shown = grid.title if title else None
    table = Table(
        title=shown,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        leading=int(any(cell.beside for row in grid.rows for cell in row)),
    )
    for number, name in enumerate(grid.columns):
        table.add_column(Text(name), justify="left" if number == 0 else "right", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(_shown, row))
    console.print(Group(table, Padding(Text(grid.note, style="dim"), (0, 0, 1, 0))))


def _shown(cell: Cell) -> RenderableType:
    style = " ".join(name for name in ("bold", "underline") if getattr(cell, name))
    text = Text(cell.text, style=style)
    return Group(text, Text(cell.beside, style="dim", justify="right")) if cell.beside else text
