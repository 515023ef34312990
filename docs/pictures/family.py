"""Every method on the same three two-dimensional problems: `python -m docs.pictures.family`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from tacit._typing import Matrix
from tacit.report import COLOURS, new_figure
from tacit.research.datasets import aligned_clusters, opposed_clusters, overlapping
from tacit.research.experiments._family import family_contestants
from tacit.selection import Contestant
from tacit.selection._contestants import seeded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_ROWS = 300
# Labeled rows of each class.
N_LABELED = 3
PROBLEMS: dict[str, Any] = {
    "clusters are the classes": aligned_clusters,
    "clusters against the classes": opposed_clusters,
    "classes overlap": overlapping,
}
COLUMNS = 4


def draw_family(seed: int = 3) -> Figure:
    """One block of panels a problem; the border of each method beside that of its twin.

    Parameters
    ----------
    seed : int, default 3
        Of the rows and of the labels; one draw, the same for all methods.
    """
    methods = [c for c in family_contestants() if c.twin is not None]
    twins = {c.name: c for c in family_contestants() if c.twin is None}
    n_lines = -(-len(methods) // COLUMNS)
    figure = new_figure(2.4 * COLUMNS, (2.1 * n_lines + 0.5) * len(PROBLEMS))
    figure.suptitle(
        "dashed: the supervised twin; solid: the method, with unlabeled rows", fontsize=10
    )
    blocks: Any = figure.subfigures(len(PROBLEMS), 1)
    for block, (title, make) in zip(blocks, PROBLEMS.items(), strict=True):
        data = make(N_ROWS, seed)
        codes = np.unique(data.y, return_inverse=True)[1]
        random = np.random.default_rng(seed)
        labeled = np.concatenate(
            [random.choice(np.flatnonzero(codes == k), N_LABELED, replace=False) for k in (0, 1)]
        )
        y = np.full(N_ROWS, -1)
        y[labeled] = codes[labeled]
        block.suptitle(f"{title}: {2 * N_LABELED} labels", fontsize=11, fontweight="bold")
        panels = block.subplots(n_lines, COLUMNS, squeeze=False).ravel()
        for panel in panels[len(methods) :]:
            panel.set_visible(False)
        for panel, method in zip(panels, methods, strict=False):
            _draw(panel, data.X, y, codes, method, twins[str(method.twin)])
    return figure


def _draw(axes: Axes, X: Matrix, y: Any, codes: Any, method: Contestant, twin: Contestant) -> None:
    known = y >= 0
    models = {
        "dashed": clone(twin.estimator).fit(X[known], y[known]),
        "solid": seeded(method.estimator, f"figure|{method.name}").fit(X, y),
    }
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    grid = np.meshgrid(*(np.linspace(a, b, 120) for a, b in zip(low, high, strict=True)))
    points = np.column_stack([part.ravel() for part in grid])
    for k, marker in ((0, "o"), (1, "^")):
        x, height = X[codes == k].T
        axes.scatter(x, height, s=5, color=COLOURS[1 + k], marker=marker, alpha=0.35, linewidth=0)
        x, height = X[(codes == k) & known].T
        axes.scatter(x, height, s=45, color=COLOURS[1 + k], marker=marker, edgecolor="black")
    for style, model in models.items():
        predicted = model.predict(points).reshape(grid[0].shape)
        colour = "#666666" if style == "dashed" else "black"
        if len(np.unique(predicted)) > 1:
            axes.contour(*grid, predicted, levels=[0.5], colors=colour, linestyles=style)
    before, after = (100 * np.mean(model.predict(X) != codes) for model in models.values())
    axes.set_title(f"{method.name}\n{before:.0f} % → {after:.0f} % wrong", fontsize=8)
    axes.set_xticks([])
    axes.set_yticks([])


if __name__ == "__main__":
    draw_family().savefig(Path(__file__).parents[1] / "images" / "family.png")
