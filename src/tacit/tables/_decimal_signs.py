"""Which decimal sign a table of text has, by a vote of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tacit.tables._written_numbers import (
    COMMA,
    GROUPED,
    OPEN,
    OTHER,
    PLAIN,
    POINT,
    PROOF,
    SPACE,
)

_NUMBER = re.compile("|".join(f"(?:{p})" for p in (*PLAIN.values(), *GROUPED.values())))
_PLAIN = {sign: re.compile(PLAIN[sign]) for sign in OTHER}
_OPEN = {sign: re.compile(OPEN[sign]) for sign in OTHER}
_PROOF = {sign: re.compile(PROOF[OTHER[sign]]) for sign in OTHER}
_SPACED = re.compile(GROUPED[SPACE])
_SHORT = re.compile(r"[-+]?\d{1,3}")
# Values that are looked at, in five rows at least; a very wide table has proofs enough in those.
MOST_VALUES, LEAST_ROWS = 100_000, 5


@dataclass(frozen=True)
class DecimalSign:
    """The decimal sign of a text.

    Attributes
    ----------
    sign : str
        The point or the comma.
    is_sure : bool
        Whether more columns need this sign than need the other one.
    open_numbers : dict of int to str
        By the position of each column whose numbers may have this sign between thousands, one of
        these numbers. Where the sign is sure, only columns with 1.617 beside 343.
    """

    sign: str
    is_sure: bool = False
    open_numbers: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Vote:
    """What one column tells: numbers that need a sign, or else one that leaves it open."""

    sure: dict[str, int]
    open: dict[str, str]
    has_both: dict[str, bool]
    has_short: bool

    @classmethod
    def of(cls, values: Iterable[str]) -> _Vote:
        texts = [text for value in values if (text := value.strip())]
        numbers = [text for text in texts if _NUMBER.fullmatch(text)]
        sure = dict.fromkeys(OTHER, 0)
        first = dict.fromkeys(OTHER, "")
        both = dict.fromkeys(OTHER, False)
        # A few numbers in a column of words tell nothing.
        for text in numbers if 2 * len(numbers) >= len(texts) else ():
            for sign in OTHER:
                if sign in text and _OPEN[sign].fullmatch(text):
                    first[sign] = first[sign] or text
                elif _PROOF[sign].fullmatch(text):
                    sure[sign] += 1
                    both[sign] |= sign in text
                elif sign in text and (_PLAIN[sign].fullmatch(text) or _SPACED.fullmatch(text)):
                    sure[sign] += 1
        return cls(sure, first, both, any(_SHORT.fullmatch(text) for text in numbers))

    def is_for(self, sign: str) -> bool:
        return self.sure[sign] > self.sure[OTHER[sign]]

    def is_open(self, sign: str) -> bool:
        return bool(self.open[sign]) and not self.sure[sign]


def decimal_sign(rows: Sequence[Sequence[str]], separator: str) -> DecimalSign:
    """The decimal sign that most columns need.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows.
    separator : str
        Between values. Where it is the comma, the decimal sign is the point, and 1,5 is a list.
    """
    width = max(map(len, rows), default=0)
    rows = rows[: max(LEAST_ROWS, MOST_VALUES // max(1, width))]
    votes = [_Vote.of(row[k] for row in rows if k < len(row)) for k in range(width)]
    n_sure = {sign: sum(vote.is_for(sign) for vote in votes) for sign in OTHER}
    n_open = {sign: sum(vote.is_open(sign) for vote in votes) for sign in OTHER}
    proven = [sign for sign in OTHER if any(vote.has_both[sign] for vote in votes)]
    decided, is_sure = POINT, False
    if separator == ",":
        is_sure = n_sure[POINT] > n_sure[COMMA] or proven == [POINT]
    elif len(proven) == 1:
        decided, is_sure = proven[0], True
    elif n_sure[POINT] != n_sure[COMMA]:
        decided, is_sure = max(n_sure, key=lambda sign: n_sure[sign]), True
    elif n_sure[COMMA]:
        # Versions such as 1.2 are more usual than lists of two numbers.
        decided = POINT if n_open[POINT] > n_open[COMMA] else COMMA
    elif separator == ";" and n_open[COMMA]:
        # Where the semicolon separates values, it does so because the comma is taken.
        decided = COMMA
    # Where commas separate values, points are decimal but for good reasons.
    trusted = is_sure or separator == ","
    is_open = {
        k: vote.open[decided]
        for k, vote in enumerate(votes)
        if vote.is_open(decided) and (vote.has_short or not trusted)
    }
    return DecimalSign(decided, is_sure, is_open)
