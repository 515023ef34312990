"""No command writes over what it reads."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.process import assert_good, assert_one_sentence, environment, tacit
from tests.tables import generated


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table as a file and as a folder, and a model of it."""
    path = tmp_path_factory.mktemp("made")
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(60, 2)), columns=["a", "b"])
    frame["y"] = np.where(np.arange(60) < 30, np.where(frame["a"] > 0, "no", "yes"), None)
    generated.write(frame, path / "t.csv")
    assert_good(tacit("fit", "t.csv", "-t", "y", "--model", "icls", "-o", "model.csv", cwd=path))
    (path / "parts").mkdir()
    generated.write(frame, path / "parts" / "one.parquet")
    return path


@pytest.fixture
def folder(made, tmp_path):
    """The same, to be spoilt, with other names for the table."""
    path = tmp_path / "folder"
    shutil.copytree(made, path)
    (path / "link.csv").symlink_to("t.csv")
    os.link(path / "t.csv", path / "hard.csv")
    return path


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


FIT, COMPARE = ("fit", "t.csv", "-t", "y", "-o"), ("compare", "t.csv", "-t", "y", "--report")
PREDICT = ("predict", "model.csv", "t.csv", "-o")
OVERWRITING = {
    "fit": ((*FIT, "t.csv"), "'t.csv' would be written over or into 't.csv', which is read"),
    "fit, by another path": ((*FIT, "parts/../t.csv"), "over or into 't.csv'"),
    "fit, through a link": ((*FIT, "link.csv"), "'link.csv' would be written over or into 't.csv'"),
    "fit, through a hard link": ((*FIT, "hard.csv"), "'hard.csv' would be written over"),
    "compare": ((*COMPARE, "t.csv"), "--report: 't.csv' would be written over"),
    "predict, the table": ((*PREDICT, "t.csv"), "over or into 't.csv'"),
    "predict, the model": ((*PREDICT, "model.csv"), "over or into 'model.csv'"),
    "predict, as JSON": ((*PREDICT, "model.csv", "--json"), "over or into 'model.csv'"),
    "predict, a part of the table": (
        ("predict", "model.csv", "parts", "-o", "parts/one.parquet"),
        "over or into 'parts', which is read",
    ),
    "predict, a new part of the table": (
        ("predict", "model.csv", "parts", "-o", "parts/two.parquet"),
        "over or into 'parts', which is read",
    ),
}


@pytest.mark.parametrize(("command", "words"), OVERWRITING.values(), ids=OVERWRITING)
def test_an_output_that_is_an_input_is_refused_and_nothing_is_touched(command, words, folder):
    before = contents(folder)
    assert_one_sentence(tacit(*command, cwd=folder), 2, words, "name another file")
    assert contents(folder) == before


def test_a_table_that_is_piped_in_is_not_written_over(folder):
    before = contents(folder)
    with (folder / "t.csv").open("rb") as piped:
        done = subprocess.run(
            [sys.executable, "-m", "tacit", "fit", "-", "-t", "y", "-o", "t.csv"],
            cwd=folder,
            env=environment(),
            stdin=piped,
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )
    assert_one_sentence(done, 2, "'t.csv' would be written over or into '-'")
    assert contents(folder) == before


def test_other_files_and_devices_are_written(folder):
    # A file of the same content is another file, and a page beside the parts is none of them.
    (folder / "copy.csv").write_bytes((folder / "t.csv").read_bytes())
    assert_good(tacit(*PREDICT, "copy.csv", cwd=folder))
    assert (folder / "copy.csv").read_bytes() != (folder / "t.csv").read_bytes()
    assert_good(tacit("predict", "model.csv", "parts", "-o", "parts/out.csv", cwd=folder))
    assert_good(tacit("fit", "t.csv", "-t", "y", "--model", "icls", "-o", os.devnull, cwd=folder))
