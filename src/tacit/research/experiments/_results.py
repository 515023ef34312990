"""Runs, looked up, summed up and tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from textwrap import shorten
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from tacit._typing import Vector
from tacit._words import listed, number_of
from tacit.research.experiments._contestants import SUPERVISED
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._protocols import CrossValidation
from tacit.selection._evaluate import OK, Run
from tacit.selection._labeled_table import as_frame

# Differences below this are rounding, not better or worse.
ROUNDING = 1e-9
# Of Wilcoxon's signed rank test, for bold and underline.
LEVEL = 0.01
# Of the classifiers on datasets that are named, and of the letters of each reason.
MOST_NAMED = 5
MOST_LETTERS = 100

# 2^n patterns of signs are equally likely where two classifiers are equal, and two of them are the
# most extreme: with 7 repeats the smallest p-value is 2 / 128.
LEAST_REPEATS = 8

# Dataset, protocol, classifier, measure and unlabeled rows.
Key = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class RunSummary:
    """One classifier on one measure at one number of unlabeled rows, over the repeats."""

    dataset: str  # What was measured
    protocol: str
    classifier: str
    measure: str
    n_labeled: int  # Rows of the fit
    n_unlabeled: int
    mean: float  # Over the repeats; the standard error of a single one is NaN
    standard_error: float
    # In how many repeats it was worse than its supervised twin on the same rows; None where no
    # repeat of both ended, so that nothing is known about it.
    times_worse: int | None
    n_repeats: int  # Repeats that ended
    n_incomplete: int  # Repeats whose status is not "ok": not converged, or failed
    # In a table of errors: whether it beats its rival, and whether it is worse than its twin, by
    # Wilcoxon's signed rank test over the repeats in which both ended.
    better: bool = False
    worse: bool = False


# The entries of a table of errors, by dataset and classifier.
Cells = dict[tuple[str, str], RunSummary]


@dataclass(frozen=True)
class Results:
    """The runs of experiments, by what they are about."""

    runs: tuple[Run, ...]  # All of them, in the order given
    _by_key: dict[Key, dict[int, Run]]
    # The supervised classifier that each is compared with; SUPERVISED for those not named.
    twins: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(runs: Iterable[Run], twins: Mapping[str, str] | None = None) -> Results:
        """Index `runs`, whose classifiers are compared with `twins`."""
        kept = tuple(runs)
        by_key: dict[Key, dict[int, Run]] = {}
        for run in kept:
            key = (run.dataset, run.protocol, run.classifier, run.measure, run.n_unlabeled)
            by_key.setdefault(key, {})[run.repeat] = run
        return Results(kept, by_key, twins or {})

    def names(self, column: str) -> list[Any]:
        """The values of a column, each once, in their order."""
        return list(dict.fromkeys(getattr(run, column) for run in self.runs))

    def select(self, **columns: Any) -> Results:
        """The runs whose columns have these values, for example `dataset="Sonar"`."""
        chosen = [run for run in self.runs if columns.items() <= vars(run).items()]
        return Results.of(chosen, self.twins)

    def frame(self) -> Any:
        """The runs as a pandas DataFrame, one row each and one column for each of its fields."""
        return as_frame([vars(run) for run in self.runs], [field.name for field in fields(Run)])

    def sizes(self, dataset: str, protocol: str, classifier: str) -> list[int]:
        """Numbers of unlabeled rows, from the smallest."""
        wanted = (dataset, protocol, classifier, ERROR)
        return sorted(size for *place, size in self._by_key if tuple(place) == wanted)

    def values(self, *key: *Key) -> Vector:
        """One number a repeat, in their order; NaN where the fit failed."""
        found = self._by_key.get(key, {})
        return np.array([found[repeat].value for repeat in sorted(found)])

    def summary(self, *key: *Key, twin: str | None = None) -> RunSummary | None:
        """Mean, standard error and times worse than its twin; None where no repeat ended.

        `twin` is another than that of `twins` to compare with.
        """
        dataset, protocol, classifier, measure, n_unlabeled = key
        values = self.values(*key)
        ended = values[np.isfinite(values)]
        if len(ended) == 0:
            return None
        own, others = self.paired(*key, other=twin or self.twins.get(classifier, SUPERVISED))
        found = self._by_key[key].values()
        place = dataset, protocol, classifier, measure, next(iter(found)).n_labeled, n_unlabeled
        error = float(ended.std(ddof=1) / np.sqrt(len(ended))) if len(ended) > 1 else np.nan
        times_worse = int((own > others + ROUNDING).sum()) if len(own) else None
        counts = len(ended), sum(run.status != OK for run in found)
        return RunSummary(*place, float(ended.mean()), error, times_worse, *counts)

    def summaries(self) -> list[RunSummary]:
        """Of all there is."""
        every = (self.summary(*key) for key in self._by_key)
        return [summary for summary in every if summary is not None]

    def paired(self, *key: *Key, other: str) -> tuple[Vector, Vector]:
        """The numbers of two classifiers in the repeats in which both ended."""
        dataset, protocol, _, measure, n_unlabeled = key
        own = self._by_key.get(key, {})
        others = self._by_key.get((dataset, protocol, other, measure, n_unlabeled), {})
        both = sorted(own.keys() & others.keys())
        values = np.array([[own[r].value, others[r].value] for r in both]).reshape(-1, 2)
        values = values[np.isfinite(values).all(axis=1)]
        return values[:, 0], values[:, 1]

    def direction(self, *key: *Key, other: str) -> int:
        """Which of two classifiers has the lower error, by Wilcoxon's test at `LEVEL`.

        -1 where that of the first is significantly below that of `other`, 1 where it is above, 0
        where the repeats in which both ended do not tell them apart.
        """
        own, others = self.paired(*key, other=other)
        # Errors are counts over n: equal differences must be ties, not ranked by rounding.
        difference = np.round(own - others, 9)
        difference = difference[difference != 0.0]
        # Some versions of SciPy approximate p-values among ties, and then come below the smallest.
        if len(difference) < LEAST_REPEATS or wilcoxon(difference).pvalue >= LEVEL:
            return 0
        return int(np.sign(difference.mean()))

    def error_cells(
        self, twins: Mapping[str, str], rivals: Mapping[str, str] | None = None
    ) -> Cells:
        """A table of the errors of cross-validation, where any repeat ended.

        `twins` names the classifiers and whom each is compared with; who is compared with itself is
        not. `rivals` says whom a classifier must beat to be set in bold, those not named never are;
        without it everyone must beat its twin.
        """
        cells = {}
        for dataset in self.names("dataset"):
            for name, twin in twins.items():
                sizes = self.sizes(dataset, CrossValidation.name, name)
                key = (dataset, CrossValidation.name, name, ERROR, min(sizes, default=0))
                found = self.summary(*key, twin=twin)
                if found is not None and twin == name:
                    cells[dataset, name] = replace(found, times_worse=None)
                elif found is not None:
                    rival = twin if rivals is None else rivals.get(name, name)
                    better = self.direction(*key, other=rival) == -1
                    worse = self.direction(*key, other=twin) == 1
                    cells[dataset, name] = replace(found, better=better, worse=worse)
        return cells

    def places(self) -> set[tuple[str, str]]:
        """Datasets and classifiers with any run, whether it ended or failed."""
        return {(run.dataset, run.classifier) for run in self.runs}

    def n_repeats(self) -> int:
        """Repeats that were run, whether they ended or failed."""
        return max((run.repeat + 1 for run in self.runs), default=0)

    def incomplete(self, classifiers: Collection[str]) -> tuple[int, int, str]:
        """All runs of some classifiers, those whose status is not "ok", and these in words.

        Classifier, dataset, how many, and the first reason of each; empty where there are none.
        """
        shown = [r for r in self.runs if r.measure == ERROR and r.classifier in classifiers]
        n_runs = Counter((run.classifier, run.dataset) for run in shown)
        bad: dict[tuple[str, str], list[str]] = {}
        for run in shown:
            if run.status != OK:
                bad.setdefault((run.classifier, run.dataset), []).append(run.status)
        named = [
            f"{name} on {dataset}, {len(found)} of {n_runs[name, dataset]} "
            f"({shorten(found[0], MOST_LETTERS)})"
            for (name, dataset), found in bad.items()
        ]
        words = listed(named, MOST_NAMED) if named else ""
        return len(shown), sum(map(len, bad.values())), words


def what_counts(n_repeats: int) -> str:
    """A sentence on what that many repeats can show; empty where there are more than enough."""
    repeats = number_of(n_repeats, "repeat")
    if n_repeats < LEAST_REPEATS:
        least = f"at least {LEAST_REPEATS}."
        return f"With {repeats} no difference can be significant: that takes {least}"
    # With one small difference of the other sign the p-value is twice the smallest.
    if n_repeats == LEAST_REPEATS:
        return f"With {repeats} that takes a difference of the same sign in every one of them."
    return ""
