"""Copies that were downloaded before."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from tacit.research.datasets._dataset import Dataset
from tacit.research.datasets._entry import Entry
from tacit.research.datasets.sources._protocol import Absence, Copy, SourceError, Table


def cache_folder() -> Path:
    """The folder that ``TACIT_CACHE`` names, or else the platform's place for caches."""
    named = os.environ.get("TACIT_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "tacit" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tacit"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tacit"


class Cache:
    """One .npz file for each download, with X and y as plain arrays.

    The OpenML id is part of the file's name, so that a change of the pinned id leaves old copies
    unused.
    """

    def __init__(self) -> None:
        self.path = cache_folder() / "datasets"

    def find(self, entry: Entry) -> Copy | Absence:
        """Look for the dataset's file."""
        if entry.openml is None:
            return Absence("the cache holds only what OpenML has")
        path = self._file(entry)
        # Unlike Path.is_file, this takes a folder that may not be entered for one without the file.
        if os.path.isfile(path):
            where = f"Cache {path}, from OpenML data id {entry.openml.data_id}."
            return Copy("cache", where, partial(_read, path))
        return Absence(f"the cache {self.path} does not have it yet")

    def store(self, entry: Entry, dataset: Dataset) -> None:
        """Write a dataset whole or not at all; where that fails, warn and go on.

        The file gets its name only when it is complete, so that neither an interruption nor
        another process that writes the same leaves half a file.

        Parameters
        ----------
        entry : Entry
            A dataset that OpenML has.
        dataset : Dataset
            Its content, checked.
        """
        path = self._file(entry)
        unfinished: Path | None = None
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                dir=self.path, prefix=f".{path.stem}-", suffix=".npz", delete=False
            ) as file:
                unfinished = Path(file.name)
                np.savez_compressed(file, X=dataset.X, y=dataset.y)
            unfinished.replace(path)
        except OSError as error:
            warnings.warn(
                f"{entry.name} was loaded but could not be kept in the cache {self.path}: {error}. "
                "Name another folder by the environment variable TACIT_CACHE.",
                stacklevel=3,
            )
        finally:
            if unfinished is not None:
                unfinished.unlink(missing_ok=True)

    def _file(self, entry: Entry) -> Path:
        number = 0 if entry.openml is None else entry.openml.data_id
        return self.path / f"{entry.name.lower()}-openml-{number}.npz"


def _read(path: Path) -> Table:
    try:
        # np.load would leave a damaged file open if it opened the file itself.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            return Table(content["X"].astype(np.float64), content["y"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise SourceError(f"the cache file {path} is damaged ({error})") from error
