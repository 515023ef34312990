"""A person's table: features, labels, and what was made of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import AnyArray
from tacit.tables._columns import Column, judge_columns
from tacit.tables._marks import Marks, mark_notes
from tacit.tables._reading import read_raw
from tacit.tables._sampling import read_sample
from tacit.tables._targets import Target, find_column, read_target
from tacit.tables._typed_columns import as_kind


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of mixed columns, of which some have a label.

    Attributes
    ----------
    frame : pandas.DataFrame
        The features, typed.
    target : Target
        The labels.
    columns : tuple of Column
        What every column of the file is, the target aside.
    name : str
        What to call the table.
    n_rows_in_file : int
        Rows of the file; more than those of `frame` where unlabeled rows were sampled.
    notes : tuple of str
        What was done on the way that a reader should know.
    keep, drop : tuple of str
        The columns that were asked to be used and to be left out.
    separator : str or None
        Between the values of a table of text.
    """

    frame: Any
    target: Target
    columns: tuple[Column, ...]
    name: str
    n_rows_in_file: int
    notes: tuple[str, ...]
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    separator: str | None = None

    @property
    def y(self) -> AnyArray:
        """A label for each row, None where it is unknown."""
        return self.target.values

    @property
    def n_labeled(self) -> int:
        """Rows with label."""
        return sum(self.target.counts.values())

    @property
    def n_unlabeled(self) -> int:
        """Rows without label."""
        return len(self.y) - self.n_labeled


def read_table(
    source: str | Path,
    target: str,
    mark: str | Collection[str] | None = None,
    *,
    labels: Collection[str] = (),
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    max_unlabeled: int | None = None,
    need_unlabeled: bool = True,
    random_state: int = 0,
) -> Table:
    """Read a table with a column of labels.

    Parameters
    ----------
    source : str or Path
        A CSV, TSV, Parquet or Feather file, or "-" for the standard input.
    target : str
        The column of labels; blank and NA mean "unlabeled".
    mark : str or collection of str, optional
        Values of the target that mean "unlabeled" too.
    labels : collection of str
        Values of the target that are classes even if they look like marks, such as "None" or
        "NA".
    keep : collection of str
        Columns to use even if they look like identifiers.
    drop : collection of str
        Columns to leave out.
    max_unlabeled : int, optional
        The most unlabeled rows to keep, drawn at random. Big Parquet files are then read in
        pieces, so that they need not fit into memory.
    need_unlabeled : bool, default=True
        Whether a table with a label in every row is an error.
    random_state : int, default=0
        Seed of that draw.

    Returns
    -------
    Table
        With typed features and checked labels.

    Raises
    ------
    TableError
        In one sentence, with what to do about it.
    """
    sample = None
    marks = Marks.of(mark, labels)
    if max_unlabeled is not None:
        sample = read_sample(source, target, marks, max_unlabeled, random_state)
    raw = read_raw(source, target=target, marks=marks) if sample is None else sample.raw
    n_rows_in_file = len(raw.frame) if sample is None else sample.n_rows
    notes = list(raw.notes)
    target = find_column(target, list(raw.frame.columns), raw.name)
    for name in (*keep, *drop):
        find_column(name, list(raw.frame.columns), raw.name)
    marked = None if sample is None else sample.marked
    found = read_target(raw.frame[target], target, marks, raw.name, need_unlabeled, marked)
    notes += mark_notes(found.marked)
    frame = raw.frame.drop(columns=target)
    if max_unlabeled is not None:
        frame, found = _sampled(frame, found, max_unlabeled, random_state)
        if len(frame) < n_rows_in_file:
            n_unlabeled = n_rows_in_file - sum(found.counts.values())
            notes.append(
                f"Of the {n_unlabeled:,} unlabeled rows, {int((~found.is_labeled).sum()):,} drawn "
                "at random were used."
            )
    columns = judge_columns(frame, keep, drop, raw.written)
    notes += column_notes(columns)
    typed = {
        c.name: as_kind(frame[c.name], c.kind, c.written, c.n_values)
        for c in columns
        if c.is_feature
    }
    frame = type(frame)(typed, index=frame.index)
    return Table(
        frame,
        found,
        columns,
        raw.name.strip("'"),
        n_rows_in_file,
        tuple(notes),
        tuple(keep),
        tuple(drop),
        raw.separator,
    )


def column_notes(columns: tuple[Column, ...]) -> list[str]:
    """Sentences about the columns that were left out or need a word."""
    notes = []
    for column in columns:
        if column.is_feature:
            if column.note:
                notes.append(f"{column.name!r}: {column.note}.")
        else:
            keep = " (use it all the same with --keep)" if column.kind == "identifier" else ""
            notes.append(f"{column.name!r} was left out: {column.note}{keep}.")
    return notes


def _sampled(frame: Any, labels: Target, most: int, random_state: int) -> tuple[Any, Target]:
    unlabeled = np.flatnonzero(~labels.is_labeled)
    if len(unlabeled) <= most:
        return frame, labels
    drawn = np.random.default_rng(random_state).choice(unlabeled, most, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(labels.is_labeled), drawn]))
    sampled = replace(labels, values=labels.values[rows])
    return frame.iloc[rows].reset_index(drop=True), sampled
