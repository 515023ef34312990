"""The picture of the README: error against the number of unlabeled rows.

python -m docs.pictures.readme [file] draws it again, in about two minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

from tacit.estimators import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tacit.report import COLOURS, new_figure
from tacit.research.experiments import (
    Contestant,
    Experiment,
    LearningCurves,
    Results,
    complete_table,
    run,
)
from tacit.research.experiments._contestants import ICLS, SELF_LEARNING, SUPERVISED
from tacit.research.experiments._measures import ERROR

N_DRAWS = 300
N_LABELED = 15  # the paper's number: features + 5
SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 427)
RIDGE = "ridge"
LINES = {SUPERVISED: COLOURS[0], SELF_LEARNING: COLOURS[1], ICLS: COLOURS[2]}


def measure() -> Results:
    """Fit everything, on the same draws; every row without label is tested."""
    X, progression = load_diabetes(return_X_y=True)
    y = progression > np.median(progression)
    table = complete_table("diabetes", StandardScaler().fit_transform(X), y)
    contestants = (
        Contestant(SUPERVISED, LeastSquaresClassifier()),
        Contestant(RIDGE, LeastSquaresClassifier(alpha="loo")),
        Contestant(SELF_LEARNING, SelfLearningClassifier(), SUPERVISED),
        Contestant(ICLS, ICLSClassifier(), SUPERVISED),
    )
    protocol = LearningCurves(N_DRAWS, N_LABELED, SIZES, transductive=True)
    return run([Experiment((table,), protocol, contestants)])


def draw(results: Results, path: Path) -> None:
    """One line for each method, with a band of one standard error and its name at the end."""
    figure = new_figure(7.6, 4.0)
    axes = figure.subplots()
    for name, colour in LINES.items():
        curve = [s for s in results.summaries() if s.classifier == name and s.measure == ERROR]
        error = 100.0 * np.array([summary.mean for summary in curve])
        band = 100.0 * np.array([summary.standard_error for summary in curve])
        axes.plot(SIZES, error, color=colour, linewidth=2.4, marker="o", markersize=4.5)
        axes.fill_between(SIZES, error - band, error + band, color=colour, alpha=0.18, linewidth=0)
        axes.annotate(
            f"  {name}",
            (SIZES[-1], error[-1]),
            color=colour,
            va="center",
            fontsize=12,
            fontweight="bold",
        )
    axes.set_xscale("log", base=2)
    axes.set_xlim(right=SIZES[-1] * 3.4)
    axes.set_xticks(SIZES, [str(size) for size in SIZES])
    axes.minorticks_off()
    axes.spines["bottom"].set_bounds(axes.get_xlim()[0], SIZES[-1])
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    axes.set_xlabel("unlabeled rows", x=0.4)
    axes.set_ylabel("error on the rows without label, in %")
    axes.set_title(
        f"{N_LABELED} labels: what does the rest of the table do?",
        loc="left",
        fontsize=12,
        fontweight="bold",
    )
    figure.savefig(path)


def main() -> None:
    """Draw the picture, and print the numbers at its right end."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/images/readme.png")
    results = measure()
    draw(results, path)
    for summary in results.summaries():
        if summary.measure == ERROR and summary.n_unlabeled == SIZES[-1]:
            worse = f"worse than supervised in {summary.times_worse} of {summary.n_repeats} draws"
            mean = f"{summary.mean:.3f} ± {summary.standard_error:.3f}"
            print(f"{summary.classifier:14} {mean}  {worse}")


if __name__ == "__main__":
    main()
