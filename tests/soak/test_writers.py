"""Two processes that write into the same folder at once: each ends well, every file is whole."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tacit.research.experiments import RunStore, _experiment
from tacit.tables import load_model, predict_frame
from tests.cli.process import assert_good, assert_one_sentence, tacit
from tests.research.experiments.tables import without_seconds
from tests.soak.tally import FACTOR, IS_SOAK
from tests.tables import generated

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are forked")
PATIENCE = 60.0
FIT = ("fit", "t.csv", "-t", "y", "--model", "icls", "-o", "out/model.skops")
COMPARE = ("compare", "t.csv", "-t", "y", "--repeats", "1", "--folds", "2", "--jobs", "1",
           "--report", "out/page.html")  # fmt: skip
FIGURE = ("reproduce", "table1", "figure1", "--datasets", "wdbc", "--out", "out")
BENCHMARK = ("benchmark", "--methods", "USM", "--datasets", "wdbc", "--repeats", "1",
             "--jobs", "1", "--out", "out")  # fmt: skip
TABLE = ("reproduce", "table2", "--repeats", "1", "--datasets", "wdbc", "--jobs", "1",
         "--out", "out")  # fmt: skip
# Those that wait for nobody, and those that write runs, as only one process does at a time.
FREE: dict[str, tuple[str, ...]] = {"fit": FIT}
ALONE: dict[str, tuple[str, ...]] = {"benchmark": BENCHMARK}
if IS_SOAK:  # a minute
    FREE |= {"compare": COMPARE, "reproduce": FIGURE}
    ALONE |= {"reproduce runs": TABLE}


def wait_for(condition: Callable[[], Any]) -> None:
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)


def meet_before_renaming() -> None:
    """Each file is written by both processes, before one of them gives it its name."""
    rename = Path.replace

    def replace(path: Path, target: Path) -> Path:
        Path(f"{target.name}-{os.getpid()}.met").touch()
        wait_for(lambda: len(list(Path().glob(f"{target.name}-*.met"))) == 2)
        return rename(path, target)

    Path.replace = replace  # type: ignore[method-assign, assignment]


def hold_before_renaming() -> None:
    """The first file is written, and has its name when the test says so."""
    rename = Path.replace

    def replace(path: Path, target: Path) -> Path:
        Path("held").touch()
        wait_for(Path("go").exists)
        return rename(path, target)

    Path.replace = replace  # type: ignore[method-assign, assignment]


def hold_while_fitting() -> None:
    """The first fit begins when the test says so."""
    experiment: Any = _experiment
    run_all = experiment.run_all

    def held(*arguments: Any, **options: Any) -> Any:
        Path("held").touch()
        wait_for(Path("go").exists)
        return run_all(*arguments, **options)

    experiment.run_all = held


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table, and one for what is written."""
    (tmp_path / "out").mkdir()
    frame = generated.sensor(n_rows=120).rename(columns={"state": "y"})
    generated.write(frame, tmp_path / "t.csv")
    return tmp_path


def written(folder: Path) -> dict[str, Any]:
    """What is in the files of `out`, but for times; a file that is not whole is an error."""
    found: dict[str, Any] = {}
    for path in (folder / "out").rglob("*"):
        if path.suffix == ".skops":
            found[path.name] = predict_frame(load_model(path), folder / "t.csv").to_csv()
        elif path.name == "runs":
            found[path.name] = without_seconds(RunStore(path).read())
        elif path.is_file() and path.name not in ("runs.parquet", ".lock"):
            found[path.name] = re.sub(
                rb"It took [\d ms]+in [\d s]+|It took \d+ s", b"", path.read_bytes()
            )
    return found


def of_a_single_run(command: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """What the command writes by itself; then everything is as before."""
    assert_good(tacit(*command, cwd=folder))
    expected = written(folder)
    (folder / "out").rename(folder / "single")
    (folder / "out").mkdir()
    return expected


@pytest.mark.parametrize("name", FREE)
def test_two_processes_that_write_the_same_files_at_once_both_end_well(
    name: str, folder: Path
) -> None:
    expected = of_a_single_run(FREE[name], folder)
    with ThreadPoolExecutor(2) as threads:
        command = partial(tacit, *FREE[name], cwd=folder, prepare=meet_before_renaming)
        for done in [threads.submit(command) for _ in range(2)]:
            assert_good(done.result())
    assert written(folder) == expected


def test_a_process_that_tidies_up_leaves_what_another_is_writing(folder: Path) -> None:
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(tacit, *FIGURE, cwd=folder, prepare=hold_before_renaming)
        wait_for((folder / "held").exists)
        time.sleep(1.5)  # after which a file had once passed for one that was left behind
        assert_good(tacit(*FIGURE, cwd=folder))
        expected = {k: v for k, v in written(folder).items() if not k.startswith(".")}
        (folder / "go").touch()
        assert_good(slow.result())
    assert written(folder) == expected


@pytest.mark.parametrize("name", ALONE)
def test_of_two_processes_that_write_runs_the_second_says_to_wait(name: str, folder: Path) -> None:
    expected = of_a_single_run(ALONE[name], folder)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(tacit, *ALONE[name], cwd=folder, prepare=hold_while_fitting)
        wait_for((folder / "held").exists)
        second = tacit(*ALONE[name], cwd=folder)
        assert_one_sentence(second, 1, "Another process is writing runs into", "wait for it")
        (folder / "go").touch()
        assert_good(first.result())
    assert written(folder) == expected


@pytest.mark.skipif(not IS_SOAK, reason="minutes, and so a part of `make soak`")
@pytest.mark.parametrize("name", [*FREE, *ALONE])
def test_processes_that_race_each_other_leave_what_one_leaves(name: str, folder: Path) -> None:
    command = (FREE | ALONE)[name]
    expected = of_a_single_run(command, folder)
    for _ in range(max(1, round(3 * FACTOR))):
        with ThreadPoolExecutor(2) as threads:
            ends = [threads.submit(tacit, *command, cwd=folder) for _ in range(2)]
        codes = sorted(end.result().returncode for end in ends)
        assert codes in ([0, 0], [0, 1])
        for end in ends:
            if end.result().returncode == 1:
                assert_one_sentence(end.result(), 1, "Another process is writing runs into")
        assert written(folder) == expected
        (folder / "out").rename(folder / f"out-{time.monotonic_ns()}")
        (folder / "out").mkdir()
