"""The column of labels: which rows have one, and what the classes are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask
from tacit.tables._errors import TableError
from tacit.tables._marks import (
    Marks,
    check_marks_occur,
    marked_rows,
    rows_of_marks,
    truth_in_one_spelling,
)
from tacit.tables._packages import import_pandas

MOST_CLASSES = 50
SHOWN = 6


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of a table.

    Attributes
    ----------
    name : str
        The column.
    values : ndarray of object of shape (n,)
        A string or whole number for each labeled row, None for the others.
    counts : dict
        Labels of each class, in order of the classes.
    marks : Marks
        What marked rows without label, besides blanks and NA.
    marked : Counter of str
        Rows with each of the marks.
    """

    name: str
    values: AnyArray
    counts: dict[Any, int]
    marks: Marks = field(default_factory=Marks)
    marked: Counter[str] = field(default_factory=Counter)

    @property
    def is_labeled(self) -> Mask:
        """Where the label is known."""
        return np.array([value is not None for value in self.values], dtype=bool)

    @property
    def classes(self) -> list[Any]:
        """The classes, sorted."""
        return list(self.counts)


def find_column(name: str, columns: list[str], table: str) -> str:
    """The column of that name, or an error with the names that come near."""
    if name in columns:
        return name
    folded = {column.casefold(): column for column in columns}
    near = folded.get(name.casefold().strip())
    if near is None:
        matches = get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
        near = folded[matches[0]] if matches else None
    if near is not None:
        raise TableError(f"{table} has no column {name!r}; did you mean {near!r}?")
    raise TableError(f"{table} has no column {name!r}; its columns are {shown(columns, 12)}.")


def read_target(
    column: Any,
    name: str,
    marks: Marks,
    table: str,
    need_unlabeled: bool = True,
    marked: Counter[str] | None = None,
) -> Target:
    """Tell labels from blanks and marks, and check that the labels are classes.

    Parameters
    ----------
    column : pandas.Series
        The column of labels.
    name : str
        Its name.
    marks : Marks
        What stands for "unlabeled" besides blanks and NA, and what does not.
    table : str
        What to call the table in messages.
    need_unlabeled : bool, default=True
        Whether a table with a label in every row is an error.
    marked : Counter of str, optional
        Rows of the whole table with each of the marks, where `column` is only a part of it.
    """
    values = truth_in_one_spelling(label_values(column, marks, name))
    own = marked_rows(column, marks)
    marked = own if marked is None else marked
    known = [value for value in values if value is not None]
    if not known:
        blank = " or ".join(["blank", *(mark for mark in marks.texts)])
        raise TableError(
            f"Column {name!r} of {table} has no labels: every row is {blank}; fill in the labels "
            "that you know, at least two of each class."
        )
    tally = Counter(known)
    counts = {value: tally[value] for value in sorted(tally)}
    has_blanks = len(values) - len(known) > own.total()
    check_marks_occur(marks, marked, name, table, counts, has_blanks)
    marks.check_no_doubt(name, table, counts, len(known) < len(values))
    _check_classes(name, table, counts, len(known))
    if need_unlabeled and len(known) == len(values):
        raise TableError(
            f"Column {name!r} of {table} has a label in every row, so there is no unlabeled data; "
            f"name the value that marks rows without label, one of {shown(list(counts))}, with "
            "--unlabeled, or leave their labels blank."
        )
    return Target(name, values, counts, marks, marked)


def is_unlabeled(column: Any, marks: Marks) -> Mask:
    """Where a column of labels is blank, missing or a mark."""
    types = import_pandas().api.types
    missing = np.array(column.isna(), dtype=bool)
    for rows in rows_of_marks(column, marks).values():
        missing |= rows
    if not types.is_numeric_dtype(column.dtype):
        known = np.flatnonzero(~missing)
        missing[known[(column.iloc[known].map(str).str.strip() == "").to_numpy(dtype=bool)]] = True
    return missing


def label_values(column: Any, marks: Marks, name: str) -> AnyArray:
    """Every label as a whole number or a string, and None for rows without one."""
    types = import_pandas().api.types
    known = ~is_unlabeled(column, marks)
    labels = np.full(len(column), None, dtype=object)
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        labels[known] = _whole_numbers(column[known].to_numpy(dtype=np.float64), name)
    else:
        labels[known] = _one_kind(column[known], name)
    return labels


def _one_kind(known: Any, name: str) -> list[Any]:
    values: list[Any] = known.tolist()
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return _whole_numbers(np.array(values, dtype=np.float64), name)
    return [str(value).strip() for value in values]


def _whole_numbers(known: AnyArray, name: str) -> list[int]:
    if not np.isfinite(known).all():
        raise TableError(
            f"Column {name!r} has an infinite number for a label; labels must be classes."
        )
    if (known != np.round(known)).any():
        example = known[known != np.round(known)][0]
        raise TableError(
            f"Column {name!r} has numbers with decimals, such as {example:g}, so it looks like a "
            "measurement and not like classes; make classes of it first, such as high and low."
        )
    return [int(value) for value in known]


def _check_classes(name: str, table: str, counts: dict[Any, int], n_labels: int) -> None:
    classes = list(counts)
    if len(classes) == 1:
        raise TableError(
            f"Column {name!r} of {table} has labels of only one class, {classes[0]!r}; label some "
            "rows of another class too."
        )
    if len(classes) > MOST_CLASSES or (len(classes) > 10 and len(classes) > n_labels / 2):
        raise TableError(
            f"Column {name!r} of {table} has {len(classes):,} different values in {n_labels:,} "
            f"labels ({shown(classes, 3)}), so it does not look like classes; choose another "
            "--target."
        )


def shown(values: list[Any], most: int = SHOWN) -> str:
    """Some values for a message, and how many there are."""
    text = ", ".join(repr(value) for value in values[:most])
    return f"{text}, ... ({len(values)} in all)" if len(values) > most else text
