"""Pictures of runs. The one module of the package that imports matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.experiments.draws import SUPERVISED, Run
from tacit.experiments.summary import Summary, summarise, values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's palette, which colour-blind readers can tell apart.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def save_figure(runs: list[Run], path: Path) -> None:
    """Error against unlabeled rows, and the change of the error in each draw, as a PNG.

    Parameters
    ----------
    runs : list of Run
        Of one dataset.
    path : Path
        Where to write.
    """
    try:
        # Figure without pyplot: no global state, and no display is looked for.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib; install it with: pip install 'tacit[plots]'"
        ) from error

    summaries = summarise(runs)
    classifiers = list(dict.fromkeys(run.classifier for run in runs))
    colours = dict(zip(classifiers, COLOURS, strict=False))
    figure = Figure(figsize=(10, 4.2), layout="constrained", dpi=150)
    left, right = figure.subplots(1, 2, width_ratios=(5, 4))
    _draw_curves(left, summaries, colours)
    _draw_changes(right, runs, colours)
    n_repeats = max(run.repeat for run in runs) + 1
    figure.suptitle(
        f"{runs[0].dataset}: {runs[0].n_labeled} labels, {n_repeats} random draws", fontsize=12
    )
    figure.savefig(path)


def _draw_curves(axes: Axes, summaries: list[Summary], colours: dict[str, str]) -> None:
    for classifier, colour in colours.items():
        points = [s for s in summaries if (s.classifier, s.measure) == (classifier, "error")]
        x = np.array([s.n_unlabeled for s in points])
        mean = np.array([s.mean for s in points])
        error = np.array([s.standard_error for s in points])
        axes.plot(x, mean, color=colour, marker="o", markersize=3, label=classifier)
        axes.fill_between(x, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)
        axes.annotate(f" {classifier}", (x[-1], mean[-1]), color=colour, va="center", fontsize=9)
    axes.set_xscale("log", base=2)
    axes.set_xticks(x, [str(value) for value in x])
    axes.minorticks_off()
    axes.set_xlim(right=float(x[-1]) * 3.2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("unlabeled rows")
    axes.set_ylabel("error on the rows without label")
    axes.set_title("Does more unlabeled data help?", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_changes(axes: Axes, runs: list[Run], colours: dict[str, str]) -> None:
    largest = max(run.n_unlabeled for run in runs)
    supervised = values(runs, SUPERVISED, "error", largest)
    others = [name for name in colours if name != SUPERVISED]
    for height, name in enumerate(reversed(others)):
        change = values(runs, name, "error", largest) - supervised
        spread = np.linspace(-0.18, 0.18, len(change))
        axes.scatter(change, height + spread, s=14, color=colours[name], alpha=0.75, linewidth=0)
        worse = int((change > 1e-9).sum())
        axes.annotate(
            f"worse in {worse} of {len(change)}",
            (0.98, (height + 0.5 + 0.32) / len(others)),
            xycoords=("axes fraction", "axes fraction"),
            ha="right",
            va="center",
            fontsize=9,
            color=colours[name],
        )
    axes.axvline(0.0, color="#888888", linewidth=1)
    axes.set_yticks(range(len(others)), list(reversed(others)))
    axes.set_ylim(-0.5, len(others) - 0.5)
    reach = max(abs(value) for value in axes.get_xlim())
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("error minus that of supervised\n← better than supervised      worse →")
    axes.set_title(f"Can it hurt? {largest} unlabeled rows, each draw", fontsize=10)
    axes.spines[["top", "right", "left"]].set_visible(False)
