"""The pictures of comparisons, drawn from plain values: differences, curves and reliability."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tacit.report._figures import COLOURS, PALETTE, WIDE, new_figure, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tone = Literal["good", "neutral", "bad", "unknown"]
MARKERS = "osD^vPX"
# The shape of a mark says what its colour says; what is not known is left open.
SHAPES: dict[Tone, str] = {"good": "o", "neutral": "s", "bad": "D", "unknown": "o"}
# Curves that lie on each other must both be seen, so the later ones are thinner.
WIDEST, THINNEST = 4.0, 1.6
# About how wide a character of a tick is, in inches.
CHARACTER = 0.085


@dataclass(frozen=True)
class Difference:
    """A difference with its interval, which may be infinite; `value` and `words` tell of both."""

    label: str
    note: str
    mean: float
    low: float
    high: float
    tone: Tone
    value: str
    words: str


@dataclass(frozen=True)
class Series:
    """One curve with its intervals; `dashed` for one to compare the others with."""

    name: str
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    dashed: bool = False
    colour: str = ""  # by default, by its place among the others


@dataclass(frozen=True)
class Panel:
    """Curves over common numbers of rows, which may begin with zero."""

    title: str
    x_label: str
    x: Sequence[int]
    series: Sequence[Series]


@dataclass(frozen=True)
class Sureness:
    """Answers of about the same probability, and the part of them that was right."""

    sure: float
    right: float
    low: float
    high: float
    count: int


def draw_differences(
    rows: Sequence[Difference], unit: str, margin: float, width: float = WIDE
) -> Figure:
    """Differences below one another around a line at zero; those within the margin are shaded."""
    narrow = width < WIDE
    figure = new_figure(width, 0.9 + (0.74 if narrow else 0.52) * len(rows))
    axes = figure.subplots()
    low, high = _reach(rows, margin)
    heights = range(len(rows) - 1, -1, -1)
    # On narrow screens words stand above the lines, so that zero and margin leave them room.
    strips = [(h - 0.32, h + 0.18) for h in heights] if narrow else [(-0.5, len(rows) - 0.5)]
    for below, above in strips:
        axes.fill_between([-margin, margin], below, above, color=PALETTE["panel"], linewidth=0)
        axes.plot([0.0, 0.0], [below, above], color=PALETTE["ink"], linewidth=1.2)
    for height, row in zip(heights, rows, strict=True):
        _draw_difference(axes, row, height, low, high)
        _label_difference(axes, row, height, narrow)
    axes.set_yticks([])
    axes.set_ylim(-0.5, len(rows) - (0.2 if narrow else 0.5))
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(_signed)
    axes.set_xlabel(shortened(unit, 40), fontsize=10, color=PALETTE["quiet"])
    sides: dict[str, Any] = {"xycoords": "axes fraction", "va": "bottom", "color": PALETTE["quiet"]}
    axes.annotate("← better", (0.0, 1.01), ha="left", **sides)
    axes.annotate("worse →", (1.0, 1.01), ha="right", **sides)
    axes.tick_params(axis="x", colors=PALETTE["quiet"])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(PALETTE["edge"])
    return figure


def _reach(rows: Sequence[Difference], margin: float) -> tuple[float, float]:
    """Ends of the axis, with room on both sides of zero: better and worse both have a place."""
    ends = [end for row in rows for end in (row.low, row.mean, row.high) if math.isfinite(end)]
    room = 0.25 * max([margin, *map(abs, ends)]) or 1.0
    return 1.06 * min(-room, -margin, *ends), 1.06 * max(room, margin, *ends)


def _draw_difference(axes: Axes, row: Difference, height: int, low: float, high: float) -> None:
    colour = PALETTE[row.tone]
    # An interval without an end goes on beyond the picture.
    ends = [max(row.low, 2.0 * low), min(row.high, 2.0 * high)]
    if not any(map(math.isnan, ends)):
        axes.plot(ends, [height, height], color=colour, linewidth=2.2, marker="|", markersize=10)
    axes.plot(
        [row.mean],
        [height],
        SHAPES[row.tone],
        color=colour,
        markersize=8,
        markerfacecolor=PALETTE["paper"] if row.tone == "unknown" else colour,
        markeredgewidth=1.6,
    )


def _label_difference(axes: Axes, row: Difference, height: int, narrow: bool) -> None:
    """Name and reference on the left, numbers and outcome on the right; or above the line."""
    upper, lower = (28, 15) if narrow else (1, -2)
    out = 0 if narrow else 8
    left, right = ("left", "right") if narrow else ("right", "left")
    quiet, tone = PALETTE["quiet"], PALETTE[row.tone]
    most = 18 if narrow else 28
    texts = (
        (shortened(row.label, most), 0.0, (-out, upper), left, PALETTE["ink"], "bold"),
        (shortened(row.note, most), 0.0, (-out, lower), left, quiet, "normal"),
        (shortened(row.value), 1.0, (out, upper), right, PALETTE["ink"], "normal"),
        (shortened(row.words), 1.0, (out, lower), right, tone, "bold"),
    )
    for text, x, offset, side, colour, weight in texts:
        axes.annotate(
            text,
            (x, height),
            xycoords=("axes fraction", "data"),
            xytext=offset,
            textcoords="offset points",
            ha=side,
            va="center" if narrow else "bottom" if offset[1] > 0 else "top",
            color=colour,
            fontweight=weight,
            fontsize=10,
        )


def draw_reliability(points: Sequence[Sureness], width: float = WIDE) -> Figure:
    """How often answers were right over how sure they were, with intervals and counts."""
    figure = new_figure(width, 3.2)
    axes = figure.subplots()
    lowest = 100.0 * min([0.5, *(p.sure for p in points)])
    axes.plot([lowest, 100.0], [lowest, 100.0], "--", color=PALETTE["quiet"], linewidth=1.2)
    colour = COLOURS[0]
    for point in points:
        sure, low, high = (100.0 * v for v in (point.sure, point.low, point.high))
        place, count = (sure, 100.0 * point.right), f"{point.count:,}"
        axes.vlines(sure, low, high, color=colour, alpha=0.45, linewidth=1.8)
        axes.plot(*place, "o", color=colour, markersize=7)
        axes.annotate(count, place, xytext=(7, -3), textcoords="offset points", fontsize=9)
    axes.set_xlabel("probability of its answer, in percent")
    axes.set_ylabel("right, in percent")
    axes.grid(axis="y", color=PALETTE["line"], linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure


def draw_curves(panels: Sequence[Panel], y_label: str, width: float = WIDE) -> Figure:
    """Panels beside each other with one scale; intervals as upright lines, side by side."""
    figure = new_figure(width, 3.6 if width < WIDE else 3.9)
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)
    for panel, axes in zip(panels, grid[0], strict=True):
        draw_panel(axes, panel, width / len(panels), with_stops=len(panels) == 1)
    figure.axes[0].set_ylabel(shortened(y_label, 40))
    add_legend(figure, width)
    return figure


def add_legend(figure: Figure, width: float) -> None:
    """The names of the curves above all panels, in as many columns as fit."""
    handles, names = figure.axes[0].get_legend_handles_labels()
    longest = max(map(len, names), default=1)
    columns = max(1, min(len(names), int(width / (0.6 + 0.8 * CHARACTER * longest))))
    figure.legend(handles, names, loc="outside upper left", ncols=columns, frameon=False)


def draw_panel(
    axes: Axes, panel: Panel, width: float, *, with_stops: bool = False, with_bands: bool = False
) -> None:
    """Curves on axes of about that width; small ones with bands instead of upright lines."""
    places = log_places(panel.x)
    span = (places[-1] - places[0]) or 1.0
    last = max(1, len(panel.series) - 1)
    for k, series in enumerate(panel.series):
        colour = series.colour or COLOURS[k % len(COLOURS)]
        if with_bands:
            axes.fill_between(
                places, series.low, series.high, color=colour, alpha=0.18, linewidth=0
            )
        else:
            # Side by side, since intervals on top of each other cannot be told apart.
            aside = [place + 0.02 * (k - last / 2.0) * span for place in places]
            axes.vlines(aside, series.low, series.high, color=colour, alpha=0.45, linewidth=1.8)
        axes.plot(
            places,
            series.y,
            color=colour,
            linewidth=1.5 if with_bands else WIDEST + (THINNEST - WIDEST) * k / last,
            linestyle="--" if series.dashed else "-",
            marker=MARKERS[k % len(MARKERS)],
            markersize=3.5 if with_bands else 6,
            label=shortened(series.name),
        )
    if with_stops:  # parts of the picture that tell their numbers on a page
        inner = [(a + b) / 2.0 for a, b in itertools.pairwise(places)]
        borders = [places[0] - 0.05 * span, *inner, places[-1] + 0.05 * span]
        for k, (left, right) in enumerate(itertools.pairwise(borders)):
            axes.axvspan(left, right, alpha=0.0, zorder=10, gid=f"stop-{k}")
    texts = [f"{size:,}" for size in panel.x]
    axes.set_xticks(places, thinned(places, texts, span * CHARACTER / (width - 0.9)))
    axes.minorticks_off()
    axes.set_xlabel(shortened(panel.x_label, 40))
    axes.set_title(shortened(panel.title, 40), fontsize=11, loc="left", fontweight="bold")
    axes.grid(axis="y", color=PALETTE["line"], linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def log_places(sizes: Sequence[int]) -> list[float]:
    """Where sizes stand on a logarithmic axis, on which zero has a place too: left of the rest."""
    shift = 0.5 * min((size for size in sizes if size > 0), default=1) if 0 in sizes else 0.0
    return [math.log2(size + shift) for size in sizes]


def thinned(places: Sequence[float], texts: Sequence[str], character: float) -> list[str]:
    """The texts of ticks, empty where one would touch its neighbour; the last is always there."""
    shown = list(texts)
    free = math.inf
    for k in range(len(places) - 1, -1, -1):
        half = 0.5 * character * (len(texts[k]) + 1)
        if places[k] + half > free:
            shown[k] = ""
        else:
            free = places[k] - half
    return shown


def _signed(value: float, _: object = None) -> str:
    text = f"{value:+.4g}" if abs(value) > 1e-12 else "0"
    return text.replace("-", "\N{MINUS SIGN}")
