"""The commands of `tacit`, in the order of a user's day.

Help and complaints must not wait for scikit-learn, which takes a second or more to import. So the
modules of the commands import nothing heavy when they are loaded: a command first checks what can
be checked without, such as whether a file is there, then imports what does the work, then works.
"""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.__about__ import __version__
from tacit.cli._benchmark import benchmark
from tacit.cli._compare import compare
from tacit.cli._datasets import datasets
from tacit.cli._demo import demo
from tacit.cli._doctor import doctor
from tacit.cli._explain import explain
from tacit.cli._fit import fit
from tacit.cli._label import label
from tacit.cli._options import Debug
from tacit.cli._predict import predict
from tacit.cli._reproduce import reproduce

EXAMPLES = {
    compare: "tacit compare table.csv --target label --report report.html",
    fit: "tacit fit table.csv --target label -o model.skops",
    predict: "tacit predict model.skops new.csv -o out.csv",
    label: "tacit label table.csv --target label -n 20 -o to_label.csv",
    explain: "tacit explain model.skops",
    demo: "tacit demo",
    doctor: "tacit doctor",
    datasets: "tacit datasets --data folder",
    reproduce: "tacit reproduce table2 --quick",
    benchmark: "tacit benchmark --methods ICLS,S4VM --datasets WDBC",
}
EXIT_CODES = (
    "Exit codes: 0 success, 1 something is wrong with the data or a file, 2 the command was "
    "written wrongly, 130 Ctrl-C, 143 terminated."
)

app = typer.Typer(
    epilog=f"Example: {EXAMPLES[compare]}\n\n{EXIT_CODES}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for _panel, _commands in {
    "Your table": (compare, fit, predict, label, explain),
    "Trying it out": (demo, doctor),
    "Research": (datasets, reproduce, benchmark),
}.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel, epilog=f"Example: {EXAMPLES[_command]}")(_command)


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
    """Semi-supervised classification that you can trust not to hurt.

    You have a table with a few labels. Does the rest of it help, and can it hurt?
    """
