"""Curves with their bands, as values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.report._axes import Axis, decimals, logarithmic, straight
from tacit.report._drawing import draw
from tacit.report._markup import Ids, Markup, element
from tacit.report._numerals import MISSING, between, fixed, plain
from tacit.report._table import Cell, Column, Table


@dataclass(frozen=True)
class Series:
    """One curve.

    Attributes
    ----------
    name : str
        What it is called.
    y : sequence of float
        A value for each x; NaN where there is none.
    low, high : sequence of float or None
        The band around it.
    """

    name: str
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None

    def band(self, k: int) -> tuple[float, float] | None:
        """The ends of the band at the k-th x, where there are any."""
        if self.low is None or self.high is None:
            return None
        low, high = float(self.low[k]), float(self.high[k])
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def text(self, k: int, digits: int) -> str:
        """The k-th value as it is told."""
        value = float(self.y[k])
        return fixed(value, digits) if math.isfinite(value) else MISSING


@dataclass(frozen=True)
class Curves:
    """Curves over a common x, which tell their values where one points at them.

    Attributes
    ----------
    x_label, y_label : str
        What the axes show.
    x : sequence of float
        Where the curves have values, in rising order.
    series : sequence of Series
        The curves.
    log_x : bool
        Whether equal ratios of x are equally far apart. Zero is allowed and stands by itself.
    caption : str
        What the picture shows.
    note : str
        How to read it.
    band : str
        What the bands are.
    digits : int or None
        Decimals of the values told; by default, as many as tell the ticks apart and one more.
    """

    x_label: str
    y_label: str
    x: Sequence[float]
    series: Sequence[Series]
    log_x: bool = False
    caption: str = ""
    note: str = ""
    band: str = "95% interval"
    digits: int | None = None

    def __post_init__(self) -> None:
        if len(self.x) == 0 or len(self.series) == 0:
            raise ValueError("x or series was empty; give at least one value and one Series.")
        values = [float(value) for value in self.x]
        if any(not math.isfinite(value) for value in values):
            raise ValueError("x held a value that is not finite; leave it out.")
        if any(b <= a for a, b in itertools.pairwise(values)):
            raise ValueError("x was not in rising order; sort it, and give each value once.")
        if self.log_x and values[0] < 0.0:
            raise ValueError(f"x began with {values[0]:g}, below zero; use log_x=False.")
        if self.log_x and values[-1] == 0.0:
            raise ValueError("x held no value above zero; use log_x=False.")
        for series in self.series:
            for field in ("y", "low", "high"):
                given = getattr(series, field)
                if given is not None and len(given) != len(values):
                    raise ValueError(
                        f"{field} of the series {series.name!r} had {len(given)} values for "
                        f"{len(values)} of x; give one for each."
                    )
            if (series.low is None) != (series.high is None):
                raise ValueError(f"series {series.name!r} had one of low and high; give both.")

    def x_axis(self) -> Axis:
        """The axis of x, from the first value to the last."""
        if self.log_x:
            return logarithmic(self.x)
        return straight(self.x, most_ticks=8, to_ticks=False)

    def y_axis(self) -> Axis:
        """The axis of y, which shows all curves and bands and ends at ticks."""
        values = [float(value) for series in self.series for value in series.y]
        for series in self.series:
            values += [end for k in range(len(self.x)) for end in series.band(k) or ()]
        return straight(values, most_ticks=6)

    def value_digits(self) -> int:
        """Decimals of the values told."""
        if self.digits is not None:
            return self.digits
        ticks = self.y_axis().ticks
        return decimals(ticks[1].value - ticks[0].value) + 1

    def description(self) -> str:
        """The picture in words: what is drawn, and where each curve begins and ends."""
        digits = self.value_digits()
        sentences = [
            f"Curves of {self.y_label} against {self.x_label}, from {plain(self.x[0])} to "
            f"{plain(self.x[-1])}."
        ]
        for series in self.series:
            finite = [float(value) for value in series.y if math.isfinite(value)]
            if finite:
                first, last = fixed(finite[0], digits), fixed(finite[-1], digits)
                sentences.append(f"{series.name} goes from {first} to {last}.")
        return " ".join(sentences)

    def table(self) -> Table:
        """The same as a table."""
        digits = self.value_digits()
        has_bands = any(series.low is not None for series in self.series)
        rows: list[list[float | Cell]] = []
        for k in range(len(self.x)):
            row: list[float | Cell] = [float(self.x[k])]
            for series in self.series:
                band = series.band(k)
                beside = "" if band is None else between(*band, digits)
                row.append(Cell(series.text(k, digits), beside))
            rows.append(row)
        return Table(
            [self.x_label, *(Column(series.name) for series in self.series)],
            rows,
            caption=self.y_label,
            note=f"In small type: {self.band}." if has_bands else "",
        )

    def markup(self, ids: Ids) -> Markup:
        """A `figure` element: a legend, the picture, and the numbers to unfold."""
        caption = element("figcaption", self.caption, class_="caption") if self.caption else ""
        note = element("p", self.note, class_="note") if self.note else ""
        numbers = element(
            "details", element("summary", "Show the numbers"), self.table().markup(ids)
        )
        return element("figure", caption, draw(self, ids), note, numbers, class_="curves")
