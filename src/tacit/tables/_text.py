"""A table of text, as people and programs write it.

Text is read by Arrow's CSV reader, which infers types over whole columns. DuckDB's sniffing reader
and pandas' parser were tried on the same odd tables. DuckDB takes a table with one row too long
for one of a single column, skips a header that is shorter than the rows, renames `A` beside `a`,
and without an extension reads files in UTF-8 only. pandas takes all memory for a bare carriage
return before a space. Arrow keeps names as they are, shows the row that does not fit, and reads
every encoding and pipes. The separator it does not find, so it is asked which one fits.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tacit.tables._errors import TableError
from tacit.tables._packages import import_pyarrow

# By preference where several fit.
SEPARATORS = ",;\t|"
# What Arrow takes in at a time, and so the longest line that is sure to be read.
BLOCK_BYTES = 2**24
# The first line by which Excel is told what separates the values; it is no part of the table.
# Programs that save it again may pad it to the width of the table.
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?(?:\1|\s)*', re.IGNORECASE)
# What people and programs write where a feature has no value.
NULLS = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
        "<NA>", "?", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ReadOptions:
    """How a table of text is written; None where the reader is to find out.

    Attributes
    ----------
    separator : str or None
        Between values.
    encoding : str or None
        A name that Python knows, such as "cp1252". By default UTF-8, UTF-16 by its mark, or
        Windows-1252.
    decimal : {".", ","} or None
        The decimal sign. A point by default; columns that look like numbers written otherwise are
        then an error, and given a point explicitly they are text.
    thousands : str or None
        The sign between thousands; none by default.
    date_format : str or None
        Of dates in columns of text, such as "%d/%m/%Y"; by default it is inferred.
    """

    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_format: str | None = None

    def __post_init__(self) -> None:
        for name in ("separator", "thousands"):
            value = getattr(self, name)
            if value is not None and (len(value) != 1 or value in '"\r\n' or value.isalnum()):
                raise ValueError(f"{name} is {value!r}; it must be one sign, such as ','.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal is {self.decimal!r}; it must be '.' or ','.")
        if self.thousands == (self.decimal or "."):
            raise ValueError(
                f"thousands is {self.thousands!r}, which is the decimal sign; give another decimal."
            )
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError as error:
            raise ValueError(
                f"encoding is {self.encoding!r}, which Python does not know."
            ) from error

    def plain_numbers(self, texts: Any) -> Any:
        """Texts with numbers written without signs between thousands and with a decimal point."""
        if self.thousands:
            texts = texts.str.replace(self.thousands, "", regex=False)
        return texts.str.replace(",", ".", regex=False) if self.decimal == "," else texts


# Nothing is said, and the reader finds out.
INFER = ReadOptions()


@dataclass(frozen=True)
class Layout:
    """How the lines of a text are to be taken apart."""

    separator: str
    encoding: str
    n_skipped: int
    names: list[str]
    has_spaces: bool  # between a separator and a quote, where Arrow would not see the quote


def find_layout(head: bytes, is_whole: bool, suffix: str, options: ReadOptions) -> Layout:
    """The layout of a text by its first bytes."""
    encoding = options.encoding or _encoding(head)
    decoded = head.decode(encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\r|\n", decoded)
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    declared = SEPARATOR_LINE.fullmatch(lines[first])
    n_skipped = first + 1 if declared else 0
    # The last line may be cut through.
    text = "\n".join(lines[n_skipped : None if is_whole or len(lines) < 3 else -1])
    candidates = "\t" + SEPARATORS if suffix in (".tsv", ".tab") else SEPARATORS
    given = options.separator or (declared[1] if declared else None)
    header = re.sub(r'"[^"]*"', "", text.lstrip().partition("\n")[0])
    separator = given or max(candidates, key=lambda s: (_n_columns(text, s), header.count(s)))
    has_spaces = re.search(f'{re.escape(separator)} +"', text) is not None
    names = _header(text.lstrip("\r\n"), separator, has_spaces)
    return Layout(separator, encoding, n_skipped, names, has_spaces)


def _header(text: str, separator: str, has_spaces: bool) -> list[str]:
    lines = io.StringIO(text, newline="")
    try:
        return next(csv.reader(lines, delimiter=separator, skipinitialspace=has_spaces), [])
    except csv.Error:  # whoever reads the table will say what is wrong
        return []


def _without_spaces(file: Any, layout: Layout) -> io.BytesIO:
    """A text without spaces before quotes, which Python's slower reader knows how to skip."""
    text = file.read().decode(layout.encoding).lstrip("\ufeff")
    lines = io.StringIO(text, newline="")
    for _ in range(layout.n_skipped):
        lines.readline()
    rows = csv.reader(lines, delimiter=layout.separator, skipinitialspace=True)
    plain = io.StringIO(newline="")
    csv.writer(plain, delimiter=layout.separator).writerows(rows)
    return io.BytesIO(plain.getvalue().encode())


def _n_columns(text: str, separator: str) -> int:
    """The columns of a text with this separator; none where a line has more or fewer."""
    pyarrow = import_pyarrow()
    try:
        parsed = pyarrow.csv.read_csv(
            io.BytesIO(text.encode(errors="replace")),
            pyarrow.csv.ReadOptions(block_size=BLOCK_BYTES),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        )
    except pyarrow.ArrowInvalid:
        return 0
    return int(parsed.num_columns) if parsed.num_columns > 1 else 0


def _encoding(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The last character may be cut through.
        if error.start < len(head) - 4:
            return "cp1252"
    return "utf-8"


def read_text(
    file: Any, layout: Layout, name: str, options: ReadOptions, as_text: Collection[str]
) -> tuple[Any, list[str]]:
    """The values of a text as a pyarrow Table, and what was found out on the way."""
    pyarrow = import_pyarrow()
    texts = {written: pyarrow.string() for written in layout.names if written.strip() in as_text}
    try:
        encoding, n_skipped = layout.encoding, layout.n_skipped
        if layout.has_spaces:
            file, encoding, n_skipped = _without_spaces(file, layout), "utf-8", 0
        table = pyarrow.csv.read_csv(
            file,
            pyarrow.csv.ReadOptions(encoding=encoding, skip_rows=n_skipped, block_size=BLOCK_BYTES),
            pyarrow.csv.ParseOptions(delimiter=layout.separator, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                null_values=sorted(NULLS),
                decimal_point=options.decimal or ".",
                column_types=texts,
            ),
        )
    except UnicodeError as error:
        raise _encoding_error(name, layout) from error
    except (pyarrow.ArrowInvalid, csv.Error) as error:
        raise _text_error(str(error).strip(), name, layout) from error
    if any(pyarrow.types.is_binary(kind) for kind in table.schema.types):
        raise _encoding_error(name, layout)
    names = [c.strip() or f"Unnamed: {k}" for k, c in enumerate(table.column_names)]
    notes = []
    if layout.separator not in (",", "\t") and options.separator is None:
        notes.append(f"Values were taken to be separated by {layout.separator!r}.")
    if layout.encoding == "cp1252" and options.encoding is None:
        notes.append("The file is not in UTF-8; it was read as Windows-1252.")
    return table.rename_columns(names), notes


def _text_error(what: str, name: str, layout: Layout) -> TableError:
    """The error for a text that Arrow cannot read, by its words."""
    if "invalid UTF8" in what:
        return _encoding_error(name, layout)
    if "mpty CSV" in what:
        return TableError(f"{name} is empty; it must have a header line and rows.")
    what = " ".join(what.removeprefix("CSV parse error: ").split())
    return TableError(
        f"{name} has a line that does not fit the header ({what[:120]}); quote values that contain "
        f"{layout.separator!r}, correct the line, or name another --separator."
    )


def _encoding_error(name: str, layout: Layout) -> TableError:
    other = "latin-1" if layout.encoding == "cp1252" else "cp1252"
    return TableError(
        f"{name} is not text in {layout.encoding}; say what it is in with --encoding, such as "
        f"--encoding {other}."
    )
