"""What agrees with the paper and what does not, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.datasets import Dataset
from tacit.experiments import LearningCurves, Results
from tacit.experiments.contenders import ICLS, SELF_LEARNING, SUPERVISED
from tacit.experiments.measures import ERROR
from tacit.paper import published
from tacit.paper.plans import LOGISTIC, RIDGE, RIDGE_ICLS, RIDGE_PROJECTED
from tacit.paper.tables import PAPER_COLUMNS, REGULARISED_COLUMNS, RIVALS, ErrorCell, error_cells
from tacit.paper.theorem import TheoremCheck

# How far a mean may be from the published one, by the number of our repeats: the published one has
# an error of its own, since it is a mean over 20 repeats that is printed with two decimals.
TOLERANCES = ((100, 0.02), (20, 0.03))
# In how many of 20 repeats ICLS may be above supervised.
WORSE_ON_DIABETES = 6
WORSE_ELSEWHERE = 2


@dataclass(frozen=True)
class Finding:
    """A claim, whether it holds, and the numbers that show it.

    Attributes
    ----------
    claim : str
        A sentence.
    holds : bool or None
        None where the run is too small to tell.
    evidence : str
        One or two sentences.
    """

    claim: str
    holds: bool | None
    evidence: str

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
        + (f"; not {_listed(others)}." if others else "."),
    )


def table2_findings(results: Results) -> Iterator[Finding]:
    """Means, times worse and significance against the published table."""
    cells = error_cells(results, PAPER_COLUMNS, RIVALS)
    if not cells:
        return
    repeats = min(cell.n_repeats for cell in cells.values())
    yield _means(list(cells.values()), repeats)
    icls = [cell for (_, name), cell in cells.items() if name == ICLS]
    yield _times_worse(icls, repeats)
    enough = repeats >= published.N_REPEATS
    bold = [cell.dataset for cell in icls if cell.better]
    least = len(icls) - 2
    yield Finding(
        f"ICLS beats self-learning significantly on nearly all datasets (here: at least {least} of "
        f"{len(icls)}; in the paper on all but Parkinsons).",
        len(bold) >= least if enough else None,
        f"It does on {len(bold)}"
        + (f": not on {_listed(_others(icls, bold))}." if len(bold) < len(icls) else ", all."),
    )
    worse = [cell.dataset for cell in icls if cell.worse]
    yield Finding(
        "ICLS is significantly worse than supervised on no dataset.",
        not worse if enough else None,
        f"It is on {_listed(worse)}." if worse else "It is on none.",
    )
    learning = cells.get(("Diabetes", SELF_LEARNING))
    if learning is not None:
        yield Finding(
            "Self-learning is significantly worse than supervised on Diabetes.",
            learning.worse if enough else None,
            f"It is above supervised in {learning.times_worse} of {learning.n_repeats} repeats, "
            f"and the difference is {'' if learning.worse else 'not '}significant.",
        )


def _means(cells: Sequence[ErrorCell], repeats: int) -> Finding:
    tolerance = next((t for least, t in TOLERANCES if repeats >= least), None)
    known = [cell for cell in cells if cell.difference is not None]
    largest = max(known, key=lambda cell: abs(cell.difference or 0.0))
    allowed = TOLERANCES[-1][1] if tolerance is None else tolerance
    outside = [
        f"{cell.dataset}, {cell.classifier} ({cell.difference:+.3f})"
        for cell in known
        if abs(cell.difference or 0.0) > allowed
    ]
    return Finding(
        f"Every mean error is within {allowed} of the published one.",
        None if tolerance is None else not outside,
        f"{len(known) - len(outside)} of {len(known)} cells are, from {repeats} repeats; the "
        f"largest difference is {largest.difference:+.3f} ({largest.dataset}, "
        f"{largest.classifier})."
        + (f" Outside: {'; '.join(outside)}." if outside else "")
        + ("" if tolerance is not None else " Too few repeats to hold it against anyone."),
    )


def _times_worse(cells: Sequence[ErrorCell], repeats: int) -> Finding:
    scale = repeats / published.N_REPEATS
    often = [
        f"{cell.dataset} ({cell.times_worse})"
        for cell in cells
        if (cell.times_worse or 0)
        > scale * (WORSE_ON_DIABETES if cell.dataset == "Diabetes" else WORSE_ELSEWHERE)
    ]
    counts = [f"{cell.dataset} {cell.times_worse}" for cell in cells if cell.times_worse]
    return Finding(
        f"ICLS is rarely above supervised: in at most {WORSE_ON_DIABETES * scale:g} of {repeats} "
        f"repeats on Diabetes and {WORSE_ELSEWHERE * scale:g} elsewhere.",
        not often if repeats >= published.N_REPEATS else None,
        (f"Too often on {_listed(often)}. " if often else "")
        + (f"Times above: {', '.join(counts)}; 0 elsewhere." if counts else "It never is."),
    )


def figure2_findings(results: Results) -> Iterator[Finding]:
    """What the learning curves show."""
    rule = LearningCurves.name
    datasets = results.select(protocol=rule).names("dataset")
    n_points, above, few = 0, [], 0
    for dataset in datasets:
        for size in results.sizes(dataset, rule, ICLS):
            n_points += 1
            ours = results.values(dataset, rule, ICLS, ERROR, size)
            difference = ours - results.values(dataset, rule, SUPERVISED, ERROR, size)
            few = len(difference)
            error = difference.std(ddof=1) / np.sqrt(len(difference)) if few > 1 else np.inf
            if difference.mean() > 2 * error:
                above.append(f"{dataset} at U = {size} ({difference.mean():+.4f} ± {error:.4f})")
    if not n_points:
        return
    yield Finding(
        "The mean error of ICLS is nowhere above that of supervised by more than two standard "
        "errors of their difference.",
        not above if few >= 100 else None,
        f"{n_points} points on {len(datasets)} curves from {few} repeats"
        + (f"; above at {'; '.join(above)}." if above else "; above at none."),
    )
    if "Diabetes" in datasets:
        size = results.sizes("Diabetes", rule, SELF_LEARNING)[-1]
        means = [
            results.values("Diabetes", rule, name, ERROR, size).mean()
            for name in (SELF_LEARNING, SUPERVISED)
        ]
        yield Finding(
            "On Diabetes self-learning ends above supervised.",
            bool(means[0] > means[1]) if few >= 100 else None,
            f"With {size} unlabeled rows its mean error is {means[0]:.3f}, that of supervised "
            f"{means[1]:.3f}.",
        )


def theorem_finding(outcome: TheoremCheck) -> Finding:
    """Whether the semi-supervised risk was ever higher."""
    return Finding(
        "With enough unlabeled rows the true risk of ICLS is never above that of supervised "
        "(Theorem 1).",
        outcome.holds,
        f"{outcome.higher:,} violations in {outcome.problems:,} random problems from "
        f"{len(outcome.families)} families of distributions; strictly lower in {outcome.lower:,}, "
        f"equal in {outcome.equal:,}.",
    )


def regularised_words(results: Results) -> str:
    """What the table with tuned penalties shows, in plain words and numbers."""
    cells = error_cells(results, REGULARISED_COLUMNS)
    datasets = list(dict.fromkeys(d for d, name in cells if name == RIDGE))
    if not datasets:
        return ""

    def mean(name: str) -> float:
        return float(np.mean([cells[d, name].error for d in datasets if (d, name) in cells]))

    def count(name: str, what: str) -> int:
        return sum(bool(getattr(cells[d, name], what)) for d in datasets)

    below_icls = sum(cells[d, RIDGE].error < cells[d, ICLS].error for d in datasets)
    n = len(datasets)
    return (
        f"A penalty chosen by leave-one-out, with no unlabeled row, brings the mean error over the "
        f"{n} datasets from {mean(SUPERVISED):.3f} to {mean(RIDGE):.3f}; ICLS without a penalty "
        f"brings it to {mean(ICLS):.3f}. Supervised ridge is below unpenalised ICLS on "
        f"{below_icls} of {n} datasets. So much of the published gain is over a classifier that no "
        f"careful user would have fitted. On top of the tuned penalty, with unlabeled rows, "
        f"ICLS has {mean(RIDGE_ICLS):.3f} (significantly better than supervised ridge on "
        f"{count(RIDGE_ICLS, 'better')}, worse on {count(RIDGE_ICLS, 'worse')}), projected "
        f"{mean(RIDGE_PROJECTED):.3f} (better on {count(RIDGE_PROJECTED, 'better')}, worse on "
        f"{count(RIDGE_PROJECTED, 'worse')}); tuned logistic regression, with labels alone, has "
        f"{mean(LOGISTIC):.3f} (better on {count(LOGISTIC, 'better')}, worse on "
        f"{count(LOGISTIC, 'worse')})."
    )


def flawed_finding(results: Results) -> Finding:
    """Whether every fit ended as it should."""
    flawed = [run for run in results.runs if run.measure == ERROR and run.status != "ok"]
    kinds = dict.fromkeys(f"{run.classifier}: {run.status}" for run in flawed)
    total = sum(run.measure == ERROR for run in results.runs)
    return Finding(
        "Every fit ended properly.",
        not flawed,
        f"{total - len(flawed):,} of {total:,} are ok"
        + (f"; the others: {_listed(list(kinds)[:5])}." if flawed else "."),
    )


def _others(cells: Iterable[ErrorCell], names: Sequence[str]) -> list[str]:
    return [cell.dataset for cell in cells if cell.dataset not in names]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
