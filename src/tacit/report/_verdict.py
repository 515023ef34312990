"""The answer on top of a page, and a picture of it that needs no statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.report._blocks import Kind, Paragraph, check_kind, paragraph_content
from tacit.report._icons import icon
from tacit.report._markup import Ids, Markup, element, joined

_LABELS = {
    "good": "Good news",
    "neutral": "No difference",
    "bad": "Take care",
    "unknown": "Cannot be told yet",
}
_IN_A_ROW = 20
_DOTS = 100


@dataclass(frozen=True)
class Verdict:
    """The answer, for somebody who knows no statistics.

    Attributes
    ----------
    kind : {"good", "neutral", "bad", "unknown"}
        Gives it its colour and its sign.
    sentence : str
        The answer in one sentence.
    explanation : paragraph
        What to do about it.
    label : str
        The answer in one or two words; by default, words for the kind.
    rates : Rates or None
        A picture of it.
    """

    kind: Kind
    sentence: str
    explanation: Paragraph = ""
    label: str = ""
    rates: Rates | None = None

    def __post_init__(self) -> None:
        check_kind(self.kind, "kind")

    def markup(self, ids: Ids) -> Markup:
        """A panel."""
        words = [
            element("p", self.label or _LABELS[self.kind], class_="label"),
            element("p", self.sentence, class_="sentence"),
        ]
        if self.explanation:
            words.append(element("p", paragraph_content(self.explanation), class_="explanation"))
        parts = [icon(self.kind), element("div", *words, class_="words")]
        if self.rates is not None:
            parts.append(self.rates.markup(ids))
        return element("div", *parts, class_=f"verdict {self.kind}")


@dataclass(frozen=True)
class Rate:
    """How often something happens.

    Attributes
    ----------
    label : str
        When, or to whom.
    part : float
        How often, from 0 to 1.
    """

    label: str
    part: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.part <= 1.0:
            raise ValueError(f"part was {self.part}; it must be from 0 to 1.")

    def text(self, event: str) -> str:
        """The rate as people count: "13 of 100 wrong"."""
        count = math.floor(_DOTS * self.part + 0.5)
        if count == 0 and self.part > 0.0:
            return f"fewer than 1 of {_DOTS} {event}"
        if count == _DOTS and self.part < 1.0:
            return f"more than {_DOTS - 1} of {_DOTS} {event}"
        return f"{count} of {_DOTS} {event}"


@dataclass(frozen=True)
class Rates:
    """Rates side by side, each as a hundred dots of which some are filled.

    Attributes
    ----------
    rows : sequence of Rate
        The rates.
    event : str
        What happens at these rates, such as "wrong".
    caption : str
        What a dot is.
    """

    rows: Sequence[Rate]
    event: str = "wrong"
    caption: str = ""

    def markup(self, ids: Ids) -> Markup:
        """A `figure` element."""
        items = [
            element(
                "li",
                element("span", row.label, class_="rate-label"),
                element("strong", row.text(self.event)),
                _dots(row.part),
            )
            for row in self.rows
        ]
        caption = element("figcaption", self.caption, class_="note") if self.caption else Markup()
        return element("figure", element("ul", *items, role="list"), caption, class_="rates")


def _dots(part: float) -> Markup:
    count = math.floor(_DOTS * part + 0.5)
    filled, open_ = [], []
    for k in range(_DOTS):
        # Columns of five are filled one after the other, so that counts compare as lengths.
        column, row = divmod(k, _DOTS // _IN_A_ROW)
        x, y = 10 * column + 5, 10 * row + 5
        if k < count:
            filled.append(f"M{x - 3.5} {y - 3.5}h7v7h-7z")
        else:
            open_.append(f"M{x - 2.2} {y}a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0z")
    return element(
        "svg",
        joined(
            element("path", d="".join(open_), class_="dot-open"),
            element("path", d="".join(filled), class_="dot-filled"),
        ),
        viewBox=f"0 0 {10 * _IN_A_ROW} {10 * _DOTS // _IN_A_ROW}",
        aria_hidden="true",
    )
