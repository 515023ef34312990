"""The commands of `tacit`."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit import __version__
from tacit.cli.benchmark import benchmark
from tacit.cli.compare import compare
from tacit.cli.datasets import datasets
from tacit.cli.demo import demo
from tacit.cli.doctor import doctor
from tacit.cli.explain import explain
from tacit.cli.fit import fit
from tacit.cli.options import Debug
from tacit.cli.predict import predict
from tacit.cli.reproduce import reproduce

app = typer.Typer(
    help="Semi-supervised classification that you can trust not to hurt.",
    epilog=(
        "Exit codes: 0 success, 1 something is wrong with the data or a file, 2 the command was "
        "written wrongly, 130 interrupted."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(compare)
app.command()(fit)
app.command()(predict)
app.command()(explain)
app.command()(demo)
app.command()(doctor)
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
    debug: Debug = False,
) -> None:
    """Semi-supervised classification that you can trust not to hurt."""
