"""Figure 2: error, and squared loss, against the number of unlabeled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.report import COLOURS, new_figure
from tacit.research.experiments import LearningCurves, Results
from tacit.research.experiments._contestants import (
    ICLS,
    ORACLE,
    PROJECTED,
    SELF_LEARNING,
    SUPERVISED,
)
from tacit.research.experiments._figures import draw_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = (SUPERVISED, SELF_LEARNING, ICLS, PROJECTED, ORACLE)
COLUMNS = 4
# On an axis of less than a decade.
MOST_LABELS = 6


def figure2(results: Results, measure: str) -> Figure:
    """One panel a dataset, mean and a band of one standard error for each classifier.

    Parameters
    ----------
    results : Results
        With learning curves.
    measure : str
        "error", or one of the squared losses, which are drawn on a logarithmic axis since they
        differ by orders of magnitude.
    """
    rule = LearningCurves.name
    datasets = results.select(protocol=rule).names("dataset")
    n_rows = -(-len(datasets) // COLUMNS)
    n_columns = min(COLUMNS, len(datasets))
    figure = new_figure(3.2 * n_columns, 2.7 * n_rows + 0.7)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel in panels[len(datasets) :]:
        panel.set_visible(False)
    for panel, dataset in zip(panels, datasets, strict=False):
        for classifier, colour in zip(SHOWN, COLOURS, strict=False):
            draw_curve(panel, results, dataset, rule, classifier, measure, colour)
        if measure != "error":
            panel.set_yscale("log")
            _label_heights(panel)
        panel.set_title(dataset, fontsize=10)
        panel.tick_params(labelsize=7, which="both")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    figure.supxlabel("unlabeled rows", fontsize=10)
    label = "mean error on the test rows" if measure == "error" else f"mean {measure}"
    figure.supylabel(label, fontsize=10)
    return figure


def _label_heights(panel: Axes) -> None:
    """Label enough heights of a logarithmic axis to read its scale."""
    low, high = panel.get_ylim()
    if high >= 10 * low:
        for which in (panel.yaxis.set_major_formatter, panel.yaxis.set_minor_formatter):
            which(_plain)
        return
    # Within less than a decade there may be a single one of 1, 2 and 5, or none.
    step = _step((high - low) / MOST_LABELS)
    ticks = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    panel.set_yticks(ticks, [f"{tick:.6g}" for tick in ticks])
    panel.set_yticks([], minor=True)
    panel.set_ylim(low, high)


def _step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least))


def _plain(value: float, _: float) -> str:
    """A number as people write it, for 1, 2 and 5 times a power of ten; nothing between."""
    leading = float(f"{value:.0e}"[0])
    return f"{value:g}" if leading in (1, 2, 5) else ""
