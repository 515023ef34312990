"""Numbers as people write them: decimal commas, and signs between the thousands.

A sign is taken to stand between thousands only where the column proves it, for a number that is
read a thousand times too large does more harm than a column that is left as text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.tables._packages import import_pandas

if TYPE_CHECKING:
    from tacit.tables._decimal_signs import DecimalSign

POINT, COMMA, SPACE = ".", ",", " "
OTHER = {POINT: COMMA, COMMA: POINT}
# A column holds numbers if this part of its values can be read so: a few typing errors.
READABLE = 0.95
SAMPLE = 2000
# So many different values of one length name things instead of measuring them.
ALL_DIFFERENT = 0.99
# Signs that are never decimal ones: spaces of three widths, and apostrophes.
_SPACES = r" \u00a0\u202f'\u2019"
PLAIN = {
    sign: rf"[-+]?(?:\d+(?:{re.escape(sign)}\d*)?|{re.escape(sign)}\d+)(?:[eE][-+]?\d+)?"
    for sign in (POINT, COMMA)
}
# No thousands begin with a zero. A plus before spaces is that of a telephone number.
_FIRST = r"[-+]?[1-9]\d{0,2}"
GROUPED = {
    **{
        sign: rf"{_FIRST}(?:{re.escape(sign)}\d{{3}})+(?:{re.escape(OTHER[sign])}\d+)?"
        for sign in OTHER
    },
    SPACE: rf"-?[1-9]\d{{0,2}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?",
}
# One of these is enough to know that the sign stands between thousands.
PROOF = {
    **{
        sign: rf"{_FIRST}(?:(?:{re.escape(sign)}\d{{3}}){{2,}}(?:{re.escape(OTHER[sign])}\d+)?"
        rf"|{re.escape(sign)}\d{{3}}{re.escape(OTHER[sign])}\d+)"
        for sign in OTHER
    },
    SPACE: rf"-?[1-9]\d{{0,2}}(?:(?:[{_SPACES}]\d{{3}}){{2,}}|[{_SPACES}]\d{{3}}[.,]\d+).*",
}
OPEN = {sign: rf"{_FIRST}{re.escape(sign)}\d{{3}}" for sign in OTHER}
_CONTAINS = {POINT: r"\.", COMMA: ",", SPACE: f"[{_SPACES}]"}
_ANY_NUMBER = "|".join(f"(?:{p})" for p in (*PLAIN.values(), *GROUPED.values()))
_NAMES = {POINT: "the point", COMMA: "the comma", SPACE: "a space or apostrophe"}


@dataclass(frozen=True)
class FittedNumbers:
    """How the numbers of a column were written in the table that a model was fitted on.

    Attributes
    ----------
    written : str or None
        An example such as 1.234,5 or 1.234 if there were signs between thousands.
    same_separator : bool
        Whether that table and this one have the same sign between values.
    """

    written: str | None = None
    same_separator: bool = False

    @property
    def thousands(self) -> str | None:
        """The sign between thousands, if there was one."""
        return self.written[1] if self.written and is_style(self.written) else None

    @property
    def decimal(self) -> str | None:
        """The decimal sign beside signs between thousands, if there was one."""
        style = self.written if self.written and is_style(self.written) else ""
        return style[-2] if len(style) > len("1.234") else None


@dataclass(frozen=True)
class ReadNumbers:
    """A column of text with its numbers written plainly.

    Attributes
    ----------
    column : pandas.Series
        Numbers with a decimal point and nothing between thousands; other values as they were.
    note : str
        What a reader should know about it, or nothing.
    written : str or None
        An example such as 1.234,5 or 1.234 if there were signs between thousands.
    refused : str
        A number of which it is open whether it is one of thousands, where a model needs it.
    """

    column: Any
    note: str = ""
    written: str | None = None
    refused: str = ""


def is_style(written: str) -> bool:
    """Whether this is an example of how numbers are written, as `ReadNumbers` has it."""
    return re.fullmatch(r"1[., ]234(?:[.,]5)?", written) is not None


def plain_numbers(
    column: Any, decimal: DecimalSign, fitted: FittedNumbers | None = None
) -> ReadNumbers:
    """Write the numbers of a column plainly, if nearly all of it is numbers.

    Signs stand between thousands if the column proves it (see `_proves_thousands`) and no value
    speaks against it. Otherwise they are decimal: commas in a file of decimal commas, and points
    in every file. In a file of decimal points 1,2 is no number, for it may be a list.

    Parameters
    ----------
    column : pandas.Series
        Text, with gaps.
    decimal : DecimalSign
        Of the file.
    fitted : FittedNumbers, optional
        How a model knows the column as one of numbers; it is read then however few they are.
    """
    texts = column.dropna().astype(str).str.strip()
    texts = texts[texts != ""]
    least = READABLE if fitted is None else 0.0
    some = texts.iloc[:: max(1, len(texts) // SAMPLE)]
    if _matches(some, _ANY_NUMBER).mean() < least - 0.1:
        return ReadNumbers(column)  # long texts need not be searched to their end
    is_number = _matches(texts, _ANY_NUMBER)
    numbers = texts[is_number]
    if len(numbers) == 0 or is_number.mean() < least:
        return ReadNumbers(column)
    for sign in (SPACE, POINT, COMMA):
        if _is_thousands(numbers, sign, decimal, fitted):
            return _without_thousands(column, numbers, sign, decimal)
    return _with_decimals(column, numbers, decimal, fitted)


def _is_thousands(
    numbers: Any, sign: str, decimal: DecimalSign, fitted: FittedNumbers | None
) -> bool:
    having = numbers[numbers.str.contains(_CONTAINS[sign])]
    if len(having) == 0 or not _matches(having, GROUPED[sign]).all():
        return False
    if fitted is None:
        return not _are_names(numbers) and _proves_thousands(numbers, having, sign, decimal)
    if _matches(having, PROOF[sign]).any():
        return True
    if fitted.thousands is None:
        return False
    if sign == SPACE:
        return True
    if decimal.is_sure:
        return decimal.sign == OTHER[sign]
    return sign == fitted.thousands and fitted.same_separator


def _proves_thousands(numbers: Any, having: Any, sign: str, decimal: DecimalSign) -> bool:
    """Whether there is a number such as 1.234,5 or 1.234.567, or short ones between 1.234.

    The latter only if the file has the other decimal sign for sure. Telephone numbers have spaces,
    too, so that whole numbers with spaces must differ in how many.
    """
    plain = numbers[_matches(numbers, r"[-+]?\d+")].str.lstrip("+-").str.len()
    is_short = len(plain) > 0 and int(plain.max()) <= len("999")
    if sign == SPACE:
        n_spaces = having.str.count(_CONTAINS[SPACE])
        return is_short or n_spaces.nunique() > 1 or bool(having.str.contains("[.,]").any())
    if _matches(having, PROOF[sign]).any():
        return True
    return is_short and decimal.is_sure and decimal.sign == OTHER[sign]


def _are_names(numbers: Any) -> bool:
    """Whether whole numbers of one length, nearly all different, name something."""
    digits = numbers.str.replace(rf"[{_SPACES}.,+-]", "", regex=True)
    is_whole = _matches(numbers, rf"[-+]?\d+|[-+]?\d{{1,3}}(?:[.,{_SPACES}]\d{{3}})+")
    return bool(
        is_whole.all()
        and digits.str.len().nunique() == 1
        and digits.nunique() >= ALL_DIFFERENT * len(digits)
    )


def _without_thousands(column: Any, numbers: Any, sign: str, decimal: DecimalSign) -> ReadNumbers:
    grouped = numbers[_matches(numbers, GROUPED[sign])]
    if sign == SPACE:
        has_commas = bool(grouped.str.contains(COMMA, regex=False).any())
        point = COMMA if has_commas or decimal.sign == COMMA else POINT
    else:
        point = OTHER[sign]
    plain = numbers.str.replace(_CONTAINS[sign], "", regex=True)
    plain = plain.str.replace(point, POINT, regex=False)
    has_decimals = bool(numbers.str.contains(point, regex=False).any())
    example = grouped.iloc[0]
    value = import_pandas().to_numeric(plain.loc[grouped.index[0]])
    return ReadNumbers(
        _replaced(column, plain),
        f"{_NAMES[sign]} was taken to stand between thousands, {example!r} being {value:.15g}",
        f"1{sign}234{point}5" if has_decimals else f"1{sign}234",
    )


def _with_decimals(
    column: Any, numbers: Any, decimal: DecimalSign, fitted: FittedNumbers | None
) -> ReadNumbers:
    """Signs are decimal ones, which may be other signs than those of the file."""
    left = {sign: _left_open(numbers, sign) for sign in OTHER}
    if fitted is not None and fitted.thousands is not None:
        for sign, number in left.items():
            known = decimal.sign if decimal.is_sure else fitted.decimal
            if number and (sign == fitted.thousands or sign != known):
                return ReadNumbers(column, refused=number)
    if decimal.sign == POINT:
        note = ""
        if left[COMMA]:
            note = f"nothing tells what the comma in numbers such as {left[COMMA]!r} is, so that "
            note += "they were not read; write them without it, or with a decimal point"
        return ReadNumbers(column, note)
    with_commas = numbers[_matches(numbers, PLAIN[COMMA])]
    is_plain = _matches(numbers, f"{PLAIN[COMMA]}|{PLAIN[POINT]}")
    if fitted is None and is_plain.sum() < READABLE * column.notna().sum():
        return ReadNumbers(column)
    written = _replaced(column, with_commas.str.replace(COMMA, POINT, regex=False))
    if not numbers.str.contains(POINT, regex=False).any() or (fitted and not left[POINT]):
        return ReadNumbers(written)
    note = "its numbers have a decimal point, others in the file a decimal comma"
    if left[POINT]:
        note += f"; that is open, for {left[POINT]!r} may as well be a number of thousands"
    return ReadNumbers(written, note)


def _left_open(numbers: Any, sign: str) -> str:
    """A number such as 1.234, if all that have this sign look so."""
    having = numbers[numbers.str.contains(_CONTAINS[sign])]
    is_open = len(having) > 0 and _matches(having, OPEN[sign]).all()
    return str(having.iloc[0]) if is_open else ""


def _replaced(column: Any, plain: Any) -> Any:
    written = column.astype(object).copy()
    written.loc[plain.index] = plain
    return written


def _matches(texts: Any, pattern: str) -> Any:
    return texts.str.fullmatch(pattern).astype(bool)
