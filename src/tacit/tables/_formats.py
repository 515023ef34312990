"""Packed files, workbooks and lines of JSON; and what is not read, with what to do instead."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any

from tacit._words import first_sentence, listed
from tacit.tables._errors import TableError, import_openpyxl, import_pandas, import_pyarrow

# Packed tables have a tenth of their size or so; one that has less than a hundredth is a trap,
# unless what is in it is small. A cell of a workbook takes far more memory than bytes.
MOST_TIMES, SMALL_TEXT, SMALL_WORKBOOK = 100, 2**28, 2**26
# In the same way a large table has a value in at least one cell of a hundred, and no more than a
# hundred cells for a byte of its file: where one value in ten differs from the others, nothing can
# pack more than 17 of them into a byte. The cells of a small one take 256 MB.
SMALL_TABLE = 2**25
# Tags of XML in a workbook for a byte of its file: there are two where all cells are the same, and
# fewer in others. A cell of one tag takes 650 bytes of memory until its row ends, and so all those
# of a small workbook less than 700 MB.
MOST_TAGS, SMALL_TAGS = 10, 2**20
# The rows that a sheet of Excel can have.
MOST_ROWS = 2**20
ZIP = b"PK\x03\x04"
# The largest number in double precision.
MOST = sys.float_info.max
JSON_LINES = (".jsonl", ".ndjson")
MODEL = "tacit.json"
# What Excel shows where a formula has no value.
NO_VALUE = frozenset(
    {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"}
)
_SAVE = "save the table as .xlsx or CSV"
_BY_PANDAS = "read it with {} and pass the frame, or write that by to_parquet"
# By suffix, what a file is that is not read, and what to do instead.
FOREIGN = {
    ".xls": ("an Excel file of the old kind or with a password", f"{_SAVE}, without password"),
    ".xlsb": ("a binary Excel file", _SAVE),
    ".ods": ("an OpenDocument sheet", _SAVE),
    ".docx": ("a text document", f"copy its table into a spreadsheet and {_SAVE}"),
    ".pdf": ("a PDF document", f"copy its table into a spreadsheet and {_SAVE}"),
    ".html": ("a web page", f"open it in a spreadsheet and {_SAVE}"),
    ".json": ("JSON that is not one object a line", _BY_PANDAS.format("pandas.read_json")),
    ".xml": ("an XML file", _BY_PANDAS.format("pandas.read_xml")),
    ".sav": ("an SPSS file", _BY_PANDAS.format("pandas.read_spss")),
    ".dta": ("a Stata file", _BY_PANDAS.format("pandas.read_stata")),
    ".sas7bdat": ("a SAS file", _BY_PANDAS.format("pandas.read_sas")),
    # Files of a few kilobytes can unpack to gigabytes before anything is known of them, and damaged
    # ones of the old kind end the process.
    ".feather": ("an Arrow or Feather file", "save the table as Parquet or CSV"),
    ".h5": ("an HDF file", _BY_PANDAS.format("pandas.read_hdf")),
    ".pkl": ("a pickle file", "write its frame by to_parquet (opening a pickle can run code)"),
    ".rds": ("an R file", "write the table in R by write.csv"),
    ".npy": ("a NumPy file", "make a frame of it that has names, and pass that"),
    ".sqlite": ("a database", _BY_PANDAS.format("pandas.read_sql")),
    ".skops": ("a model of tacit", "name the table"),
}
ALSO = {
    ".arrow": ".feather", ".ipc": ".feather",
    ".hdf5": ".h5", ".rdata": ".rds", ".rda": ".rds", ".pickle": ".pkl", ".npz": ".npy",
    ".db": ".sqlite", ".sqlite3": ".sqlite", ".htm": ".html", ".zsav": ".sav", ".doc": ".docx",
}  # fmt: skip
_BEGINNINGS = {
    rb"\xd0\xcf\x11\xe0": ".xls",
    rb"%PDF": ".pdf",
    rb"\s*(<!doctype html|<html|<table)": ".html",
    rb"\s*<\?xml": ".xml",
    rb"\$FL[23]": ".sav",
    rb"<stata_dta>": ".dta",
    rb"ARROW1|FEA1": ".feather",
    rb"\x89HDF": ".h5",
    rb"\x93NUMPY": ".npy",
    rb"SQLite format 3": ".sqlite",
    rb"\s*(\{\s*[\r\n]|\[\s*[\[{])": ".json",
}
_IN_ZIP = {
    "xl/workbook.bin": ".xlsb",
    "mimetype": ".ods",
    "word/document.xml": ".docx",
    MODEL: ".skops",
}


# By suffix, with the bytes by which a file without it is known.
PACKED: dict[str, tuple[bytes, Callable[[Any], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh91AY&SY", bz2.open),
    ".xz": (b"\xfd7zXZ", lzma.open),
    ".zst": (b"\x28\xb5\x2f\xfd", lambda f: import_pyarrow().CompressedInputStream(f, "zstd")),
}


def unpacked(file: Any, path: PurePath, name: str) -> tuple[Any, PurePath]:
    """What is in a packed file, and its own name; other files as they are."""
    start, suffix = file.read(16), path.suffix.lower()
    n_bytes = file.seek(0, io.SEEK_END)
    file.seek(0)
    try:
        if start.startswith(ZIP) or suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                member = _only_member(archive, name)
                if member is None:
                    sizes = (each.file_size for each in archive.infolist())
                    _check_size(sum(sizes), max(SMALL_WORKBOOK, MOST_TIMES * n_bytes), name)
                    file.seek(0)
                    return file, path
                with archive.open(member) as stream:
                    return _bounded(stream, n_bytes, name), PurePath(member)
        is_packed = suffix in PACKED
        magic = {known: each for each, (known, _) in PACKED.items()}
        how = suffix if is_packed else next((magic[m] for m in magic if start.startswith(m)), None)
        if how is None:
            return file, path
        with PACKED[how][1](file) as stream:
            return _bounded(stream, n_bytes, name), path.with_suffix("") if is_packed else path
    except TableError:
        raise
    except (
        *(EOFError, OSError, ValueError, RuntimeError),
        *(lzma.LZMAError, zlib.error, zipfile.BadZipFile),
    ) as error:
        raise TableError(
            f"{name} is damaged and cannot be unpacked: {first_sentence(error)}."
        ) from error


def _bounded(stream: Any, n_bytes: int, name: str) -> io.BytesIO:
    """What a stream unpacks to, which cannot fill all memory."""
    most = max(SMALL_TEXT, MOST_TIMES * n_bytes)
    content = stream.read(most + 1)
    _check_size(len(content), most, name)
    return io.BytesIO(content)


def _check_size(n_bytes: int, most: int, name: str) -> None:
    if n_bytes > most:
        raise TableError(
            f"{name} unpacks to more than {most >> 20:,} MB, a hundred times its size; if it is no "
            "trap, unpack it, save the table as CSV and name that."
        )


def _only_member(archive: zipfile.ZipFile, name: str) -> str | None:
    """The one file in a zip file; None where the whole is a workbook."""
    members = archive.namelist()
    if "xl/workbook.xml" in members:
        return None
    for member, suffix in _IN_ZIP.items():
        if member in members:
            raise _refusal(name, suffix)
    files = [
        member
        for member in members
        # Beside what was packed, macOS puts files of its own.
        if not member.endswith("/")
        and "__MACOSX" not in member
        and PurePath(member).name[:1] != "."
    ]
    if len(files) != 1:
        what = f"{len(files):,} files ({listed(files, 3)})" if files else "no file"
        raise TableError(f"{name} holds {what}; pack one table, or unpack it and name the table.")
    return files[0]


def refuse_foreign(head: bytes, suffix: str, name: str) -> None:
    """An error for what is known and not read."""
    for beginning, known in _BEGINNINGS.items():
        if re.match(beginning, head, re.IGNORECASE):
            raise _refusal(name, known)
    suffix = ALSO.get(suffix, suffix)
    # A text may have any suffix.
    is_text = b"\0" not in head and not head.startswith(b"\x80")
    is_foreign = suffix in FOREIGN and (not is_text or suffix == ".json")
    if is_foreign and not is_json_lines(head, suffix):
        raise _refusal(name, suffix)


def _refusal(name: str, suffix: str) -> TableError:
    what, instead = FOREIGN[suffix]
    return TableError(f"{name} is {what}, which is not read here; {instead}.")


def is_json_lines(head: bytes, suffix: str) -> bool:
    """Whether a file is one of JSON lines, by its name or by its first line."""
    if suffix in JSON_LINES:
        return True
    first, _, rest = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
    if not first.startswith(b"{"):
        return False
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    # One object alone may as well hold whole columns.
    return bool(rest.strip()) or not any(isinstance(v, dict | list) for v in row.values())


def read_json_lines(file: Any, name: str, encoding: str | None) -> Any:
    """Lines of JSON, each an object with the values of one row, as a frame."""
    try:
        text = file.read().decode(encoding or "utf-8-sig")
    except UnicodeError as error:
        raise TableError(
            f"{name} is not text in {encoding or 'UTF-8'}; say what it is in with --encoding, such "
            "as --encoding utf-16."
        ) from error
    # Other signs that end lines elsewhere may stand in texts.
    lines = enumerate(text.split("\n"), start=1)
    rows = [_object(line, number, name) for number, line in lines if line.strip()]
    names = dict.fromkeys(key for row in rows for key in row)
    _check_filled(len(rows), len(names), sum(map(len, rows)), name)
    try:
        return import_pandas().DataFrame(rows, columns=list(names))
    except OverflowError as error:
        large = (k for row in rows for k, v in row.items() if isinstance(v, int) and abs(v) > MOST)
        raise TableError(
            f"Column {next(large)!r} of {name} has a whole number of more than 308 digits; write "
            "it as a number below 1e308, or between quotes if it is a text."
        ) from error


def _object(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
        if "\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()  # half a character is an error
        if isinstance(value, dict):
            return value
        why = "it is no object"
    except (ValueError, RecursionError) as error:
        why = first_sentence(error)
    raise TableError(
        f"Line {number:,} of {name} cannot be read ({why}); every line must be one JSON object, "
        'such as {"age": 31, "label": "yes"}.'
    )


def read_workbook(file: Any, name: str) -> tuple[Any, list[str]]:
    """The first sheet of an Excel workbook as a frame, and notes about what was read.

    Formulas are taken by the values that Excel has computed.
    """
    openpyxl = import_openpyxl()
    try:
        _check_tags(file, name)
        file.seek(0)
        with warnings.catch_warnings():
            # Of styles, charts and the like, which do not matter here.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            sheet = (shown or book.worksheets)[0]
            sheet.reset_dimensions()  # which programs write wrongly
            rows = _filled_rows(sheet.iter_rows(values_only=True), name)
    except (TableError, MemoryError):
        raise
    except Exception as error:  # a damaged file can fail anywhere in there
        raise TableError(
            f"{name} is damaged or is no Excel file ({first_sentence(error)}); save it again."
        ) from error
    notes = []
    if len(shown) > 1:
        notes.append(f"Of {len(shown):,} sheets the first, {sheet.title!r}, was read.")
    if not rows:
        raise TableError(
            f"{name} has nothing in its first sheet, {sheet.title!r}; put the table there, or save "
            "its sheet as CSV."
        )
    width = max(map(len, rows))
    least = min(2, width)  # a title stands alone in its line
    first = next(k for k, row in enumerate(rows) if sum(v is not None for v in row) >= least)
    if first > 0:
        what = "line was" if first == 1 else f"{first:,} lines were"
        notes.append(f"The sheet's first {what} taken for a title above the names of columns.")
    return _framed(rows[first], rows[first + 1 :], width, name), notes


def _filled_rows(rows: Iterable[tuple[Any, ...]], name: str) -> list[list[Any]]:
    """The rows of a sheet, without what is empty at their ends and at the end of the sheet."""
    filled: list[list[Any]] = []
    n_filled = width = n_values = 0
    for row in rows:
        values = [None if isinstance(v, str) and v in NO_VALUE else v for v in row]
        while values and values[-1] in (None, ""):
            values.pop()
        filled.append(values)
        if len(filled) > MOST_ROWS:
            raise TableError(f"{name} has more rows than a sheet can have; save the table as CSV.")
        if values:
            n_filled, width = len(filled), max(width, len(values))
            n_values += sum(value is not None for value in values)
        _check_filled(len(filled), max(width, 1), n_values, name)
    return filled[:n_filled]


def _framed(header: list[Any], rows: list[list[Any]], width: int, name: str) -> Any:
    """A frame of rows of which some are too short; columns without anything are left out."""
    names = ["" if value is None else str(value).strip() for value in header]
    names += [""] * (width - len(names))
    frame = import_pandas().DataFrame(rows, columns=range(width))
    used = [k for k in range(width) if names[k] or frame[k].notna().any()]
    unnamed = [k for k in used if not names[k]]
    if len(unnamed) > 1:
        raise TableError(
            f"{name} has {len(unnamed):,} columns without a name above them, perhaps because cells "
            "are merged there; write one line of names, one for each column."
        )
    return frame[used].set_axis([names[k] or f"Unnamed: {k}" for k in used], axis=1)


def _check_tags(file: Any, name: str) -> None:
    """An error for a workbook of so many cells that a row of them could fill all memory."""
    n_tags = 0
    with zipfile.ZipFile(file) as archive:
        for member in archive.namelist():
            with archive.open(member) as stream:
                while piece := stream.read(2**20):
                    n_tags += piece.count(b"<")
    if n_tags > max(SMALL_TAGS, MOST_TAGS * file.seek(0, io.SEEK_END)):
        raise TableError(
            f"{name} has {n_tags:,} tags of XML, far more than its size allows for; if it is no "
            "trap, save the table as CSV."
        )


def check_cells(n_rows: int, n_columns: int, n_bytes: int, name: str) -> None:
    """An error for a table that is far larger than its bytes, or than the free memory."""
    from tacit.rows import check_memory

    n_cells, size = n_rows * n_columns, f"{n_rows:,} rows and {n_columns:,} columns"
    if n_cells > max(SMALL_TABLE, MOST_TIMES * n_bytes):
        raise TableError(
            f"{name} has {size} in {n_bytes:,} bytes, nearly all of it empty or the same; leave "
            "out rows and columns that say nothing."
        )
    try:
        check_memory(n_cells, size, "use fewer rows or columns")
    except MemoryError as error:
        raise TableError(f"{name} is too large: {error}") from error


def _check_filled(n_rows: int, n_columns: int, n_values: int, name: str) -> None:
    """An error for a table of little but gaps, which could fill all memory."""
    n_cells = n_rows * n_columns
    if n_cells > SMALL_TABLE and n_cells > MOST_TIMES * n_values:
        raise TableError(
            f"{name} has {n_rows:,} rows and {n_columns:,} columns, nearly all of it empty; leave "
            "out what is empty."
        )
