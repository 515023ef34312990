"""The constraint set of six unlabeled rows: every labeling is a line, and a point of a zonotope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from docs.pictures.theory_example import BLACK, COLOUR_OF, GREY, PAPER, SmallProblem, small_problem
from tacit.report import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(shown: SmallProblem | None = None) -> Figure:
    """Rows and the lines of all labelings on the left, the same lines as points on the right."""
    shown = small_problem() if shown is None else shown
    figure = new_figure(8.0, 4.4)
    left, right = figure.subplots(1, 2, width_ratios=[1.1, 1.0])
    _draw_lines(left, shown)
    _draw_set(right, shown)
    return figure


def _draw_lines(axes: Axes, shown: SmallProblem) -> None:
    everything = np.concatenate([shown.x, shown.x_u])
    x = np.array([everything.min() - 0.4, everything.max() + 0.4])
    for intercept, slope in shown.members:
        axes.plot(x, intercept + slope * x, color=GREY, lw=0.6, alpha=0.35, zorder=1)
    for name, (intercept, slope) in shown.points.items():
        axes.plot(x, intercept + slope * x, color=COLOUR_OF[name], lw=2.2, zorder=3)
    axes.vlines(shown.x_u, 0.0, 1.0, color=GREY, lw=0.8, ls=":", zorder=2)
    for value in (0.0, 1.0):
        axes.scatter(
            shown.x_u, np.full(len(shown.x_u), value), s=34, fc="white", ec=GREY, lw=1.2, zorder=4
        )
    axes.scatter(shown.x, shown.y, s=52, color=BLACK, zorder=5)
    axes.set_xlim(*x)
    axes.set_ylim(-0.75, 1.9)
    axes.set_yticks([0.0, 0.5, 1.0])
    axes.set_xlabel("feature")
    axes.set_ylabel("label, and value of the regression")
    axes.set_title("A line for each labeling", loc="left", fontsize=11)
    marks = "●  5 labeled rows\n○  6 unlabeled rows: 0 or 1?"
    axes.text(0.02, 0.98, marks, transform=axes.transAxes, va="top")
    axes.annotate(
        f"{len(shown.members)} labelings, {len(shown.members)} lines",
        xy=(x[1], -0.1),
        xytext=(-4, -26),
        textcoords="offset points",
        ha="right",
        color=GREY,
    )
    _name(axes, "supervised", (1.12, 1.38), ha="right")
    _name(axes, "ICLS", (-1.55, 0.44), ha="left")
    _name(axes, "projected", (0.12, 0.43), ha="left")
    axes.spines[["top", "right"]].set_visible(False)


def _name(axes: Axes, name: str, place: tuple[float, float], ha: Any) -> None:
    axes.text(*place, name, ha=ha, color=COLOUR_OF[name], fontweight="bold", bbox=PAPER, zorder=6)


def _draw_set(axes: Axes, shown: SmallProblem) -> None:
    draw_set(axes, shown)
    axes.scatter(shown.members[:, 0], shown.members[:, 1], s=9, color=GREY, zorder=2)
    points = shown.points
    for name, place in points.items():
        axes.plot(*place, "o", color=COLOUR_OF[name], ms=9, zorder=5)
    for name in ("ICLS", "projected"):
        axes.annotate(
            "",
            xy=tuple(points[name]),
            xytext=tuple(points["supervised"]),
            arrowprops={"arrowstyle": "->", "color": COLOUR_OF[name], "shrinkA": 7, "shrinkB": 6},
        )
    labels = {
        "supervised": "supervised:\nno labeling gives it",
        "ICLS": "ICLS",
        "projected": "projected",
    }
    for name, offset, side in (
        ("supervised", (-10, 13), "right"),
        ("ICLS", (14, 9), "left"),
        ("projected", (-6, 10), "right"),
    ):
        axes.annotate(
            labels[name],
            xy=tuple(points[name]),
            xytext=offset,
            textcoords="offset points",
            ha=side,
            va="center",
            color=COLOUR_OF[name],
            fontweight="bold",
        )
    axes.text(
        0.02,
        0.02,
        "C: all coefficients that some\nlabeling gives",
        transform=axes.transAxes,
    )
    axes.set_ylim(shown.border[:, 1].min() - 0.14, points["supervised"][1] + 0.09)
    axes.set_title("A point for each labeling", loc="left", fontsize=11)


def draw_set(axes: Axes, shown: SmallProblem) -> None:
    """Fill C, and name the axes."""
    axes.fill(*shown.border.T, fc="#E8E8E8", ec=BLACK, lw=1.2, zorder=1)
    axes.set_xlabel("intercept")
    axes.set_ylabel("slope")
    axes.spines[["top", "right"]].set_visible(False)
