"""Every method of the package beside its supervised twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.svm import SVC

from tacit.estimators import (
    EMLDAClassifier,
    EMNearestMeanClassifier,
    ICLDAClassifier,
    ICLSClassifier,
    KernelICLSClassifier,
    KernelLeastSquaresClassifier,
    LDAClassifier,
    LeastSquaresClassifier,
    MCLDAClassifier,
    MCNearestMeanClassifier,
    MCPLDAClassifier,
    NearestMeanClassifier,
    ProjectedLeastSquaresClassifier,
    S3VMClassifier,
    S4VMClassifier,
    SelfLearningClassifier,
    SoftSelfLearningClassifier,
    USMClassifier,
)
from tacit.experiments.contenders import Contender, Sees
from tacit.experiments.experiment import Experiment
from tacit.experiments.grid import Cell, Grid
from tacit.experiments.measures import ERROR
from tacit.experiments.protocols import Protocol, Table
from tacit.experiments.results import Results, Summary

LEAST_SQUARES = "least squares"
KERNEL = "kernel least squares"
LDA = "LDA"
NEAREST_MEAN = "nearest mean"
SVM = "SVM"
# A fit of these takes up to a minute with hundreds of features, and there are thousands of fits.
SLOW = frozenset({"implicitly constrained LDA", "S4VM"})
MANY_FEATURES = 100
# Half the usual ten: there are twenty methods.
N_FOLDS = 5
# Wilcoxon's signed rank test, for bold and underline.
LEVEL = 0.01


def family_contenders() -> tuple[Contender, ...]:
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
    contenders: list[Contender] = []
    for twin, (supervised, others) in groups.items():
        contenders.append(Contender(twin, supervised, Sees.LABELED, twin))
        contenders += [Contender(name, model, twin=twin) for name, model in others.items()]
    return tuple(contenders)


def family_experiments(
    tables: Sequence[Table], protocol: Protocol, contenders: tuple[Contender, ...]
) -> list[Experiment]:
    """Every method on every table, but for the slow ones on tables with many features."""
    quick = tuple(c for c in contenders if c.name not in SLOW)
    groups = (
        (contenders, tuple(t for t in tables if t.X.shape[1] <= MANY_FEATURES)),
        (quick, tuple(t for t in tables if t.X.shape[1] > MANY_FEATURES)),
    )
    return [Experiment(chosen, protocol, who) for who, chosen in groups if chosen and who]


def family_table(results: Results, contenders: tuple[Contender, ...], n_folds: int) -> Grid:
    """One row a method and one column a dataset: error, times worse than its twin, significance."""
    (protocol,) = results.names("protocol")
    datasets = results.names("dataset")
    rows = []
    for contender in contenders:
        found = [_summary(results, dataset, protocol, contender) for dataset in datasets]
        cells = [_cell(results, summary, contender.twin) for summary in found]
        ended = [summary for summary in found if summary is not None]
        if not ended:
            continue
        mean = sum(summary.mean for summary in ended) / len(ended)
        is_twin = contender.twin == contender.name
        rows.append(
            (
                Cell(contender.name, bold=is_twin),
                Cell(f"{mean:.3f}".removeprefix("0")),
                Cell("" if is_twin else str(sum(cell.bold for cell in cells))),
                Cell("" if is_twin else str(sum(cell.underline for cell in cells))),
                *cells,
            )
        )
    repeats = max(results.names("repeat")) + 1
    return Grid(
        "Every method beside its supervised twin",
        ("method", "mean", "better on", "worse on", *datasets),
        tuple(rows),
        f"Mean error over {repeats} repeats of cross-validation in {n_folds} folds with "
        "L = max(d + 5, 20) labels. "
        "Names in bold are supervised; the methods below each are compared with it: in "
        "parentheses, in how many repeats the error was above it; bold: better, underlined: worse "
        f"(Wilcoxon's signed rank test at {LEVEL}). Methods that take up to a minute with more "
        f"than {MANY_FEATURES} features are left out there, and their mean is over the "
        "other datasets.",
        tuple(
            {
                "dataset": s.dataset,
                "method": s.classifier,
                "twin": c.twin,
                "error": s.mean,
                "standard_error": s.standard_error,
                "times_worse": s.times_worse,
                "repeats": s.n_repeats,
                "flawed": s.n_flawed,
            }
            for c in contenders
            for d in datasets
            if (s := _summary(results, d, protocol, c)) is not None
        ),
    )


def _summary(results: Results, dataset: str, protocol: str, contender: Contender) -> Summary | None:
    sizes = results.sizes(dataset, protocol, contender.name)
    if not sizes:
        return None
    return results.summary(dataset, protocol, contender.name, ERROR, sizes[0], contender.twin)


def _cell(results: Results, summary: Summary | None, twin: str) -> Cell:
    if summary is None:
        return Cell("–")
    text = f"{summary.mean:.3f}".removeprefix("0")
    if summary.classifier == twin:
        return Cell(text)
    other = results.summary(
        summary.dataset, summary.protocol, twin, ERROR, summary.n_unlabeled, twin
    )
    differs = (
        other is not None
        and summary.n_repeats == other.n_repeats
        and results.p_value(
            summary.dataset, summary.protocol, summary.classifier, twin, summary.n_unlabeled
        )
        < LEVEL
    )
    return Cell(
        f"{text} ({summary.times_worse})",
        bold=differs and other is not None and summary.mean < other.mean,
        underline=differs and other is not None and summary.mean > other.mean,
    )
