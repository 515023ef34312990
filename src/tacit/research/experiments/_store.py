"""Runs on disk: appended as they come, and still there after any interruption."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tacit._files import write_text, written_whole
from tacit.rows._parquet_files import import_pyarrow
from tacit.selection._evaluate import Run

WHOLE = "runs.parquet"
PART = "part-*.parquet"
PLAN = "plan.json"
LOCK = ".lock"


class RunStore:
    """A folder of runs.

    Every batch of runs is a Parquet file of its own, `part-*.parquet`, written under a temporary
    name and then renamed, so that a process killed at any moment leaves whole files only. `gather`
    puts them together into `runs.parquet`. A run that is there twice counts once, since a process
    may be killed or interrupted after it was written, or since it had failed and was tried again.
    What ended counts more than a failure, and of failures the last.

    Beside them lies `plan.json`, which says of which data and with which settings the runs are.
    Runs of another dataset or classifier under the same name are refused, not mixed. The code of
    classes is not part of it: who changes that of an own classifier needs another name or folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        import_pyarrow()
        self.folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def writing(self, plan: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
        """Be the only one who writes, and write runs of `plan` alone.

        By kind, such as "datasets", and name, the plan has a description of what the runs are of.
        """
        with _locked(self.folder / LOCK, self.folder):
            self._merge_plan(plan)
            for left in self.folder.glob(".*.partial*"):
                left.unlink()
            yield

    def append(self, runs: Iterable[Run]) -> None:
        """Add runs in one file, all or none of them."""
        rows = list(runs)
        if rows:
            # What sorts last was written last; the rest of the name is nobody else's.
            last = max((part.name.split("-")[1] for part in self._parts()), default="0")
            self._write(rows, f"part-{int(last) + 1:08d}-{uuid.uuid4().hex}.parquet")

    def read(self) -> list[Run]:
        """All runs, each once."""
        found: dict[tuple[Any, ...], Run] = {}
        for file in (self.folder / WHOLE, *self._parts()):
            if file.exists():
                for run in _read(file):
                    if run.key not in found or found[run.key].is_failed:
                        found[run.key] = run
        return list(found.values())

    def gather(self) -> list[Run]:
        """Put everything into one file, sorted so that it does not show what came first."""
        runs = sorted(self.read(), key=lambda run: run.key)
        parts = self._parts()
        if parts:
            self._write(runs, WHOLE)
            # From the first on: what a death leaves is not older than what is in the whole.
            for part in parts:
                part.unlink()
        return runs

    def _parts(self) -> list[Path]:
        """In the order in which they were written."""
        return sorted(self.folder.glob(PART))

    def _write(self, runs: list[Run], name: str) -> None:
        pyarrow = import_pyarrow()
        table = pyarrow.Table.from_pylist([asdict(run) for run in runs])
        with written_whole(self.folder / name) as partial:
            pyarrow.parquet.write_table(table, partial)

    def _merge_plan(self, plan: Mapping[str, Mapping[str, str]]) -> None:
        file = self.folder / PLAN
        if not file.exists() and (parts := [*self.folder.glob(PART), *self.folder.glob(WHOLE)]):
            raise ValueError(
                f"{self.folder} holds runs ({parts[0].name}) without the {PLAN} that says what "
                "they are of; name another folder or delete this one."
            )
        known = _read_plan(file) if file.exists() else {}
        for kind, name in merge_plan(known, plan):
            raise ValueError(
                f"{self.folder} holds runs with another {kind.rstrip('s')} under the name {name!r} "
                f"({known[kind][name]}, now {plan[kind][name]}), which would be mixed with the new "
                "ones; name another folder or delete this one."
            )
        write_text(file, json.dumps(known, indent=1, sort_keys=True) + "\n")


def merge_plan(
    known: dict[str, dict[str, str]], plan: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """Put the entries of `plan` into `known`; yield kinds and names that say otherwise there."""
    for kind, entries in plan.items():
        held = known.setdefault(kind, {})
        for name, description in entries.items():
            if held.setdefault(name, description) != description:
                yield kind, name


def _read(file: Path) -> list[Run]:
    pyarrow = import_pyarrow()
    try:
        return [Run(**row) for row in pyarrow.parquet.read_table(file).to_pylist()]
    # A table of something else has other columns, which Run does not take.
    except (pyarrow.ArrowException, OSError, TypeError) as error:
        raise ValueError(
            f"{file} cannot be read as runs ({error}); delete it, and what it held is run again."
        ) from error


def _read_plan(file: Path) -> dict[str, dict[str, str]]:
    try:
        known: dict[str, dict[str, str]] = json.loads(file.read_text())
        if not all(isinstance(entries, dict) for entries in dict(known).values()):
            raise TypeError("it is no plan")
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{file} cannot be read ({error}), so that it is unknown what the runs beside it are "
            "of; name another folder or delete this one."
        ) from error
    return known


@contextmanager
def _locked(file: Path, folder: Path) -> Iterator[None]:
    """Hold a lock that the system takes back by itself when the process dies."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where two writers at once are up to the user
        yield
        return
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(
                f"Another process is writing runs into {folder}; wait for it, or name another "
                "folder."
            ) from error
        yield
    finally:
        os.close(descriptor)
