"""Tables of pages: heads, entries, and what a column is sorted by."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
# A number at the beginning of an entry, followed by nothing, a unit or a remark.
_LEADING = re.compile(r"([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?![\w.])", re.IGNORECASE)
# More columns than this do not fit on a telephone.
MOST_NARROW = 3


@dataclass(frozen=True)
class Entry:
    """What stands at one place of a table; a dash where the text is empty."""

    text: str
    beside: str = ""  # below it in small type, such as the published value
    mark: str = ""  # a word in a frame behind it, for the one entry among others
    bold: bool = False
    underline: bool = False
    value: float | None = None  # to sort by; by default the number the text begins with

    @property
    def missing(self) -> bool:
        """Whether there is nothing to show."""
        return self.text.strip() in ("", MISSING, "-", "nan")

    @property
    def number(self) -> float | None:
        """What it is sorted by, where that is a number."""
        if self.value is not None:
            return None if math.isnan(self.value) else float(self.value)
        match = _LEADING.match(self.text.strip().replace(MINUS, "-"))
        return None if match is None else float(match[1].replace(",", ""))


@dataclass(frozen=True)
class Heading:
    """The head of a column: its title, and what it means in small type."""

    title: str
    hint: str = ""


@dataclass(frozen=True)
class Listing:
    """A table of a page. The first column names the rows; numbers are set to the right."""

    caption: str
    columns: Sequence[str | Heading]
    rows: Sequence[Sequence[str | Entry]]
    note: str = ""

    def __post_init__(self) -> None:
        for k, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"rows[{k}] had {len(row)} entries for {len(self.columns)} columns; "
                    "give one entry for each column, and an empty text where one is missing."
                )

    @property
    def headings(self) -> list[Heading]:
        """The heads, each with its hint."""
        return [Heading(c) if isinstance(c, str) else c for c in self.columns]

    @property
    def entries(self) -> list[list[Entry]]:
        """The rows, each entry with all it may have."""
        return [[Entry(e) if isinstance(e, str) else e for e in row] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers only, apart from missing entries."""
        columns = zip(*self.entries, strict=True) if self.rows else ([] for _ in self.columns)
        present = [[entry for entry in column if not entry.missing] for column in columns]
        return [bool(c) and all(entry.number is not None for entry in c) for c in present]

    @property
    def sortable(self) -> bool:
        """Whether there is anything to sort."""
        return len(self.rows) > 1

    @property
    def wide(self) -> bool:
        """Whether rows become lists of their entries on a narrow screen."""
        return len(self.columns) > MOST_NARROW
