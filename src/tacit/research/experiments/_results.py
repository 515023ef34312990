"""Runs, looked up, summed up and tested."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from tacit._typing import Vector
from tacit._words import listed, number_of
from tacit.research.experiments._contestants import SUPERVISED
from tacit.research.experiments._measures import ERROR
from tacit.selection._evaluate import OK, Run
from tacit.selection._labeled_table import as_frame

# Differences below this are rounding, not better or worse.
ROUNDING = 1e-9
# Of Wilcoxon's signed rank test, for bold and underline.
LEVEL = 0.01
# Of the classifiers on datasets that are named, and of the letters of each reason.
MOST_NAMED = 5
MOST_LETTERS = 100

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
    median: float
    # In how many repeats it was worse than its supervised twin on the same rows; None where no
    # repeat of both ended, so that nothing is known about it.
    times_worse: int | None
    n_repeats: int  # Repeats that ended
    n_incomplete: int  # Repeats whose status is not "ok": not converged, or failed
    n_compared: int  # Repeats that ended for the twin as well, among which `times_worse` counts


@dataclass(frozen=True)
class Results:
    """The runs of experiments, by what they are about.

    Attributes
    ----------
    runs : tuple of Run
        All of them, in the order given.
    twins : mapping of str to str
        For classifiers, the supervised one that each is compared with; "supervised" for those that
        are not named.
    """

    runs: tuple[Run, ...]
    _by_key: dict[Key, dict[int, Run]]
    twins: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(runs: Iterable[Run], twins: Mapping[str, str] | None = None) -> Results:
        """Index `runs`, whose classifiers are compared with `twins`."""
        kept = tuple(runs)
        by_key: dict[Key, dict[int, Run]] = {}
        for run in kept:
            key = (run.dataset, run.protocol, run.measure, run.classifier, run.n_unlabeled)
            by_key.setdefault(key, {})[run.repeat] = run
        return Results(kept, by_key, {} if twins is None else dict(twins))

    def names(self, column: str) -> list[Any]:
        """The values of a column, each once, in their order."""
        return list(dict.fromkeys(getattr(run, column) for run in self.runs))

    def select(self, **columns: Any) -> Results:
        """The runs whose columns have these values, for example `dataset="Sonar"`."""
        chosen = (
            run
            for run in self.runs
            if all(getattr(run, name) == value for name, value in columns.items())
        )
        return Results.of(chosen, self.twins)

    def frame(self) -> Any:
        """The runs as a pandas DataFrame, one row each and one column for each of its fields."""
        return as_frame([vars(run) for run in self.runs], [field.name for field in fields(Run)])

    def sizes(self, dataset: str, protocol: str, classifier: str) -> list[int]:
        """Numbers of unlabeled rows, from the smallest."""
        return sorted(
            size
            for data, rule, measure, name, size in self._by_key
            if (data, rule, measure, name) == (dataset, protocol, ERROR, classifier)
        )

    def values(
        self, dataset: str, protocol: str, classifier: str, measure: str, n_unlabeled: int
    ) -> Vector:
        """One number a repeat, in their order; NaN where the fit failed."""
        found = self._by_key.get((dataset, protocol, measure, classifier, n_unlabeled), {})
        return np.array([found[repeat].value for repeat in sorted(found)])

    def summary(
        self,
        dataset: str,
        protocol: str,
        classifier: str,
        measure: str,
        n_unlabeled: int,
        twin: str | None = None,
    ) -> RunSummary | None:
        """Mean, standard error and times worse than its twin; None where no repeat ended.

        `twin` is another than that of `twins` to compare with.
        """
        twin = self.twins.get(classifier, SUPERVISED) if twin is None else twin
        found = self._by_key.get((dataset, protocol, measure, classifier, n_unlabeled), {})
        others = self._by_key.get((dataset, protocol, measure, twin, n_unlabeled), {})
        own = np.array([found[repeat].value for repeat in sorted(found)])
        baseline = np.array([others[r].value if r in others else np.nan for r in sorted(found)])
        ended = own[np.isfinite(own)]
        if len(ended) == 0:
            return None
        compared = int(np.isfinite(own - baseline).sum())
        return RunSummary(
            dataset,
            protocol,
            classifier,
            measure,
            next(iter(found.values())).n_labeled,
            n_unlabeled,
            float(ended.mean()),
            float(ended.std(ddof=1) / np.sqrt(len(ended))) if len(ended) > 1 else np.nan,
            float(np.median(ended)),
            int((own > baseline + ROUNDING).sum()) if compared else None,
            len(ended),
            sum(run.status != OK for run in found.values()),
            compared,
        )

    def summaries(self, twins: Mapping[str, str] | None = None) -> list[RunSummary]:
        """Of all there is; `twins` are others than those of `Results.twins` to compare with."""
        others = {} if twins is None else twins
        every = (
            self.summary(data, rule, name, measure, size, others.get(name))
            for data, rule, measure, name, size in self._by_key
        )
        return [summary for summary in every if summary is not None]

    def p_value(
        self,
        dataset: str,
        protocol: str,
        first: str,
        second: str,
        n_unlabeled: int,
        measure: str = ERROR,
    ) -> float:
        """Wilcoxon's signed rank test of equal errors, two-sided, over the repeats."""
        one = self.values(dataset, protocol, first, measure, n_unlabeled)
        other = self.values(dataset, protocol, second, measure, n_unlabeled)
        if len(one) != len(other):
            raise ValueError(
                f"{first!r} has {len(one)} repeats on {dataset!r} and {second!r} has {len(other)}; "
                "a paired test needs the same."
            )
        # Errors are counts over n: equal differences must be ties, not ranked by rounding.
        difference = np.round((one - other)[np.isfinite(one - other)], 9)
        difference = difference[difference != 0.0]
        if len(difference) == 0:
            return 1.0
        # Exact where there are no ties; SciPy chooses.
        return float(wilcoxon(difference).pvalue)

    def direction(
        self,
        dataset: str,
        protocol: str,
        first: str,
        second: str,
        n_unlabeled: int,
        measure: str = ERROR,
    ) -> int:
        """Which of two classifiers has the lower error, by Wilcoxon's test at `LEVEL`.

        -1 where the error of `first` is significantly below that of `second`, 1 where it is above,
        0 where the repeats in which both ended do not tell them apart.
        """
        one = self.values(dataset, protocol, first, measure, n_unlabeled)
        other = self.values(dataset, protocol, second, measure, n_unlabeled)
        if len(one) != len(other):
            return 0
        difference = one - other
        difference = difference[np.abs(difference) > ROUNDING]  # NaN, where a fit failed, is not
        # Some versions of SciPy approximate p-values among ties, and then come below the smallest.
        if len(difference) < LEAST_REPEATS:
            return 0
        if self.p_value(dataset, protocol, first, second, n_unlabeled, measure) >= LEVEL:
            return 0
        return int(np.sign(difference.mean()))

    def incomplete(self, classifiers: Collection[str]) -> tuple[int, int, str]:
        """All runs of some classifiers, those whose status is not "ok", and these in words.

        Classifier, dataset, how many, and the first reason of each; empty where there are none.
        """
        runs = [run for run in self.runs if run.measure == ERROR and run.classifier in classifiers]
        places: dict[tuple[str, str], list[str]] = {}
        for run in runs:
            if run.status != OK:
                places.setdefault((run.classifier, run.dataset), []).append(run.status)
        named = [
            f"{classifier} on {dataset}, {len(statuses)} of "
            f"{sum((r.classifier, r.dataset) == (classifier, dataset) for r in runs)} "
            f"({_short(statuses[0])})"
            for (classifier, dataset), statuses in places.items()
        ]
        words = listed(named, MOST_NAMED) if named else ""
        return len(runs), sum(map(len, places.values())), words


def _short(status: str) -> str:
    line = " ".join(status.split())
    return line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]} …"


def in_order(runs: Iterable[Run], order: Mapping[tuple[str, str, str], int]) -> list[Run]:
    """Sort runs, so that it does not show which of them came first.

    `order` is that of (dataset, protocol, classifier) in the plan; names that are not in it come
    last, by the alphabet.
    """
    last = len(order)
    return sorted(
        runs, key=lambda r: (order.get((r.dataset, r.protocol, r.classifier), last), r.key)
    )


def least_p_value(n_repeats: int) -> float:
    """The smallest p-value that the test can give: that of `n_repeats` differences of one sign.

    All 2^n patterns of signs are equally likely where the classifiers are equal, and two of them,
    all above and all below, are the most extreme.
    """
    return min(1.0, 2.0 / 2.0**n_repeats)


# 8: with 7 repeats the smallest p-value is 2 / 128.
LEAST_REPEATS = next(n for n in range(1, 100) if least_p_value(n) < LEVEL)


def what_counts(n_repeats: int) -> str:
    """A sentence on what that many repeats can show; empty where there are more than enough."""
    repeats = number_of(n_repeats, "repeat")
    if n_repeats < LEAST_REPEATS:
        least = f"at least {LEAST_REPEATS}."
        return f"With {repeats} no difference can be significant: that takes {least}"
    # With one small difference of the other sign the p-value is twice the smallest.
    if 2 * least_p_value(n_repeats) >= LEVEL:
        return f"With {repeats} that takes a difference of the same sign in every one of them."
    return ""
