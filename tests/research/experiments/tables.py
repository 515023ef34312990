"""Small data and experiments that several tests use."""

from dataclasses import replace

import numpy as np

from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    Experiment,
    LearningCurves,
    complete_table,
    paper_contestants,
)
from tacit.selection._labeled_table import LabeledTable


def two_classes(name: str = "two", n_rows: int = 60, n_features: int = 3) -> LabeledTable:
    random = np.random.default_rng(n_rows)
    X = random.normal(size=(n_rows, n_features))
    return complete_table(name, X, X[:, 0] + 0.7 * random.normal(size=n_rows) > 0)


def three_classes(name: str = "three", n_rows: int = 90) -> LabeledTable:
    random = np.random.default_rng(n_rows)
    X = random.normal(size=(n_rows, 3))
    winners = (X + 0.5 * random.normal(size=(n_rows, 3))).argmax(axis=1)
    return complete_table(name, X, np.array(["red", "green", "blue"])[winners])


def contestants(*names: str) -> tuple[Contestant, ...]:
    return tuple(c for c in paper_contestants() if c.name in names)


def experiments(n_repeats: int = 3, names: tuple[str, ...] = ("supervised", "ICLS")):
    """Both protocols on two tables."""
    tables = two_classes("first"), two_classes("second", 45)
    return [
        Experiment(tables, LearningCurves(n_repeats, 10, (4, 16)), contestants(*names)),
        Experiment(tables, CrossValidation(n_repeats, 10, 4), contestants(*names)),
    ]


def without_seconds(runs):
    """Everything of the runs but their time, in a form that can be compared though there is NaN."""
    return [repr(replace(run, seconds=0.0)) for run in runs]
