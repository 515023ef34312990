"""A table whose columns can be sorted."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

from tacit.report._markup import Ids, Markup, element, joined
from tacit.report._numerals import MINUS, MISSING, plain

# A number at the beginning of an entry, followed by nothing, a unit or a remark.
_LEADING = re.compile(r"([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?![\w.])", re.IGNORECASE)


# More columns than this do not fit on a telephone.
MOST_NARROW = 3


@dataclass(frozen=True)
class Cell:
    """An entry that needs more than its text.

    Attributes
    ----------
    text : str or float
        The entry.
    beside : str
        A remark below it in small type, such as the published value.
    mark : str
        A word in a frame behind it, for the one entry among others.
    bold, underline : bool
        How the entry is set.
    value : float or None
        What it is sorted by, where that is not the number its text begins with.
    """

    text: str | float
    beside: str = ""
    mark: str = ""
    bold: bool = False
    underline: bool = False
    value: float | None = None


@dataclass(frozen=True)
class Column:
    """The head of a column.

    Attributes
    ----------
    title : str
        Its name.
    form : str
        How Python is to format its numbers, such as ".3f".
    hint : str
        What it means, in small type below the name.
    """

    title: str
    form: str = ""
    hint: str = ""


Entry = str | float | None | Cell


@dataclass(frozen=True)
class Table:
    """A table. The first column names the rows; columns of numbers are set to the right.

    Attributes
    ----------
    columns : sequence of str or Column
        The heads.
    rows : sequence of sequence of str, float, None or Cell
        The entries; None is one that is missing.
    caption : str
        What the table shows.
    note : str
        How to read it.
    sortable : bool
        Whether a click on a head sorts the rows: numbers by size, missing ones last.
    """

    columns: Sequence[str | Column]
    rows: Sequence[Sequence[Entry]]
    caption: str = ""
    note: str = ""
    sortable: bool = True

    def __post_init__(self) -> None:
        for k, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"rows[{k}] had {len(row)} entries for {len(self.columns)} columns; "
                    "give one entry for each column, and None where one is missing."
                )

    def markup(self, ids: Ids) -> Markup:
        """A `table` element in a box that scrolls by itself where it does not fit.

        On a narrow screen the rows of a table with many columns become lists of their entries.
        """
        columns = [Column(c) if isinstance(c, str) else c for c in self.columns]
        cells = [[_cell(entry) for entry in row] for row in self.rows]
        numeric = [_is_numeric([row[j] for row in cells]) for j in range(len(columns))]
        sortable = self.sortable and len(cells) > 1
        wide = len(columns) > MOST_NARROW
        heads = [_head(c, n, sortable) for c, n in zip(columns, numeric, strict=True)]
        body = [
            element(
                "tr",
                *(
                    _entry(cell, column, is_number, first=j == 0, wide=wide)
                    for j, (cell, column, is_number) in enumerate(
                        zip(row, columns, numeric, strict=True)
                    )
                ),
            )
            for row in cells
        ]
        name = ids.new("table")
        caption = element("caption", self.caption, id=name) if self.caption else Markup()
        table = element(
            "table",
            caption,
            element("thead", element("tr", *heads)),
            element("tbody", *body),
            class_=" ".join(["sortable"] * sortable + ["wide"] * wide) or None,
        )
        box = element(
            "div",
            table,
            class_="scroll",
            role="region",
            tabindex="0",
            aria_label=None if self.caption else "Table",
            aria_labelledby=name if self.caption else None,
        )
        note = element("p", self.note, class_="note") if self.note else Markup()
        return element("div", box, note, class_="table")


def _cell(entry: Entry) -> Cell:
    if isinstance(entry, Cell):
        return entry
    if entry is None:
        return Cell("")
    if isinstance(entry, bool):
        return Cell("yes" if entry else "no")
    return Cell(entry)


def _value(cell: Cell) -> float | None:
    if cell.value is not None:
        found = float(cell.value)
    elif isinstance(cell.text, Real):
        found = float(cell.text)
    else:
        match = _LEADING.match(str(cell.text).strip().replace(MINUS, "-"))
        if match is None:
            return None
        found = float(match[1].replace(",", ""))
    return None if math.isnan(found) else found


def _is_missing(cell: Cell) -> bool:
    if isinstance(cell.text, str):
        return cell.text.strip() in ("", MISSING, "-")
    return math.isnan(cell.text)


def _is_numeric(cells: Sequence[Cell]) -> bool:
    present = [cell for cell in cells if not _is_missing(cell)]
    return bool(present) and all(_value(cell) is not None for cell in present)


def _head(column: Column, is_number: bool, sortable: bool) -> Markup:
    hint = element("small", column.hint) if column.hint else Markup()
    return element(
        "th",
        element("span", column.title, class_="title"),
        hint,
        scope="col",
        class_="number" if is_number else None,
        data_sort=("number" if is_number else "text") if sortable else None,
    )


def _entry(cell: Cell, column: Column, is_number: bool, first: bool, wide: bool) -> Markup:
    missing = _is_missing(cell)
    if missing:
        content = joined(
            element("span", MISSING, aria_hidden="true"), element("span", "none", class_="unseen")
        )
    else:
        content = joined(cell.text if isinstance(cell.text, str) else plain(cell.text, column.form))
        if cell.underline:
            content = element("u", content)
        if cell.bold:
            content = element("strong", content)
        if cell.mark:
            content = joined(content, " ", element("span", cell.mark, class_="chip"))
    beside = element("small", cell.beside) if cell.beside else Markup()
    value = _value(cell) if is_number and not missing else None
    key = None if missing else (str(cell.text) if value is None else repr(value))
    return element(
        "th" if first else "td",
        content,
        beside,
        scope="row" if first else None,
        class_=" ".join(["number"] * is_number + ["missing"] * missing) or None,
        data_title=column.title if wide and not first else None,
        data_value=key,
    )
