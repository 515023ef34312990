"""Table 1, Table 2 and the table with tuned penalties, each beside what was published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tacit._words import number_of
from tacit.report import Entry
from tacit.research.datasets import Dataset
from tacit.research.experiments import Results, paper_contestants
from tacit.research.experiments import _contestants as who
from tacit.research.experiments._contestants import ICLS, SELF_LEARNING, SUPERVISED
from tacit.research.experiments._grid import Grid, entry_of, short
from tacit.research.experiments._protocols import paper_labels
from tacit.research.experiments._results import LEVEL, RunSummary, what_counts
from tacit.research.paper import _published as published
from tacit.research.paper._theorem import TheoremCheck

# The paper compares these two with each other, and sets the better one in bold.
RIVALS = {ICLS: SELF_LEARNING, SELF_LEARNING: ICLS}
# Who is compared with whom; the oracle is beyond comparison.
PAPER_COLUMNS = {c.name: c.twin or c.name for c in paper_contestants()} | {who.ORACLE: who.ORACLE}
REGULARISED_COLUMNS = {SUPERVISED: SUPERVISED, ICLS: SUPERVISED} | {
    c.name: str(c.twin) for c in who.regularised_contestants()
}


def own_methods(results: Results) -> list[str]:
    """The classifiers that are neither the paper's nor ours: those that the user has added."""
    known = PAPER_COLUMNS | REGULARISED_COLUMNS
    return [name for name in results.names("classifier") if name not in known]


def table1(datasets: Sequence[Dataset], missing: Mapping[str, str]) -> Grid:
    """Objects and features of each dataset, and where it came from."""
    found = {data.name: data for data in datasets}
    rows: list[tuple[str, ...]] = []
    for name, size in published.TABLE_1.items():
        if name in found:
            n_rows, n_features = sizes = found[name].n_rows, found[name].n_features
            agreement = "as published" if sizes == size else f"published: {size[0]}, {size[1]}"
            # Where the reader keeps files is nobody else's business.
            source = re.sub(r"\S*[/\\]", "", found[name].source)
            labels = str(paper_labels(n_features))
            rows.append((name, str(n_rows), str(n_features), labels, agreement, source))
        elif name in missing:
            rows.append((name, *["–"] * 3, "missing", "not found, see below"))
    return Grid(
        "Table 1: the datasets",
        ("dataset", "objects", "features", "labels", "agreement", "source of this copy"),
        tuple(tuple(map(Entry, row)) for row in rows),
        "Features are counted after constant ones are dropped, without the intercept (the paper "
        "prints 118 for BCI, with it). Labels: L = max(features + 5, 20), in every draw.",
    )


def published_cell(cell: RunSummary) -> published.Published | None:
    """The paper's numbers at the same place, where it has them."""
    return published.TABLE_2.get(cell.dataset, {}).get(cell.classifier)


def difference(cell: RunSummary) -> float | None:
    """Our mean error minus the paper's."""
    paper = published_cell(cell)
    return None if paper is None else cell.mean - paper.error


def table2(results: Results) -> Grid:
    """Table 2 as published, with the projected classifier, standard errors and differences."""
    own = dict.fromkeys(own_methods(results), SUPERVISED)
    counts = what_counts(results.n_repeats())
    return _error_table(
        results,
        PAPER_COLUMNS | own,
        RIVALS | own,
        "Table 2: mean error over repeats of 10-fold cross-validation",
        ", and in parentheses in how many of them it was above supervised. Bold: ICLS or "
        "self-learning, where it beats the other; "
        + (f"{', '.join(own)}, where it beats supervised; " if own else "")
        + f"underlined: worse than supervised (Wilcoxon's signed rank test at {LEVEL}). "
        + (f"{counts} " if counts else "")
        + f"With each, the paper's value from {published.N_REPEATS} repeats and our difference to "
        "it; the paper has no column for projected. The standard error is over repeats on the same "
        "objects.",
    )


def regularised_table(results: Results) -> Grid:
    """Table 2's protocol with tuned penalties, beside the unregularised supervised and ICLS."""
    return _error_table(
        results,
        REGULARISED_COLUMNS | dict.fromkeys(own_methods(results), who.RIDGE),
        None,
        "The same draws, with tuned penalties",
        ". Ridge penalties are chosen by leave-one-out on the labeled rows, that of logistic "
        "regression by 5-fold cross-validation on them. ICLS and supervised ridge are compared "
        "with supervised, the others with supervised ridge: in parentheses, in how many "
        "repeats the error was above that; bold: better, underlined: worse (Wilcoxon's signed rank "
        f"test at {LEVEL}). {what_counts(results.n_repeats())}".rstrip(),
    )


def _error_table(
    results: Results,
    columns: Mapping[str, str],
    rivals: Mapping[str, str] | None,
    title: str,
    note: str,
) -> Grid:
    """One row a dataset; the published value beside each entry where everyone has a rival."""
    cells = results.error_cells(columns, rivals)
    repeats, ran = results.n_repeats(), results.places()
    rows = []
    for dataset in results.names("dataset"):
        places = [(dataset, name) for name in columns]
        if ran.isdisjoint(places):
            continue
        entries = (
            entry_of(cells.get(p), p in ran, repeats, True, _paper(cells.get(p)) if rivals else "")
            for p in places
        )
        rows.append((Entry(dataset), *entries))
    return Grid(
        title,
        ("dataset", *columns),
        tuple(rows),
        f"Mean error ± its standard error over {number_of(repeats, 'repeat')}{note}",
        tuple(map(_record, cells.values())),
    )


def _record(cell: RunSummary) -> dict[str, Any]:
    paper = published_cell(cell)
    own = ("standard_error", "times_worse", "n_repeats", "better", "worse", "n_incomplete")
    return {
        "dataset": cell.dataset,
        "classifier": cell.classifier,
        "error": cell.mean,
        **{name: getattr(cell, name) for name in own},
        "published": paper and paper.error,
        "published_times_worse": paper and paper.times_worse,
        "difference": difference(cell),
    }


def _paper(cell: RunSummary | None) -> str:
    if cell is None or (paper := published_cell(cell)) is None:
        return ""
    change = cell.mean - paper.error
    worse = "" if paper.times_worse is None else f"\u00a0({paper.times_worse})"
    sign = "+" if change >= 0 else "−"
    return f"paper\u00a0{short(paper.error, 2)}{worse}, {sign}{short(abs(change))}"


def theorem_table(outcome: TheoremCheck) -> Grid:
    """The check of Theorem 1, one row a family of distributions."""
    rows = []
    for row in outcome.families:
        counts = (f"{count:,}" for count in (row.problems, row.higher, row.lower, row.equal))
        rows.append(tuple(map(Entry, (row.family, *counts, f"{100 * row.gain:.1f} %"))))
    return Grid(
        "Theorem 1 on random problems",
        ("density of x", "problems", "risk higher", "strictly lower", "equal", "mean fall of risk"),
        tuple(rows),
        "The true semi-supervised risk against the supervised one, where each density is taken at "
        "200 equally likely quantiles, compared without a tolerance. Equal: the supervised "
        "coefficient lies in the interval already.",
        tuple(asdict(row) for row in outcome.families),
    )
