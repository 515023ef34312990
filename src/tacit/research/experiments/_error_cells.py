"""Errors of classifiers on datasets, each beside its twin: what tables of them are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit._words import number_of
from tacit.report import Entry
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._protocols import CrossValidation
from tacit.research.experiments._results import Results


@dataclass(frozen=True)
class ErrorCell:
    """A cell of a table of errors."""

    dataset: str  # Where it stands
    classifier: str
    error: float  # Mean over the repeats, and its standard error
    standard_error: float
    # Repeats in which it was above its supervised twin; None for the twin itself, and where no
    # repeat of both ended.
    times_worse: int | None
    n_repeats: int  # Repeats that ended
    # Whether it beats its rival, and whether it is worse than its twin, by Wilcoxon's signed rank
    # test at 0.01 over the repeats in which both ended.
    better: bool
    worse: bool
    n_incomplete: int  # Repeats with a fit that failed or did not converge


Cells = dict[tuple[str, str], ErrorCell]


def error_cells(
    results: Results, twins: Mapping[str, str], rivals: Mapping[str, str] | None = None
) -> Cells:
    """The cells of a table over the cross-validations in `results`, where any repeat ended.

    `twins` names the classifiers and whom each is compared with; who is compared with itself is
    not. `rivals` says whom a classifier must beat to be set in bold, those not named never are;
    without it everyone must beat its twin.
    """
    rule = CrossValidation.name
    cells = {}
    for dataset in results.names("dataset"):
        for name, twin in twins.items():
            sizes = results.sizes(dataset, rule, name)
            found = results.summary(dataset, rule, name, ERROR, sizes[0], twin) if sizes else None
            if found is None:
                continue
            is_compared = twin != name
            rival = twin if rivals is None else rivals.get(name)
            direction = {
                other: results.direction(dataset, rule, name, other, sizes[0])
                for other in (twin, rival)
                if is_compared and other is not None
            }
            cells[dataset, name] = ErrorCell(
                dataset,
                name,
                found.mean,
                found.standard_error,
                found.times_worse if is_compared else None,
                found.n_repeats,
                rival is not None and direction.get(rival) == -1,
                direction.get(twin) == 1,
                found.n_incomplete,
            )
    return cells


def entry_of(
    cell: ErrorCell | None,
    was_run: bool,
    repeats: int,
    *,
    spread: bool = False,
    remark: str = "",
) -> Entry:
    """Error and times worse than the twin, as a table shows them; how many repeats, if not all."""
    if cell is None:
        return Entry("failed" if was_run else "–")
    text = short(cell.error)
    if spread:
        # Spaces at which no line may end keep what belongs together on narrow screens.
        text += f"\u00a0±\u00a0{short(cell.standard_error)}"
    if cell.times_worse is not None:
        text += f" ({cell.times_worse})"
    some = ""
    if cell.n_repeats != repeats:
        some = f"{cell.n_repeats} of {number_of(repeats, 'repeat')}".replace(" ", "\u00a0")
    beside = ", ".join(filter(None, [some, remark]))
    return Entry(text, beside, bold=cell.better, underline=cell.worse)


def places_run(results: Results) -> set[tuple[str, str]]:
    """Datasets and classifiers with any run, whether it ended or failed."""
    return {(run.dataset, run.classifier) for run in results.runs}


def repeats_asked(results: Results) -> int:
    """Repeats that were run, whether they ended or failed."""
    return max((run.repeat + 1 for run in results.runs), default=0)


def short(value: float, digits: int = 3) -> str:
    """Without the zero before the point, as the paper prints errors."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.{digits}f}".removeprefix("0")
