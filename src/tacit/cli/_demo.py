"""`tacit demo`: the paper's claim on data that scikit-learn ships."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid

from tacit._files import check_can_write, written_whole
from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.cli._grids import print_table

if TYPE_CHECKING:
    from tacit.research.experiments import LearningCurves, Results
    from tacit.selection._labeled_table import LabeledTable

DATASET = "Breast cancer (WDBC)"
N_LABELED = 35


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to save the plot.")] = Path(
        "tacit-demo.png"
    ),
    draws: Annotated[int, typer.Option(min=2, help="Random draws of the labels.")] = 20,
    debug: given.Debug = False,
) -> None:
    """See what it is about: cancer data with 35 labels.

    Four classifiers use 35 labels and all other rows unlabeled, in several random draws. It takes
    under a minute, and needs no data of yours.
    """
    _check_plot(out)
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    from tacit.research.experiments import (
        Experiment,
        LearningCurves,
        complete_table,
        paper_contestants,
        run,
    )
    from tacit.research.experiments._contestants import ORACLE
    from tacit.research.experiments._figures import draw_comparison

    X, y = load_breast_cancer(return_X_y=True)
    table = complete_table(DATASET, StandardScaler().fit_transform(X), y)
    rest = len(y) - N_LABELED
    sizes = tuple(2**k for k in range(1, 10) if 2**k < rest / 2)
    # Every row without label is tested, the unlabeled ones too: they are what a user has.
    protocol = LearningCurves(draws, N_LABELED, (*sizes, rest), transductive=True)
    contestants = tuple(c for c in paper_contestants() if c.name != ORACLE)
    with screen.stage("Drawing labels and fitting") as on_progress:
        results = run([Experiment((table,), protocol, contestants)], on_progress=on_progress)
    with written_whole(out) as partial:
        title = f"{DATASET}: {N_LABELED} labels, {draws} random draws"
        draw_comparison(results, title).savefig(partial)

    console = screen.stdout_console()
    screen.print_heading(
        console,
        f"{DATASET}: {len(y)} rows, {X.shape[1]} features; {N_LABELED} labels, {rest} unlabeled; "
        f"{draws} draws",
    )
    console.print()
    print_table(console, _grid(results, rest))
    screen.print_paragraph(
        console,
        "Error: the share of rows without label that are predicted wrong (± one standard error).\n"
        "Loss: the squared loss on all rows.\n"
        "Times worse: draws in which it was worse than supervised on the same rows.",
    )
    _print_certificates(console, table, protocol)
    console.print()
    screen.print_line(console, f"The plot is in {out}.")
    screen.print_line(
        console, "Next, with a table of your own: tacit compare table.csv --target COLUMN"
    )


def _check_plot(out: Path) -> None:
    """Complain before all fits of what would fail after them."""
    check_can_write(out, "--out")
    from tacit.report import new_figure

    kinds = new_figure(1, 1).canvas.get_supported_filetypes()
    if out.suffix.lower().lstrip(".") not in kinds:
        raise typer.BadParameter(
            f"{str(out)!r} must end in one of {', '.join(f'.{kind}' for kind in sorted(kinds))}",
            param_hint="--out",
        )


def _grid(results: Results, n_unlabeled: int) -> Grid:
    from tacit.research.experiments._contestants import SUPERVISED
    from tacit.research.experiments._measures import ERROR, TRAINING_LOSS

    headings = ("classifier", "mean error", "times worse", "median loss", "times worse")
    grid = screen.new_grid(*headings, right=(1, 2, 3, 4))
    at = {(s.classifier, s.measure): s for s in results.summaries() if s.n_unlabeled == n_unlabeled}
    for classifier in results.names("classifier"):
        error, loss = at[classifier, ERROR], at[classifier, TRAINING_LOSS]
        worse = [f"{s.times_worse} of {s.n_repeats}" for s in (error, loss)]
        if classifier == SUPERVISED:
            worse = ["", ""]
        grid.add_row(
            classifier,
            f"{error.mean:.3f} ± {error.standard_error:.3f}",
            worse[0],
            f"{loss.median:.3f}",
            worse[1],
        )
    return grid


def _print_certificates(console: Console, table: LabeledTable, protocol: LearningCurves) -> None:
    """What can be said in the first draw without knowing any of the hidden labels."""
    from tacit.estimators import ProjectedLeastSquaresClassifier, SelfLearningClassifier

    ((split,),) = protocol.splits(table, 0)[-1:]
    for name, model in (
        ("Self-learning", SelfLearningClassifier()),
        ("Projected", ProjectedLeastSquaresClassifier()),
    ):
        model.fit(
            table.X[split.labeled], table.y[split.labeled], X_unlabeled=table.X[split.unlabeled]
        )
        heading = f"{name}: what holds for any labels (first draw)"
        screen.print_paragraph(console, str(model.certificate_), heading)
