"""Differences with their intervals around zero: the picture behind a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tacit.report._axes import Axis, decimals, roomy, straight
from tacit.report._blocks import Kind, check_kind
from tacit.report._markup import Ids, Markup, element, joined
from tacit.report._numerals import between, signed

_WORDS = {"good": "better", "bad": "worse", "neutral": "no difference", "unknown": "not clear"}
_SHAPES = {
    "good": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
    "neutral": "M-5.5-5.5h11v11h-11z",
    "bad": "M0-7.5 7.5 0 0 7.5-7.5 0z",
    "unknown": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
}
# About how wide a character of a tick is, and how wide the picture is on a telephone.
_CHARACTER = 8.0
_NARROW = 280.0


@dataclass(frozen=True)
class Difference:
    """A difference, in the unit it is shown in.

    Attributes
    ----------
    label : str
        Of what, such as the name of a method.
    mean, low, high : float
        The difference and the ends of its interval, which may be infinite or NaN where there is
        no end.
    note : str
        In small type below the label, such as what it is compared with.
    kind : {"good", "neutral", "bad", "unknown"} or None
        How it came out; None for what the interval says by itself: good or bad where it lies on
        one side of zero, neutral where it lies within the margin, and unknown elsewhere.
    words : str
        How it came out in words; by default, words for the kind.
    """

    label: str
    mean: float
    low: float
    high: float
    note: str = ""
    kind: Kind | None = None
    words: str = ""

    def __post_init__(self) -> None:
        if not math.isfinite(self.mean):
            raise ValueError(f"mean of {self.label!r} was {self.mean}; it must be finite.")
        if self.low > self.mean or self.high < self.mean:
            raise ValueError(
                f"the interval of {self.label!r} was {self.low} to {self.high}, which does not "
                f"hold its mean {self.mean}; give low <= mean <= high."
            )
        if self.kind is not None:
            check_kind(self.kind, f"kind of {self.label!r}")


@dataclass(frozen=True)
class Differences:
    """Differences below one another on a common axis, with a line at zero.

    Attributes
    ----------
    rows : sequence of Difference
        The differences.
    unit : str
        What they are counted in, such as "wrong answers in 100".
    caption : str
        What the picture shows.
    note : str
        How to read it.
    better : {"lower", "higher"}
        Which side of zero is the good one.
    margin : float
        Differences up to this size count as none, and are shaded.
    digits : int or None
        Decimals; by default, as many as tell the ticks apart and one more.
    """

    rows: Sequence[Difference]
    unit: str = ""
    caption: str = ""
    note: str = ""
    better: Literal["lower", "higher"] = "lower"
    margin: float = 0.0
    digits: int | None = None

    def __post_init__(self) -> None:
        if self.better not in ("lower", "higher"):
            raise ValueError(f"better was {self.better!r}; it must be 'lower' or 'higher'.")
        if not self.rows:
            raise ValueError("rows was empty; give at least one Difference.")

    def kind_of(self, row: Difference) -> Kind:
        """How a difference came out, by what it says itself or else by its interval."""
        if row.kind is not None:
            return row.kind
        if -self.margin <= row.low and row.high <= self.margin:
            return "neutral"
        if row.high < 0.0:
            return "good" if self.better == "lower" else "bad"
        if row.low > 0.0:
            return "bad" if self.better == "lower" else "good"
        return "unknown"

    def markup(self, ids: Ids) -> Markup:
        """A `figure` element: a list of rows, each with its words, its picture and its numbers."""
        axis = self._axis()
        digits = self.digits
        if digits is None:
            digits = decimals(axis.ticks[1].value - axis.ticks[0].value) + 1
        name = ids.new("differences")
        caption = element("figcaption", self.caption, class_="caption") if self.caption else ""
        items = [self._row(row, axis, digits) for row in self.rows]
        return element(
            "figure",
            joined(caption),
            element("p", self._description(), id=name, class_="unseen"),
            self._sides(),
            element("ul", *items, role="list", aria_describedby=name),
            self._scale(axis),
            element("p", self.note, class_="note") if self.note else "",
            class_="forest",
        )

    def _axis(self) -> Axis:
        values = [v for row in self.rows for v in (row.mean, row.low, row.high)]
        reach = max([abs(v) for v in values if math.isfinite(v)] + [self.margin])
        # Room on both sides of zero, so that "better" and "worse" both have a place.
        room = 0.25 * reach or 1.0
        low = min([v for v in values if math.isfinite(v)] + [-room, -self.margin])
        high = max([v for v in values if math.isfinite(v)] + [room, self.margin])
        return straight([1.06 * low, 1.06 * high], most_ticks=7, to_ticks=False)

    def _description(self) -> str:
        unit = f", in {self.unit}" if self.unit else ""
        return (
            f"Each difference is given with its interval{unit}. {self.better.capitalize()} than "
            "zero is better."
        )

    def _sides(self) -> Markup:
        left, right = ("better", "worse") if self.better == "lower" else ("worse", "better")
        words = element(
            "span",
            element("span", f"\N{LEFTWARDS ARROW} {left}"),
            element("span", f"{right} \N{RIGHTWARDS ARROW}"),
            class_="picture",
        )
        return element("div", words, class_="sides", aria_hidden="true")

    def _row(self, row: Difference, axis: Axis, digits: int) -> Markup:
        kind = self.kind_of(row)
        label = [element("span", row.label, class_="name")]
        if row.note:
            label.append(element("small", row.note))
        words = row.words or _WORDS[kind]
        interval = "no interval"
        if not (math.isnan(row.low) or math.isnan(row.high)):
            interval = between(row.low, row.high, digits, with_sign=True)
        value = [
            element("strong", signed(row.mean, digits)),
            " ",
            element("span", f"({interval})"),
            " ",
            element("small", words, class_="outcome"),
        ]
        return element(
            "li",
            element("div", *label, class_="label"),
            self._picture(row, kind, axis),
            element("div", *value, class_="value"),
            class_=kind,
        )

    def _picture(self, row: Difference, kind: Kind, axis: Axis) -> Markup:
        parts = []
        if self.margin > 0.0:
            start, end = axis.place(-self.margin), axis.place(self.margin)
            parts.append(
                element(
                    "rect",
                    x=_percent(start),
                    width=_percent(end - start),
                    height="100%",
                    class_="margin",
                )
            )
        zero = _percent(axis.place(0.0))
        parts.append(element("line", x1=zero, x2=zero, y1="0%", y2="100%", class_="zero"))
        parts += _whisker(row, axis)
        shape = element("path", d=_SHAPES[kind], class_="point")
        parts.append(_at(axis.place(row.mean), shape))
        return element("div", element("svg", *parts), class_="picture", aria_hidden="true")

    def _scale(self, axis: Axis) -> Markup:
        places = [axis.place(tick.value) for tick in axis.ticks]
        texts = [signed(tick.value, decimals(axis.ticks[1].value - axis.ticks[0].value))
                 for tick in axis.ticks]  # fmt: skip
        shown = roomy(places, [_CHARACTER * len(text) + 8.0 for text in texts], _NARROW)
        marks = []
        for place, text, narrow in zip(places, texts, shown, strict=True):
            x = _percent(place)
            marks.append(element("line", x1=x, x2=x, y1=0, y2=5, class_="tick"))
            marks.append(
                element(
                    "text", text, x=x, y=20, text_anchor="middle",
                    class_=None if narrow else "if-wide",
                )
            )  # fmt: skip
        line = element("line", x1="0%", x2="100%", y1=0.5, y2=0.5, class_="tick")
        picture = element("svg", line, *marks, height=26, class_="picture")
        unit = element("span", self.unit, class_="unit") if self.unit else ""
        return element("div", picture, unit, class_="scale", aria_hidden="true")


def _whisker(row: Difference, axis: Axis) -> list[Markup]:
    """The interval as a line with a stroke at each end; an infinite end has none."""
    if math.isnan(row.low) or math.isnan(row.high):
        return []
    low = axis.place(row.low) if math.isfinite(row.low) else 0.0
    high = axis.place(row.high) if math.isfinite(row.high) else 1.0
    line = element(
        "line", x1=_percent(low), x2=_percent(high), y1="50%", y2="50%", class_="whisker"
    )
    strokes = [
        _at(place, element("path", d="M0-6V6", class_="whisker"))
        for end, place in ((row.low, low), (row.high, high))
        if math.isfinite(end)
    ]
    return [line, *strokes]


def _at(place: float, shape: Markup) -> Markup:
    """A shape at half height, which keeps its size however wide the picture is."""
    return element("svg", shape, x=_percent(place), y="50%", class_="marker")


def _percent(part: float) -> str:
    return f"{100.0 * part:.2f}%"
