"""Table 1, Table 2 and the table with tuned penalties, each beside what was published."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tacit._words import number_of
from tacit.report import Entry
from tacit.research.datasets import Dataset
from tacit.research.experiments import Results, paper_contestants
from tacit.research.experiments._contestants import (
    ICLS,
    ORACLE,
    PROJECTED,
    SELF_LEARNING,
    SUPERVISED,
)
from tacit.research.experiments._error_cells import (
    Cells,
    ErrorCell,
    entry_of,
    error_cells,
    places_run,
    repeats_asked,
    short,
)
from tacit.research.experiments._grid import Grid
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

# The paper compares these two with each other, and sets the better one in bold.
RIVALS = {ICLS: SELF_LEARNING, SELF_LEARNING: ICLS}
_TWINS = {c.name: c.twin or c.name for c in (*paper_contestants(), *regularised_contestants())}
# The oracle is beyond comparison.
PAPER_COLUMNS = {name: _TWINS[name] for name in (SUPERVISED, SELF_LEARNING, ICLS, PROJECTED)} | {
    ORACLE: ORACLE
}
REGULARISED_COLUMNS = {
    name: _TWINS[name] for name in (SUPERVISED, ICLS, RIDGE, RIDGE_ICLS, RIDGE_PROJECTED, LOGISTIC)
}


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


def published_cell(cell: ErrorCell) -> published.Published | None:
    """The paper's numbers at the same place, where it has them."""
    return published.TABLE_2.get(cell.dataset, {}).get(cell.classifier)


def difference(cell: ErrorCell) -> float | None:
    """Our mean error minus the paper's."""
    paper = published_cell(cell)
    return None if paper is None else cell.error - paper.error


def _record(cell: ErrorCell) -> dict[str, Any]:
    paper = published_cell(cell)
    return asdict(cell) | {
        "published": None if paper is None else paper.error,
        "published_times_worse": None if paper is None else paper.times_worse,
        "difference": difference(cell),
    }


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
        tuple(map(_record, cells.values())),
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
        tuple(map(_record, cells.values())),
    )


def _and(sentence: str) -> str:
    return f"{sentence} " if sentence else ""


def _rows(
    results: Results, cells: Cells, columns: Iterable[str], *, beside: bool = False
) -> tuple[tuple[Entry, ...], ...]:
    repeats, run = repeats_asked(results), places_run(results)
    return tuple(
        (
            Entry(dataset),
            *(
                entry_of(
                    cells.get((dataset, column)),
                    (dataset, column) in run,
                    repeats,
                    spread=True,
                    remark=_paper(cells.get((dataset, column))) if beside else "",
                )
                for column in columns
            ),
        )
        for dataset in results.names("dataset")
        if any((dataset, column) in run for column in columns)
    )


def _paper(cell: ErrorCell | None) -> str:
    paper = None if cell is None else published_cell(cell)
    if cell is None or paper is None:
        return ""
    change = cell.error - paper.error
    worse = "" if paper.times_worse is None else f"\u00a0({paper.times_worse})"
    sign = "+" if change >= 0 else "−"
    return f"paper\u00a0{short(paper.error, 2)}{worse}, {sign}{short(abs(change))}"


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
