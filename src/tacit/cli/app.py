"""The commands of `tacit`."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit import __version__
from tacit.cli.benchmark import benchmark
from tacit.cli.datasets import datasets
from tacit.cli.demo import demo
from tacit.cli.reproduce import reproduce

app = typer.Typer(
    help="Semi-supervised classification that you can trust not to hurt.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.command()(demo)
app.command()(datasets)
app.command()(reproduce)
app.command()(benchmark)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tacit {__version__}")
        raise typer.Exit


@app.callback()
def tacit(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Semi-supervised classification that you can trust not to hurt."""
