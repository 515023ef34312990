"""Every method of the package beside its supervised twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.svm import SVC

from tacit._words import number_of
from tacit.estimators import (
    ICLSClassifier,
    KernelICLSClassifier,
    KernelLeastSquaresClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.family import (
    EMLDAClassifier,
    EMNearestMeanClassifier,
    ICLDAClassifier,
    LDAClassifier,
    MCLDAClassifier,
    MCNearestMeanClassifier,
    MCPLDAClassifier,
    NearestMeanClassifier,
    S3VMClassifier,
    S4VMClassifier,
    SoftSelfLearningClassifier,
    USMClassifier,
)
from tacit.report import Entry
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
from tacit.research.experiments._results import LEAST_REPEATS, LEVEL, Results, what_counts
from tacit.selection import Contestant

LEAST_SQUARES = "least squares"
KERNEL = "kernel least squares"
LDA = "LDA"
NEAREST_MEAN = "nearest mean"
SVM = "SVM"
# Half the usual ten: there are twenty methods.
N_FOLDS = 5


def family_contestants() -> tuple[Contestant, ...]:
    """All methods for tables of numbers, with the settings a careful user would choose.

    Penalties of least squares come from leave-one-out; the others are fixed for columns of unit
    scale. S4VM has a fifth of its usual samples, which take most of the time. The multinomial model
    is left out: it is for counts.
    """
    penalty = 1.0  # on the scatter, so that covariances of few rows can be inverted
    groups: dict[str, tuple[Any, dict[str, Any]]] = {
        LEAST_SQUARES: (
            LeastSquaresClassifier("loo"),
            {
                "self-learning": SelfLearningClassifier(LeastSquaresClassifier("loo")),
                "soft self-learning": SoftSelfLearningClassifier("loo"),
                "USM": USMClassifier("loo"),
                "ICLS": ICLSClassifier("loo"),
                "projected": ProjectedLeastSquaresClassifier(alpha="loo"),
            },
        ),
        KERNEL: (
            KernelLeastSquaresClassifier(alpha="loo"),
            {
                "kernel ICLS": KernelICLSClassifier(alpha="loo"),
                "kernel projected": KernelICLSClassifier(alpha="loo", metric="all"),
            },
        ),
        LDA: (
            LDAClassifier(penalty),
            {
                "EM LDA": EMLDAClassifier(alpha=penalty),
                "moment-constrained LDA": MCLDAClassifier(penalty),
                "implicitly constrained LDA": ICLDAClassifier(penalty),
                "pessimistic LDA": MCPLDAClassifier(penalty),
            },
        ),
        NEAREST_MEAN: (
            NearestMeanClassifier(),
            {
                "EM nearest mean": EMNearestMeanClassifier(),
                "moment-constrained mean": MCNearestMeanClassifier(),
            },
        ),
        SVM: (
            SVC(kernel="linear"),
            {
                "S3VM": S3VMClassifier(),
                # The penalty of its twin, not its own default.
                "S4VM": S4VMClassifier(C=1.0, n_samples=20),
            },
        ),
    }
    contestants: list[Contestant] = []
    for twin, (supervised, others) in groups.items():
        contestants.append(Contestant(twin, supervised))
        contestants += [Contestant(name, model, twin) for name, model in others.items()]
    return tuple(contestants)


def family_table(results: Results, contestants: tuple[Contestant, ...], n_folds: int) -> Grid:
    """One row a method and one column a dataset: error, times worse than its twin, significance.

    A method without any run has no row; one whose fits failed stays and says so.
    """
    datasets, repeats = results.names("dataset"), repeats_asked(results)
    run, twins = places_run(results), {c.name: c.twin or c.name for c in contestants}
    cells = error_cells(results, twins)
    rows, records = [], []
    for contestant in contestants:
        name, compared = contestant.name, contestant.twin is not None
        run_on = [dataset for dataset in datasets if (dataset, name) in run]
        if not run_on:
            continue
        entries = [
            entry_of(cells.get((dataset, name)), dataset in run_on, repeats) for dataset in datasets
        ]
        tells = compared and repeats >= LEAST_REPEATS
        silent = "–" if compared else ""
        rows.append(
            (
                Entry(name, bold=not compared),
                Entry(_mean([cells.get((dataset, name)) for dataset in run_on])),
                Entry(str(sum(entry.bold for entry in entries)) if tells else silent),
                Entry(str(sum(entry.underline for entry in entries)) if tells else silent),
                *entries,
            )
        )
        records += [_record(dataset, name, twins[name], cells, repeats) for dataset in run_on]
    return Grid(
        "Every method beside its supervised twin",
        ("method", "mean", "better on", "worse on", *datasets),
        tuple(rows),
        _note(results, [row[0].text for row in rows], n_folds, repeats),
        tuple(records),
    )


def _mean(cells: Sequence[ErrorCell | None]) -> str:
    """Over the datasets it was run on; none where it failed on one, since that would flatter it."""
    ended = [cell.error for cell in cells if cell is not None]
    return short(sum(ended) / len(ended)) if len(ended) == len(cells) else "–"


def _record(dataset: str, name: str, twin: str, cells: Cells, repeats: int) -> dict[str, Any]:
    cell = cells.get((dataset, name))
    return {
        "dataset": dataset,
        "method": name,
        "twin": twin,
        "error": None if cell is None else cell.error,
        "standard_error": None if cell is None else cell.standard_error,
        "times_worse": None if cell is None else cell.times_worse,
        "repeats": 0 if cell is None else cell.n_repeats,
        "incomplete": repeats if cell is None else cell.n_incomplete,
    }


def _note(results: Results, names: Sequence[str], n_folds: int, repeats: int) -> str:
    _, n_incomplete, which = results.incomplete(names)
    sentences = (
        f"Mean error over {number_of(repeats, 'repeat')} of cross-validation in {n_folds} folds "
        "with L = max(d + 5, 20) labels. Names in bold are supervised; the methods below each are "
        "compared with it: in parentheses, in how many repeats the error was above it; bold: "
        f"better, underlined: worse (Wilcoxon's signed rank test at {LEVEL}).",
        what_counts(repeats),
        f"Not every run ended properly: {which}. A method that failed on a dataset has no mean."
        if n_incomplete
        else "",
    )
    return " ".join(filter(None, sentences))
