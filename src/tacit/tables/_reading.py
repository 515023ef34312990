"""From a file to a frame, with every way this can fail said in one sentence."""

from __future__ import annotations

import io
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.tables._errors import TableError
from tacit.tables._formats import (
    FEATHER,
    PARQUET,
    TextFormat,
    format_of_text,
    head_of,
    kind_of_file,
    read_head,
    suffix_of,
)
from tacit.tables._marks import MISSING_IN_TEXT, Marks, labels_as_written
from tacit.tables._packages import import_pandas, import_pyarrow
from tacit.tables._written_numbers import COMMA, FittedNumbers, plain_numbers

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class RawTable:
    """A table as it was read.

    Attributes
    ----------
    frame : pandas.DataFrame
        All rows and columns.
    name : str
        What to call it in messages.
    notes : tuple of str
        What was guessed on the way.
    number_notes : tuple of str
        Those of them that are about the values of numbers.
    separator : str or None
        Between the values of a text.
    written : mapping of str to str
        By the name of each column that had signs between thousands, an example of them.
    """

    frame: Any
    name: str
    notes: tuple[str, ...] = ()
    number_notes: tuple[str, ...] = ()
    separator: str | None = None
    written: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownColumns:
    """What is known of the columns of a text before it is read.

    Attributes
    ----------
    as_text : collection of str
        To be read as they are written, even if they look like numbers.
    as_numbers : mapping of str to (str or None), or None
        Columns of numbers, with an example of their signs between thousands if they had some;
        None if every column in which nearly all values are numbers is one.
    separator : str or None
        Between the values of the table in which they had these signs.
    """

    as_text: Collection[str] = ()
    as_numbers: Mapping[str, str | None] | None = None
    separator: str | None = None

    def fitted(self, name: str, separator: str) -> FittedNumbers | None:
        """What is known of a column of numbers."""
        if self.as_numbers is None:
            return None
        return FittedNumbers(self.as_numbers[name], separator == self.separator)

    def may_be_numbers(self, name: str) -> bool:
        """Whether a column is one of numbers, or not known to be none."""
        if name in self.as_text:
            return False
        return self.as_numbers is None or name in self.as_numbers


@dataclass(frozen=True)
class _Wanted:
    """How the columns of a text are to be read."""

    known: KnownColumns
    target: str | None
    marks: Marks

    def types(self, names: list[str]) -> dict[int, type]:
        """By its position, the type of each column that is not left to pandas."""
        texts = {*self.known.as_text, self.target}
        # What a point means is decided by the column, not by pandas.
        texts |= {name for name, written in (self.known.as_numbers or {}).items() if written}
        return {number: str for number, name in enumerate(names) if name in texts}

    def missing(self, names: list[str]) -> dict[int, list[str]]:
        """By the position of each column, what is a missing value in it."""
        return {
            number: [""] if name == self.target else sorted(MISSING_IN_TEXT)
            for number, name in enumerate(names)
        }

    def with_plain_numbers(
        self, frame: Any, layout: TextFormat, table: str
    ) -> tuple[list[str], dict[str, str]]:
        """Write the numbers in columns of text plainly.

        Returns sentences about what was done, and the columns with signs between thousands.
        """
        types = import_pandas().api.types
        notes, written = self._open_note(list(frame.columns), layout), {}
        for name in frame.columns:
            own = name.strip()
            is_text = types.is_object_dtype(frame[name]) or types.is_string_dtype(frame[name])
            if not is_text or own == self.target or not self.known.may_be_numbers(own):
                continue
            fitted = self.known.fitted(own, layout.separator)
            read = plain_numbers(frame[name], layout.decimal_sign, fitted)
            if read.refused:
                raise TableError(
                    f"Column {own!r} of {table} has numbers such as {read.refused!r}, and the file "
                    "leaves open whether these are thousands; write them without signs between "
                    "thousands."
                )
            frame[name] = read.column
            if read.note:
                notes.append(f"{own!r}: {read.note}.")
            if read.written:
                written[own] = read.written
        return notes, written

    def _open_note(self, names: list[str], layout: TextFormat) -> list[str]:
        """A sentence about columns whose numbers may be others, if there are any."""
        has_thousands = {name for name, sign in (self.known.as_numbers or {}).items() if sign}
        found = [
            (names[k].strip(), number)
            for k, number in layout.decimal_sign.open_numbers.items()
            if k < len(names) and self.known.may_be_numbers(names[k].strip())
        ]
        found = [(n, v) for n, v in found if n != self.target and n not in has_thousands]
        if not found:
            return []
        sign = "comma" if layout.decimal == COMMA else "point"
        name, number = found[0]
        more = f" (and so in {len(found) - 1:,} more)" if len(found) > 1 else ""
        return [
            f"The {sign} was taken for the decimal sign, which the data leaves open: {number!r} "
            f"in {name!r}{more} may as well be a number of thousands."
        ]


def read_raw(
    source: str | Path,
    known: KnownColumns | None = None,
    *,
    target: str | None = None,
    marks: Marks | None = None,
) -> RawTable:
    """Read a whole file, or the standard input where `source` is "-".

    Parameters
    ----------
    source : str or Path
        A CSV, TSV, Parquet or Feather file (text may be packed by gzip, bz2 or xz), a folder of
        Parquet files, or "-".
    known : KnownColumns, optional
        What is known of the columns of CSV files.
    target : str, optional
        A column of labels. In CSV files None, null and the like, which are missing values in
        other columns, stay what they are in it.
    marks : Marks, optional
        Which of its values mean "unlabeled".

    Returns
    -------
    RawTable
        With column names as strings, none of them twice.

    Raises
    ------
    TableError
        If there is no such file or it holds no table.
    """
    wanted = _Wanted(known or KnownColumns(), target, marks or Marks())
    if str(source) == STANDARD_INPUT:
        return _read_bytes(_standard_input(), "The standard input", wanted)
    path = existing(source)
    if path.is_dir():
        frame = _read_arrow(PARQUET, parquet_files(path), repr(str(path)))
        return _checked(RawTable(frame, repr(str(path))))
    head, name = read_head(path), repr(str(path))
    kind = kind_of_file(head, name, suffix_of(path))
    if kind in (PARQUET, FEATHER):
        return _checked(RawTable(_read_arrow(kind, [path], name), name))
    layout = format_of_text(head, suffix_of(path))
    return _read_text(path, layout, head, name, wanted)


def existing(source: str | Path) -> Path:
    """The path, if there is a file or folder that may be read."""
    path = Path(source)
    try:
        found = path.exists()
    except OSError as error:
        raise TableError(f"{str(path)!r} is no file: {error}.") from error
    if not found:
        near = _near_files(path)
        hint = f"; did you mean {near!r}?" if near else "; check the name and the folder."
        raise TableError(f"There is no file {str(path)!r}{hint}")
    return path


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files of a path: itself, or those of the folder in order of their names."""
    if path.is_file():
        return [path]
    files = sorted(
        file
        for file in path.rglob("*")
        if file.suffix.lower() in (".parquet", ".pq")
        and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
    )
    if not files:
        raise TableError(
            f"{str(path)!r} is a folder without Parquet files; name a file, or a folder of files "
            "that end in .parquet."
        )
    return files


@contextmanager
def arrow_errors(name: str, kind: str = PARQUET) -> Iterator[None]:
    """Say what is wrong with a file that Arrow cannot read."""
    pyarrow = import_pyarrow()
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, PermissionError):
            raise TableError(f"{name} may not be read; change its permissions.") from error
        raise TableError(
            f"{name} is damaged or is no {kind} file ({_first_line(error)}); write it again."
        ) from error


def _read_arrow(kind: str, files: list[Path], name: str) -> Any:
    pyarrow = import_pyarrow()
    read = pyarrow.parquet.read_table if kind == PARQUET else pyarrow.feather.read_table
    tables = []
    for file in files:
        with arrow_errors(repr(str(file)), kind):
            tables.append(read(file))
    with arrow_errors(name, kind):
        for table in tables:
            check_no_duplicates(table.column_names, name)
        table = pyarrow.concat_tables(tables, promote_options="default")
        return table.to_pandas().reset_index(drop=True)


def _read_bytes(content: bytes, name: str, wanted: _Wanted) -> RawTable:
    head = head_of(io.BytesIO(content))
    kind = kind_of_file(head, name, "")
    if kind in (PARQUET, FEATHER):
        pyarrow = import_pyarrow()
        read = pyarrow.parquet.read_table if kind == PARQUET else pyarrow.feather.read_table
        with arrow_errors(name, kind):
            table = read(pyarrow.BufferReader(content))
            check_no_duplicates(table.column_names, name)
            return _checked(RawTable(table.to_pandas().reset_index(drop=True), name))
    layout = format_of_text(head, "")
    return _read_text(io.BytesIO(content), layout, head, name, wanted)


def _read_text(
    source: Any, layout: TextFormat, head: bytes, name: str, wanted: _Wanted
) -> RawTable:
    pandas = import_pandas()
    names = _checked_header(head, layout, name)
    try:
        with warnings.catch_warnings():
            # Values beyond the header would be dropped with no more than a warning.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                source,
                sep=layout.separator,
                decimal=layout.decimal,
                encoding=layout.encoding,
                skipinitialspace=True,
                low_memory=False,
                index_col=False,
                skiprows=layout.n_skipped,
                dtype=wanted.types(names),
                keep_default_na=False,
                na_values=wanted.missing(names),
            )
    except pandas.errors.ParserWarning as error:
        raise TableError(
            f"{name} has lines with more values than the header has names; give every column a "
            "name, or quote values that contain the separator."
        ) from error
    except pandas.errors.EmptyDataError as error:
        raise TableError(f"{name} is empty; it must have a header line and rows.") from error
    except pandas.errors.ParserError as error:
        what = str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")
        raise TableError(
            f"{name} has a line that does not fit the header ({what}); quote values that contain "
            f"{layout.separator!r}, or correct the line."
        ) from error
    except UnicodeError as error:
        raise TableError(f"{name} is not text in UTF-8; save it as UTF-8.") from error
    except PermissionError as error:
        raise TableError(f"{name} may not be read; change its permissions.") from error
    for column in frame.columns:
        if column.strip() == wanted.target:
            frame[column] = labels_as_written(frame[column], wanted.marks, layout.decimal)
    notes = []
    if layout.separator not in (",", "\t"):
        notes.append(f"Values were taken to be separated by {layout.separator!r}.")
    if layout.decimal == COMMA and not layout.decimal_sign.open_numbers:
        notes.append("The comma was taken for the decimal sign.")
    number_notes, written = wanted.with_plain_numbers(frame, layout, name)
    notes += number_notes
    if layout.encoding == "cp1252":
        notes.append("The file is not in UTF-8; it was read as Windows-1252.")
    return _checked(
        RawTable(frame, name, tuple(notes), tuple(number_notes), layout.separator, written)
    )


def _checked_header(head: bytes, layout: TextFormat, name: str) -> list[str]:
    """The names, none of them twice, which pandas would rename without a word."""
    import csv

    rows = csv.reader(layout.lines(head), delimiter=layout.separator, skipinitialspace=True)
    names = next(rows, [])
    if not any(value.strip() for value in names):
        raise TableError(f"{name} is empty; it must have a header line and rows.")
    check_no_duplicates([value.strip() for value in names if value.strip()], name)
    return [value.strip() or f"Unnamed: {number}" for number, value in enumerate(names)]


def check_no_duplicates(names: list[str], name: str) -> None:
    """An error where two columns have one name."""
    twice = [column for column, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(
            f"{name} has more than one column named {twice[0]!r}; give each column its own name."
        )


def _checked(table: RawTable) -> RawTable:
    frame = table.frame
    frame.columns = [str(column).strip() for column in frame.columns]
    check_no_duplicates(list(frame.columns), table.name)
    if frame.shape[1] == 0:
        raise TableError(f"{table.name} has no columns; it must have a header line and rows.")
    if len(frame) == 0:
        raise TableError(f"{table.name} has a header but no rows; add the rows.")
    return table


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError(
            "The table was to come from the standard input, which is a terminal; pipe a file in, "
            "or name one."
        )
    return sys.stdin.buffer.read()


def _near_files(path: Path) -> str | None:
    from difflib import get_close_matches

    if not path.parent.is_dir():
        return None
    names = [file.name for file in path.parent.iterdir() if not file.name.startswith(".")]
    near = get_close_matches(path.name, names, n=1, cutoff=0.75)
    return str(path.with_name(near[0])) if near else None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
