"""A table of text, as people and programs write it.

Text is read by Arrow's CSV reader, which infers types over whole columns, keeps names as they are,
shows the row that does not fit, and reads every encoding and pipes. The separator it does not find,
so it is asked which one fits.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tacit.tables._errors import TableError, import_pyarrow

# By preference where several fit.
SEPARATORS = ",;\t|"
# What Arrow takes in at a time, and so the longest line that is sure to be read.
BLOCK_BYTES = 2**24
# Enough to find the separator by; a header may have a hundred thousand characters.
HEAD_BYTES = 2**20
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
    """How a table of text is written; None where the reader is to find out."""

    separator: str | None = None  #: Between values.
    #: A name that Python knows, such as "cp1252"; by default UTF-8, UTF-16 by its mark, or cp1252.
    encoding: str | None = None
    #: "." or ","; a point by default. Columns that look like numbers written otherwise are then an
    #: error, and given a point explicitly they are text.
    decimal: str | None = None
    thousands: str | None = None  #: The sign between thousands; none by default.
    #: Of dates in columns of text, such as "%d/%m/%Y"; by default it is inferred.
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


def find_layout(head: bytes, suffix: str, options: ReadOptions) -> Layout:
    """The layout of a text by its first `HEAD_BYTES`."""
    encoding = options.encoding or _encoding(head)
    decoded = head.decode(encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\r|\n", decoded)
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    declared = SEPARATOR_LINE.fullmatch(lines[first])
    n_skipped = first + 1 if declared else 0
    # The last line may be cut through.
    is_cut = len(head) == HEAD_BYTES and len(lines) > 2
    text = "\n".join(lines[n_skipped : -1 if is_cut else None])
    candidates = "\t" + SEPARATORS if suffix in (".tsv", ".tab") else SEPARATORS
    given = options.separator or (declared[1] if declared else None)
    header = re.sub(r'"[^"]*"', "", text.lstrip().partition("\n")[0])
    names = {sign: _names(text, sign) for sign in (given or candidates)}
    separator = max(names, key=lambda sign: (len(names[sign]), header.count(sign)))
    has_spaces = re.search(f'{re.escape(separator)} +"', text) is not None
    return Layout(separator, encoding, n_skipped, names[separator], has_spaces)


def _names(text: str, separator: str) -> list[str]:
    """The columns of a text with this separator; none where a line has more or fewer."""
    pyarrow = import_pyarrow()
    try:
        parsed = _parsed(io.BytesIO(text.encode(errors="replace")), separator)
    except pyarrow.ArrowInvalid:
        return []
    return list(parsed.column_names) if parsed.num_columns > 1 else []


def _parsed(
    file: Any, separator: str, encoding: str = "utf-8", n_skipped: int = 0, **options: Any
) -> Any:
    reader = import_pyarrow().csv
    return reader.read_csv(
        file,
        reader.ReadOptions(encoding=encoding, skip_rows=n_skipped, block_size=BLOCK_BYTES),
        reader.ParseOptions(delimiter=separator, newlines_in_values=True),
        reader.ConvertOptions(**options),
    )


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
) -> Any:
    """The values of a text as a pyarrow Table."""
    pyarrow = import_pyarrow()
    # As they are written in the header, perhaps between spaces.
    texts = {c: pyarrow.string() for c in (*as_text, *layout.names) if c.strip() in as_text}
    try:
        encoding, n_skipped = layout.encoding, layout.n_skipped
        if layout.has_spaces:
            file, encoding, n_skipped = _without_spaces(file, layout), "utf-8", 0
        table = _parsed(
            file,
            layout.separator,
            encoding,
            n_skipped,
            null_values=sorted(NULLS),
            decimal_point=options.decimal or ".",
            column_types=texts,
        )
    except UnicodeError as error:
        raise _encoding_error(name, layout) from error
    except (pyarrow.ArrowInvalid, csv.Error) as error:
        raise _text_error(str(error).strip(), name, layout) from error
    if any(pyarrow.types.is_binary(kind) for kind in table.schema.types):
        raise _encoding_error(name, layout)
    names = [c.strip() or f"Unnamed: {k}" for k, c in enumerate(table.column_names)]
    return table.rename_columns(names)


def _without_spaces(file: Any, layout: Layout) -> io.BytesIO:
    """A text without spaces before quotes, which Python's slower reader knows how to skip."""
    lines = io.StringIO(file.read().decode(layout.encoding).lstrip("\ufeff"), newline="")
    rest = itertools.islice(lines, layout.n_skipped, None)
    rows = csv.reader(rest, delimiter=layout.separator, skipinitialspace=True)
    plain = io.StringIO(newline="")
    csv.writer(plain, delimiter=layout.separator).writerows(rows)
    return io.BytesIO(plain.getvalue().encode())


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
