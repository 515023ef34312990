"""Rows to be labeled as a table that people fill in, and the answers back in their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import AnyArray
from tacit._words import listed, number_of, spelled_out
from tacit.selection import Suggestion, suggest_labels
from tacit.tables._errors import TableError, import_pandas
from tacit.tables._features import make_features
from tacit.tables._reading import RawTable, read_raw
from tacit.tables._table import MixedTable
from tacit.tables._target import UnlabeledMarkers, find_column, has_label
from tacit.tables._text import INFER, NULLS, ReadOptions

# The columns beside the table's own; where it has one of that name, with "_" behind it.
ROW, REASON = "row", "reason"
# The share of a row's columns above which it is another row.
MOST_DIFFERENT = 0.5


@dataclass(frozen=True, eq=False)
class Answered:
    """A table with answers in its column of labels."""

    frame: Any  #: All rows, otherwise as they were written.
    labels: dict[str, int]  #: How often each answer was given.
    new_classes: list[str]  #: Those that the table had not had.
    n_empty: int  #: Rows that were left without an answer.

    def __str__(self) -> str:
        """How many answers there are of which class, and which classes are new."""
        counts = ", ".join(f"{text}: {count:,}" for text, count in self.labels.items())
        told = f"{number_of(sum(self.labels.values()), 'answer')} filled in ({counts})"
        told += f", {self.n_empty:,} still empty." if self.n_empty else "."
        if self.new_classes:
            are = "is a class" if len(self.new_classes) == 1 else "are classes"
            new = listed([repr(text) for text in self.new_classes])
            told += f"\n{new} {are} that the table did not have."
        return spelled_out(told, but="\n")


def suggest_rows(table: MixedTable, n: int, random_state: int = 0) -> list[Suggestion]:
    """The rows of a table whose labels would teach most; `tacit.selection.suggest_labels`."""
    Z = np.asarray(make_features(table.columns).fit_transform(table.frame), dtype=np.float64)
    return suggest_labels(Z, table.y, n, unlabeled=None, random_state=random_state)


def rows_to_label(
    source: Any, target: str, suggestions: Sequence[Suggestion], options: ReadOptions = INFER
) -> Any:
    """A frame to be filled in.

    The number of each row, 1 being the first, the empty column of labels, the reason, and the
    row's own columns as they are written.
    """
    frame = _as_written(source, options).frame
    own = frame.iloc[[suggestion.row for suggestion in suggestions]].drop(columns=target)
    own.insert(0, _free(ROW, frame), [suggestion.row + 1 for suggestion in suggestions])
    own.insert(1, target, "")
    own.insert(2, _free(REASON, frame), [suggestion.reason for suggestion in suggestions])
    return own.reset_index(drop=True)


def fill_in(
    source: Any, answers: Any, target: str, mark: Any, labels: Collection[str], options: ReadOptions
) -> Answered:
    """Bring `answers`, rows of `rows_to_label` with labels, back into the table they are about.

    Rows may be left empty, left out or in another order. Row numbers that the table does not have,
    rows that are not its own, and answers that contradict each other or its labels are errors.
    """
    table, given = _as_written(source, options), _as_written(answers, INFER)
    markers = UnlabeledMarkers.of(mark, labels)
    number = _free(ROW, table.frame)
    for where, name in ((table, target), (given, target), (given, number)):
        find_column(name, list(where.frame.columns), where.name)
    before = markers.decode(table.frame[target])[0]
    texts = markers.decode(given.frame[target])[0]
    is_answer = has_label(texts)
    if not is_answer.any():
        raise TableError(f"{given.name} has no answers; fill in its column {target!r}.")
    filled = given.frame[is_answer]
    found = _found_rows(filled[number], table, given.name)
    _check_same_rows(filled, found, target, table, given.name)
    after: dict[int, str] = {}
    for row, text in zip(found, texts[is_answer], strict=True):
        known = after.get(row, before[row])
        if known not in (None, text):
            raise TableError(
                f"{given.name} has the answer {text!r} for row {row + 1}, which has the label "
                f"{known!r} already; leave one of them, or empty the answer."
            )
        after[row] = text
    known_classes = set(before[has_label(before)])
    counts = Counter(after.values())
    new = sorted(text for text in counts if text not in known_classes)
    frame = table.frame.assign(**{target: _column(table, target, before, after)})
    return Answered(frame, dict(counts), new, int((~is_answer).sum()))


def _free(name: str, frame: Any) -> str:
    """The name of a column beside the table's own, which it shares with none of them."""
    while name in frame.columns:
        name += "_"
    return name


def _as_written(source: Any, options: ReadOptions) -> RawTable:
    """A table whose texts, numbers among them, are as the file has them."""
    raw = read_raw(source, options)
    return read_raw(source, options, as_text=list(raw.frame.columns)) if raw.is_text else raw


def _found_rows(numbers: Any, table: RawTable, name: str) -> list[int]:
    """Positions in the table from row numbers."""
    n_rows, values = len(table.frame), import_pandas().to_numeric(numbers, errors="coerce")
    is_wrong = ~values.isin(np.arange(1, n_rows + 1))
    if is_wrong.any():
        raise TableError(
            f"{name} has the row number {numbers[is_wrong].iloc[0]!r}, and {table.name} has the "
            f"rows 1 to {n_rows}; leave the column {numbers.name!r} as it was written."
        )
    return [int(value) - 1 for value in values]


def _check_same_rows(
    filled: Any, found: list[int], target: str, table: RawTable, name: str
) -> None:
    """Refuse rows that differ from the table's in most columns: it was sorted, or is another.

    Spreadsheets write some columns otherwise, such as dates, so a few may differ.
    """
    shared = [c for c in filled.columns if c in table.frame.columns and c != target]
    ours, theirs = table.frame[shared].iloc[found].map(_plain), filled[shared].map(_plain)
    differs = (ours.to_numpy() != theirs.to_numpy()).sum(axis=1) > MOST_DIFFERENT * len(shared)
    if differs.any():
        row = found[int(np.argmax(differs))] + 1
        raise TableError(
            f"Row {row} of {table.name} has other values than row {row} in {name}: the table was "
            "sorted or changed since, or is another; give the table that the rows are from."
        )


def _plain(value: Any) -> Any:
    """A value however its number is written, and with or without a quote before it."""
    text = "" if value is None else str(value).strip().removeprefix("'")
    if text in NULLS or text == "NaT":
        return ""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _column(table: RawTable, target: str, before: AnyArray, after: dict[int, str]) -> Any:
    """The column of labels with the answers: of numbers where it was one and still can be."""
    pandas, column = import_pandas(), table.frame[target]
    values = np.array(column if table.is_text else before, dtype=object)
    values[list(after)] = list(after.values())
    if pandas.api.types.is_numeric_dtype(column) and column.dtype != bool:
        numbers = pandas.to_numeric(pandas.Series(values), errors="coerce")
        if (numbers.notna() == has_label(values)).all():
            return numbers.astype("Int64").array
    return values
