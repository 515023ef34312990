"""Run `tacit` as a user does: as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Some terminals and CI services set these; a pipe must have no colours in spite of the first two.
_COLOURS = ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR", "COLUMNS")


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _COLOURS}


def tacit(
    *arguments: str, cwd: Path, stdin: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tacit", *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        input=b"" if stdin is None else stdin,
        check=False,
        timeout=300,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def assert_one_sentence(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """An error is one line on the standard error, and nothing is printed elsewhere."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tacit")
    for word in words:
        assert word in lines[0], lines[0]
