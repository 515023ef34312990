"""Learning curves as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit._matplotlib import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tacit.selection._curve import Along, LearningCurve

# Curves that lie on each other must both be seen, so the later ones are thinner.
WIDEST, THINNEST = 4.0, 1.6


def draw_curve(curve: LearningCurve) -> Figure:
    """Loss against labels on the left, against unlabeled rows on the right."""
    figure = new_figure(10.5, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    _draw(left, curve, "labels")
    _draw(right, curve, "unlabeled rows")
    left.set_title("What would more labels buy?", fontsize=11, loc="left", fontweight="bold")
    right.set_title("What do the unlabeled rows buy?", fontsize=11, loc="left", fontweight="bold")
    left.set_xlabel(f"labels trained on (with all {curve.n_unlabeled:,} unlabeled rows)")
    right.set_xlabel(f"unlabeled rows trained on (with all {curve.n_labels:,} labels in turn)")
    left.set_ylabel(
        f"{curve.measure.name}{' in %' if curve.measure.in_points else ''}, ± standard error"
    )
    left.set_ylim(bottom=0.0 if curve.measure.in_points else None)
    handles, labels = left.get_legend_handles_labels()
    if not handles:
        handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


def _draw(axes: Axes, curve: LearningCurve, along: Along) -> None:
    factor = 100.0 if curve.measure.in_points else 1.0
    names = curve.names
    widths = np.linspace(WIDEST, THINNEST, len(names))
    ticks: list[int] = []
    for k, (contestant, width) in enumerate(zip(curve.contestants, widths, strict=True)):
        points = curve.points(along, contestant.name)
        if not points:
            axes.set_axis_off()
            return
        colour = COLOURS[k % len(COLOURS)]
        ticks = [p.n_labeled if along == "labels" else p.n_unlabeled for p in points]
        # Zero has a place on the axis too, one step to the left of the smallest size.
        x = np.log2(np.array(ticks) + (0.0 if min(ticks) > 0 else _shift(ticks)))
        loss = factor * np.array([point.loss for point in points])
        error = factor * np.array([point.standard_error for point in points])
        supervised = contestant.twin is None
        # Side by side, since bars and bands on top of each other cannot be told apart.
        aside = x + 0.02 * (k - (len(names) - 1) / 2.0) * (x[-1] - x[0])
        axes.vlines(aside, loss - error, loss + error, color=colour, alpha=0.45, linewidth=1.8)
        axes.plot(
            x,
            loss,
            color=colour,
            linewidth=width,
            linestyle="--" if supervised else "-",
            marker="o",
            markersize=5,
            label=f"{contestant.name}{' (labels only)' if supervised else ''}",
        )
    axes.set_xticks(x, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _shift(ticks: list[int]) -> float:
    positive = [tick for tick in ticks if tick > 0]
    return 0.5 * min(positive, default=1)
