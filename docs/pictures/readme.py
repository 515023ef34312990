"""The picture of the README: error against the number of labels, where views help and where not.

python -m docs.pictures.readme [file] draws it again, in about five minutes, and prints its numbers.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV
from sklearn.semi_supervised import LabelSpreading

from tacit import TacitClassifier
from tacit.cli._demo import WITH, WITHOUT, demo_tables, hide_labels
from tacit.report import COLOURS, new_figure
from tacit.selection import LabeledKFold

N_DRAWS = 10
SIZES = (30, 50, 100, 200)
SPREADING = "LabelSpreading"
LINES = {WITHOUT: COLOURS[0], SPREADING: COLOURS[1], WITH: COLOURS[2]}
USED = "views used"


def errors(X: Any, y: Any, n_labels: int, draw: int) -> dict[str, float]:
    """The part of the rows without label that each method gets wrong, in one draw of the labels."""
    partly, hidden = hide_labels(y, n_labels, draw)
    spreading = GridSearchCV(
        LabelSpreading("knn"),
        {"n_neighbors": [5, 10, 20]},
        cv=LabeledKFold(3, shuffle=True, random_state=0),
    )
    model = TacitClassifier(random_state=draw)
    with warnings.catch_warnings():
        # Of classes with fewer labels than folds, and of searches that end early.
        warnings.simplefilter("ignore")
        found = {SPREADING: spreading.fit(X, partly).predict(X[hidden])}
        found[WITH] = model.fit(X, partly).predict(X[hidden])
    model.model_ = model.supervised_model_
    found[WITHOUT] = model.predict(X[hidden])
    wrong = {name: float(np.mean(labels != y[hidden])) for name, labels in found.items()}
    return wrong | {USED: float(model.evidence_.uses_views)}


def measure(n_jobs: int = 2) -> dict[str, dict[str, Any]]:
    """By table and method, errors of shape (sizes, draws)."""
    found = {}
    for title, table in demo_tables().items():
        done = Parallel(n_jobs)(
            delayed(errors)(*table, n, draw) for n in SIZES for draw in range(N_DRAWS)
        )
        found[title] = {
            name: np.array([one[name] for one in done]).reshape(len(SIZES), N_DRAWS)
            for name in done[0]
        }
    return found


def draw(found: dict[str, dict[str, Any]], path: Path) -> None:
    """One panel a table, one line a method with a band of one standard error."""
    figure = new_figure(9.6, 3.7)
    for axes, (title, values) in zip(figure.subplots(1, 2), found.items(), strict=True):
        for name, colour in LINES.items():
            error = 100.0 * values[name].mean(axis=1)
            band = 100.0 * values[name].std(axis=1, ddof=1) / np.sqrt(N_DRAWS)
            axes.plot(SIZES, error, "o-", color=colour, linewidth=2.4, markersize=4.5, label=name)
            axes.fill_between(
                SIZES, error - band, error + band, color=colour, alpha=0.18, linewidth=0
            )
        axes.set_xscale("log")
        axes.set_xticks(SIZES, [str(size) for size in SIZES])
        axes.minorticks_off()
        axes.set_ylim(bottom=0.0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e6e6e6", linewidth=0.7)
        axes.set_xlabel("labels")
        axes.set_title(title, loc="left", fontsize=12, fontweight="bold")
    figure.axes[0].set_ylabel("error on the rows without label, in %")
    figure.axes[1].legend(frameon=False, loc="lower left")
    figure.savefig(path)


def main() -> None:
    """Draw the picture, and print its numbers."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/images/readme.png")
    found = measure()
    draw(found, path)
    for title, by_method in found.items():
        print(f"{title}; mean over {N_DRAWS} draws with {', '.join(map(str, SIZES))} labels, in %")
        for name, values in by_method.items():
            worse = int((values > by_method[WITHOUT]).sum())
            means = "  ".join(f"{100 * mean:5.1f}" for mean in values.mean(axis=1))
            rest = "" if name == USED else f"   above {WITHOUT}: {worse} of {values.size}"
            print(f"  {name:24}{means}{rest}")


if __name__ == "__main__":
    main()
