"""Being asked to end: at once, whatever is being done, and with nothing left behind."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tacit.tables._table
from tacit._files import written_whole
from tests.cli.process import environment
from tests.cli.process import tacit as run
from tests.tables import generated

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX systems")
SENTENCE = "Interrupted; no file was left half written."

# A process that interrupts itself when it is where the test wants it, as Ctrl-C would.
WHEN_WORKERS_WORK = """
import os, signal, sys, threading, time

def wait():
    while True:
        time.sleep(0.02)
        loky = sys.modules.get("joblib.externals.loky.reusable_executor")
        processes = getattr(getattr(loky, "_executor", None), "_processes", None) or {}
        if len(processes) >= 2:
            os.kill(os.getpid(), signal.SIGINT)
            return

threading.Thread(target=wait, daemon=True).start()
sys.argv = ["tacit", "compare", "t.csv", "-t", "y", "--jobs", "2", "--report", "r.html"]
from tacit.cli import main
main()
"""


def ignore():
    """As shells do for commands in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.fixture
def table(tmp_path):
    frame = generated.sensor(n_rows=600).rename(columns={"state": "y"})
    return generated.write(frame, tmp_path / "t.csv")


def run_code(code, cwd, **options):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


def test_ctrl_c_ends_workers_too_and_is_heeded_in_the_background(table, tmp_path):
    done = run_code(WHEN_WORKERS_WORK, tmp_path, preexec_fn=ignore)
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == SENTENCE
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    # The pipes of the process are closed, so no worker that holds them is alive.


KILLED_AT_WORK = """
import os, signal, threading, time
from pathlib import Path
from tacit._workers import run_all

def work(data, task):
    Path("busy").touch()
    time.sleep(60)

def wait():
    while not Path("busy").exists():
        time.sleep(0.02)
    Path("killed").write_text(str(time.monotonic()))
    os.kill(os.getpid(), signal.SIGKILL)

threading.Thread(target=wait, daemon=True).start()
list(run_all(work, {"": None}, [("", 0), ("", 1)], n_jobs=2))
"""


def test_workers_end_soon_after_the_process_that_began_them_is_killed(tmp_path):
    done = run_code(KILLED_AT_WORK, tmp_path)
    # Both have closed the pipes of the process by now, long before their work is done.
    assert time.monotonic() - float((tmp_path / "killed").read_text()) < 20.0
    assert done.returncode == -signal.SIGKILL


# The same, but to all its processes, as a terminal does, and while they are being started.
WHEN_WORKERS_START = WHEN_WORKERS_WORK.replace(
    "os.kill(os.getpid(), signal.SIGINT)",
    "time.sleep(DELAY); os.killpg(os.getpgid(0), signal.SIGINT)",
)


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.4])
def test_workers_that_are_being_started_say_nothing_of_ctrl_c(delay, table, tmp_path):
    code = WHEN_WORKERS_START.replace("DELAY", str(delay))
    done = run_code(code, tmp_path, start_new_session=True)
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == SENTENCE


def end_in_two_threads():
    """The grace is over just when the orderly end has come to its last step."""
    from tacit.cli import _interrupts as interrupts

    def read_table(*_, **__):
        both, leave = threading.Barrier(2), os._exit

        def leave_late(code):
            time.sleep(0.3)  # so that the other one would speak too
            leave(code)

        def other():
            both.wait()
            interrupts.end_now()

        os._exit = leave_late
        threading.Thread(target=other, daemon=True).start()
        both.wait()
        raise KeyboardInterrupt

    tacit.tables._table.read_table = read_table


def test_the_end_is_told_once_where_two_threads_come_to_it(tmp_path):
    done = run("compare", "-", "-t", "y", cwd=tmp_path, prepare=end_in_two_threads)
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == SENTENCE


def deaf_to(number):
    def read_table(*_, **__):
        with written_whole(Path("r.html")) as partial:
            partial.write_text("half")
            threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
            # Key stretching takes hours in C, where Python cannot raise KeyboardInterrupt.
            hashlib.pbkdf2_hmac("sha512", b"", b"", 2**31 - 1)

    tacit.tables._table.read_table = read_table


def deaf_to_interrupt():
    ignore()
    deaf_to(signal.SIGINT)


def deaf_to_termination():
    deaf_to(signal.SIGTERM)


@pytest.mark.parametrize(
    ("prepare", "code", "word"),
    [(deaf_to_interrupt, 130, "Interrupted"), (deaf_to_termination, 143, "Terminated")],
)
def test_a_step_that_does_not_listen_is_ended_and_leaves_no_file(prepare, code, word, tmp_path):
    arguments = ("compare", "-", "-t", "y", "--report", "r.html")
    done = run(*arguments, cwd=tmp_path, prepare=prepare)
    assert done.returncode == code, done.stderr
    assert done.stderr.strip() == f"{word}; no file was left half written."
    assert not list(tmp_path.iterdir())


def interrupt_twice_before_renaming():
    """Ctrl-C when a file is all but written, and another one while that is being tidied up."""
    remove = Path.unlink

    def replace(path, target):
        os.kill(os.getpid(), signal.SIGINT)

    def unlink(path, missing_ok=False):
        os.kill(os.getpid(), signal.SIGINT)
        remove(path, missing_ok)

    Path.replace, Path.unlink = replace, unlink


WRITING = {
    "compare": ("compare", "t.csv", "-t", "y", "--report", "new", "--repeats", "1", "--folds", "2"),
    "fit": ("fit", "t.csv", "-t", "y", "--model", "icls", "-o", "new"),
    "predict": ("predict", "m.skops", "t.csv", "-o", "new.csv"),
    "demo": ("demo", "--draws", "2", "-o", "new.png"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupts")
    frame = generated.sensor(n_rows=300).rename(columns={"state": "y"})
    generated.write(frame, path / "t.csv")
    done = run("fit", "t.csv", "-t", "y", "--model", "icls", "-o", "m.skops", cwd=path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("command", WRITING)
def test_ctrl_c_while_a_file_is_written_leaves_none(command, folder):
    arguments = WRITING[command] + (("--jobs", "1") if command == "compare" else ())
    done = run(*arguments, cwd=folder, prepare=interrupt_twice_before_renaming)
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == SENTENCE
    assert done.stdout == ""
    assert sorted(path.name for path in folder.iterdir()) == ["m.skops", "t.csv"]


def interrupt_unseen():
    """Ctrl-C inside the callback of a weak reference, from where no exception gets out."""
    import weakref

    from tacit.research.experiments import _experiment as experiment

    class Thing:
        pass

    run_all = experiment.run_all

    def run_and_interrupt(*arguments, **options):
        for ended in run_all(*arguments, **options):
            thing = Thing()
            reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
            del thing
            assert reference() is None
            yield ended

    sys.unraisablehook = lambda _: None
    experiment.run_all = run_and_interrupt


def test_an_interruption_that_python_drops_is_heeded_when_the_next_trial_ends(tmp_path):
    options = ("--methods", "USM", "--datasets", "WDBC", "--repeats", "50", "--jobs", "1")
    done = run("benchmark", *options, cwd=tmp_path, prepare=interrupt_unseen)
    assert done.returncode == 130
    assert done.stderr.strip() == (
        "Interrupted; what was done is in benchmarked, and the same command goes on from it."
    )
    # It unwound in order, so that the one trial that had ended was written.
    assert len(list((tmp_path / "benchmarked" / "runs").glob("part-*.parquet"))) == 1
