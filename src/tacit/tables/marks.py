"""Which values of the target mean "unlabeled", and which only look as if they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import AnyArray
from tacit.tables.errors import TableError
from tacit.tables.packages import import_pandas

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
        unlabeled = tuple(dict.fromkeys(value.strip() for value in given))
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

    @property
    def numbers(self) -> tuple[float, ...]:
        """Those that are numbers."""
        return tuple(float(mark) for mark in self.unlabeled if is_number(mark))

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


def marked_rows(column: Any, marks: Marks) -> Counter[str]:
    """How many rows of a column of labels have each of the marks, blanks aside."""
    types = import_pandas().api.types
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        tally = {m: int((numbers == float(m)).sum()) for m in marks.unlabeled if is_number(m)}
    else:
        texts = column.dropna().map(str).str.strip()
        tally = {mark: int((texts == mark).sum()) for mark in marks.texts}
    return Counter({mark: count for mark, count in tally.items() if count})


def mark_notes(marked: Counter[str], is_sample: bool = False) -> list[str]:
    """Sentences about what was taken as unlabeled."""
    if is_sample:
        return [f"Rows with {mark!r} were taken as unlabeled." for mark in marked]
    return [
        f"{count:,} {'row' if count == 1 else 'rows'} with {mark!r} "
        f"{'was' if count == 1 else 'were'} taken as unlabeled."
        for mark, count in marked.items()
    ]


def labels_as_written(column: Any, marks: Marks, decimal: str) -> Any:
    """A target read from text, its numbers as numbers even where a mark stands between them."""
    pandas = import_pandas()
    if not pandas.api.types.is_object_dtype(column.dtype):
        return column
    texts = column.astype("string").str.strip()
    others = (texts.notna() & (texts != "") & ~texts.isin(marks.texts)).to_numpy(dtype=bool)
    numbers = pandas.to_numeric(texts[others].str.replace(decimal, "."), errors="coerce")
    if numbers.isna().any() or column[others].map(lambda v: isinstance(v, bool)).any():
        return column
    values: AnyArray = column.to_numpy(dtype=object, copy=True)
    values[others] = numbers.to_numpy(dtype=np.float64)
    return pandas.Series(values, index=column.index, dtype=object)


def is_number(text: str) -> bool:
    """Whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)
