"""Every method of the package beside its supervised twin."""

from __future__ import annotations

from typing import Any

from sklearn.svm import SVC

from tacit import estimators, family
from tacit._words import number_of
from tacit.report import Entry
from tacit.research.experiments._grid import Grid, entry_of, short
from tacit.research.experiments._results import LEAST_REPEATS, LEVEL, Results, what_counts
from tacit.selection import Contestant

LEAST_SQUARES = "least squares"
# Half the usual ten: there are twenty methods.
N_FOLDS = 5
# The columns of the numbers behind the table, and the fields of a summary in them.
RECORD = {
    "error": "mean",
    "standard_error": "standard_error",
    "times_worse": "times_worse",
    "repeats": "n_repeats",
    "incomplete": "n_incomplete",
}


def family_contestants() -> tuple[Contestant, ...]:
    """All methods for tables of numbers, with the settings a careful user would choose.

    Penalties of least squares come from leave-one-out; the others are fixed for columns of unit
    scale. S4VM has a fifth of its usual samples, which take most of the time. The multinomial model
    is left out: it is for counts.
    """
    penalty = 1.0  # on the scatter, so that covariances of few rows can be inverted
    ridge = estimators.LeastSquaresClassifier("loo")
    # Each supervised classifier, and the methods that would replace it.
    groups: tuple[dict[str, Any], ...] = (
        {
            LEAST_SQUARES: ridge,
            "self-learning": estimators.SelfLearningClassifier(ridge),
            "soft self-learning": family.SoftSelfLearningClassifier("loo"),
            "USM": family.USMClassifier("loo"),
            "ICLS": estimators.ICLSClassifier("loo"),
            "projected": estimators.ProjectedLeastSquaresClassifier(alpha="loo", penalty="start"),
        },
        {
            "kernel least squares": estimators.KernelLeastSquaresClassifier(alpha="loo"),
            "kernel ICLS": estimators.KernelICLSClassifier(alpha="loo"),
            "kernel projected": estimators.KernelICLSClassifier(alpha="loo", metric="all"),
        },
        {
            "LDA": family.LDAClassifier(penalty),
            "EM LDA": family.EMLDAClassifier(alpha=penalty),
            "moment-constrained LDA": family.MCLDAClassifier(penalty),
            "implicitly constrained LDA": family.ICLDAClassifier(penalty),
            "pessimistic LDA": family.MCPLDAClassifier(penalty),
        },
        {
            "nearest mean": family.NearestMeanClassifier(),
            "EM nearest mean": family.EMNearestMeanClassifier(),
            "moment-constrained mean": family.MCNearestMeanClassifier(),
        },
        {
            "SVM": SVC(kernel="linear"),
            "S3VM": family.S3VMClassifier(),
            # The penalty of its twin, not its own default.
            "S4VM": family.S4VMClassifier(C=1.0, n_samples=20),
        },
    )
    return tuple(
        Contestant(name, model, None if name == twin else twin)
        for group in groups
        for twin in list(group)[:1]
        for name, model in group.items()
    )


def family_table(results: Results, contestants: tuple[Contestant, ...], n_folds: int) -> Grid:
    """One row a method and one column a dataset: error, times worse than its twin, significance.

    A method without any run has no row; one whose fits failed stays and says so.
    """
    datasets, repeats, ran = results.names("dataset"), results.n_repeats(), results.places()
    cells = results.error_cells({c.name: c.twin or c.name for c in contestants})
    rows, records = [], []
    for contestant in contestants:
        name, compared = contestant.name, contestant.twin is not None
        own = {d: cells.get((d, name)) for d in datasets if (d, name) in ran}
        if not own:
            continue
        entries = [entry_of(own.get(d), d in own, repeats) for d in datasets]
        silent = "–" if compared else ""
        better, worse = (
            str(sum(marked)) if compared and repeats >= LEAST_REPEATS else silent
            for marked in ([e.bold for e in entries], [e.underline for e in entries])
        )
        # None where it failed on a dataset, since the mean of the others would flatter it.
        ended = [cell.mean for cell in own.values() if cell is not None]
        mean = short(sum(ended) / len(ended)) if len(ended) == len(own) else "–"
        counts = Entry(mean), Entry(better), Entry(worse)
        rows.append((Entry(name, bold=not compared), *counts, *entries))
        for dataset, cell in own.items():
            # None of a cell that is None.
            numbers = {column: getattr(cell, number, None) for column, number in RECORD.items()}
            if cell is None:
                numbers |= {"repeats": 0, "incomplete": repeats}
            twin = contestant.twin or name
            records.append({"dataset": dataset, "method": name, "twin": twin, **numbers})
    which = results.incomplete([row[0].text for row in rows])[2]
    sentences = (
        f"Mean error over {number_of(repeats, 'repeat')} of cross-validation in {n_folds} folds "
        "with L = max(d + 5, 20) labels. Names in bold are supervised; the methods below each are "
        "compared with it: in parentheses, in how many repeats the error was above it; bold: "
        f"better, underlined: worse (Wilcoxon's signed rank test at {LEVEL}).",
        what_counts(repeats),
        f"Not every run ended properly: {which}. A method that failed on a dataset has no mean."
        if which
        else "",
    )
    return Grid(
        "Every method beside its supervised twin",
        ("method", "mean", "better on", "worse on", *datasets),
        tuple(rows),
        " ".join(filter(None, sentences)),
        tuple(records),
    )
