"""`python -m benchmarks.what_to_label`: labels that were suggested beside as many at random.

On the sets of `tacit benchmark --suite evidence`, 30% of the rows held back: from max(20, 4 K)
labels, 20 more by `suggest_labels` and 20 more at random; the error of TacitClassifier on the rows
held back, after both. Writes the table and the picture of docs/guide/what_to_label.md, in some
hours. Runs are kept in a file and not repeated.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from tacit import TacitClassifier
from tacit._files import write_text
from tacit._typing import Vector
from tacit.report import PALETTE, Entry, new_figure, save_figure
from tacit.research.experiments._evidence import (
    HeldBack,
    chose_settings,
    evidence_datasets,
    evidence_table,
)
from tacit.research.experiments._grid import Grid, short
from tacit.research.experiments._peers import AsGiven
from tacit.research.experiments._results import LEVEL
from tacit.selection import suggest_labels

N_MORE = 20
OUT = Path("docs/what_to_label")
COLUMNS = ("dataset", "draw", "random", "suggested")


def run(name: str, draw: int) -> tuple[float, float]:
    """Errors with more labels at random, and with more by suggestion."""
    table = evidence_table(name)
    split = HeldBack().splits(table, draw)[0][0]
    rows = np.concatenate([split.labeled, split.unlabeled])
    given = AsGiven().fit(table.X)
    X, X_new, truth = given.transform(table.X[rows]), given.transform(table.X[split.test]), table.y
    n = len(split.labeled)
    first = np.where(np.arange(len(rows)) < n, truth[rows], -1)

    def error(more: Any) -> float:
        y = first.copy()
        y[more] = truth[rows][more]
        model = TacitClassifier(random_state=0).fit(X, y)
        return float(np.mean(model.predict(X_new) != truth[split.test]))

    # The unlabeled rows are shuffled already.
    at_random = np.arange(n, min(n + N_MORE, len(rows)))
    suggested = [each.row for each in suggest_labels(X, first, N_MORE)]
    return error(at_random), error(suggested)


def read_runs(file: Path) -> dict[str, dict[int, tuple[float, ...]]]:
    """The errors so far, by set and draw."""
    runs: dict[str, dict[int, tuple[float, ...]]] = {}
    if file.is_file():
        for line in csv.DictReader(file.read_text().splitlines()):
            errors = tuple(float(line[name]) for name in COLUMNS[2:])
            runs.setdefault(line["dataset"], {})[int(line["draw"])] = errors
    return runs


def direction(difference: Vector) -> int:
    """-1 where suggestions have significantly the lower error, 1 where the higher, or 0."""
    difference = np.round(difference, 9)
    difference = difference[difference != 0.0]
    if len(difference) == 0 or wilcoxon(difference).pvalue >= LEVEL:
        return 0
    return int(np.sign(difference.mean()))


def grid(runs: dict[str, dict[int, tuple[float, ...]]]) -> Grid:
    """One row a set, the largest gain first, and above them both halves and all."""
    errors = {name: np.array(list(draws.values())) for name, draws in runs.items()}
    signs = {name: direction(found[:, 1] - found[:, 0]) for name, found in errors.items()}
    means = {name: found.mean(axis=0) for name, found in errors.items()}

    def line(title: str, names: Sequence[str], bold: bool = False) -> tuple[Entry, ...]:
        at_random, suggested = np.mean([means[name] for name in names], axis=0)
        better, worse = (sum(signs[name] == sign for name in names) for sign in (-1, 1))
        errors = (short(at_random), short(suggested))
        counts = (str(better), str(worse)) if bold else ("yes" * better, "yes" * worse)
        change = f"{100.0 * (suggested - at_random):+.1f}"
        return tuple(Entry(text, bold=bold) for text in (title, *errors, change, *counts))

    names = sorted(means, key=lambda name: means[name][1] - means[name][0])
    halves = [[name for name in names if chose_settings(name) is half] for half in (True, False)]
    rows = [line(f"all {len(names)} sets", names, True)]
    rows += [
        line(f"{which} half ({len(half)} sets)", half, True)
        for which, half in zip(("first", "second"), halves, strict=True)
        if half
    ]
    n_draws = min(map(len, runs.values()))
    return Grid(
        f"{N_MORE} more labels, suggested or at random",
        ("set", "at random", "suggested", "change in points", "better", "worse"),
        (*rows, *(line(name, [name]) for name in names)),
        f"Error on the rows held back, mean over {n_draws} draws. Better and worse: Wilcoxon at "
        f"{LEVEL} over the draws. The way of choosing was decided on the first half of the sets, "
        "on other draws.",
    )


def figure(runs: dict[str, dict[int, tuple[float, ...]]]) -> Any:
    """The change of the error by each set, with the standard error over draws."""
    found = {name: 100.0 * np.array([e[1] - e[0] for e in d.values()]) for name, d in runs.items()}
    names = sorted(found, key=lambda name: -float(found[name].mean()))
    drawn = new_figure(8.0, 1.2 + 0.2 * len(names))
    axes = drawn.subplots()
    axes.axvline(0.0, color=PALETTE["edge"])
    for height, name in enumerate(names):
        error = found[name].std(ddof=1) / np.sqrt(len(found[name]))
        mean = found[name].mean()
        axes.errorbar(mean, height, xerr=error, fmt="o", markersize=4, color=PALETTE["series-2"])
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_xlabel("change of the error in percentage points, suggested against random labels")
    axes.margins(y=0.01)
    return drawn


def main() -> None:
    """Make the runs that are missing, and write what the page shows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.what_to_label", description=__doc__)
    parser.add_argument("--draws", type=int, default=20, help="of the labels, for each set")
    parser.add_argument("--datasets", nargs="*", help="only these sets")
    given: Any = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / "runs.csv"
    if not file.is_file():
        write_text(file, ",".join(COLUMNS) + "\n")
    for draw in range(given.draws):
        for name in given.datasets or evidence_datasets():
            if draw not in read_runs(file).get(name, {}):
                errors = ",".join(f"{error:.6f}" for error in run(name, draw))
                with file.open("a") as lines:
                    lines.write(f"{name},{draw},{errors}\n")
    runs = {
        name: {draw: errors for draw, errors in draws.items() if draw < given.draws}
        for name, draws in read_runs(file).items()
    }
    write_text(OUT / "sets.md", grid(runs).markdown())
    save_figure(figure(runs), OUT / "sets.png")
    print(grid(runs).markdown())


if __name__ == "__main__":
    main()
