"""`tacit datasets`: the datasets that can be loaded by name, and where they are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from tacit.cli import _options as given
from tacit.cli import _output as screen

if TYPE_CHECKING:
    from tacit.research.datasets import Availability

STYLES = {"ready": "green", "download": "yellow", "missing": "red"}


def datasets(
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with files such as ionosphere.csv; else TACIT_DATA names it."),
    ] = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """List benchmark datasets and where they come from.

    With size, source and status; nothing is downloaded.
    """
    from tacit.research.datasets import PAPER, available, names

    found = [available(name, data) for name in names()]
    if as_json:
        screen.print_json([{**asdict(each), "in_paper": each.name in PAPER} for each in found])
        return
    table = screen.new_grid("dataset", "rows", "features", "status", "source", right=(1, 2))
    for position, each in enumerate(found, start=1):
        texts = (each.name, str(each.n_rows), str(each.n_features))
        state = Text(each.state, style=STYLES[each.state])
        table.add_row(*texts, state, Text(each.source), end_section=position == len(PAPER))
    console = screen.stdout_console()
    console.print(table)
    console.print()
    ready = sum(each.state == "ready" for each in found)
    console.print(
        Text(f"{ready} of {len(found)} are ready. The paper uses the first {len(PAPER)}.")
    )
    screen.print_points(console, (_advice(each) for each in found if each.state != "ready"))


def _advice(each: Availability) -> str:
    """What the sources said of a dataset that is not at hand, and how to get it."""
    said = "; ".join(reason.rstrip(".") for reason in each.reasons)
    if each.refused:
        return f"{each.name}: {said}. Mend the file, or take it out of the folder."
    if each.state == "download":
        return f"{each.name}: {said}. It would be fetched from {each.where}"
    return f"{each.name}: {said}. Or put {each.name.lower()}.csv into a folder: --data DIR."
