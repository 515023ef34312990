"""An experiment whose processes are killed at the worst of moments, again and again."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import tacit
from tacit.research.experiments import RunStore, run
from tacit.research.experiments._store import PART, WHOLE
from tests.research.experiments import killed
from tests.research.experiments.tables import without_seconds

pyarrow = pytest.importorskip(
    "pyarrow", reason="pyarrow is not installed: pip install 'tacit[parquet]'"
)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX systems")
PATIENCE = 120.0  # seconds


@pytest.fixture
def start(tmp_path):
    """Start the experiment in a group of processes of its own, none of which outlives the test."""
    started = []

    def start(folder, moment):
        notes = tmp_path / f"notes-{len(started)}"
        notes.touch()
        source = str(Path(tacit.__file__).parents[1])
        paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
        # What joblib leaves behind goes with the folder of the test.
        places = {"PYTHONPATH": os.pathsep.join(paths), "JOBLIB_TEMP_FOLDER": str(tmp_path)}
        process = subprocess.Popen(
            [sys.executable, killed.__file__, str(folder), str(notes), moment],
            env=os.environ | places,
            start_new_session=True,
        )
        started.append(process)
        return process, notes

    yield start
    for process in started:
        kill(process)
        for semaphore in Path("/dev/shm").glob(f"sem.loky-{process.pid}-*"):
            semaphore.unlink()


def kill(process):
    """The process and its workers, at once and without a word."""
    with suppress(ProcessLookupError):  # all of them are gone
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


def wait_until(is_time, notes, process):
    limit = time.monotonic() + PATIENCE
    while not is_time(notes.read_text().split()):
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.005)


def trials_in(store):
    return {(r.dataset, r.protocol, r.repeat) for r in store.read()}


def rows_of(folder):
    """All columns of the file but the seconds, row for row."""
    table = pyarrow.parquet.read_table(folder / WHOLE)
    return table.drop_columns("seconds").to_pylist()


def test_a_killed_experiment_goes_on_where_it_was_with_nothing_lost_or_counted_twice(
    tmp_path, start
):
    folder = tmp_path / "killed"
    folder.mkdir()
    store = RunStore(folder)
    known, ended = set(), []
    for moment, is_time in (
        # At any moment from the second part on; that it waits after twelve trials makes sure that
        # something remains.
        ("after 12", lambda lines: len(list(folder.glob(PART))) >= 2),
        ("in part", lambda lines: "waiting" in lines),
        ("with parts", lambda lines: "waiting" in lines),
    ):
        process, notes = start(folder, moment)
        wait_until(is_time, notes, process)
        kill(process)
        ended.append(notes.read_text().split().count("ended"))
        # What was there is still there, and with it all that has ended since.
        now = trials_in(store)
        assert known <= now
        assert len(now) - len(known) >= ended[-1]
        if moment == "in part":
            (partial,) = folder.glob(".*.partial.parquet")
            with pytest.raises(pyarrow.ArrowInvalid):
                pyarrow.parquet.read_table(partial)
        if moment == "with parts":
            # Only what had been missing was run.
            assert ended[-1] == killed.N_TRIALS - len(known)
        known = now

    assert 1 <= ended[0] <= 12
    assert ended[1] == killed.WHOLE_PARTS
    assert 0 < ended[2] < killed.N_TRIALS
    assert len(known) == killed.N_TRIALS
    # The last one died with everything in one file, and everything in parts once more.
    assert (folder / WHOLE).exists()
    assert list(folder.glob(PART))

    calls = []
    resumed = run(killed.plan(), store, on_progress=lambda *call: calls.append(call))
    assert len(calls) == 1  # nothing was left to do
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "plan.json", WHOLE]
    whole = run(killed.plan(), RunStore(tmp_path / "whole"))
    assert rows_of(folder) == rows_of(tmp_path / "whole")
    assert without_seconds(resumed.runs) == without_seconds(whole.runs)
    keys = [run.key for run in store.read()]
    assert len(set(keys)) == len(keys) == len(whole.runs)
