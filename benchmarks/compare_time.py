"""`python -m benchmarks.compare_time`: seconds of a whole comparison, beside scikit-learn's."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifierCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.speed import HEADER, Line
from tacit._typing import AnyArray, Index, Matrix
from tacit.selection import Contestant, compare, default_contestants
from tacit.selection._labeled_table import labeled_table
from tacit.selection._splitters import plan_splits

N_ROWS, N_FEATURES, N_LABELS = 5_000, 30, 60
N_REPEATS, N_JOBS = 2, 2
PENALTIES = np.logspace(-3, 5, 17)
# Seconds are promised for a machine of two cores that does nothing else.
MOST_SECONDS = 40.0
# Those that take nearly all the time, and have no counterpart in scikit-learn.
SLOW = ("forest", "anchors", "tacit")


def table() -> tuple[Matrix, AnyArray]:
    """Two classes that overlap; all labels but the first 60 are unknown."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, N_ROWS)
    X = random.standard_normal((N_ROWS, N_FEATURES))
    X[:, :8] += 0.3 * (2 * y - 1)[:, None]
    y[N_LABELS:] = -1
    return X, y


class SameSplits:
    """The splits of `compare`, labeled rows only, as scikit-learn asks for them."""

    def __init__(self, X: Matrix, y: AnyArray) -> None:
        self._table = labeled_table(X, y)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many there are."""
        return len(plan_splits(self._table, None, N_REPEATS, 0))

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Rows to train and to test on."""
        for split in plan_splits(self._table, None, N_REPEATS, 0):
            yield split.labeled, split.test


def compared(contestants: Sequence[Contestant]) -> float:
    """Seconds of `compare`; 26 fits of each contestant and the verdict."""
    X, y = table()
    told: list[int] = []
    start = time.perf_counter()
    comparison = compare(
        X,
        y,
        contestants,
        n_repeats=N_REPEATS,
        n_jobs=N_JOBS,
        on_progress=lambda done, total: told.append(done),
    )
    seconds = time.perf_counter() - start
    assert len(comparison.splits) == len(contestants) * 20
    assert told == list(range(27))
    return seconds


def cross_validated() -> float:
    """Seconds of scikit-learn's tuned ridge and logistic regression on the same splits.

    Labels only: 20 times two fits, of which the unlabeled rows are no part.
    """
    X, y = table()
    cv = SameSplits(X, y)
    start = time.perf_counter()
    for classifier in (
        RidgeClassifierCV(PENALTIES),
        LogisticRegressionCV(
            Cs=7, cv=5, l1_ratios=(0.0,), scoring="neg_log_loss", use_legacy_attributes=False
        ),
    ):
        model = make_pipeline(StandardScaler(), classifier)
        cross_val_score(model, X, y, cv=cv, n_jobs=N_JOBS, error_score="raise")
    return time.perf_counter() - start


def compare_lines() -> list[Line]:
    """Seconds with all contestants; with the linear ones, how many times those of scikit-learn.

    The latter each the best of three taken in turns.
    """
    usual = tuple(default_contestants(StandardScaler(), N_LABELS).values())
    linear = [contestant for contestant in usual if contestant.name not in SLOW]
    compared(linear)  # starts the processes, which all use
    pairs = [(compared(linear), cross_validated()) for _ in range(3)]
    ours, theirs = (min(pair[k] for pair in pairs) for k in (0, 1))
    what = f"compare, {N_ROWS:,} x {N_FEATURES}, {N_JOBS} processes"
    times = f"{ours:.3g} s over {theirs:.3g} s"
    note = f"20 splits, {len(usual)} classifiers"
    return [
        Line(f"{what}: seconds", MOST_SECONDS, 20, compared(usual), note, unit=" s"),
        Line(
            f"{what}, linear classifiers: over scikit-learn's tuned ridge and logistic "
            "regression, labels only",
            5,
            2,
            ours / theirs,
            times,
        ),
    ]


def main() -> int:
    """Print the lines; 0 where both hold."""
    lines = compare_lines()
    print(HEADER)
    for line in lines:
        print(line.markdown())
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
