"""From a file, a folder, a pipe or a frame to a frame; what can go wrong is said in a sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit._words import nearest
from tacit.tables._errors import TableError
from tacit.tables._packages import import_pandas, import_pyarrow
from tacit.tables._text import INFER, ReadOptions, find_layout, read_text

STANDARD_INPUT = "-"
PARQUET, FEATHER, TEXT = "Parquet", "Feather", "text"
MAGIC = {b"PAR1": PARQUET, b"ARRO": FEATHER, b"FEA1": FEATHER}
SUFFIXES = {".parquet": PARQUET, ".pq": PARQUET, ".feather": FEATHER, ".arrow": FEATHER}
COMPRESSED: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
# What people try first and what no reader here knows.
FOREIGN = {
    b"PK\x03\x04": "an Excel or zip file",
    b"\xd0\xcf\x11\xe0": "an Excel file",
    b"%PDF": "a PDF document",
    b"{\n": "a JSON file",
}
# Enough to find the separator by; a header may have a hundred thousand characters.
HEAD_BYTES = 2**20
# Files up to this size are read whole, which is simpler and quicker. In memory a Parquet file
# takes a few times its size.
SMALL_FILE = 256 * 2**20


@dataclass(frozen=True)
class RawTable:
    """A table as it was read, its name for messages, and what was found out on the way."""

    frame: Any
    name: str
    notes: list[str] = field(default_factory=list)
    is_text: bool = False  # so that numbers, too, were text


def read_raw(source: Any, options: ReadOptions = INFER, as_text: Collection[str] = ()) -> RawTable:
    """Read a whole file, folder of Parquet files, pipe ("-") or frame of pandas or polars.

    Text may be packed by gzip, bz2 or xz. Columns of a text named in `as_text` are read as they are
    written, even if they look like numbers.
    """
    import_pandas()  # or an error that says how to get it, before Arrow's own
    if hasattr(source, "columns"):
        frame = source.to_pandas() if hasattr(source, "to_pandas") else source.copy(deep=False)
        return _checked(RawTable(frame.reset_index(drop=True), "The table"))
    if str(source) == STANDARD_INPUT:
        content = _standard_input()
        return _read_stream(lambda: io.BytesIO(content), "The standard input", "", options, as_text)
    path = existing(source)
    name = repr(str(path))
    if path.is_dir():
        tables = [_read_arrow(PARQUET, file, repr(str(file))) for file in parquet_files(path)]
        with arrow_errors(name):
            table = import_pyarrow().concat_tables(tables, promote_options="default")
            return _checked(RawTable(as_frame(table), name))
    opener = COMPRESSED.get(path.suffix.lower(), open)
    return _read_stream(lambda: opener(path, "rb"), name, suffix_of(path), options, as_text)


def existing(source: str | Path) -> Path:
    """The path, if there is a file or folder that may be read."""
    path = Path(source)
    try:
        found = path.exists()
    except OSError as error:
        raise TableError(f"{str(path)!r} is no file: {error}.") from error
    if not found:
        beside = [file.name for file in path.parent.glob("[!.]*")]
        near = nearest(path.name, beside, 0.75)
        hint = "; check the name and the folder."
        if near is not None:
            hint = f"; did you mean {str(path.with_name(near))!r}?"
        raise TableError(f"There is no file {str(path)!r}{hint}")
    return path


def is_parquet(source: Any, larger_than: int = -1) -> bool:
    """Whether a source is Parquet, and more of it than so many bytes."""
    if hasattr(source, "columns") or str(source) == STANDARD_INPUT:
        return False
    path = existing(source)
    if path.is_dir():
        return sum(file.stat().st_size for file in parquet_files(path)) > larger_than
    with path.open("rb") as file:
        return file.read(4) == b"PAR1" and path.stat().st_size > larger_than


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


def suffix_of(path: Path) -> str:
    """The suffix that tells the format: `.csv` for `table.csv.gz`."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""


def check_names(names: list[str], table: str) -> None:
    """An error where two columns have one name."""
    twice = [column for column, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(
            f"{table} has more than one column named {twice[0]!r}; give each column its own name."
        )


@contextmanager
def arrow_errors(name: str, kind: str = PARQUET) -> Iterator[None]:
    """Say what is wrong with a file that Arrow cannot read."""
    pyarrow = import_pyarrow()
    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        if isinstance(error, PermissionError):
            raise TableError(f"{name} may not be read; change its permissions.") from error
        what = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise TableError(
            f"{name} is damaged or is no {kind} file ({what}); write it again."
        ) from error


def _read_stream(
    opener: Callable[[], Any],
    name: str,
    suffix: str,
    options: ReadOptions,
    as_text: Collection[str],
) -> RawTable:
    """Read a file of any kind, which `opener` opens anew each time."""
    try:
        with opener() as file:
            head = bytes(file.read(HEAD_BYTES))
            is_whole = not file.read(1)
        kind = _kind_of(head, name, suffix, options.encoding)
        if kind != TEXT:
            with opener() as file:
                return _checked(RawTable(as_frame(_read_arrow(kind, file, name)), name))
        layout = find_layout(head, is_whole, suffix, options)
        with opener() as file:
            table, notes = read_text(file, layout, name, options, as_text)
        check_names(table.column_names, name)
        return _checked(RawTable(as_frame(table), name, notes, is_text=True))
    except PermissionError as error:
        raise TableError(f"{name} may not be read; change its permissions.") from error
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise TableError(f"{name} is damaged and cannot be unpacked: {error}.") from error


def _kind_of(head: bytes, name: str, suffix: str, encoding: str | None) -> str:
    """Parquet, Feather or text, or an error that says why it is none of them."""
    kind, expected = MAGIC.get(head[:4], TEXT), SUFFIXES.get(suffix, TEXT)
    if not head.strip():
        raise TableError(f"{name} is empty; it must be a table with a header line and rows.")
    if expected != TEXT and kind != expected:
        raise TableError(
            f"{name} is named like a {expected} file but is not one, or it is damaged; write it "
            "again, or rename it to .csv if it is text."
        )
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise TableError(
                f"{name} is {what}, which cannot be read; save the table as CSV or Parquet."
            )
    is_utf_16 = encoding is not None or head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if kind == TEXT and b"\0" in head and not is_utf_16:
        raise TableError(
            f"{name} is not a table of text; it must be CSV, TSV, Parquet or Feather (if it is "
            "text, name its --encoding)."
        )
    return kind


def _read_arrow(kind: str, source: Any, name: str) -> Any:
    pyarrow = import_pyarrow()
    with arrow_errors(name, kind):
        read = pyarrow.parquet.read_table if kind == PARQUET else pyarrow.feather.read_table
        table = read(source)
        check_names(table.column_names, name)
        return table


def as_frame(table: Any) -> Any:
    """A pyarrow Table as a frame of pandas."""
    return table.to_pandas(date_as_object=False).reset_index(drop=True)


def _checked(table: RawTable) -> RawTable:
    frame = table.frame
    frame.columns = [str(column).strip() for column in frame.columns]
    check_names(list(frame.columns), table.name)
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
