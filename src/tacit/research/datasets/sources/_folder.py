"""CSV files in a folder that the user names."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np

from tacit.research.datasets._entry import Entry
from tacit.research.datasets.sources._protocol import Absence, Copy, Table


class DatasetFileError(ValueError):
    """A file of the user's folder is not the dataset it is named for."""


class Folder:
    """Comma-separated files, one a dataset, named like it in lower case: ``ionosphere.csv``.

    The first line names the columns and the last column is the class. The other columns have the
    registry's names, in any order, or other names in the registry's order. Values are decimal
    numbers with a point; empty lines are passed over; the encoding is UTF-8.

    Parameters
    ----------
    path : Path
        The folder.
    origin : str
        How the user named it, for errors: a parameter or an environment variable.
    """

    def __init__(self, path: Path, origin: str) -> None:
        if not path.is_dir():
            raise DatasetFileError(
                f"{origin} was {str(path)!r}, which is not a folder; name a folder with files such "
                "as ionosphere.csv, or leave it out."
            )
        self.path = path

    def find(self, entry: Entry) -> Copy | Absence:
        """Look for the dataset's file, whatever the case of its name."""
        for path in sorted(self.path.iterdir()):
            if path.name.lower() == entry.file_name and path.is_file():
                return Copy("folder", f"File {path}.", partial(_read, path, entry))
        return Absence(f"the folder {self.path} has no {entry.file_name}")


def _read(path: Path, entry: Entry) -> Table:
    try:
        # "utf-8-sig" also takes the mark that spreadsheets put in front.
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DatasetFileError(f"{path} cannot be read as comma-separated text: {error}") from error
    if not lines:
        raise DatasetFileError(f"{path} is empty; it must have a header line and the rows.")
    header = [name.strip() for name in lines[0]]
    positions = _positions(path, header, entry)
    rows: list[list[float]] = []
    labels: list[str] = []
    for number, cells in enumerate(lines[1:], start=2):
        if not cells:
            continue
        if len(cells) != len(header):
            raise DatasetFileError(
                f"{path}, line {number}: {len(cells)} values, but the header has {len(header)} "
                "columns."
            )
        rows.append([_number(path, number, header[k], cells[k]) for k in positions])
        labels.append(cells[-1].strip())
    X = np.array(rows, dtype=np.float64).reshape(len(rows), entry.n_features)
    return Table(X, np.array(labels))


def _positions(path: Path, header: list[str], entry: Entry) -> list[int]:
    """Where each of the registry's features is in a line of the file."""
    columns, expected = header[:-1], list(entry.feature_names)
    if header and all(_is_number(cell) for cell in columns):
        raise DatasetFileError(f"{path}, line 1: it must name the columns, but it holds numbers.")
    if sorted(columns) == sorted(expected):
        return [columns.index(name) for name in expected]
    missing = [name for name in expected if name not in columns]
    strange = [name for name in columns if name not in expected]
    if len(columns) != len(expected):
        detail = f"; missing: {_some(missing)}" if missing else ""
        detail += f"; unexpected: {_some(strange)}" if strange else ""
        raise DatasetFileError(
            f"{path}, line 1: {len(columns)} feature columns before the class, but {entry.name} "
            f"has {len(expected)}{detail}."
        )
    for position, name in enumerate(columns):
        if name in expected and expected[position] != name:
            raise DatasetFileError(
                f"{path}, line 1: column {position + 1} is {name!r} where {expected[position]!r} "
                f"belongs, and the file lacks {_some(missing) or 'no column but repeats one'}; "
                "give the columns their names, or the order of the original."
            )
    return list(range(len(expected)))


def _some(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise DatasetFileError(
            f"{path}, line {line}, column {column!r}: {text!r} is not a finite number."
        )
    return value
