"""Fits that did not end as they should, in words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tacit._words import listed
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import Results
from tacit.research.experiments._run import OK

# Of the classifiers on datasets that are named, and of the letters of each reason.
MOST_NAMED = 5
MOST_LETTERS = 100


@dataclass(frozen=True)
class Flaws:
    """How many runs failed or did not converge, and which.

    Attributes
    ----------
    n_runs, n_flawed : int
        All runs, and those whose status is not "ok".
    words : str
        Classifier, dataset, how many, and the first reason of each; empty where there are none.
    """

    n_runs: int
    n_flawed: int
    words: str


def flaws(results: Results, classifiers: Collection[str]) -> Flaws:
    """Those of some classifiers.

    Parameters
    ----------
    results : Results
        Of one protocol.
    classifiers : collection of str
        Whose runs count; others are passed over.
    """
    runs = [run for run in results.runs if run.measure == ERROR and run.classifier in classifiers]
    flawed = [run for run in runs if run.status != OK]
    places: dict[tuple[str, str], list[str]] = {}
    for run in flawed:
        places.setdefault((run.classifier, run.dataset), []).append(run.status)
    named = [
        f"{classifier} on {dataset}, {len(statuses)} of "
        f"{sum((r.classifier, r.dataset) == (classifier, dataset) for r in runs)} "
        f"({_short(statuses[0])})"
        for (classifier, dataset), statuses in places.items()
    ]
    return Flaws(len(runs), len(flawed), listed(named, MOST_NAMED) if named else "")


def _short(status: str) -> str:
    line = " ".join(status.split())
    return line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]} …"
