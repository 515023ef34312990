"""Two metrics, two nearest points: the growing ellipse that first touches C."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from docs.pictures.theory_example import COLOUR_OF, PAPER, SmallProblem, small_problem
from docs.pictures.theory_zonotope import draw_set
from tacit._typing import Matrix, Vector
from tacit.report import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Ellipses drawn, in parts of the distance at which they touch C.
PARTS = (1 / 3, 2 / 3, 1.0)


def squared_distance(M: Matrix, one: Vector, other: Vector) -> float:
    """||one - other||^2 in the metric M."""
    change = one - other
    return float(change @ M @ change)


def ellipse(M: Matrix, centre: Vector, radius: float) -> Matrix:
    """Points at that distance from the centre in the metric M, in order."""
    angle = np.linspace(0.0, 2.0 * np.pi, 400)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)])
    # ||L'x|| with M = LL' is the norm, so x = L'^-1 circle.
    return np.asarray(centre + np.linalg.solve(np.linalg.cholesky(M).T, circle).T)


def draw(shown: SmallProblem | None = None) -> Figure:
    """The same set and the same start twice, with the ellipses of S and those of A."""
    shown = small_problem() if shown is None else shown
    figure = new_figure(8.0, 4.7)
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    labeled = "ICLS: ellipses of equal\nsquared loss on the labeled rows"
    everything = "Projected: ellipses of equal\nchange of predictions on all rows"
    _draw(left, shown, "ICLS", shown.S, labeled)
    _draw(right, shown, "projected", shown.A, everything)
    right.set_ylabel("")
    low, high = shown.border.min(axis=0), shown.points["supervised"]
    left.set_xlim(low[0] - 0.05, 1.0)
    left.set_ylim(low[1] - 0.04, high[1] + 0.16)
    return figure


def _draw(axes: Axes, shown: SmallProblem, name: str, M: Matrix, title: str) -> None:
    draw_set(axes, shown)
    points = shown.points
    start, end, colour = points["supervised"], points[name], COLOUR_OF[name]
    reach = np.sqrt(squared_distance(M, start, end))
    for part in PARTS:
        touches = part == PARTS[-1]
        curve = ellipse(M, start, part * reach)
        axes.plot(*curve.T, color=colour, lw=1.8 if touches else 0.9, alpha=1 if touches else 0.6)
    axes.plot([start[0], end[0]], [start[1], end[1]], color=colour, lw=1.2, ls=":", zorder=3)
    other = "projected" if name == "ICLS" else "ICLS"
    axes.plot(*points[other], "o", mfc="white", mec=COLOUR_OF[other], mew=1.6, ms=8, zorder=4)
    axes.plot(*start, "o", color=COLOUR_OF["supervised"], ms=9, zorder=5)
    axes.plot(*end, "o", color=colour, ms=9, zorder=5)
    axes.annotate(
        "supervised",
        xy=tuple(start),
        xytext=(8, 4),
        textcoords="offset points",
        color=COLOUR_OF["supervised"],
        fontweight="bold",
        bbox=PAPER,
    )
    axes.annotate(
        other,
        xy=tuple(points[other]),
        xytext=(-7, 6) if other == "projected" else (-2, -17),
        textcoords="offset points",
        ha="right" if other == "projected" else "left",
        color=COLOUR_OF[other],
    )
    axes.annotate(
        f"{name}:\nfirst touch",
        xy=tuple(end),
        xytext=(-2, -9) if name == "ICLS" else (4, -20),
        textcoords="offset points",
        ha="right",
        va="top",
        color=colour,
        fontweight="bold",
    )
    x, height = shown.members.mean(axis=0)
    axes.text(x, height - 0.09, "C", ha="center", fontsize=18)
    axes.set_title(title, loc="left", fontsize=11)
