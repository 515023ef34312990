"""What kind of file a table is in, by its first bytes and its name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.tables.errors import TableError

PARQUET, FEATHER, TEXT = "Parquet", "Feather", "text"
MAGIC = {b"PAR1": PARQUET, b"ARRO": FEATHER, b"FEA1": FEATHER}
SUFFIXES = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".feather": FEATHER,
    ".arrow": FEATHER,
    ".csv": TEXT,
    ".tsv": TEXT,
    ".tab": TEXT,
    ".txt": TEXT,
}
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
HEAD_BYTES = 65_536


@dataclass(frozen=True)
class TextFormat:
    """How to read a table of text.

    Attributes
    ----------
    separator : str
        Between values.
    decimal : str
        The decimal sign.
    encoding : str
        Of the bytes.
    """

    separator: str
    decimal: str
    encoding: str


def kind_of_file(head: bytes, name: str, suffix: str) -> str:
    """Parquet, Feather or text, or an error that says why it is none of them."""
    kind = MAGIC.get(head[:4], TEXT)
    expected = SUFFIXES.get(suffix, TEXT)
    if not head:
        raise TableError(f"{name} is empty; it must be a table with a header line and rows.")
    if expected != TEXT and kind != expected:
        raise TableError(
            f"{name} is named like a {expected} file but is not one, or it is damaged; write it "
            "again, or rename it to .csv if it is text."
        )
    if kind == TEXT:
        for magic, what in FOREIGN.items():
            if head.startswith(magic):
                raise TableError(
                    f"{name} is {what}, which cannot be read; save the table as CSV or Parquet."
                )
        if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise TableError(
                f"{name} is not a table of text; it must be CSV, TSV, Parquet or Feather."
            )
    return kind


def format_of_text(head: bytes, suffix: str) -> TextFormat:
    """Separator, decimal sign and encoding, by the first lines."""
    encoding = _encoding(head)
    text = head.decode(encoding, errors="replace")
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    header = lines[0] if lines else ""
    if suffix in (".tsv", ".tab"):
        separator = "\t"
    else:
        outside = re.sub(r'"[^"]*"', "", header)
        # A comma wins ties, and a header of one column has none of them.
        separator = max(",;\t|", key=lambda sign: (outside.count(sign), sign == ","))
    body = "\n".join(lines[1:])
    is_decimal_comma = separator != "," and re.search(rf"(^|{separator})-?\d+,\d+", body, re.M)
    return TextFormat(separator, "," if is_decimal_comma else ".", encoding)


def _encoding(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        # The last character may be cut through.
        head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:
            return "cp1252"
    return "utf-8-sig"


def read_head(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is compressed."""
    opener = COMPRESSED.get(path.suffix.lower(), open)
    try:
        with opener(path, "rb") as file:
            return bytes(file.read(HEAD_BYTES))
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise TableError(f"{str(path)!r} is damaged and cannot be unpacked: {error}.") from error


def suffix_of(path: Path) -> str:
    """The suffix that tells the format: `.csv` for `table.csv.gz`."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""
