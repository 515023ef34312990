"""Numbers as people write them: decimal commas, and signs between the thousands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tacit.tables.packages import import_pandas

POINT, COMMA = ".", ","
OTHER = {POINT: COMMA, COMMA: POINT}
# A column holds numbers if this part of its values can be read so: a few typing errors.
READABLE = 0.95
SAMPLE = 2000
# Signs that can only stand between thousands: spaces of three widths, and apostrophes.
_SPACES = r" \u00a0\u202f'\u2019"
_PLAIN = {
    sign: rf"[-+]?(?:\d+(?:{re.escape(sign)}\d*)?|{re.escape(sign)}\d+)(?:[eE][-+]?\d+)?"
    for sign in (POINT, COMMA)
}
# No thousands begin with a zero, so that 0.125 is none of them.
_GROUPED = {
    sign: rf"[-+]?[1-9]\d{{0,2}}(?:(?:{re.escape(OTHER[sign])}\d{{3}})+|(?:[{_SPACES}]\d{{3}})+)"
    rf"(?:{re.escape(sign)}\d+)?"
    for sign in (POINT, COMMA)
}
_OPEN = {sign: re.compile(rf"[-+]?[1-9]\d{{0,2}}{re.escape(sign)}\d{{3}}") for sign in OTHER}
_DECIMAL = {sign: re.compile(rf"[-+]?\d+{re.escape(sign)}\d+") for sign in OTHER}
_BOTH = {
    sign: re.compile(
        rf"[-+]?[1-9]\d{{0,2}}(?:{re.escape(OTHER[sign])}\d{{3}})+{re.escape(sign)}\d+"
    )
    for sign in OTHER
}


@dataclass(frozen=True)
class DecimalSigns:
    """What the values of a text tell about its decimal sign.

    Attributes
    ----------
    points, commas : int
        Numbers that can only be read with this decimal sign.
    proves_point : bool
        Whether there is one such as 1,234.5.
    open_point, open_comma : str
        The first number such as 1.234 or 1,234, whose sign may stand between thousands.
    """

    points: int = 0
    commas: int = 0
    proves_point: bool = False
    open_point: str = ""
    open_comma: str = ""

    @classmethod
    def of(cls, values: Iterable[str]) -> DecimalSigns:
        """Look at every value; what is no number tells nothing."""
        sure = {POINT: 0, COMMA: 0}
        doubtful = {POINT: "", COMMA: ""}
        proves_point = False
        for value in values:
            text = value.strip()
            if POINT not in text and COMMA not in text:
                continue
            for sign in OTHER:
                if _OPEN[sign].fullmatch(text):
                    doubtful[sign] = doubtful[sign] or text
                elif _DECIMAL[sign].fullmatch(text):
                    sure[sign] += 1
                elif _BOTH[sign].fullmatch(text):
                    sure[sign] += 1
                    proves_point |= sign == POINT
        return cls(sure[POINT], sure[COMMA], proves_point, doubtful[POINT], doubtful[COMMA])

    def decide(self, usual: str) -> str:
        """The decimal sign; `usual` where no number tells it.

        A few points do not outvote commas, for other columns may hold versions such as 1.2, and a
        column of its own is still read with points.
        """
        if self.commas and not self.proves_point:
            return COMMA
        if self.points:
            return POINT
        return usual

    def left_open(self, decided: str) -> str:
        """A number whose reading the other values leave open, or nothing."""
        if self.points or self.commas:
            return ""
        return self.open_comma if decided == COMMA else self.open_point


@dataclass(frozen=True)
class ReadNumbers:
    """A column of text with its numbers written plainly.

    Attributes
    ----------
    column : pandas.Series
        Numbers with a decimal point and nothing between thousands; other values as they were.
    note : str
        What a reader should know about it, or nothing.
    """

    column: Any
    note: str = ""


def plain_numbers(column: Any, decimal: str, least: float = READABLE) -> ReadNumbers:
    """Write the numbers of a column plainly, if it is one of numbers.

    Where the decimal sign of the file reads as many values as the other one does, it is right;
    a column in a file of decimal commas may still have points. In a file of decimal points 1,2
    is no number, for it may be a list.

    Parameters
    ----------
    column : pandas.Series
        Text, with gaps.
    decimal : str
        The decimal sign of the file.
    least : float
        The part of the values that must be numbers; otherwise the column stays as it is.
    """
    texts = column.dropna().astype(str).str.strip()
    texts = texts[texts != ""]
    some = texts.iloc[:: max(1, len(texts) // SAMPLE)]
    if all(_readable(some, sign).mean() < least - 0.1 for sign in OTHER):
        return ReadNumbers(column)  # long texts need not be searched to their end
    found = {sign: _readable(texts, sign) for sign in OTHER}
    shares = {sign: float(found[sign].mean()) if len(texts) else 0.0 for sign in OTHER}
    other = OTHER[decimal]
    is_other = decimal == COMMA and shares[other] > shares[decimal]
    sign = other if is_other else decimal
    if shares[sign] < least or shares[sign] == 0.0:
        return ReadNumbers(column)
    numbers = texts[found[sign]]
    plain = numbers.str.replace(rf"[{_SPACES}{re.escape(OTHER[sign])}]", "", regex=True)
    plain = plain.str.replace(sign, POINT, regex=False)
    grouped = numbers[numbers.str.fullmatch(_GROUPED[sign])]
    written = column.astype(object).copy()
    written.loc[plain.index] = plain
    if len(grouped):
        example = grouped.iloc[0]
        value = import_pandas().to_numeric(plain.loc[grouped.index[0]])
        what = _between_thousands(example, sign)
        return ReadNumbers(
            written,
            f"{what} was taken to stand between thousands, {example!r} being {value:.15g}",
        )
    if is_other and (numbers.str.contains(sign, regex=False)).any():
        return ReadNumbers(
            written, "its numbers have a decimal point, others in the file a decimal comma"
        )
    return ReadNumbers(written)


def _readable(texts: Any, sign: str) -> Any:
    return texts.str.fullmatch(f"{_PLAIN[sign]}|{_GROUPED[sign]}").astype(bool)


def _between_thousands(example: str, sign: str) -> str:
    names = {POINT: "the point", COMMA: "the comma", "'": "the apostrophe"}
    between = next(c for c in example.lstrip("+-") if not c.isdigit() and c != sign)
    return names.get(between, "a space" if between.isspace() else "the apostrophe")
