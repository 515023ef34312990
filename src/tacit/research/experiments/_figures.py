"""Pictures of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.report import COLOURS, Panel, Series, add_legend, draw_panel, new_figure
from tacit.research.experiments._contestants import SUPERVISED
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import ROUNDING, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def curve_panel(
    results: Results, dataset: str, protocol: str, classifiers: Sequence[str], measure: str
) -> Panel:
    """A measure against unlabeled rows, plus and minus one standard error, as plain values.

    Who has no runs has no curve; the others keep their colours.
    """
    sizes = sorted({n for name in classifiers for n in results.sizes(dataset, protocol, name)})
    series = []
    for name, colour in zip(classifiers, COLOURS, strict=False):
        found = [results.summary(dataset, protocol, name, measure, size) for size in sizes]
        if any(point is not None for point in found):
            mean = np.array([np.nan if point is None else point.mean for point in found])
            error = np.array([np.nan if p is None else p.standard_error for p in found])
            low, high = mean - error, mean + error
            series.append(Series(name, mean.tolist(), low.tolist(), high.tolist(), colour=colour))
    return Panel(dataset, "", sizes, series)


def draw_comparison(results: Results, title: str) -> Figure:
    """Error against unlabeled rows, and the change of the error in each repeat."""
    (dataset,), (protocol,) = results.names("dataset"), results.names("protocol")
    names = results.names("classifier")
    figure = new_figure(10, 4.4)
    left, right = figure.subplots(1, 2, width_ratios=(5, 4))
    panel = curve_panel(results, dataset, protocol, names, ERROR)
    draw_panel(left, panel, 5.5, with_bands=True)
    add_legend(figure, 10, below=True)
    left.set_ylim(bottom=0)
    left.set_xlabel("unlabeled rows")
    left.set_ylabel("error on the rows without label")
    left.set_title("Does more unlabeled data help?", loc="left", fontsize=10)
    _draw_changes(right, results, dataset, protocol, dict(zip(names, COLOURS, strict=False)))
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
