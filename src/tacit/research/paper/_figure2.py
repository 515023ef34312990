"""Figure 2: error, and squared loss, against the number of unlabeled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.report import add_legend, draw_panel, new_figure, set_log_heights
from tacit.research.experiments import LearningCurves, Results
from tacit.research.experiments._contestants import (
    ICLS,
    ORACLE,
    PROJECTED,
    SELF_LEARNING,
    SUPERVISED,
)
from tacit.research.experiments._figures import curve_panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = (SUPERVISED, SELF_LEARNING, ICLS, PROJECTED, ORACLE)
COLUMNS = 4


def figure2(results: Results, measure: str) -> Figure:
    """One panel a dataset, mean and a band of one standard error for each classifier.

    Squared losses are drawn on a logarithmic axis, since they differ by orders of magnitude.
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
        values = curve_panel(results, dataset, rule, SHOWN, measure)
        draw_panel(panel, values, 3.2, with_bands=True)
        if measure != "error":
            set_log_heights(panel)
        panel.tick_params(labelsize=7, which="both")
    add_legend(figure, 3.2 * n_columns)
    figure.supxlabel("unlabeled rows", fontsize=10)
    label = "mean error on the test rows" if measure == "error" else f"mean {measure}"
    figure.supylabel(label, fontsize=10)
    return figure
