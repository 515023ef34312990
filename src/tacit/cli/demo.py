"""`tacit demo`: the paper's claim on data that scikit-learn ships."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from tacit._files import written_whole
from tacit.cli.progress import progress_bar
from tacit.estimators import ProjectedLeastSquaresClassifier, SelfLearningClassifier
from tacit.experiments import Experiment, LearningCurves, Results, Table, paper_contenders, run
from tacit.experiments.contenders import ORACLE, SUPERVISED
from tacit.experiments.figures import draw_comparison
from tacit.experiments.measures import ERROR, TRAINING_LOSS

DATASET = "Breast cancer (WDBC)"
N_LABELED = 35


def demo(
    out: Annotated[Path, typer.Option(help="Where to save the plot.")] = Path("tacit-demo.png"),
    draws: Annotated[int, typer.Option(min=2, help="Random draws of the labels.")] = 20,
) -> None:
    """Compare four classifiers on breast-cancer data: 35 labels, all other rows unlabeled."""
    console = Console()
    if not out.parent.is_dir():
        raise typer.BadParameter(
            f"the folder {out.parent} does not exist; create it or name another.",
            param_hint="--out",
        )
    X, y = load_breast_cancer(return_X_y=True)
    table = Table.of(DATASET, StandardScaler().fit_transform(X), y)
    rest = len(y) - N_LABELED
    sizes = tuple(2**k for k in range(1, 10) if 2**k < rest / 2)
    # Every row without label is tested, the unlabeled ones too: they are what a user has.
    protocol = LearningCurves(draws, N_LABELED, (*sizes, rest), transductive=True)
    contenders = tuple(c for c in paper_contenders() if c.name != ORACLE)
    with progress_bar(console, "Drawing labels and fitting") as on_progress:
        results = run([Experiment((table,), protocol, contenders)], on_progress=on_progress)

    console.print(
        f"\n[bold]{DATASET}[/]: {len(y)} rows, {X.shape[1]} features; "
        f"{N_LABELED} labels, {rest} unlabeled; {draws} draws.\n",
        highlight=False,
    )
    console.print(_grid(results, rest))
    console.print(
        "Error is on the rows without label (± one standard error); loss is the squared loss on "
        "all rows. Times worse: draws in which it was worse than supervised on the same rows.\n",
        highlight=False,
    )
    _print_certificates(console, table, protocol)
    with written_whole(out) as partial:
        title = f"{DATASET}: {N_LABELED} labels, {draws} random draws"
        draw_comparison(results, title).savefig(partial)
    console.print(f"The plot is in [bold]{out}[/].")


def _grid(results: Results, n_unlabeled: int) -> Grid:
    grid = Grid()
    grid.add_column("classifier")
    for heading in ("mean error", "times worse", "median loss", "times worse"):
        grid.add_column(heading, justify="right")
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


def _print_certificates(console: Console, table: Table, protocol: LearningCurves) -> None:
    """What can be said in the first draw without knowing any of the hidden labels."""
    ((split,),) = protocol.splits(table, 0)[-1:]
    for name, model in (
        ("Self-learning", SelfLearningClassifier()),
        ("Projected", ProjectedLeastSquaresClassifier()),
    ):
        model.fit(
            table.X[split.labeled], table.y[split.labeled], X_unlabeled=table.X[split.unlabeled]
        )
        console.print(f"[bold]{name}, what holds for any labels (first draw)[/]")
        console.print(f"{model.certificate_}\n", highlight=False)
