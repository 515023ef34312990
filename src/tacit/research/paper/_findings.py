"""What agrees with the paper and what does not, in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit._words import listed, number_of
from tacit.research.datasets import Dataset
from tacit.research.experiments import LearningCurves, Results
from tacit.research.experiments._contestants import ICLS, SELF_LEARNING, SUPERVISED
from tacit.research.experiments._error_cells import ErrorCell, error_cells, repeats_asked
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import LEAST_REPEATS, what_counts
from tacit.research.paper import _published as published
from tacit.research.paper._plans import LOGISTIC, RIDGE, RIDGE_ICLS, RIDGE_PROJECTED
from tacit.research.paper._tables import (
    PAPER_COLUMNS,
    REGULARISED_COLUMNS,
    RIVALS,
    difference,
)
from tacit.research.paper.theorem import TheoremCheck

# How far a mean may be from the published one, by the number of our repeats: the published one has
# an error of its own, since it is a mean over 20 repeats that is printed with two decimals.
TOLERANCES = ((100, 0.02), (20, 0.03))
# In how many of 20 repeats ICLS may be above supervised.
WORSE_ON_DIABETES = 6
WORSE_ELSEWHERE = 2
# Repeats of the published curves.
N_CURVES = 100


@dataclass(frozen=True)
class Finding:
    """A claim, whether it holds, and the numbers that show it."""

    claim: str  # A sentence
    holds: bool | None  # None where the run is too small to tell
    evidence: str  # One or two sentences

    @property
    def verdict(self) -> str:
        """In one or two words."""
        return {True: "agrees", False: "does not agree", None: "cannot be told"}[self.holds]


def table1_finding(datasets: Sequence[Dataset]) -> Finding:
    """Whether sizes are as published."""
    others = [
        data.name
        for data in datasets
        if (data.n_rows, data.n_features) != published.TABLE_1[data.name]
    ]
    return Finding(
        "The datasets have the objects and features of Table 1.",
        not others,
        f"{len(datasets) - len(others)} of {len(datasets)} have"
        + (f"; not {listed(others)}." if others else "."),
    )


def table2_findings(results: Results) -> Iterator[Finding]:
    """Means, times worse and significance against the published table."""
    cells = error_cells(results, PAPER_COLUMNS, RIVALS)
    datasets = [name for name in results.names("dataset") if name in published.TABLE_2]
    if not datasets:
        return
    absent = [
        f"{name} on {dataset}"
        for dataset in datasets
        for name in published.TABLE_2[dataset]
        if (dataset, name) not in cells
    ]
    if absent:
        yield Finding(
            "Every cell of Table 2 has a number.", False, f"No fit ended for {listed(absent)}."
        )
    repeats = min((cell.n_repeats for cell in cells.values()), default=0)
    enough = repeats >= published.N_REPEATS
    if cells:
        yield _means(list(cells.values()), repeats)
    icls = [cell for (_, name), cell in cells.items() if name == ICLS]
    if icls:
        yield _times_worse(icls, repeats)
        yield from _significance(icls, repeats)
    for dataset in datasets:
        learning = cells.get((dataset, SELF_LEARNING))
        if dataset in published.UNDERLINED and learning is not None:
            yield Finding(
                f"Self-learning is significantly worse than supervised on {dataset}.",
                learning.worse if enough else None,
                f"It is above supervised in {learning.times_worse} of "
                f"{number_of(learning.n_repeats, 'repeat')}. "
                + (
                    _too_few(repeats)
                    or f"The difference is {'' if learning.worse else 'not '}significant."
                ),
            )


def _too_few(repeats: int) -> str:
    """That so few repeats cannot be significant; empty where they can."""
    return what_counts(repeats) if repeats < LEAST_REPEATS else ""


def _significance(icls: Sequence[ErrorCell], repeats: int) -> Iterator[Finding]:
    enough = repeats >= published.N_REPEATS
    in_bold = [cell for cell in icls if cell.dataset not in published.NOT_BOLD]
    if in_bold:
        bold = [cell.dataset for cell in icls if cell.better]
        # Of the paper's eleven one may fail: its own significance is that of one set of draws.
        least = math.ceil(len(in_bold) * 10 / 11)
        yield Finding(
            f"ICLS beats self-learning significantly on at least {least} of {len(icls)} datasets "
            f"(in the paper on {len(in_bold)} of them).",
            len(bold) >= least if enough else None,
            _too_few(repeats)
            or f"It does on {len(bold)}"
            + (f": not on {listed(_others(icls, bold))}." if len(bold) < len(icls) else ", all."),
        )
    worse = [cell.dataset for cell in icls if cell.worse]
    yield Finding(
        "ICLS is significantly worse than supervised on no dataset.",
        not worse if enough else None,
        _too_few(repeats) or (f"It is on {listed(worse)}." if worse else "It is on none."),
    )


def _means(cells: Sequence[ErrorCell], repeats: int) -> Finding:
    tolerance = next((t for least, t in TOLERANCES if repeats >= least), None)
    known = [(cell, change) for cell in cells if (change := difference(cell)) is not None]
    furthest, largest = max(known, key=lambda pair: abs(pair[1]))
    allowed = TOLERANCES[-1][1] if tolerance is None else tolerance
    outside = [
        f"{cell.dataset}, {cell.classifier} ({change:+.3f})"
        for cell, change in known
        if abs(change) > allowed
    ]
    return Finding(
        f"Every mean error is within {allowed} of the published one.",
        None if tolerance is None else not outside,
        f"{len(known) - len(outside)} of {len(known)} cells are, from "
        f"{number_of(repeats, 'repeat')}; the "
        f"largest difference is {largest:+.3f} ({furthest.dataset}, "
        f"{furthest.classifier})."
        + (f" Outside: {'; '.join(outside)}." if outside else "")
        + ("" if tolerance is not None else f" The paper has {published.N_REPEATS}."),
    )


def _times_worse(cells: Sequence[ErrorCell], repeats: int) -> Finding:
    shown = max(repeats, published.N_REPEATS)

    def limit(dataset: str) -> int:
        of_twenty = WORSE_ON_DIABETES if dataset == "Diabetes" else WORSE_ELSEWHERE
        return of_twenty * shown // published.N_REPEATS

    often = [
        f"{cell.dataset} ({cell.times_worse})"
        for cell in cells
        if (cell.times_worse or 0) > limit(cell.dataset)
    ]
    counts = [f"{cell.dataset} {cell.times_worse}" for cell in cells if cell.times_worse]
    return Finding(
        f"ICLS is rarely above supervised: of {shown} repeats in at most {limit('Diabetes')} on "
        f"Diabetes and {limit('')} elsewhere.",
        not often if repeats >= published.N_REPEATS else None,
        (f"Too often on {listed(often)}. " if often else "")
        + f"In {number_of(repeats, 'repeat')}: "
        + (f"{', '.join(counts)}; 0 elsewhere." if counts else "never."),
    )


def figure2_findings(results: Results) -> Iterator[Finding]:
    """What the learning curves show."""
    rule = LearningCurves.name
    datasets = results.select(protocol=rule).names("dataset")
    points = [(name, size) for name in datasets for size in results.sizes(name, rule, ICLS)]
    if not points:
        return
    above, untold, pairs = [], [], []
    for dataset, size in points:
        mean, error, n_pairs = _paired(results, dataset, ICLS, size)
        pairs.append(n_pairs)
        if n_pairs < 2:
            untold.append(f"{dataset} at U = {size}")
        elif mean > 2 * error:
            above.append(f"{dataset} at U = {size} ({mean:+.4f} ± {error:.4f})")
    yield Finding(
        "The mean error of ICLS is nowhere above that of supervised by more than two standard "
        "errors of their difference.",
        not above if min(pairs) >= N_CURVES else None,
        f"None of {number_of(len(points), 'point')}"
        " has two repeats that ended, and one alone has no "
        "standard error."
        if len(untold) == len(points)
        else f"{number_of(len(points), 'point')}"
        f", each from {number_of(min(pairs), 'repeat')} or more"
        + (f"; above at {'; '.join(above)}" if above else "; above at none")
        + (f"; too few repeats to tell at {listed(untold, 5)}." if untold else "."),
    )
    if "Diabetes" in datasets:
        size = results.sizes("Diabetes", rule, SELF_LEARNING)[-1]
        mean, error, n_pairs = _paired(results, "Diabetes", SELF_LEARNING, size)
        spread = f" ± {error:.4f}" if n_pairs > 1 else ""
        yield Finding(
            "On Diabetes self-learning ends above supervised.",
            bool(mean > 0) if n_pairs >= N_CURVES else None,
            f"With {size} unlabeled rows its mean error is {mean:+.4f}{spread} from that of "
            f"supervised, in {number_of(n_pairs, 'repeat')}."
            if n_pairs
            else f"No repeat with {size} unlabeled rows ended for both.",
        )


def _paired(results: Results, dataset: str, name: str, size: int) -> tuple[float, float, int]:
    """Mean difference to supervised, its standard error, and repeats in which both fits ended.

    NaN where there are too few of them: none for the mean, one for its standard error.
    """
    rule = LearningCurves.name
    ours = results.values(dataset, rule, name, ERROR, size)
    difference = ours - results.values(dataset, rule, SUPERVISED, ERROR, size)
    difference = difference[np.isfinite(difference)]
    n = len(difference)
    if n < 2:
        return (float(difference.mean()) if n else np.nan), np.nan, n
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(n)), n


def theorem_finding(outcome: TheoremCheck) -> Finding:
    """Whether the semi-supervised risk was ever higher."""
    total = outcome.total
    return Finding(
        "Theorem 1: with one feature, no intercept and the density of x known, the true risk of "
        "ICLS is never above that of supervised.",
        outcome.holds,
        f"{total.higher:,} violations in {total.problems:,} random problems from "
        f"{len(outcome.families)} families of distributions; strictly lower in {total.lower:,}, "
        f"equal in {total.equal:,}.",
    )


def incomplete_findings(results: Results, classifiers: Collection[str]) -> Iterator[Finding]:
    """One where some fit of these classifiers did not end as it should; none where all did."""
    n_runs, n_incomplete, which = results.incomplete(classifiers)
    if n_incomplete:
        yield Finding(
            "Every fit ended properly.",
            False,
            f"{n_runs - n_incomplete:,} of {n_runs:,} runs did; not: {which}.",
        )


def _others(cells: Iterable[ErrorCell], names: Sequence[str]) -> list[str]:
    return [cell.dataset for cell in cells if cell.dataset not in names]


def regularised_words(results: Results) -> str:
    """What the table with tuned penalties shows, on the datasets on which every fit ended."""
    cells = error_cells(results, REGULARISED_COLUMNS)
    repeats = repeats_asked(results)
    asked = results.names("dataset")
    # Means are compared, so they must be over the same datasets and repeats.
    ended = {place for place, cell in cells.items() if cell.n_repeats == repeats}
    datasets = [d for d in asked if all((d, name) in ended for name in REGULARISED_COLUMNS)]
    if not asked:
        return ""
    if not datasets:
        return (
            "On no dataset did the fits of all classifiers end in every repeat, so there are no "
            "means to compare."
        )

    def mean(name: str) -> float:
        return float(np.mean([cells[d, name].error for d in datasets]))

    def counts(name: str, than: str = "") -> str:
        if repeats < LEAST_REPEATS:
            return ""
        better, worse = (
            sum(getattr(cells[d, name], what) for d in datasets) for what in ("better", "worse")
        )
        return f" ({than or 'better'} on {better}, worse on {worse})"

    left_out = [d for d in asked if d not in datasets]
    without = f" (without {listed(left_out)}, where some fits failed)" if left_out else ""
    below_icls = sum(cells[d, RIDGE].error < cells[d, ICLS].error for d in datasets)
    n = len(datasets)
    gain, ridge_gain = mean(SUPERVISED) - mean(ICLS), mean(SUPERVISED) - mean(RIDGE)
    if repeats < LEAST_REPEATS:
        verdict = "So few repeats tell no more than that it runs."
    elif ridge_gain >= gain > 0:
        verdict = (
            "So a penalty alone, without unlabeled rows, brings as much as ICLS does in the paper "
            "or more: the published gain is over a classifier that few careful users would fit."
        )
    elif gain > 0 and ridge_gain > 0:
        verdict = (
            f"So a penalty alone, without unlabeled rows, brings {ridge_gain / gain:.0%} of what "
            "ICLS brings in the paper."
        )
    else:
        verdict = "So here a penalty does not stand in for unlabeled rows."
    words = (
        f"A ridge penalty chosen by leave-one-out, with no unlabeled row, takes the mean error of "
        f"{number_of(n, 'dataset')}{without} from {mean(SUPERVISED):.3f} to {mean(RIDGE):.3f}; "
        f"ICLS without a penalty takes it to {mean(ICLS):.3f}. Supervised ridge is below ICLS "
        f"without penalty on {below_icls} of {n}. {verdict} With the tuned penalty and unlabeled "
        f"rows, ICLS has {mean(RIDGE_ICLS):.3f}"
        f"{counts(RIDGE_ICLS, 'significantly better than supervised ridge')} and projected "
        f"{mean(RIDGE_PROJECTED):.3f}{counts(RIDGE_PROJECTED)}. Tuned logistic regression, with "
        f"labels alone, has {mean(LOGISTIC):.3f}{counts(LOGISTIC)}. {what_counts(repeats)}"
    )
    return words.rstrip()
