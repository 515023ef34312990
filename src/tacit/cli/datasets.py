"""`tacit datasets`: the datasets that can be loaded by name, and where they are."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.datasets import PAPER, Availability, DatasetFileError, available, names

PIPE_WIDTH = 100
STYLES = {"ready": "green", "download": "yellow", "missing": "red"}


def datasets(
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with files such as ionosphere.csv; else TACIT_DATA names it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the datasets with size, source and status; nothing is downloaded."""
    try:
        found = [available(name, data) for name in names()]
    except DatasetFileError as error:
        raise typer.BadParameter(str(error), param_hint="--data") from error
    if as_json:
        rows = [{**asdict(each), "in_paper": each.name in PAPER} for each in found]
        typer.echo(json.dumps(rows, indent=2))
        return
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(_table(found))
    for each in found:
        if each.state != "ready":
            console.print(_advice(each), markup=False, soft_wrap=True)
    ready = sum(each.state == "ready" for each in found)
    console.print(f"{ready} of {len(found)} are ready. The paper uses the first {len(PAPER)}.")


def _table(found: list[Availability]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("dataset", no_wrap=True)
    table.add_column("objects", justify="right", no_wrap=True)
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
            end_section=position == len(PAPER),
        )
    return table


def _advice(each: Availability) -> str:
    """What the sources said of a dataset that is not at hand, and how to get it."""
    said = "; ".join(each.reasons)
    if each.state == "download":
        return f"{each.name}: {said}. It would be fetched from {each.where}\n"
    return f"{each.name}: {said}. Or put {each.name.lower()}.csv into a folder: --data DIR.\n"
