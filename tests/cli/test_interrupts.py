"""Ctrl-C ends the process at once, whatever it is doing, and leaves nothing behind."""

import subprocess
import sys

import pytest

from tests.cli.process import environment
from tests.tables import generated

# A process that interrupts itself when it is where the test wants it, as Ctrl-C would.
WHEN_WORKERS_WORK = """
import os, signal, sys, threading, time

def wait():
    while True:
        time.sleep(0.02)
        loky = sys.modules.get("joblib.externals.loky.reusable_executor")
        processes = getattr(getattr(loky, "_executor", None), "_processes", None) or {}
        if len(processes) >= 2:
            print(*processes, flush=True)
            os.kill(os.getpid(), signal.SIGINT)
            return

threading.Thread(target=wait, daemon=True).start()
sys.argv = ["tacit", "compare", "t.csv", "-t", "y", "--jobs", "2", "--report", "r.html"]
from tacit.cli import main
main()
"""
# Key stretching takes hours in C, where Python cannot raise KeyboardInterrupt.
WHEN_DEAF = """
import hashlib, os, signal, sys, threading
from pathlib import Path
import tacit.tables.table
from tacit._files import written_whole

def read_table(*arguments, **options):
    with written_whole(Path("r.html")) as partial:
        partial.write_text("half")
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        hashlib.pbkdf2_hmac("sha512", b"", b"", 2**31 - 1)

tacit.tables.table.read_table = read_table
sys.argv = ["tacit", "compare", "t.csv", "-t", "y", "--report", "r.html"]
from tacit.cli import main
main()
"""


@pytest.mark.parametrize("code", [WHEN_WORKERS_WORK, WHEN_DEAF], ids=["workers", "deaf"])
def test_an_interrupt_leaves_neither_half_a_file_nor_a_process(code, tmp_path):
    frame = generated.sensor(n_rows=600).rename(columns={"state": "y"})
    generated.write(frame, tmp_path / "t.csv")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == "Interrupted; no file was left half written."
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    # The pipes of the process are closed, so no worker that holds them is alive.
