"""What each column of a table is, and whether it can be a feature."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._typing import Mask
from tacit.tables._dates import TIME, date_format, looks_like_times
from tacit.tables._packages import import_pandas
from tacit.tables._truth import TRUTH, is_truth
from tacit.tables._written_numbers import READABLE

NUMBER, CATEGORY, DATE, TEXT = "number", "category", "date", "text"
IDENTIFIER, CONSTANT, EMPTY, UNWANTED = "identifier", "constant", "empty", "left out by choice"
BYTES, NESTED = "bytes", "nested"
FEATURES = (NUMBER, CATEGORY, DATE, TEXT)

# Up to here a category has one column for each value; above, strings are encoded by their letters.
MOST_VALUES = 40
# Fewer rows than this may be all different by chance.
FEW_ROWS = 20
UNIQUE = 0.99
LONG_TEXT, WORDS_OF_TEXT = 60, 4.0
# A word, as scikit-learn counts them, and how many of them a text needs to be described by.
WORD, LEAST_WORDS = re.compile(r"\b\w\w+\b"), 4
ID_NAME = re.compile(r"(^|[\W_])(id|ids|uuid|guid|key|index|idx|nr|no|number|num|code|unnamed)\d*$")
SAMPLE = 2000


@dataclass(frozen=True)
class Column:
    """One column and what becomes of it.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        "number", "category", "date" or "text" for features; otherwise why it is none.
    note : str
        What a reader should know about it, or nothing.
    written : str or None
        How its dates are written, if they are text. For numbers, `TRUTH` where they stand for true
        and false, `TIME` where they stand for times of day, and an example such as 1.234,5 where
        signs stood between thousands.
    n_missing, n_values : int
        Rows without value, and different values.
    n_words : int
        For free text, the different words in some of it.
    """

    name: str
    kind: str
    note: str = ""
    written: str | None = None
    n_missing: int = 0
    n_values: int = 0
    n_words: int = 0

    @property
    def is_feature(self) -> bool:
        """Whether the classifier sees it."""
        return self.kind in FEATURES


def judge_columns(
    frame: Any,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    written: Mapping[str, str] | None = None,
) -> tuple[Column, ...]:
    """Say of each column what it is.

    Labels are not looked at, so the judgement may use all rows without flattering the classifier.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table without its target.
    keep : collection of str
        Columns that are features even if they look like identifiers.
    drop : collection of str
        Columns to leave out.
    written : mapping of str to str, optional
        For columns of numbers that had signs between thousands, an example of them.
    """
    columns = [_judge(name, frame[name], name in keep, name in drop) for name in frame.columns]
    styles = written or {}
    return tuple(
        replace(column, written=styles[column.name])
        if column.kind == NUMBER and column.written is None and column.name in styles
        else column
        for column in columns
    )


def _judge(name: str, column: Any, keep: bool, drop: bool) -> Column:
    pandas = import_pandas()
    types = pandas.api.types
    is_finite, n_infinite = _finite(column)
    missing = int((~is_finite).sum())
    known = column[is_finite]
    unusable = _unusable(known)
    values = 0 if unusable else _n_values(known)
    infinite = infinite_note(n_infinite)

    def found(kind: str, note: str = "", written: str | None = None) -> Column:
        return Column(name, kind, note, written, missing, values)

    if drop:
        return found(UNWANTED, "you asked for it")
    if len(known) == 0:
        return found(EMPTY, infinite or "it has no values")
    if unusable is not None:
        return found(*unusable)
    if values == 1 and missing == 0:
        return found(CONSTANT, f"every row has the value {_short(known.iloc[0])}")
    if types.is_datetime64_any_dtype(column.dtype):
        return found(DATE)
    if types.is_bool_dtype(column.dtype):
        return found(NUMBER, written=TRUTH)
    if isinstance(column.dtype, pandas.CategoricalDtype) and values <= MOST_VALUES:
        return found(CATEGORY)  # whoever made the file says so
    if types.is_numeric_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
        if not keep and _is_counter(name, known, values):
            return found(IDENTIFIER, _identifier_note("numbers", values, len(known)))
        return found(NUMBER, infinite)
    return _judge_text(found, name, known, values, keep)


def _judge_text(
    found: Callable[..., Column], name: str, known: Any, values: int, keep: bool
) -> Column:
    pandas = import_pandas()
    texts = known.astype(str).str.strip()
    truth = is_truth(texts)
    if float(truth.mean()) >= READABLE:
        return found(NUMBER, _unreadable(texts[~truth], "truth values"), TRUTH)
    numbers = pandas.to_numeric(texts, errors="coerce")
    readable = float(numbers.notna().mean())
    if readable >= READABLE:
        numbers = numbers[np.isfinite(numbers)]
        bad = texts.drop(numbers.index)
        if not keep and _is_counter(name, numbers, values):
            return found(IDENTIFIER, _identifier_note("numbers", values, len(known)))
        return found(NUMBER, _unreadable(bad, "numbers"))
    sample = texts.iloc[:: max(1, len(texts) // SAMPLE)]
    written = date_format(sample)
    if written is not None:
        return found(DATE, written.note, written.format)
    if looks_like_times(sample):
        return found(NUMBER, "times of day, as seconds since midnight", TIME)
    words = float(sample.str.count(r"\s+").mean()) + 1.0
    length = float(sample.str.len().mean())
    longest = int(texts.str.len().max())
    if values <= MOST_VALUES and values < UNIQUE * len(texts):
        return found(CATEGORY)  # however long its values are
    if words >= WORDS_OF_TEXT or (length >= LONG_TEXT and words >= 2.0):
        vocabulary = {word for text in sample for word in WORD.findall(text.lower())}
        if len(vocabulary) >= LEAST_WORDS:
            note = f"free text of up to {longest:,} characters, described by the words in it"
            return replace(found(TEXT, note), n_words=len(vocabulary))
    if not keep and len(texts) >= FEW_ROWS and values >= UNIQUE * len(texts):
        return found(IDENTIFIER, _identifier_note("texts", values, len(texts)))
    return found(CATEGORY, f"{values:,} different values, described by the letters in them")


def _finite(column: Any) -> tuple[Mask, int]:
    """Where a column has values that are not infinite, and how many are."""
    types = import_pandas().api.types
    known = column.notna().to_numpy(dtype=bool)
    if not types.is_float_dtype(column.dtype):
        return known, 0
    infinite = np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return known & ~infinite, int(infinite.sum())


def infinite_note(n_infinite: int) -> str:
    """What becomes of infinite numbers, if there are any."""
    if n_infinite == 0:
        return ""
    return (
        f"{n_infinite:,} {'value is' if n_infinite == 1 else 'values are'} infinite and "
        f"{'counts' if n_infinite == 1 else 'count'} as missing"
    )


def _unusable(known: Any) -> tuple[str, str] | None:
    """The kind of a column of things that are neither numbers nor text, and why it is left out."""
    if isinstance(known.dtype, import_pandas().CategoricalDtype):
        known = known.cat.categories
    if known.dtype != object:
        return None
    kinds = set(known.map(type))
    if any(issubclass(kind, bytes | bytearray | memoryview) for kind in kinds):
        return BYTES, "it holds bytes; decode them if they are text"
    if any(issubclass(kind, list | tuple | set | dict | np.ndarray) for kind in kinds):
        return NESTED, "its values hold several values each; make a column of each of them"
    return None


def _is_counter(name: str, known: Any, values: int) -> bool:
    """Whether whole numbers name the rows instead of measuring something."""
    if len(known) < FEW_ROWS or values < UNIQUE * len(known):
        return False
    try:
        numbers = known.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        return False
    if not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return False
    steps = np.diff(numbers)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    without_gaps = bool(np.ptp(numbers) < 1.05 * len(numbers))
    return in_order or without_gaps or ID_NAME.search(name.casefold()) is not None


def _n_values(known: Any) -> int:
    try:
        return int(known.nunique())
    except TypeError:  # objects that cannot be compared
        return int(known.astype(str).nunique())


def _identifier_note(what: str, n_values: int, n_rows: int) -> str:
    all_of = "all" if n_values == n_rows else "nearly all"
    return f"looks like an identifier, {all_of} {n_rows:,} {what} being different"


def _unreadable(bad: Any, what: str) -> str:
    if len(bad) == 0:
        return ""
    examples = ", ".join(_short(value) for value in bad.unique()[:3])
    return f"{len(bad):,} values are no {what} and count as missing ({examples})"


def _short(value: Any, most: int = 30) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= most else f"{text[: most - 4]}...'"
