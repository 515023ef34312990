"""A comparison as a picture that can be read at a glance."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from tacit._matplotlib import COLOURS, new_figure
from tacit.selection._verdict import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tacit.selection._comparison import Comparison
    from tacit.selection._verdict import MethodVerdict

KIND_COLOURS = {
    Kind.HELPS: COLOURS[3],
    Kind.NO_DIFFERENCE: "#666666",
    Kind.MAY_HURT: COLOURS[1],
    Kind.TOO_FEW: COLOURS[2],
}


def draw_comparison(comparison: Comparison) -> Figure:
    """One line for each method: the difference its verdict is about, with interval, around zero."""
    methods = list(comparison.methods.values())
    figure = new_figure(9.0, 2.1 + 0.62 * max(1, len(methods)))
    sentence = "\n".join(textwrap.wrap(comparison.verdict.sentence, 84))
    figure.suptitle(
        sentence,
        x=0.015,
        ha="left",
        fontsize=12,
        fontweight="bold",
        color=KIND_COLOURS[comparison.verdict.kind],
    )
    axes = figure.subplots()
    if not methods:
        axes.set_axis_off()
        axes.text(0.0, 0.6, comparison.verdict.advice, fontsize=11, transform=axes.transAxes)
        return figure
    _draw_methods(axes, comparison, methods)
    _explain(axes, comparison)
    return figure


def _draw_methods(axes: Axes, comparison: Comparison, methods: list[MethodVerdict]) -> None:
    measure = comparison.measure
    factor = 100.0 if measure.in_points else 1.0
    margin = factor * comparison.margin
    heights = range(len(methods) - 1, -1, -1)
    axes.axvspan(-margin, margin, color="#eeeeee", zorder=0, linewidth=0)
    axes.axvline(0.0, color="black", linewidth=1.2, zorder=1)
    ends = [factor * v for m in methods for v in (m.decisive.low, m.decisive.mean, m.decisive.high)]
    reach = 1.12 * max([2.0 * margin, *(abs(end) for end in ends if math.isfinite(end))])
    for height, method in zip(heights, methods, strict=True):
        difference, colour = method.decisive, KIND_COLOURS[method.kind]
        # An interval without ends goes on beyond the picture.
        low, high = (
            max(factor * difference.low, -2 * reach),
            min(factor * difference.high, 2 * reach),
        )
        mean = factor * difference.mean
        axes.plot([low, high], [height, height], color=colour, linewidth=3.5, zorder=2,
                  solid_capstyle="round")  # fmt: skip
        axes.plot([mean], [height], "o", color=colour, markersize=9, zorder=3,
                  markeredgecolor="white", markeredgewidth=1.2)  # fmt: skip
        with_rows = measure.text(comparison.losses[method.name])
        without = measure.text(comparison.losses[difference.reference])
        axes.annotate(
            f"{method.kind}",
            (1.01, height),
            xycoords=("axes fraction", "data"),
            va="bottom",
            fontsize=10,
            fontweight="bold",
            color=colour,
        )
        axes.annotate(
            f"{measure.name} {with_rows}, without {without}"
            if measure.is_error
            else f"{with_rows}, without {without}",
            (1.01, height),
            xycoords=("axes fraction", "data"),
            va="top",
            fontsize=8.5,
            color="#444444",
        )
    axes.set_yticks(
        list(heights),
        [f"{method.name}\ninstead of {method.decisive.reference}" for method in methods],
        fontsize=10,
    )
    axes.set_ylim(-0.6, len(methods) - 0.4)
    axes.set_xlim(-reach, reach)


def _explain(axes: Axes, comparison: Comparison) -> None:
    measure = comparison.measure
    unit = f"{measure.name} in percentage points" if measure.in_points else measure.name
    other = "the same classifier"
    if any(method.only_beats_twin for method in comparison.methods.values()):
        other = "the classifier named beside it,"
    axes.set_xlabel(
        f"change of the {unit} against {other} without the unlabeled rows\n"
        f"dot: mean over {comparison.n_folds * comparison.n_repeats} splits; bar: 90% interval; "
        "grey band: too small to matter",
        fontsize=8.5,
        color="#444444",
    )
    arrows: dict[str, Any] = {
        "fontsize": 10,
        "color": "#222222",
        "va": "bottom",
        "xycoords": "axes fraction",
    }
    axes.annotate("← better with the unlabeled rows", (0.485, 1.02), ha="right", **arrows)
    axes.annotate("worse with them →", (0.515, 1.02), ha="left", **arrows)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
