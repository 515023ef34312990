"""From a file, a folder, a pipe or a frame to a frame; what can go wrong is said in a sentence."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tacit._words import first_sentence, nearest
from tacit.tables import _formats as formats
from tacit.tables._errors import FRAME, TableError, import_pandas, import_pyarrow
from tacit.tables._text import HEAD_BYTES, INFER, ReadOptions, find_layout, read_text

if TYPE_CHECKING:
    from tacit._typing import Mask
    from tacit.rows import ParquetFiles

STANDARD_INPUT = "-"
PARQUET, EXCEL, TEXT = "Parquet", "Excel", "text"
MAGIC = {b"PAR1": PARQUET, formats.ZIP: EXCEL}
SUFFIXES = {".parquet": PARQUET, ".pq": PARQUET, ".xlsx": EXCEL, ".xlsm": EXCEL}
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

    def __post_init__(self) -> None:
        self.frame.columns = _own_names(self.frame.columns, self.name)
        if self.frame.shape[1] == 0:
            raise TableError(f"{self.name} has no columns; it must have a header line and rows.")
        if len(self.frame) == 0:
            raise TableError(f"{self.name} has a header but no rows; add the rows.")


def _own_names(columns: Iterable[Any], name: str) -> list[str]:
    names = [str(column).strip() for column in columns]
    twice = [column for column, n in Counter(names).items() if n > 1]
    if twice:
        raise TableError(
            f"{name} has more than one column named {twice[0]!r}; give each column its own name."
        )
    return names


def read_raw(source: Any, options: ReadOptions = INFER, as_text: Collection[str] = ()) -> RawTable:
    """Read a whole file, folder of Parquet files, pipe ("-") or frame of pandas or polars.

    Files may be packed by gzip, bz2, xz, zip or Zstandard. Columns of a text named in `as_text` are
    read as they are written, even if they look like numbers.
    """
    import_pandas()  # or an error that says how to get it, before Arrow's own
    if not is_path(source):
        return _read_frame(source)
    if str(source) == STANDARD_INPUT:
        return _read_file(_standard_input(), PurePath(), "The standard input", options, as_text)
    if is_parquet(source):
        return read_parquet(open_parquet(source), repr(str(source)))
    path = existing(source)
    with path.open("rb") as file:
        return _read_file(file, path, repr(str(path)), options, as_text)


def existing(source: str | Path) -> Path:
    """The path, if there is a file or folder, or the standard input is meant."""
    path = Path(source)
    if path.exists() or str(source) == STANDARD_INPUT:
        return path
    near = nearest(path.name, [file.name for file in path.parent.glob("[!.]*")], 0.75)
    hint = (
        f"did you mean {str(path.with_name(near))!r}?" if near else "check the name and the folder."
    )
    raise TableError(f"There is no file {str(path)!r}; {hint}")


def is_path(source: Any) -> bool:
    """Whether a source names a file, a folder or the standard input, and is no frame."""
    return isinstance(source, str | os.PathLike)


def is_parquet(source: Any, larger_than: int = -1) -> bool:
    """Whether a source is a Parquet file or a folder, and more of it than so many bytes."""
    if not is_path(source) or str(source) == STANDARD_INPUT:
        return False
    path = existing(source)
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*")) > larger_than
    with path.open("rb") as file:
        return file.read(4) == b"PAR1" and path.stat().st_size > larger_than


def open_parquet(source: str | Path) -> ParquetFiles:
    """The Parquet files of a path, in the order of their names."""
    from tacit.rows import ParquetFiles

    try:
        return ParquetFiles.find(existing(source), None, numeric=False)
    except ValueError as error:
        raise TableError(str(error)) from error


def pieces_of(files: ParquetFiles) -> Iterator[tuple[int, Any]]:
    """The rows of Parquet files as pyarrow Tables, each with its position."""
    try:
        yield from files.tables()
    except ValueError as error:
        raise TableError(str(error)) from error


def read_parquet(
    files: ParquetFiles, name: str, choose: Callable[[int, Any], Mask] | None = None
) -> RawTable:
    """Read Parquet files in pieces: all rows, or those that are chosen.

    `choose` takes the position of a piece and the piece.
    """
    pyarrow, n_bytes = import_pyarrow(), sum(size for _, size in files.states)
    _own_names(files.columns, name)
    n_rows, pieces = 0, []
    if choose is None:
        formats.check_cells(files.n_rows, len(files.columns), n_bytes, name)
    for start, piece in pieces_of(files):
        pieces.append(
            piece if choose is None else piece.filter(pyarrow.array(choose(start, piece)))
        )
        n_rows += len(pieces[-1])
        formats.check_cells(n_rows, len(files.columns), n_bytes, name)
    return RawTable(as_frame(pyarrow.concat_tables(pieces, promote_options="default"), name), name)


def as_frame(table: Any, name: str) -> Any:
    """A pyarrow Table as a frame of pandas, without what pandas has noted in the file."""
    formats.check_cells(table.num_rows, table.num_columns, table.nbytes, name)
    try:
        table.validate(full=True)
        return table.to_pandas(date_as_object=False, ignore_metadata=True)
    except MemoryError:
        raise
    except Exception as error:  # a damaged file can fail anywhere in there
        raise _damaged(name, error) from error


def _damaged(name: str, error: Exception) -> TableError:
    return TableError(
        f"{name} is damaged, or holds what is not read here ({first_sentence(error)}); write it "
        "again."
    )


def _read_frame(source: Any) -> RawTable:
    """A frame, which stays as it is, as one of pandas with the types that files give."""
    if hasattr(source, "collect") or hasattr(source, "compute"):
        raise TypeError(
            f"The table is a {type(source).__name__}, whose rows are not in memory; pass what its "
            ".collect() or .compute() gives, if that is a frame of pandas or polars."
        )
    if not hasattr(source, "columns"):
        raise TypeError(
            f"The table is a {type(source).__name__}; pass the path of a file, or a frame of "
            "pandas or polars."
        )
    frame = source.to_pandas() if hasattr(source, "to_pandas") else source
    raw = RawTable(frame.reset_index(drop=True), FRAME)
    for name, column in raw.frame.items():
        if isinstance(column.dtype, import_pandas().ArrowDtype):
            raw.frame[name] = import_pyarrow().array(column).to_pandas(date_as_object=False)
    return raw


def _read_file(
    file: Any, path: PurePath, name: str, options: ReadOptions, as_text: Collection[str]
) -> RawTable:
    """Read an open file of any kind."""
    file, path = formats.unpacked(file, path, name)
    suffix = path.suffix.lower()
    head = bytes(file.read(HEAD_BYTES))
    file.seek(0)
    kind = _kind_of(head, name, suffix, options.encoding)
    if kind == EXCEL:
        frame, notes = formats.read_workbook(file, name)
        return RawTable(frame, name, notes)
    if kind == TEXT and formats.is_json_lines(head, suffix):
        return RawTable(formats.read_json_lines(file, name, options.encoding), name)
    if kind != TEXT:
        return RawTable(as_frame(_read_packed_parquet(file, name), name), name)
    layout = find_layout(head, suffix, options)
    table = read_text(file, layout, name, options, as_text)
    notes = []
    if layout.separator not in (",", "\t") and options.separator is None:
        notes.append(f"Values were taken to be separated by {layout.separator!r}.")
    if layout.encoding == "cp1252" and options.encoding is None:
        notes.append("The file is not in UTF-8; it was read as Windows-1252.")
    return RawTable(as_frame(table, name), name, notes, is_text=True)


def _kind_of(head: bytes, name: str, suffix: str, encoding: str | None) -> str:
    """Parquet, Excel or text, or an error that says why it is none of them."""
    kind, expected = MAGIC.get(head[:4], TEXT), SUFFIXES.get(suffix, TEXT)
    if not head.strip():
        raise TableError(f"{name} is empty; it must be a table with a header line and rows.")
    formats.refuse_foreign(head, suffix, name)
    if expected != TEXT and kind != expected:
        raise TableError(
            f"{name} is named as if it were {expected} and is not, or it is damaged; write it "
            "again, or rename it to .csv if it is text."
        )
    is_utf_16 = encoding is not None or head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if kind == TEXT and b"\0" in head and not is_utf_16:
        raise TableError(
            f"{name} is not a table of text; it must be CSV, TSV, JSON lines, Excel or Parquet (if "
            "it is text, name its --encoding)."
        )
    return kind


def _read_packed_parquet(file: Any, name: str) -> Any:
    """A Parquet file that came packed or through a pipe."""
    from tacit.rows._parquet_files import own_columns

    pyarrow = import_pyarrow()
    try:
        parquet = pyarrow.parquet.ParquetFile(file)
        size = parquet.metadata
        formats.check_cells(size.num_rows, size.num_columns, file.seek(0, io.SEEK_END), name)
        return parquet.read().select(own_columns(parquet.schema_arrow))
    except TableError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, LookupError) as error:
        raise _damaged(name, error) from error


def _standard_input() -> io.BytesIO:
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError(
            "The table was to come from the standard input, which is a terminal; pipe a file in, "
            "or name one."
        )
    return io.BytesIO(sys.stdin.buffer.read())
