"""Runs on disk: appended as they come, and still there after any interruption."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tacit._files import write_text, written_whole
from tacit.research.experiments._results import in_order
from tacit.rows._parquet_files import import_pyarrow
from tacit.selection._evaluate import Run

WHOLE = "runs.parquet"
PART = "part-*.parquet"
PLAN = "plan.json"
LOCK = ".lock"
_TYPES = {"str": "string", "int": "int64", "float": "float64"}


class RunStore:
    """A folder of runs.

    Every batch of runs is a Parquet file of its own, `part-*.parquet`, written under a temporary
    name and then renamed, so that a process killed at any moment leaves whole files only. `gather`
    puts them together into `runs.parquet`. A run that is there twice counts once: since the process
    was killed between writing the whole and removing the parts, or since it had failed and was
    tried again. What ended counts more than a failure, and of failures the last.

    Beside them lies `plan.json`, which says of which data and with which settings the runs are.
    Runs of another dataset or classifier under the same name are refused, not mixed. The code of
    classes is not part of it: who changes that of an own classifier needs another name or folder.

    Parameters
    ----------
    folder : str or Path
        Created where it does not exist.
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

    def new_part(self) -> str:
        """A name for the next batch."""
        last = max((_number(part) for part in self.folder.glob(PART)), default=0)
        return f"part-{last + 1:08d}-{uuid.uuid4().hex}.parquet"

    def append(self, runs: Iterable[Run], part: str | None = None) -> None:
        """Add runs in one file, all or none of them.

        Who does not know whether a batch was written before an interruption can append it again
        under the same name `part`, which `new_part` gave.
        """
        rows = list(runs)
        if rows:
            self._write(rows, self.new_part() if part is None else part)

    def read(self) -> list[Run]:
        """All runs, each once."""
        found: dict[tuple[Any, ...], Run] = {}
        for file in (self.folder / WHOLE, *self._parts()):
            if file.exists():
                for run in _read(file):
                    if run.key not in found or found[run.key].is_failed:
                        found[run.key] = run
        return list(found.values())

    def gather(self, order: Mapping[tuple[str, str, str], int] | None = None) -> list[Run]:
        """Put everything into one file, sorted as `in_order` does, and return it."""
        runs = in_order(self.read(), {} if order is None else order)
        parts = self._parts()
        if parts:
            self._write(runs, WHOLE)
            # From the first on: what a death leaves is not older than what is in the whole.
            for part in parts:
                part.unlink()
        return runs

    def _parts(self) -> list[Path]:
        """In the order in which they were written."""
        return sorted(self.folder.glob(PART), key=lambda part: (_number(part), part.name))

    def _write(self, runs: list[Run], name: str) -> None:
        pyarrow = import_pyarrow()
        schema = pyarrow.schema([(f.name, _TYPES[str(f.type)]) for f in fields(Run)])
        table = pyarrow.Table.from_pylist([asdict(run) for run in runs], schema=schema)
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
        for kind, entries in plan.items():
            held = known.setdefault(kind, {})
            for name, description in entries.items():
                before = held.setdefault(name, description)
                if before != description:
                    raise ValueError(
                        f"{self.folder} holds runs with another {kind.rstrip('s')} under the name "
                        f"{name!r} ({before}, now {description}), which would be mixed with the "
                        "new ones; name another folder or delete this one."
                    )
        write_text(file, json.dumps(known, indent=1, sort_keys=True) + "\n")


def _number(part: Path) -> int:
    number = part.name.split("-")[1]
    return int(number) if number.isdecimal() else 0


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
