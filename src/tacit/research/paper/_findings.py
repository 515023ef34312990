"""What agrees with the paper and what does not, in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit._words import listed, number_of
from tacit.research.experiments import LearningCurves, Results
from tacit.research.experiments import _contestants as who
from tacit.research.experiments._contestants import ICLS, RIDGE, SELF_LEARNING, SUPERVISED
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import LEAST_REPEATS, RunSummary, what_counts
from tacit.research.paper import _published as published
from tacit.research.paper._tables import PAPER_COLUMNS, REGULARISED_COLUMNS, RIVALS, difference
from tacit.research.paper._theorem import TheoremCheck

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

    @property
    def tone(self) -> str:
        """Its colour on a page."""
        return {True: "good", False: "bad", None: "unknown"}[self.holds]


def table2_findings(results: Results) -> Iterator[Finding]:
    """Means, times worse and significance against the published table."""
    cells = results.error_cells(PAPER_COLUMNS, RIVALS)
    if not cells:
        return
    repeats = min(cell.n_repeats for cell in cells.values())
    yield _means(list(cells.values()), repeats)
    icls = [cell for (_, name), cell in cells.items() if name == ICLS]
    if icls:
        yield _times_worse(icls, repeats)
        yield from _significance(icls, repeats)
    learning = cells.get((published.UNDERLINED, SELF_LEARNING))
    if learning is not None:
        outcome = f"The difference is {'' if learning.worse else 'not '}significant."
        yield Finding(
            f"Self-learning is significantly worse than supervised on {published.UNDERLINED}.",
            _if_enough(learning.worse, repeats),
            f"It is above supervised in {learning.times_worse} of "
            f"{number_of(learning.n_repeats, 'repeat')}. {_too_few(repeats) or outcome}",
        )


def _if_enough(holds: bool, repeats: int) -> bool | None:
    return holds if repeats >= published.N_REPEATS else None


def _too_few(repeats: int) -> str:
    """That so few repeats cannot be significant; empty where they can."""
    return what_counts(repeats) if repeats < LEAST_REPEATS else ""


def _significance(icls: Sequence[RunSummary], repeats: int) -> Iterator[Finding]:
    n_bold = sum(cell.dataset != published.NOT_BOLD for cell in icls)
    if n_bold:
        others = [cell.dataset for cell in icls if not cell.better]
        # Of the paper's eleven one may fail: its own significance is that of one set of draws.
        least = math.ceil(n_bold * 10 / 11)
        better = len(icls) - len(others)
        outcome = f"It does on {better}" + (f": not on {listed(others)}." if others else ", all.")
        yield Finding(
            f"ICLS beats self-learning significantly on at least {least} of {len(icls)} datasets "
            f"(in the paper on {n_bold} of them).",
            _if_enough(better >= least, repeats),
            _too_few(repeats) or outcome,
        )
    worse = [cell.dataset for cell in icls if cell.worse]
    yield Finding(
        "ICLS is significantly worse than supervised on no dataset.",
        _if_enough(not worse, repeats),
        _too_few(repeats) or f"It is on {listed(worse) if worse else 'none'}.",
    )


def _means(cells: Sequence[RunSummary], repeats: int) -> Finding:
    allowed = next((t for least, t in TOLERANCES if repeats >= least), TOLERANCES[-1][1])
    found = {f"{cell.dataset}, {cell.classifier}": difference(cell) for cell in cells}
    known = {name: change for name, change in found.items() if change is not None}
    furthest = max(known, key=lambda name: abs(known[name]))
    outside = [f"{name} ({c:+.3f})" for name, c in known.items() if abs(c) > allowed]
    holds = _if_enough(not outside, repeats)
    return Finding(
        f"Every mean error is within {allowed} of the published one.",
        holds,
        f"{len(known) - len(outside)} of {len(known)} cells are, from "
        f"{number_of(repeats, 'repeat')}; the largest difference is {known[furthest]:+.3f} "
        f"({furthest})."
        + (f" Outside: {'; '.join(outside)}." if outside else "")
        + (f" The paper has {published.N_REPEATS}." if holds is None else ""),
    )


def _times_worse(cells: Sequence[RunSummary], repeats: int) -> Finding:
    shown = max(repeats, published.N_REPEATS)
    on_diabetes = WORSE_ON_DIABETES * shown // published.N_REPEATS
    elsewhere = WORSE_ELSEWHERE * shown // published.N_REPEATS
    counts = {cell.dataset: cell.times_worse for cell in cells if cell.times_worse}
    limits = dict.fromkeys(counts, elsewhere) | {"Diabetes": on_diabetes}
    often = [f"{dataset} ({n})" for dataset, n in counts.items() if n > limits[dataset]]
    each = ", ".join(f"{dataset} {count}" for dataset, count in counts.items())
    return Finding(
        f"ICLS is rarely above supervised: of {shown} repeats in at most {on_diabetes} on Diabetes "
        f"and {elsewhere} elsewhere.",
        _if_enough(not often, repeats),
        (f"Too often on {listed(often)}. " if often else "")
        + f"In {number_of(repeats, 'repeat')}: "
        + (f"{each}; 0 elsewhere." if counts else "never."),
    )


def figure2_findings(results: Results) -> Iterator[Finding]:
    """What the learning curves show."""
    rule = LearningCurves.name
    datasets = results.names("dataset")
    points = {
        f"{name} at U = {size}": _change(results, name, ICLS, size)
        for name in datasets
        for size in results.sizes(name, rule, ICLS)
    }
    if not points:
        return
    above = [
        f"{point} ({mean:+.4f} ± {error:.4f})"
        for point, (mean, error, _) in points.items()
        if mean > 2 * error
    ]
    untold = [point for point, (*_, n_pairs) in points.items() if n_pairs < 2]
    least, n_points = min(n_pairs for *_, n_pairs in points.values()), len(points)
    evidence = (
        f"{number_of(n_points, 'point')}, each from {number_of(least, 'repeat')} or more; above at "
        + ("; ".join(above) if above else "none")
        + (f"; too few repeats to tell at {listed(untold, 5)}." if untold else ".")
    )
    if len(untold) == n_points:
        evidence = (
            f"None of {number_of(n_points, 'point')} has two repeats that ended, and one alone has "
            "no standard error."
        )
    yield Finding(
        "The mean error of ICLS is nowhere above that of supervised by more than two standard "
        "errors of their difference.",
        not above if least >= N_CURVES else None,
        evidence,
    )
    if "Diabetes" in datasets:
        size = results.sizes("Diabetes", rule, SELF_LEARNING)[-1]
        mean, error, n_pairs = _change(results, "Diabetes", SELF_LEARNING, size)
        spread = f" ± {error:.4f}" if n_pairs > 1 else ""
        yield Finding(
            "On Diabetes self-learning ends above supervised.",
            bool(mean > 0) if n_pairs >= N_CURVES else None,
            f"With {size} unlabeled rows its mean error is {mean:+.4f}{spread} from that of "
            f"supervised, in {number_of(n_pairs, 'repeat')}."
            if n_pairs
            else f"No repeat with {size} unlabeled rows ended for both.",
        )


def _change(results: Results, dataset: str, name: str, size: int) -> tuple[float, float, int]:
    """Mean difference to supervised, its standard error, and repeats in which both fits ended.

    NaN where there are too few of them: none for the mean, one for its standard error.
    """
    own, others = results.paired(dataset, LearningCurves.name, name, ERROR, size, other=SUPERVISED)
    n, change = len(own), own - others
    mean = float(change.mean()) if n else np.nan
    return mean, float(change.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan, n


def theorem_finding(outcome: TheoremCheck) -> Finding:
    """Whether the semi-supervised risk was ever higher."""
    return Finding(
        "Theorem 1: with one feature, no intercept and the density of x known, the true risk of "
        "ICLS is never above that of supervised.",
        outcome.holds,
        str(outcome),
    )


def incomplete_findings(results: Results, classifiers: Collection[str]) -> Iterator[Finding]:
    """One where some fit of these classifiers did not end as it should; none where all did."""
    n_runs, n_incomplete, which = results.incomplete(classifiers)
    if n_incomplete:
        evidence = f"{n_runs - n_incomplete:,} of {n_runs:,} runs did; not: {which}."
        yield Finding("Every fit ended properly.", False, evidence)


def regularised_words(results: Results) -> str:
    """What the table with tuned penalties shows, on the datasets on which every fit ended."""
    cells = results.error_cells(REGULARISED_COLUMNS)
    repeats, asked = results.n_repeats(), results.names("dataset")
    if not asked:
        return ""
    # Means are compared, so they must be over the same datasets and repeats.
    ended = {place for place, cell in cells.items() if cell.n_repeats == repeats}
    datasets = [d for d in asked if all((d, name) in ended for name in REGULARISED_COLUMNS)]
    if not datasets:
        return (
            "On no dataset did the fits of all classifiers end in every repeat, so there are no "
            "means to compare."
        )
    mean = {c: float(np.mean([cells[d, c].mean for d in datasets])) for c in REGULARISED_COLUMNS}
    told = {name: f"{value:.3f}" for name, value in mean.items()}
    if repeats >= LEAST_REPEATS:
        for name, than in (
            (who.RIDGE_ICLS, "significantly better than supervised ridge"),
            (who.RIDGE_PROJECTED, "better"),
            (who.LOGISTIC, "better"),
        ):
            better = sum(cells[d, name].better for d in datasets)
            worse = sum(cells[d, name].worse for d in datasets)
            told[name] += f" ({than} on {better}, worse on {worse})"
    left_out = [d for d in asked if d not in datasets]
    without = f" (without {listed(left_out)}, where some fits failed)" if left_out else ""
    below_icls = sum(cells[d, RIDGE].mean < cells[d, ICLS].mean for d in datasets)
    gain, ridge_gain = mean[SUPERVISED] - mean[ICLS], mean[SUPERVISED] - mean[RIDGE]
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
    return (
        f"A ridge penalty chosen by leave-one-out, with no unlabeled row, takes the mean error of "
        f"{number_of(len(datasets), 'dataset')}{without} from {told[SUPERVISED]} to {told[RIDGE]}; "
        f"ICLS without a penalty takes it to {told[ICLS]}. Supervised ridge is below ICLS without "
        f"penalty on {below_icls} of {len(datasets)}. {verdict} With the tuned penalty and "
        f"unlabeled rows, ICLS has {told[who.RIDGE_ICLS]} and projected "
        f"{told[who.RIDGE_PROJECTED]}. Tuned logistic regression, with labels alone, has "
        f"{told[who.LOGISTIC]}. {what_counts(repeats)}".rstrip()
    )
