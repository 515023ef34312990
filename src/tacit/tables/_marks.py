"""Which values of the target mean "unlabeled", and which only look as if they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask
from tacit.tables._errors import TableError
from tacit.tables._packages import import_pandas
from tacit.tables._truth import NUMBERS as TRUTH_VALUES

# What means "unlabeled" unless it is said to be a class.
USUAL = "NA"
# What people and programs write where nothing is known, in small letters. In the target each of
# them may as well be a class, such as the None of "None, Mild, Severe".
SUSPECT = frozenset(
    {
        "?", "??", "-", "--", ".", "-1", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "-nan",
        "null", "nil", "none", "missing", "unknown", "unlabeled", "unlabelled", "not labeled",
    }
)  # fmt: skip
# Those of them by which a program may print a missing value that a file has as such.
PRINTED = frozenset({"na", "<na>", "nan", "nat", "null", "none"})
# What pandas takes for missing in CSV files; it goes on to do so in the features.
MISSING_IN_TEXT = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
        "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Marks:
    """What is known about the values of the target before it is read.

    Attributes
    ----------
    unlabeled : tuple of str
        Values that mean "unlabeled" besides blanks and NA; numbers as text.
    labels : tuple of str
        Values that are classes even if they look like marks.
    """

    unlabeled: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, mark: str | Collection[str] | Marks | None, labels: Collection[str] = ()) -> Marks:
        """Marks from what a caller gives: one value, several, or none."""
        if isinstance(mark, Marks):
            return mark
        given = (mark,) if isinstance(mark, str) else tuple(mark or ())
        # Blanks mean "unlabeled" anyway.
        unlabeled = tuple(dict.fromkeys(value.strip() for value in given if value.strip()))
        known = tuple(dict.fromkeys(value.strip() for value in labels))
        both = [value for value in unlabeled if value in known]
        if both:
            raise TableError(
                f"{both[0]!r} is said to mean unlabeled and to be a class; it can be only one."
            )
        return cls(unlabeled, known)

    @property
    def texts(self) -> tuple[str, ...]:
        """All values of a column of text that mean "unlabeled", blanks aside."""
        usual = () if USUAL in (*self.labels, *self.unlabeled) else (USUAL,)
        return (*usual, *self.unlabeled)

    def check_no_doubt(
        self, name: str, table: str, counts: dict[Any, int], has_blank: bool
    ) -> None:
        """Ask about a class that looks like a mark, where classes enough are left without it.

        Parameters
        ----------
        name, table : str
            The column and its table, for the message.
        counts : dict
            Labels of each class.
        has_blank : bool
            Whether other rows are unlabeled already.
        """
        answered = {label.casefold() for label in self.labels}
        looks = {value: str(value).casefold() for value in counts}
        strange = [v for v, t in looks.items() if t in SUSPECT and t not in answered]
        if not strange or len(counts) - len(strange) < 2:
            return
        value, option = strange[0], str(strange[0])
        besides = " besides rows without label" if has_blank else ""
        raise TableError(
            f"Column {name!r} of {table} has {counts[value]:,} rows with {option!r}{besides}; say "
            f"whether they are unlabeled (--unlabeled {_quoted(option)}) or a class "
            f"(--label {_quoted(option)})."
        )


def rows_of_marks(column: Any, marks: Marks) -> dict[str, Mask]:
    """Where a column of labels has each of the marks.

    Numbers are compared as numbers, and true and false in whatever way they are written.
    """
    types = import_pandas().api.types
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return {m: np.asarray(numbers == float(m)) for m in marks.unlabeled if is_number(m)}
    known = np.flatnonzero(column.notna().to_numpy(dtype=bool))
    values = column.iloc[known].astype(object)
    texts = values.map(str).str.strip().to_numpy(dtype=object)
    rows: dict[str, Mask] = {}
    for mark in marks.texts:
        is_mark = np.asarray(texts == mark, dtype=bool)
        if is_number(mark):
            is_mark |= values.map(partial(_is_number_equal, float(mark))).to_numpy(dtype=bool)
        if mark.casefold() in TRUTH_VALUES:
            truth = mark.casefold() == "true"
            is_mark |= values.map(partial(_is_truth_equal, truth)).to_numpy(dtype=bool)
        rows[mark] = np.zeros(len(column), dtype=bool)
        rows[mark][known[is_mark]] = True
    return rows


def marked_rows(column: Any, marks: Marks) -> Counter[str]:
    """How many rows of a column of labels have each of the marks, blanks aside."""
    tally = {mark: int(rows.sum()) for mark, rows in rows_of_marks(column, marks).items()}
    return Counter({mark: count for mark, count in tally.items() if count})


def check_marks_occur(
    marks: Marks, marked: Counter[str], name: str, table: str, counts: dict[Any, int], blanks: bool
) -> None:
    """An error for a mark that no row has, which would leave rows that were meant as a class.

    Parameters
    ----------
    marks : Marks
        What was said to mean "unlabeled".
    marked : Counter of str
        Rows with each of them, in the whole table.
    name, table : str
        The column and its table, for the message.
    counts : dict
        Labels of each class.
    blanks : bool
        Whether some rows have no value at all.
    """
    for mark in marks.unlabeled:
        if marked[mark] or (blanks and mark.casefold() in PRINTED):
            continue
        folded = {str(value).casefold(): str(value) for value in counts}
        near = get_close_matches(mark.casefold(), list(folded), n=1, cutoff=0.7)
        hint = (
            f"did you mean {folded[near[0]]!r}?"
            if near
            else f"its labels are {', '.join(repr(value) for value in list(counts)[:6])}"
            f"{', ...' if len(counts) > 6 else ''}. Correct --unlabeled, or leave it out."
        )
        raise TableError(f"Column {name!r} of {table} has no row with the mark {mark!r}; {hint}")


def mark_notes(marked: Counter[str]) -> list[str]:
    """Sentences about what was taken as unlabeled."""
    return [
        f"{count:,} {'row' if count == 1 else 'rows'} with {mark!r} "
        f"{'was' if count == 1 else 'were'} taken as unlabeled."
        for mark, count in marked.items()
    ]


def labels_as_written(column: Any, marks: Marks, decimal: str) -> Any:
    """A target read from text, its numbers as numbers even where a mark stands between them."""
    pandas = import_pandas()
    texts = column.astype("string").str.strip()
    given = (texts.notna() & (texts != "")).to_numpy(dtype=bool)
    others = given & ~texts.isin(marks.texts).to_numpy(dtype=bool)
    for rows in (given, others):
        plain = texts[rows].str.replace(decimal, ".", regex=False)
        numbers = pandas.to_numeric(plain, errors="coerce")
        if rows.any() and not numbers.isna().any():
            values: AnyArray = column.to_numpy(dtype=object, copy=True)
            values[rows] = numbers.to_numpy(dtype=np.float64)
            # Marks that are numbers, too, are found among them however they are written.
            return pandas.Series(
                values, index=column.index, dtype=np.float64 if rows is given else object
            )
    return texts.astype(object).where(given, None)


def truth_in_one_spelling(labels: AnyArray) -> AnyArray:
    """Labels in which true and TRUE are one class, as they are written if that is one way."""
    spellings = {label for label in labels if label is not None}
    if len(spellings) <= 2 or any(str(label).lower() not in TRUTH_VALUES for label in spellings):
        return labels
    one = {label: str(label).capitalize() for label in spellings}
    return np.array([one.get(label) for label in labels], dtype=object)


def is_number(text: str) -> bool:
    """Whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_number_equal(number: float, value: Any) -> bool:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and bool(value == number)


def _is_truth_equal(truth: bool, value: Any) -> bool:
    return isinstance(value, bool | np.bool_) and bool(value) == truth


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)
