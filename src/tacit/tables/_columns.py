"""What each column of a table is, whether it can be a feature, and its values as what it is."""

from __future__ import annotations

import re
import reprlib
import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._words import nearest, number_of
from tacit.tables._errors import TableError, import_pandas, import_skrub
from tacit.tables._target import shown
from tacit.tables._text import INFER, NULLS, ReadOptions

NUMBER, CATEGORY, DATE, TEXT = "number", "category", "date", "text"
IDENTIFIER, CONSTANT, EMPTY, UNWANTED = "identifier", "constant", "empty", "left out by choice"
FEATURES = (NUMBER, CATEGORY, DATE, TEXT)
# The formats of columns of numbers: 1 for true, and seconds since midnight.
BOOLEAN, TIME = "true or false", "time of day"
BOOLEAN_VALUES = {"true": "1", "false": "0"}
ISO = "ISO8601"

# The part of values that must be numbers or dates for the others to be typing errors.
READABLE = 0.95
# Up to here a category has one column for each value; above, strings are encoded by their letters.
MOST_VALUES = 40
# Beyond this the squares of numbers run over, and with them the spread of their column.
LARGEST = 1e150
# Fewer rows than this may be all different by chance.
FEW_ROWS = 20
UNIQUE = 0.99
LONG_TEXT, WORDS_OF_TEXT = 60, 4.0
# A word, as scikit-learn counts them, and how many of them a text needs to be described by.
WORD, LEAST_WORDS = re.compile(r"\b\w\w+\b"), 4
ID_NAME = re.compile(r"(^|[\W_])(id|ids|uuid|guid|key|index|idx|nr|no|number|num|code|unnamed)\d*$")
SAMPLE = 2000
# Groups of three digits with signs between them, or a decimal comma.
OTHER_NUMBER = r"[+-]?(?:\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+,\d+)"
# Year, month and day with signs between them, or the name of a month: what no number, code or
# version looks like.
LOOKS_LIKE_DATE = (
    r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    r"|\d{1,2}[ -](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]\d{2,4}"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2},? \d{4})"
)
LOOKS_LIKE_TIME = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"


@dataclass(frozen=True)
class Column:
    """One column and what becomes of it."""

    name: str
    kind: str  # one of FEATURES, otherwise why it is none
    note: str = ""  # what a reader should know about it
    # How its dates are written, if they are text; for numbers, BOOLEAN or TIME.
    format: str | None = None
    n_missing: int = 0
    n_values: int = 0  # different ones
    n_words: int = 0  # for free text, the different words in some of it

    @property
    def is_feature(self) -> bool:
        """Whether the classifier sees it."""
        return self.kind in FEATURES

    @property
    def is_one_hot(self) -> bool:
        """Whether it is a category with a feature for each value."""
        return self.kind == CATEGORY and self.n_values <= MOST_VALUES

    def typed(self, values: Any, options: ReadOptions = INFER) -> Any:
        """Values as what the column is; missing where they cannot be read as such."""
        pandas = import_pandas()
        if self.kind == NUMBER:
            return _as_numbers(values, self.format, options)
        if self.kind == DATE:
            if not pandas.api.types.is_datetime64_any_dtype(values.dtype):
                return _parsed_dates(_as_text(values).astype("string"), self.format or ISO)
            aware = isinstance(values.dtype, pandas.DatetimeTZDtype)
            return values.dt.tz_convert("UTC").dt.tz_localize(None) if aware else values
        texts = _as_text(values)
        return texts.astype("category") if self.is_one_hot else texts


def describe_columns(
    frame: Any, keep: Collection[str] = (), drop: Collection[str] = (), options: ReadOptions = INFER
) -> tuple[Column, ...]:
    """Say of each column of a table what it is, the target aside.

    Labels are not looked at, so the judgement may use all rows without flattering the classifier.
    """
    return tuple(
        Column(name, UNWANTED, "you asked for it")
        if name in drop
        else _describe(name, frame[name], name in keep, options)
        for name in frame.columns
    )


def typed_frame(frame: Any, columns: Collection[Column], options: ReadOptions = INFER) -> Any:
    """The features among the columns, each with its type."""
    features = [column for column in columns if column.is_feature]
    missing = [column.name for column in features if column.name not in frame.columns]
    if missing:
        wanted = {column.name for column in features}
        near = nearest(missing[0], (str(c) for c in frame.columns if c not in wanted), 0.75)
        what, them = ("the column", "it") if len(missing) == 1 else ("the columns", "them")
        hint = "" if near is None else f"did you mean {near!r} for {missing[0]!r}? Rename it, or "
        raise TableError(
            f"The table lacks {what} {shown(missing, 5)}, which the model was fitted with; "
            f"{hint}add {them}, empty where nothing is known."
        )
    typed = {column.name: column.typed(frame[column.name], options) for column in features}
    return import_pandas().DataFrame(typed, index=frame.index)


def column_notes(columns: Collection[Column]) -> list[str]:
    """Sentences about the columns that were left out or need a word."""
    notes = []
    for column in columns:
        if not column.is_feature:
            keep = " (use it all the same with --keep)" if column.kind == IDENTIFIER else ""
            notes.append(f"{column.name!r} was left out: {column.note}{keep}.")
        elif column.note:
            notes.append(f"{column.name!r}: {column.note}.")
    return notes


def is_given(values: Any) -> Any:
    """Where a column has a value, and not a word for none."""
    if values.dtype.kind != "O" or isinstance(values.dtype, import_pandas().CategoricalDtype):
        return values.notna()
    words = values.map(lambda value: isinstance(value, str) and value.strip() in NULLS)
    return values.notna() & ~words.astype(bool)


def short(value: Any) -> str:
    """A value for a message."""
    return reprlib.repr(value.item() if isinstance(value, np.generic) else value)


def _describe(name: str, values: Any, keep: bool, options: ReadOptions) -> Column:
    pandas = import_pandas()
    types = pandas.api.types
    known, beyond = values[is_given(values)], ""
    if types.is_float_dtype(values.dtype):
        # Half precision does not know numbers as large as that.
        n_given, known = len(known), known[known.astype("float64").abs() <= LARGEST]
        if n_beyond := n_given - len(known):
            beyond = f"{number_of(n_beyond, 'value')} beyond 1e150 taken as missing"
    column = Column(name, NUMBER, n_missing=len(values) - len(known))
    if len(known) == 0:
        return replace(column, kind=EMPTY, note=beyond or "it has no values")
    unusable = _unusable(known)
    if unusable is not None:
        return replace(column, kind=unusable[0], note=unusable[1])
    column = replace(column, n_values=int(known.nunique()))
    if column.n_values == 1 and column.n_missing == 0:
        note = f"every row has the value {short(known.iloc[0])}"
        return replace(column, kind=CONSTANT, note=note)
    if types.is_datetime64_any_dtype(values.dtype):
        return replace(column, kind=DATE)
    if types.is_bool_dtype(values.dtype):
        return replace(column, format=BOOLEAN)
    if isinstance(values.dtype, pandas.CategoricalDtype) and column.n_values <= MOST_VALUES:
        return replace(column, kind=CATEGORY)  # whoever made the file says so
    if types.is_numeric_dtype(values.dtype) or types.is_timedelta64_dtype(values.dtype):
        if options.date_format and _are_dates(_as_text(known), options.date_format):
            return replace(column, kind=DATE, format=options.date_format)  # such as 20241231
        if not keep and _is_counter(column, known):
            return _identifier(column, "numbers", len(known))
        return replace(column, note=beyond)
    return _describe_text(column, known.astype(str).str.strip(), keep, options)


def _describe_text(column: Column, texts: Any, keep: bool, options: ReadOptions) -> Column:
    n_values, n_texts = column.n_values, len(texts)
    is_boolean = texts.str.lower().isin(BOOLEAN_VALUES)
    if float(is_boolean.mean()) >= READABLE:
        note = _unreadable(texts[~is_boolean], "truth values")
        return replace(column, note=note, format=BOOLEAN)
    numbers = import_pandas().to_numeric(options.plain_numbers(texts), errors="coerce")
    if float(numbers.notna().mean()) >= READABLE:
        numbers = numbers[numbers.abs() <= LARGEST]
        if not keep and _is_counter(column, numbers):
            return _identifier(column, "numbers", n_texts)
        return replace(column, note=_unreadable(texts.drop(numbers.index), "numbers"))
    _check_not_numbers(column.name, texts, numbers, options)
    sample = texts.iloc[:: max(1, n_texts // SAMPLE)]
    dates = _date_format(sample, options.date_format)
    if dates is not None:
        return replace(column, kind=DATE, note=dates[1], format=dates[0])
    if float(sample.str.fullmatch(LOOKS_LIKE_TIME).mean()) >= READABLE:
        return replace(column, note="times of day, as seconds since midnight", format=TIME)
    if n_values <= MOST_VALUES and n_values < UNIQUE * n_texts:
        return replace(column, kind=CATEGORY)  # however long its values are
    words = float(sample.str.count(r"\s+").mean()) + 1.0
    if words >= WORDS_OF_TEXT or (float(sample.str.len().mean()) >= LONG_TEXT and words >= 2.0):
        vocabulary = {word for text in sample for word in WORD.findall(text.lower())}
        if len(vocabulary) >= LEAST_WORDS:
            longest = int(texts.str.len().max())
            note = f"free text of up to {longest:,} characters, described by the words in it"
            return replace(column, kind=TEXT, note=note, n_words=len(vocabulary))
    if not keep and n_texts >= FEW_ROWS and n_values >= UNIQUE * n_texts:
        return _identifier(column, "texts", n_texts)
    note = f"{n_values:,} different values, described by the letters in them"
    return replace(column, kind=CATEGORY, note=note)


def _check_not_numbers(name: str, texts: Any, numbers: Any, options: ReadOptions) -> None:
    """An error for numbers that are written in a way that was not told."""
    looks = texts.str.fullmatch(OTHER_NUMBER)
    readable = float((looks | numbers.notna()).mean())
    if options.decimal is not None or not looks.any() or readable < READABLE:
        return
    raise TableError(
        f"Column {name!r} has values such as {short(texts[looks].iloc[0])}, which look like "
        "numbers but are not read so; say how numbers are written with --decimal and --thousands, "
        "such as --decimal , --thousands . for 1.234,5 (or --decimal . if these are no numbers)."
    )


def _date_format(texts: Any, given: str | None) -> tuple[str, str] | None:
    """The format of a column of dates, and a note if it is only a guess; None for no dates."""
    if given is not None and _are_dates(texts, given):
        return given, ""
    looks = texts.str.match(LOOKS_LIKE_DATE, flags=re.IGNORECASE)
    if float(looks.mean()) < READABLE:
        return None
    dates = texts[looks]
    if _are_dates(dates, ISO):
        return ISO, ""
    try:
        # As objects, which every release of pandas takes for text.
        form = str(import_skrub().ToDatetime().fit(dates.astype(object)).format_)
    except ValueError:  # it has no one format
        return None
    swapped = form.replace("%d", "%_").replace("%m", "%d").replace("%_", "%m")
    if form == swapped or not _parsed_dates(dates, swapped).notna().all():
        return form, ""
    order = "day" if form.find("%d") < form.find("%m") else "month"
    return form, (
        f"dates were read with the {order} first, which the data leaves open; if that is wrong, "
        f"give --date-format {swapped!r}"
    )


def _are_dates(texts: Any, form: str) -> bool:
    return float(_parsed_dates(texts.astype("string"), form).notna().mean()) >= READABLE


def _parsed_dates(texts: Any, form: str) -> Any:
    """Dates without time zone; missing where a text is no date of this format."""
    pandas = import_pandas()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dates = pandas.to_datetime(texts.str.strip(), format=form, errors="coerce", utc=True)
    return dates.dt.tz_localize(None)


def _as_numbers(column: Any, form: str | None, options: ReadOptions) -> Any:
    pandas = import_pandas()
    types = pandas.api.types
    if types.is_timedelta64_dtype(column.dtype):
        column = column.dt.total_seconds()
    elif not types.is_numeric_dtype(column.dtype):
        texts = column.astype("string").str.strip()
        truth = texts.str.lower().map(BOOLEAN_VALUES)
        column = pandas.to_numeric(truth.fillna(options.plain_numbers(texts)), errors="coerce")
        if form == TIME:
            column = column.fillna(_seconds_since_midnight(texts))
    values = column.astype("float64")
    return values.where(values.abs() <= LARGEST)


def _seconds_since_midnight(texts: Any) -> Any:
    times = texts.where(texts.str.fullmatch(LOOKS_LIKE_TIME))
    # What has no seconds is a time of day, too.
    whole = times.where(times.str.count(":") != 1, times + ":00")
    return import_pandas().to_timedelta(whole.astype(object), errors="coerce").dt.total_seconds()


def _as_text(column: Any) -> Any:
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")  # codes with gaps: 12 is not to be read as 12.0
    texts = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    return texts.where(column.notna() & ~texts.isin(NULLS), None)


def _unusable(known: Any) -> tuple[str, str] | None:
    """The kind of a column of things that are neither numbers nor text, and why it is left out."""
    if isinstance(known.dtype, import_pandas().CategoricalDtype):
        known = known.cat.categories
    if known.dtype.kind == "c":
        return "complex", "its numbers are complex; make columns of their parts or sizes"
    if known.dtype != object:
        return None
    kinds = set(known.map(type))
    if any(issubclass(kind, bytes | bytearray | memoryview) for kind in kinds):
        return "bytes", "it holds bytes; decode them if they are text"
    if any(issubclass(kind, list | tuple | set | dict | np.ndarray) for kind in kinds):
        return "nested", "its values hold several values each; make a column of each of them"
    return None


def _is_counter(column: Column, known: Any) -> bool:
    """Whether whole numbers name the rows instead of measuring something."""
    if len(known) < FEW_ROWS or column.n_values < UNIQUE * len(known):
        return False
    numbers = known.to_numpy(dtype=np.float64)
    if not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return False
    steps = np.diff(numbers)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    without_gaps = bool(np.ptp(numbers) < 1.05 * len(numbers))
    return in_order or without_gaps or ID_NAME.search(column.name.casefold()) is not None


def _identifier(column: Column, what: str, n_rows: int) -> Column:
    all_of = "all" if column.n_values == n_rows else "nearly all"
    note = f"looks like an identifier, {all_of} {n_rows:,} {what} being different"
    return replace(column, kind=IDENTIFIER, note=note)


def _unreadable(bad: Any, what: str) -> str:
    if len(bad) == 0:
        return ""
    examples = ", ".join(short(value) for value in bad.unique()[:3])
    return f"{len(bad):,} values are no {what} and count as missing ({examples})"
