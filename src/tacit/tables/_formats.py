"""What kind of file a table is in, by its first bytes and its name."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.tables._decimal_signs import DecimalSign, decimal_sign
from tacit.tables._errors import TableError
from tacit.tables._written_numbers import POINT

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
# Enough to judge by, and more of it where lines are so long that this is only a few of them.
HEAD_BYTES, HEAD_LINES, MOST_HEAD_BYTES = 65_536, 20, 2**23
# The first line by which Excel is told what separates the values; it is no part of the table.
# Programs that save it again may pad it to the width of the table.
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?(?:\1|\s)*', re.IGNORECASE)


@dataclass(frozen=True)
class TextFormat:
    """How to read a table of text.

    Attributes
    ----------
    separator : str
        Between values.
    decimal_sign : DecimalSign
        What is known of the decimal sign.
    encoding : str
        Of the bytes.
    n_skipped : int
        Lines before the header.
    """

    separator: str
    decimal_sign: DecimalSign
    encoding: str
    n_skipped: int = 0

    @property
    def decimal(self) -> str:
        """The decimal sign."""
        return self.decimal_sign.sign

    def lines(self, head: bytes) -> list[str]:
        """The first lines of the table from its header on."""
        return [line for line in _split(head, self.encoding)[self.n_skipped :] if line.strip()]


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
    """Separator, decimal sign and encoding, by the first lines.

    Parameters
    ----------
    head : bytes
        Of the file.
    suffix : str
        Of its name.
    """
    encoding = _encoding(head)
    layout = TextFormat(",", DecimalSign(POINT), encoding)
    lines = layout.lines(head)
    told = SEPARATOR_LINE.fullmatch(lines[0]) if lines else None
    if told:
        lines = lines[1:]
        separator = told[1]
    elif suffix in (".tsv", ".tab"):
        separator = "\t"
    else:
        outside = re.sub(r'"[^"]*"', "", lines[0] if lines else "")
        # A comma wins ties, and a header of one column has none of them.
        separator = max(",;\t|", key=lambda sign: (outside.count(sign), sign == ","))
    n_skipped = _split(head, encoding).index(told.string) + 1 if told else 0
    decimal = decimal_sign(_rows(lines[1:], separator), separator)
    return TextFormat(separator, decimal, encoding, n_skipped)


def _split(head: bytes, encoding: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", head.decode(encoding, errors="replace"))


def _rows(lines: list[str], separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error:  # what is wrong with the lines will be told by who reads them
        return []


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
            return head_of(file)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise TableError(f"{str(path)!r} is damaged and cannot be unpacked: {error}.") from error


def head_of(file: Any) -> bytes:
    """The first bytes of an open file, and more of them if these are few lines of text."""
    head = bytes(file.read(HEAD_BYTES))
    while head[:4] not in MAGIC and head.count(b"\n") < HEAD_LINES and len(head) < MOST_HEAD_BYTES:
        more = bytes(file.read(16 * HEAD_BYTES))
        if not more:
            break
        head += more
    return head


def suffix_of(path: Path) -> str:
    """The suffix that tells the format: `.csv` for `table.csv.gz`."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""
