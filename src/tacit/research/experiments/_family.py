"""Every method of the package beside its supervised twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from tacit.research.experiments._grid import Grid
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import (
    LEAST_REPEATS,
    LEVEL,
    Results,
    RunSummary,
    what_counts,
)
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
    (protocol,) = results.names("protocol")
    datasets = results.names("dataset")
    repeats = max(results.names("repeat")) + 1
    rows, records = [], []
    for contestant in contestants:
        places = [_place(results, dataset, protocol, contestant) for dataset in datasets]
        if not any(place.n_runs for place in places):
            continue
        cells = [_cell(results, place, contestant, repeats) for place in places]
        compared = contestant.twin is not None
        tells = compared and repeats >= LEAST_REPEATS
        silent = "–" if compared else ""
        rows.append(
            (
                Entry(contestant.name, bold=not compared),
                Entry(_mean(places)),
                Entry(str(sum(cell.bold for cell in cells)) if tells else silent),
                Entry(str(sum(cell.underline for cell in cells)) if tells else silent),
                *cells,
            )
        )
        records += [_record(place, contestant) for place in places if place.n_runs]
    return Grid(
        "Every method beside its supervised twin",
        ("method", "mean", "better on", "worse on", *datasets),
        tuple(rows),
        _note(results, rows, n_folds, repeats),
        tuple(records),
    )


@dataclass(frozen=True)
class _Place:
    """A method on a dataset: its runs, and their summary where any of them ended."""

    dataset: str
    n_runs: int
    summary: RunSummary | None


def _twin(contestant: Contestant) -> str:
    return contestant.twin or contestant.name


def _place(results: Results, dataset: str, protocol: str, contestant: Contestant) -> _Place:
    sizes = results.sizes(dataset, protocol, contestant.name)
    if not sizes:
        return _Place(dataset, 0, None)
    return _Place(
        dataset,
        len(results.values(dataset, protocol, contestant.name, ERROR, sizes[0])),
        results.summary(dataset, protocol, contestant.name, ERROR, sizes[0], _twin(contestant)),
    )


def _mean(places: Sequence[_Place]) -> str:
    """Over the datasets it was run on; none where it failed on one, since that would flatter it."""
    run_on = [place.summary for place in places if place.n_runs]
    ended = [summary.mean for summary in run_on if summary is not None]
    return _short(sum(ended) / len(ended)) if len(ended) == len(run_on) else "–"


def _cell(results: Results, place: _Place, contestant: Contestant, repeats: int) -> Entry:
    summary = place.summary
    if summary is None:
        return Entry("failed" if place.n_runs else "–")
    text = _short(summary.mean)
    remark = (
        ""
        if summary.n_repeats == repeats
        else f"{summary.n_repeats} of {number_of(repeats, 'repeat')}"
    )
    at = summary.dataset, summary.protocol
    twin, n_unlabeled = _twin(contestant), summary.n_unlabeled
    baseline = results.summary(*at, twin, ERROR, n_unlabeled, twin)
    if contestant.twin is None or baseline is None:
        return Entry(text, remark)
    sign = results.direction(*at, contestant.name, twin, n_unlabeled)
    return Entry(f"{text} ({summary.times_worse})", remark, bold=sign == -1, underline=sign == 1)


def _record(place: _Place, contestant: Contestant) -> dict[str, Any]:
    summary = place.summary
    return {
        "dataset": place.dataset,
        "method": contestant.name,
        "twin": _twin(contestant),
        "error": None if summary is None else summary.mean,
        "standard_error": None if summary is None else summary.standard_error,
        "times_worse": None if summary is None else summary.times_worse,
        "repeats": 0 if summary is None else summary.n_repeats,
        "incomplete": place.n_runs if summary is None else summary.n_incomplete,
    }


def _note(results: Results, rows: Sequence[tuple[Entry, ...]], n_folds: int, repeats: int) -> str:
    names = {row[0].text for row in rows}
    _, n_incomplete, which = results.incomplete(names)
    sentences = (
        f"Mean error over {number_of(repeats, 'repeat')}"
        f" of cross-validation in {n_folds} folds with "
        "L = max(d + 5, 20) labels. Names in bold are supervised; the methods below each are "
        "compared with it: in parentheses, in how many repeats the error was above it; bold: "
        f"better, underlined: worse (Wilcoxon's signed rank test at {LEVEL}).",
        what_counts(repeats),
        f"Not every run ended properly: {which}. A method that failed on a dataset has no mean."
        if n_incomplete
        else "",
    )
    return " ".join(filter(None, sentences))


def _short(error: float) -> str:
    return f"{error:.3f}".removeprefix("0")
