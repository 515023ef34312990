"""Commands that are killed at random moments: what they write is whole, or not there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tacit.tables import load_model
from tests.cli.process import environment
from tests.soak.tally import FACTOR, IS_SOAK
from tests.tables import generated

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX systems"),
    # Others kill at chosen moments, which takes less time.
    pytest.mark.skipif(not IS_SOAK, reason="minutes, and so a part of `make soak`"),
]
# Of each of the three commands; 51 together.
N_KILLS = max(1, round(17 * FACTOR))
PATIENCE = 300.0


def start(command: tuple[str, ...], cwd: Path) -> subprocess.Popen[bytes]:
    """The command in a group of processes of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tacit", *command],
        cwd=cwd,
        # What joblib leaves behind goes with the folder of the test.
        env=environment(JOBLIB_TEMP_FOLDER=str(cwd.parent)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def seconds_of(command: tuple[str, ...], cwd: Path) -> float:
    """Of the whole command, which must succeed."""
    begin = time.monotonic()
    assert start(command, cwd).wait(PATIENCE) == 0
    return time.monotonic() - begin


def killed(command: tuple[str, ...], cwd: Path, whole: float) -> Iterator[int]:
    """Kill it and its workers, each time after another part of the seconds that it takes."""
    moments = random.Random(0)  # the same moments every time, as far as a machine has them
    for number in range(N_KILLS):
        process = start(command, cwd)
        with suppress(subprocess.TimeoutExpired):
            process.wait(whole * moments.random())
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
        for semaphore in Path("/dev/shm").glob(f"sem.loky-{process.pid}-*"):
            semaphore.unlink()
        yield number


def visible(folder: Path) -> set[str]:
    """The files of a folder; hidden ones are swept by the next command that writes there."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table."""
    folder = tmp_path / "work"
    folder.mkdir()
    frame = generated.sensor(n_rows=120).rename(columns={"state": "y"})
    generated.write(frame, folder / "t.csv")
    return folder


def test_a_killed_fit_leaves_the_model_of_before_or_the_new_one(folder: Path) -> None:
    command = ("fit", "t.csv", "-t", "y", "--model", "icls", "-o", "model.skops")
    whole = seconds_of(command, folder)
    model = folder / "model.skops"
    for _ in killed(command, folder, whole):
        assert load_model(model).card.model == "icls"
        assert visible(folder) == {"t.csv", "model.skops"}
    assert seconds_of(command, folder)
    assert not list(folder.glob(".*.partial*"))


def test_a_killed_comparison_leaves_no_half_a_page(folder: Path) -> None:
    command = ("compare", "t.csv", "-t", "y", "--repeats", "1", "--folds", "2", "--jobs", "2",
               "--report", "page.html")  # fmt: skip
    whole = seconds_of(command, folder)
    page = folder / "page.html"
    page.unlink()
    for _ in killed(command, folder, whole):
        if page.exists():
            assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
            page.unlink()
        assert visible(folder) == {"t.csv"}


def test_a_killed_reproduction_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    command = ("reproduce", "table2", "--quick", "--datasets", "WDBC", "--jobs", "2")
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    whole = seconds_of(command, tmp_path / "whole")
    for _ in killed(command, tmp_path / "killed", whole):
        pass
    seconds_of(command, tmp_path / "killed")
    written, expected = (tmp_path / name / "reproduced" for name in ("killed", "whole"))
    assert visible(written) == visible(expected)
    assert (written / "table2.csv").read_text() == (expected / "table2.csv").read_text()
    assert not list(written.rglob(".*.partial*"))
