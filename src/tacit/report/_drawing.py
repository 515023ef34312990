"""Curves drawn as SVG that follows the width of the page.

Positions along x are percentages and heights are pixels, so that text and markers keep their size
on every screen without a script; only lines and bands are stretched.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.report._axes import Axis, roomy
from tacit.report._icons import marker, sample, style
from tacit.report._markup import Ids, Markup, element, joined
from tacit.report._numerals import between, plain

if TYPE_CHECKING:
    from tacit.report._curves import Curves, Series

_HEIGHT = 280.0
_TOP = 10.0
_BOTTOM = 30.0
# The stretched drawing has this many units across.
_UNITS = 1000.0
# About how wide a character is, in pixels.
_CHARACTER = 7.6
# The narrowest a picture gets, and the width from which on it has room for everything.
_NARROW, _WIDE = 250.0, 520.0
_LABEL_HEIGHT = 19.0
_LONGEST_LABEL = 26


def draw(curves: Curves, ids: Ids) -> Markup:
    """The picture with its legend and labels.

    Parameters
    ----------
    curves : Curves
        What to draw.
    ids : Ids
        Where identifiers come from.
    """
    x, y = curves.x_axis(), curves.y_axis()
    name = ids.new("curves")
    picture = element(
        "div",
        _vertical_scale(y),
        element(
            "div",
            element(
                "svg",
                *_grid(x, y),
                element("svg", *_stretched(curves, x, y), **_STRETCHED),
                *_markers(curves, x, y),
                *_stops(curves, x, y),
                height=_TOP + _HEIGHT + _BOTTOM,
                role="group",
                aria_label=f"{curves.y_label} against {curves.x_label}",
                aria_describedby=name,
            ),
            element("p", curves.x_label, class_="x-label", aria_hidden="true"),
            class_="plot",
        ),
        _labels(curves, y),
        class_="chart",
    )
    return joined(
        element("p", curves.description(), id=name, class_="unseen"),
        _legend(curves.series),
        element("p", curves.y_label, class_="y-label", aria_hidden="true"),
        picture,
    )


_STRETCHED: dict[str, str | float] = {
    "viewBox": f"0 0 {_UNITS:g} {_HEIGHT:g}",
    "preserveAspectRatio": "none",
    "x": 0,
    "y": _TOP,
    "width": "100%",
    "height": _HEIGHT,
    "class_": "stretched",
    "aria_hidden": "true",
}


def _down(axis: Axis, value: float) -> float:
    return _HEIGHT * (1.0 - axis.place(value))


def _percent(part: float) -> str:
    return f"{100.0 * part:.2f}%"


def _legend(series: Sequence[Series]) -> Markup:
    items = [element("li", sample(k), element("span", s.name)) for k, s in enumerate(series)]
    return element("ul", *items, class_="legend", role="list", aria_label="Curves")


def _vertical_scale(y: Axis) -> Markup:
    width = 14.0 + _CHARACTER * max(len(tick.text) for tick in y.ticks)
    texts = [
        element("text", tick.text, x=width - 8, y=_TOP + _down(y, tick.value) + 4.5,
                text_anchor="end")
        for tick in y.ticks
    ]  # fmt: skip
    return element(
        "svg",
        *texts,
        width=width,
        height=_TOP + _HEIGHT + _BOTTOM,
        class_="y-scale",
        aria_hidden="true",
    )


def _grid(x: Axis, y: Axis) -> Iterator[Markup]:
    for tick in y.ticks:
        height = _TOP + _down(y, tick.value)
        yield element("line", x1="0%", x2="100%", y1=height, y2=height, class_="grid")
    bottom = _TOP + _HEIGHT
    places = [x.place(tick.value) for tick in x.ticks]
    widths = [_CHARACTER * len(tick.text) + 10.0 for tick in x.ticks]
    narrow, wide = roomy(places, widths, _NARROW), roomy(places, widths, _WIDE)
    for tick, place, if_narrow, if_wide in zip(x.ticks, places, narrow, wide, strict=True):
        at = _percent(place)
        yield element("line", x1=at, x2=at, y1=bottom, y2=bottom + 5, class_="tick")
        if if_narrow or if_wide:
            hidden = "if-wide" if not if_narrow else "if-narrow" if not if_wide else None
            yield element(
                "text", tick.text, x=at, y=bottom + 21, text_anchor="middle", class_=hidden,
                aria_hidden="true",
            )  # fmt: skip
    yield element("line", x1="0%", x2="100%", y1=bottom, y2=bottom, class_="tick")
    if x.zero:
        # Two strokes say that the axis is broken between zero and the rest.
        strokes = element("path", d="M-5 5 -1-5M1 5 5-5", class_="break")
        yield element("svg", strokes, x=_percent(0.5 * places[1]), y=bottom, class_="marker")


def _stretched(curves: Curves, x: Axis, y: Axis) -> Iterator[Markup]:
    across = [_UNITS * x.place(float(value)) for value in curves.x]
    for k, series in enumerate(curves.series):
        bands = [series.band(i) for i in range(len(across))]
        for run in _runs([band is not None for band in bands]):
            ends = [(across[i], band) for i in run if (band := bands[i]) is not None]
            upper = [f"{a:.1f} {_down(y, band[1]):.1f}" for a, band in ends]
            lower = [f"{a:.1f} {_down(y, band[0]):.1f}" for a, band in reversed(ends)]
            yield element("path", d="M" + "L".join(upper + lower) + "z", class_=f"band {style(k)}")
    for k, series in enumerate(curves.series):
        values = [float(value) for value in series.y]
        lines = [
            "M" + "L".join(f"{across[i]:.1f} {_down(y, values[i]):.1f}" for i in run)
            for run in _runs([math.isfinite(value) for value in values])
            if len(run) > 1
        ]
        if lines:
            yield element("path", d="".join(lines), class_=f"line {style(k)}")


def _runs(present: Sequence[bool]) -> list[list[int]]:
    runs: list[list[int]] = [[]]
    for i, here in enumerate(present):
        if here:
            runs[-1].append(i)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _markers(curves: Curves, x: Axis, y: Axis) -> Iterator[Markup]:
    for k, series in enumerate(curves.series):
        for value, height in zip(curves.x, series.y, strict=True):
            if math.isfinite(height):
                at = _percent(x.place(float(value)))
                yield marker(k, at, _TOP + _down(y, float(height)))


def _stops(curves: Curves, x: Axis, y: Axis) -> Iterator[Markup]:
    """One upright strip for each x: pointing at it, or focus on it, tells all values there."""
    digits = curves.value_digits()
    places = [x.place(float(value)) for value in curves.x]
    borders = [0.0, *((a + b) / 2.0 for a, b in itertools.pairwise(places)), 1.0]
    for k, (value, place) in enumerate(zip(curves.x, places, strict=True)):
        head = f"{curves.x_label}: {plain(float(value))}"
        told = list(_told(curves, k, digits))
        sentences = [
            f"{name} {text}" + (f", {band}" if band else "") for _, name, text, band in told
        ]
        at = _percent(place)
        yield element(
            "g",
            element("title", "\n".join([head, *sentences])),
            element(
                "rect", x=_percent(borders[k]), width=_percent(borders[k + 1] - borders[k]), y=0,
                height=_TOP + _HEIGHT, class_="reach",
            ),
            element("line", x1=at, x2=at, y1=_TOP, y2=_TOP + _HEIGHT, class_="guide"),
            class_="stop",
            role="img",
            aria_label=". ".join([head, *sentences]),
            data_head=head,
            data_told=json.dumps(told, ensure_ascii=False),
        )  # fmt: skip


def _told(curves: Curves, k: int, digits: int) -> Iterator[tuple[int, str, str, str]]:
    for index, series in enumerate(curves.series):
        band = series.band(k)
        words = "" if band is None else between(*band, digits)
        yield index, series.name, series.text(k, digits), words


def _labels(curves: Curves, y: Axis) -> Markup:
    """The names of the curves where they end, moved apart where they would touch."""
    ends = []
    for k, series in enumerate(curves.series):
        value = float(series.y[-1])
        if math.isfinite(value):
            ends.append((_TOP + _down(y, value), k, series.name))
    ends.sort()
    heights = _apart([end[0] for end in ends])
    parts = []
    for (height, k, name), moved in zip(ends, heights, strict=True):
        short = name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1].rstrip() + "…"
        lead = f"M7 {height:.1f}L15 {moved:.1f}"
        parts.append(element("path", d=lead, class_=f"leader series-{k % 7}"))
        parts.append(element("text", short, x=20, y=moved + 4.5))
    longest = max((len(name) for _, _, name in ends), default=0)
    return element(
        "svg",
        *parts,
        width=26.0 + _CHARACTER * min(longest, _LONGEST_LABEL),
        height=_TOP + _HEIGHT + _BOTTOM,
        class_="labels",
        aria_hidden="true",
    )


def _apart(heights: Sequence[float]) -> list[float]:
    """Rising heights moved as little as a pass down and a pass up need to part them."""
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + _LABEL_HEIGHT) if moved else height)
    limit = _TOP + _HEIGHT + 8.0
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - _LABEL_HEIGHT
    return moved
