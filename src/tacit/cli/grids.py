"""Tables of the library on the terminal."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacit.experiments.grid import Cell, Grid


def print_grid(console: Console, grid: Grid, *, title: bool = True) -> None:
    """Print a table with its note and, unless it stands above already, its title.

    Remarks beside entries go below them. In a pipe the table is as wide as it needs to be.
    """
    shown = grid.title if title else None
    table = Table(title=shown, title_justify="left", title_style="bold")
    for number, name in enumerate(grid.columns):
        table.add_column(name, justify="left" if number == 0 else "right")
    for row in grid.rows:
        table.add_row(*map(_shown, row))
    console.print(Group(table, Padding(Text(grid.note, style="dim"), (0, 0, 1, 0))))


def _shown(cell: Cell) -> RenderableType:
    style = " ".join(name for name in ("bold", "underline") if getattr(cell, name))
    text = Text(cell.text, style=style)
    return Group(text, Text(cell.beside, style="dim", justify="right")) if cell.beside else text
