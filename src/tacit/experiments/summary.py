"""From tidy rows to the table a person reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tacit._typing import Vector
from tacit.experiments.draws import SUPERVISED, Run

# Differences below this are rounding, not better or worse.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Summary:
    """One classifier on one measure at one number of unlabeled rows.

    Attributes
    ----------
    classifier, measure : str
        What was measured.
    n_unlabeled : int
        Unlabeled rows of the fit.
    mean, standard_error, median : float
        Over the draws.
    times_worse : int
        In how many draws it was worse than the supervised classifier on the same rows.
    n_repeats : int
        Draws.
    """

    classifier: str
    measure: str
    n_unlabeled: int
    mean: float
    standard_error: float
    median: float
    times_worse: int
    n_repeats: int


def values(runs: Iterable[Run], classifier: str, measure: str, n_unlabeled: int) -> Vector:
    """The values of one classifier, in the order of the draws."""
    found = sorted(
        (run.repeat, run.value)
        for run in runs
        if (run.classifier, run.measure, run.n_unlabeled) == (classifier, measure, n_unlabeled)
    )
    return np.array([value for _, value in found])


def summarise(runs: list[Run]) -> list[Summary]:
    """Mean, standard error and times worse than supervised, for all there is in `runs`."""
    keys = dict.fromkeys((run.measure, run.n_unlabeled, run.classifier) for run in runs)
    summaries = []
    for measure, n_unlabeled, classifier in keys:
        own = values(runs, classifier, measure, n_unlabeled)
        supervised = values(runs, SUPERVISED, measure, n_unlabeled)
        summaries.append(
            Summary(
                classifier,
                measure,
                n_unlabeled,
                float(own.mean()),
                float(own.std(ddof=1) / np.sqrt(len(own))) if len(own) > 1 else 0.0,
                float(np.median(own)),
                int((own > supervised + ROUNDING).sum()),
                len(own),
            )
        )
    return summaries
