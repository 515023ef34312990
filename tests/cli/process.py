"""Run `tacit` as a user does: as a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import rich  # noqa: F401 - as the command line does, which has nothing else to say without it
import typer  # noqa: F401

Done = subprocess.CompletedProcess[str]
PATIENCE = 300.0  # seconds

# Each process comes from one that has imported the library already, which saves it a second.
_HEAVY = (
    *(
        "tacit.cli._app",
        "tacit.research.datasets._loading",
        "tacit.research.paper._reproduce",
    ),
    *("tacit.tables._comparing", "tacit.tables._predicting", "pyarrow.csv", "skrub"),
)
_FORKING = multiprocessing.get_context("forkserver") if hasattr(os, "fork") else None
if _FORKING is not None:
    _FORKING.set_forkserver_preload([*_HEAVY, "tests.cli.process"])


def environment(**changes: str) -> dict[str, str]:
    """Without data of this machine, and with variables that ask for colours even in pipes."""
    inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    colours = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "GITHUB_ACTIONS": "true"}
    return inherited | colours | {"TACIT_DATA": "", "PYTHONIOENCODING": "utf-8"} | changes


def started(*arguments: str, cwd: Path, stdin: bytes = b"", **changes: str) -> Done:
    """A process from its very start."""
    done = subprocess.run(
        [sys.executable, "-m", "tacit", *arguments],
        cwd=cwd,
        env=environment(**changes),
        capture_output=True,
        input=stdin,
        check=False,
        timeout=PATIENCE,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def tacit(
    *arguments: str,
    cwd: Path,
    stdin: bytes = b"",
    prepare: Callable[[], None] | None = None,
    **changes: str,
) -> Done:
    """A process that has its imports behind it.

    Parameters
    ----------
    prepare : callable, optional
        A function of a module, called in the process before the command.
    """
    if _FORKING is None:
        assert prepare is None
        return started(*arguments, cwd=cwd, stdin=stdin, **changes)
    with tempfile.TemporaryDirectory() as folder:
        streams = [os.path.join(folder, name) for name in ("in", "out", "err")]
        Path(streams[0]).write_bytes(stdin)
        process = _FORKING.Process(
            target=_run, args=(arguments, str(cwd), environment(**changes), streams, prepare)
        )
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
        out, err = (Path(stream).read_text(encoding="utf-8") for stream in streams[1:])
        assert process.exitcode is not None
        return subprocess.CompletedProcess(arguments, process.exitcode, out, err)


def _run(
    arguments: tuple[str, ...],
    cwd: str,
    variables: dict[str, str],
    streams: list[str],
    prepare: Callable[[], None] | None,
) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(variables)
    for number, path in enumerate(streams):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(path, flags), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    sys.argv = ["tacit", *arguments]
    if prepare is not None:
        prepare()
    from tacit.cli import main

    main()


def assert_one_sentence(done: Done, code: int, *words: str) -> None:
    """An error is one line on the standard error, and nothing is printed elsewhere."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tacit")
    assert lines[0].endswith((".", ")", "'", "?"))
    for word in words:
        assert word in lines[0], lines[0]


def assert_good(done: Done, *words: str) -> None:
    """All went well, nothing was complained of, and no colour code went into the pipe."""
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    for word in words:
        assert word in done.stdout
