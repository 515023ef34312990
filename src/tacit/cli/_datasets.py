"""`tacit datasets`: the datasets that can be loaded by name, and where they are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from tacit.cli._options import Debug, Json
from tacit.cli._output import print_json, print_points, stdout_console

if TYPE_CHECKING:
    from tacit.research.datasets import Availability

STYLES = {"ready": "green", "download": "yellow", "missing": "red"}


def datasets(
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with files such as ionosphere.csv; else TACIT_DATA names it."),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List benchmark datasets and where they come from.

    With size, source and status; nothing is downloaded.
    """
    from tacit.research.datasets import PAPER, available, names

    found = [available(name, data) for name in names()]
    if as_json:
        print_json([{**asdict(each), "in_paper": each.name in PAPER} for each in found])
        return
    console = stdout_console()
    console.print(_table(found, len(PAPER)))
    console.print()
    ready = sum(each.state == "ready" for each in found)
    console.print(
        Text(f"{ready} of {len(found)} are ready. The paper uses the first {len(PAPER)}.")
    )
    print_points(console, (_advice(each) for each in found if each.state != "ready"))


def _table(found: list[Availability], n_paper: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("dataset", no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("features", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("source", overflow="fold")
    for position, each in enumerate(found, start=1):
        table.add_row(
            each.name,
            str(each.n_rows),
            str(each.n_features),
            f"[{STYLES[each.state]}]{each.state}[/]",
            each.source,
            end_section=position == n_paper,
        )
    return table


def _advice(each: Availability) -> str:
    """What the sources said of a dataset that is not at hand, and how to get it."""
    said = "; ".join(reason.rstrip(".") for reason in each.reasons)
    if each.refused:
        return f"{each.name}: {said}. Mend the file, or take it out of the folder."
    if each.state == "download":
        return f"{each.name}: {said}. It would be fetched from {each.where}"
    return f"{each.name}: {said}. Or put {each.name.lower()}.csv into a folder: --data DIR."
