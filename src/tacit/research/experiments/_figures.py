"""Pictures of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.report import COLOURS, new_figure
from tacit.research.experiments._contestants import SUPERVISED
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import ROUNDING, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_curve(
    axes: Axes,
    results: Results,
    dataset: str,
    protocol: str,
    classifier: str,
    measure: str,
    colour: str,
) -> tuple[float, float] | None:
    """A measure against unlabeled rows, with a band of one standard error.

    Returns
    -------
    tuple of float or None
        Where the curve ends, for a name beside it; None if there is none.
    """
    found = [
        results.summary(dataset, protocol, classifier, measure, size)
        for size in results.sizes(dataset, protocol, classifier)
    ]
    points = [summary for summary in found if summary is not None]
    if not points:
        return None
    x = np.array([s.n_unlabeled for s in points])
    y = np.array([s.mean for s in points])
    error = np.array([s.standard_error for s in points])
    axes.plot(x, y, color=colour, marker="o", markersize=3, linewidth=1.5, label=classifier)
    axes.fill_between(x, y - error, y + error, color=colour, alpha=0.18, linewidth=0)
    axes.set_xscale("log", base=2)
    axes.set_xticks(x, [str(value) for value in x])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    return float(x[-1]), float(y[-1])


def draw_comparison(results: Results, title: str) -> Figure:
    """Error against unlabeled rows, and the change of the error in each repeat.

    Parameters
    ----------
    results : Results
        Learning curves on one dataset.
    title : str
        What the picture is about.
    """
    (dataset,), (protocol,) = results.names("dataset"), results.names("protocol")
    colours = dict(zip(results.names("classifier"), COLOURS, strict=False))
    figure = new_figure(10, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(5, 4))
    for classifier, colour in colours.items():
        end = draw_curve(left, results, dataset, protocol, classifier, ERROR, colour)
        if end is not None:
            left.annotate(f" {classifier}", end, color=colour, va="center", fontsize=9)
    left.set_xlim(right=max(results.names("n_unlabeled")) * 3.2)
    left.set_ylim(bottom=0)
    left.set_xlabel("unlabeled rows")
    left.set_ylabel("error on the rows without label")
    left.set_title("Does more unlabeled data help?", fontsize=10)
    _draw_changes(right, results, dataset, protocol, colours)
    figure.suptitle(title, fontsize=12)
    return figure


def _draw_changes(
    axes: Axes, results: Results, dataset: str, protocol: str, colours: dict[str, str]
) -> None:
    largest = max(results.names("n_unlabeled"))
    supervised = results.values(dataset, protocol, SUPERVISED, ERROR, largest)
    others = [name for name in colours if name != SUPERVISED]
    for height, name in enumerate(reversed(others)):
        change = results.values(dataset, protocol, name, ERROR, largest) - supervised
        spread = np.linspace(-0.18, 0.18, len(change))
        axes.scatter(change, height + spread, s=14, color=colours[name], alpha=0.75, linewidth=0)
        axes.annotate(
            f"worse in {int((change > ROUNDING).sum())} of {len(change)}",
            (0.98, (height + 0.5 + 0.32) / len(others)),
            xycoords=("axes fraction", "axes fraction"),
            ha="right",
            va="center",
            fontsize=9,
            color=colours[name],
        )
    axes.axvline(0.0, color="#888888", linewidth=1)
    axes.set_yticks(range(len(others)), others[::-1])
    axes.set_ylim(-0.5, len(others) - 0.5)
    reach = max(abs(value) for value in axes.get_xlim())
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("error minus that of supervised\n← better than supervised      worse →")
    axes.set_title(f"Can it hurt? {largest} unlabeled rows, each draw", fontsize=10)
    axes.spines[["top", "right", "left"]].set_visible(False)
