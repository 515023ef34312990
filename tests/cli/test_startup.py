"""Help, the version and complaints come at once: nothing heavy is imported for them."""

import subprocess
import sys
from typing import get_args

import pytest

from tacit import __version__
from tacit.cli._fit import Method
from tacit.tables import MODELS
from tests.cli.process import environment

HEAVY = {
    *("dask", "distributed", "joblib", "matplotlib", "pandas", "pyarrow"),
    *("scipy", "skops", "skrub", "sklearn", "threadpoolctl"),
}
TRACE = "import time:"


def run(*arguments, cwd):
    """What a process printed, and the packages that it imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tacit", *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    lines = done.stderr.splitlines()
    traced = [line.rpartition("|")[2].strip() for line in lines if line.startswith(TRACE)]
    printed = done.stdout + "\n".join(line for line in lines if not line.startswith(TRACE))
    imported = {name.partition(".")[0] for name in traced}
    assert "typer" in imported  # or else nothing was traced
    return printed, imported


HELP = {
    "help": (("--help",), "Exit codes: 0 success"),
    "version": (("--version",), f"tacit {__version__}"),
    "help of compare": (("compare", "--help"), "Example: tacit compare"),
    "help of doctor": (("doctor", "--help"), "Example: tacit doctor"),
    "help of reproduce": (("reproduce", "--help"), "Example: tacit reproduce"),
}
WRITTEN_WRONGLY = {
    "no such command": (("nonsense",), "No such command"),
    "no such option": (("compare", "--nope"), "--nope"),
    "an option is missing": (("compare", "t.csv"), "Missing option '--target'"),
    "no such method": (("fit", "t.csv", "-t", "y", "-o", "m", "--model", "magic"), "'magic'"),
    "no such penalty": (("fit", "t.csv", "-t", "y", "-o", "m", "--alpha", "low"), "no penalty"),
    "no such format": (("predict", "m.skops", "t.csv", "-o", "o.xlsx"), "must end in"),
    "no such dataset": (("reproduce", "--datasets", "iris"), "iris is unknown; name some of"),
    "nor for the benchmark": (("benchmark", "--datasets", "iris"), "iris is unknown; name some of"),
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [*HELP.values(), *WRITTEN_WRONGLY.values()],
    ids=[*HELP, *WRITTEN_WRONGLY],
)
def test_a_command_that_does_no_work_imports_nothing_heavy(arguments, words, tmp_path):
    printed, imported = run(*arguments, cwd=tmp_path)
    assert words in printed
    assert not imported & (HEAVY | {"numpy"})
    assert not list(tmp_path.iterdir())


NOT_THERE = {
    "compare": (("compare", "no.csv", "-t", "y"), "There is no file 'no.csv'"),
    "fit": (("fit", "no.csv", "-t", "y", "-o", "m.skops"), "There is no file 'no.csv'"),
    "predict, the table": (("predict", "no.skops", "no.csv"), "There is no file 'no.csv'"),
    "predict, the model": (("predict", "no.skops", "t.csv"), "There is no model file 'no.skops'"),
    "explain": (("explain", "no.skops"), "There is no model file 'no.skops'"),
    "demo": (("demo", "-o", "no/plot.png"), "the folder 'no' does not exist"),
    "reproduce": (("reproduce", "--out", "t.csv"), "'t.csv', which cannot be a folder"),
}


@pytest.mark.parametrize(("arguments", "words"), NOT_THERE.values(), ids=NOT_THERE)
def test_a_file_that_is_not_there_is_told_before_anything_heavy_is_imported(
    arguments, words, tmp_path
):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,\n")
    printed, imported = run(*arguments, cwd=tmp_path)
    assert words in printed
    assert not imported & HEAVY
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_the_methods_that_the_help_lists_are_those_that_can_be_fitted():
    assert get_args(Method) == MODELS
