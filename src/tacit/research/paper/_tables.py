"""Table 1, Table 2 and the table with tuned penalties, each beside what was published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tacit._words import number_of
from tacit.report import Entry
from tacit.research.datasets import Dataset
from tacit.research.experiments import CrossValidation, Results, RunSummary
from tacit.research.experiments._contestants import (
    ICLS,
    ORACLE,
    PROJECTED,
    SELF_LEARNING,
    SUPERVISED,
    paper_contestants,
)
from tacit.research.experiments._grid import Grid
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._protocols import paper_labels
from tacit.research.experiments._results import LEVEL, what_counts
from tacit.research.paper import _published as published
from tacit.research.paper._plans import (
    LOGISTIC,
    RIDGE,
    RIDGE_ICLS,
    RIDGE_PROJECTED,
    regularised_contestants,
)
from tacit.research.paper.theorem import TheoremCheck

PAPER_COLUMNS = (SUPERVISED, SELF_LEARNING, ICLS, PROJECTED, ORACLE)
REGULARISED_COLUMNS = (SUPERVISED, ICLS, RIDGE, RIDGE_ICLS, RIDGE_PROJECTED, LOGISTIC)
# The paper compares these two with each other, and sets the better one in bold.
RIVALS = {ICLS: SELF_LEARNING, SELF_LEARNING: ICLS}
_TWINS = {c.name: c.twin or c.name for c in (*paper_contestants(), *regularised_contestants())}


@dataclass(frozen=True)
class ErrorCell:
    """A cell of a table of errors.

    Attributes
    ----------
    dataset, classifier : str
        Where it stands.
    error, standard_error : float
        Mean over the repeats, and its standard error.
    times_worse : int or None
        Repeats in which it was above its supervised twin; None for the twin itself.
    n_repeats : int
        Repeats that ended.
    published, published_times_worse, difference : float, int, float or None
        The paper's numbers, and ours minus the paper's, where it has them.
    better, worse : bool
        Whether it beats its rival, and whether it is worse than its twin, by Wilcoxon's signed
        rank test at 0.01 over the repeats in which both ended.
    n_incomplete : int
        Repeats with a fit that failed or did not converge.
    """

    dataset: str
    classifier: str
    error: float
    standard_error: float
    times_worse: int | None
    n_repeats: int
    published: float | None
    published_times_worse: int | None
    difference: float | None
    better: bool
    worse: bool
    n_incomplete: int


def table1(datasets: Sequence[Dataset], missing: Mapping[str, str]) -> Grid:
    """Objects and features of each dataset, and where it came from."""
    found = {data.name: data for data in datasets}
    rows: list[tuple[Entry, ...]] = []
    for name, (objects, features) in published.TABLE_1.items():
        if name in found:
            data = found[name]
            same = (data.n_rows, data.n_features) == (objects, features)
            rows.append(
                (
                    Entry(name),
                    Entry(f"{data.n_rows}"),
                    Entry(f"{data.n_features}"),
                    Entry(f"{paper_labels(data.n_features)}"),
                    Entry("as published" if same else f"published: {objects}, {features}"),
                    # Where the reader keeps files is nobody else's business.
                    Entry(re.sub(r"\S*[/\\]", "", data.source)),
                )
            )
        elif name in missing:
            rows.append(
                (Entry(name), *[Entry("–")] * 3, Entry("missing"), Entry("not found, see below"))
            )
    return Grid(
        "Table 1: the datasets",
        ("dataset", "objects", "features", "labels", "agreement", "source of this copy"),
        tuple(rows),
        "Features are counted after constant ones are dropped, without the intercept (the paper "
        "prints 118 for BCI, with it). Labels: L = max(features + 5, 20), in every draw.",
    )


def error_cells(
    results: Results, columns: Sequence[str], rivals: Mapping[str, str] | None = None
) -> dict[tuple[str, str], ErrorCell]:
    """Every cell of a table over the cross-validations in `results`.

    `rivals` says whom a classifier must beat to be set in bold, those not named never are; without
    it everyone must beat its twin.
    """
    rule = CrossValidation.name
    cells = {}
    for dataset in results.names("dataset"):
        for classifier in columns:
            sizes = results.sizes(dataset, rule, classifier)
            if not sizes:
                continue
            twin = _TWINS[classifier]
            summary = results.summary(dataset, rule, classifier, ERROR, sizes[0], twin)
            if summary is not None:
                rival = twin if rivals is None else rivals.get(classifier)
                cells[dataset, classifier] = _cell(results, summary, twin, rival)
    return cells


def _cell(results: Results, summary: RunSummary, twin: str, rival: str | None) -> ErrorCell:
    dataset, classifier = summary.dataset, summary.classifier
    paper = published.TABLE_2.get(dataset, {}).get(classifier)
    is_twin = classifier in (twin, SUPERVISED, ORACLE)
    return ErrorCell(
        dataset,
        classifier,
        summary.mean,
        summary.standard_error,
        None if is_twin else summary.times_worse,
        summary.n_repeats,
        None if paper is None else paper.error,
        None if paper is None else paper.times_worse,
        None if paper is None else summary.mean - paper.error,
        not is_twin and rival is not None and _direction(results, summary, rival) == -1,
        not is_twin and _direction(results, summary, twin) == 1,
        summary.n_incomplete,
    )


def _direction(results: Results, own: RunSummary, other: str) -> int:
    return results.direction(own.dataset, own.protocol, own.classifier, other, own.n_unlabeled)


def repeats_asked(results: Results) -> int:
    """Repeats that were run, whether they ended or failed."""
    return max((run.repeat + 1 for run in results.runs), default=0)


def table2(results: Results) -> Grid:
    """Table 2 as published, with the projected classifier, standard errors and differences."""
    cells = error_cells(results, PAPER_COLUMNS, RIVALS)
    repeats = repeats_asked(results)
    return Grid(
        "Table 2: mean error over repeats of 10-fold cross-validation",
        ("dataset", *PAPER_COLUMNS),
        _rows(results, cells, PAPER_COLUMNS, beside=True),
        f"Mean error ± its standard error over {number_of(repeats, 'repeat')}"
        ", and in parentheses in how many "
        "of them it was above supervised. Bold: ICLS or self-learning, where it beats the other; "
        f"underlined: worse than supervised (Wilcoxon's signed rank test at {LEVEL}). "
        f"{_and(what_counts(repeats))}With each, the "
        f"paper's value from {published.N_REPEATS} repeats and our difference to it; the paper "
        "has no column for projected. The standard error is over repeats on the same objects.",
        tuple(asdict(cell) for cell in cells.values()),
    )


def regularised_table(results: Results) -> Grid:
    """Table 2's protocol with tuned penalties, beside the unregularised supervised and ICLS."""
    cells = error_cells(results, REGULARISED_COLUMNS)
    repeats = repeats_asked(results)
    return Grid(
        "The same draws, with tuned penalties",
        ("dataset", *REGULARISED_COLUMNS),
        _rows(results, cells, REGULARISED_COLUMNS),
        f"Mean error ± its standard error over {number_of(repeats, 'repeat')}"
        ". Ridge penalties are chosen by "
        "leave-one-out on the labeled rows, that of logistic regression by 5-fold cross-validation "
        "on them. ICLS and supervised ridge are compared with supervised, the last three with "
        "supervised ridge: in parentheses, in how many repeats the error was above that; bold: "
        f"better, underlined: worse (Wilcoxon's signed rank test at {LEVEL}). "
        f"{_and(what_counts(repeats))}".rstrip(),
        tuple(asdict(cell) for cell in cells.values()),
    )


def _and(sentence: str) -> str:
    return f"{sentence} " if sentence else ""


def _rows(
    results: Results,
    cells: Mapping[tuple[str, str], ErrorCell],
    columns: Sequence[str],
    *,
    beside: bool = False,
) -> tuple[tuple[Entry, ...], ...]:
    repeats = repeats_asked(results)
    run = {(run.dataset, run.classifier) for run in results.runs}
    datasets = [
        dataset
        for dataset in results.names("dataset")
        if any((dataset, column) in run for column in columns)
    ]
    return tuple(
        (
            Entry(dataset),
            *(
                _shown(cells[dataset, column], beside, repeats)
                if (dataset, column) in cells
                else Entry("failed" if (dataset, column) in run else "–")
                for column in columns
            ),
        )
        for dataset in datasets
    )


def _shown(cell: ErrorCell, beside: bool, repeats: int) -> Entry:
    # Spaces at which no line may end keep what belongs together on narrow screens.
    text = f"{_short(cell.error, 3)}\u00a0±\u00a0{_short(cell.standard_error, 3)}"
    if cell.times_worse is not None:
        text += f" ({cell.times_worse})"
    remarks = []
    if cell.n_repeats != repeats:
        remarks.append(f"{cell.n_repeats} of {number_of(repeats, 'repeat')}".replace(" ", "\u00a0"))
    if beside and cell.published is not None and cell.difference is not None:
        times = cell.published_times_worse
        worse = "" if times is None else f"\u00a0({times})"
        sign = "+" if cell.difference >= 0 else "−"
        difference = f"{sign}{_short(abs(cell.difference), 3)}"
        remarks.append(f"paper\u00a0{_short(cell.published, 2)}{worse}, {difference}")
    return Entry(text, ", ".join(remarks), bold=cell.better, underline=cell.worse)


def _short(value: float, digits: int) -> str:
    """Without the zero before the point, as the paper prints errors."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.{digits}f}".removeprefix("0")


def theorem_table(outcome: TheoremCheck) -> Grid:
    """The check of Theorem 1, one row a family of distributions."""
    return Grid(
        "Theorem 1 on random problems",
        ("density of x", "problems", "risk higher", "strictly lower", "equal", "mean fall of risk"),
        tuple(
            (
                Entry(row.family),
                Entry(f"{row.problems:,}"),
                Entry(f"{row.higher:,}"),
                Entry(f"{row.lower:,}"),
                Entry(f"{row.equal:,}"),
                Entry(f"{100 * row.gain:.1f} %"),
            )
            for row in outcome.families
        ),
        "The true semi-supervised risk against the supervised one, by quadrature over the density "
        "of x and compared without a tolerance. Equal: the supervised "
        "coefficient lies in the interval already.",
        tuple(asdict(row) for row in outcome.families),
    )
