"""`tacit demo`: the paper's claim on data that scikit-learn ships."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from tacit._typing import AnyArray, Matrix
from tacit.estimators import ProjectedLeastSquaresClassifier, SelfLearningClassifier
from tacit.experiments import Draws, Run, Summary, run_draws, summarise
from tacit.experiments.draws import SUPERVISED
from tacit.experiments.figures import save_figure

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
    X = StandardScaler().fit_transform(X)
    rest = len(y) - N_LABELED
    sizes = tuple(2**k for k in range(1, 10) if 2**k < rest / 2)
    plan = Draws("Breast cancer (WDBC)", N_LABELED, (*sizes, rest), draws)

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("Drawing labels and fitting", total=plan.n_repeats)
        runs = run_draws(X, y, plan, on_draw=lambda: progress.advance(task))

    console.print(
        f"\n[bold]Breast cancer (WDBC)[/]: {len(y)} rows, {X.shape[1]} features; "
        f"{N_LABELED} labels, {rest} unlabeled; {draws} draws.\n",
        highlight=False,
    )
    console.print(_table(summarise(runs), rest))
    console.print(
        "Error is on the rows without label (± one standard error); loss is the squared loss on "
        "all rows. Times worse: draws in which it was worse than supervised on the same rows.\n",
        highlight=False,
    )
    _print_certificates(console, X, y, plan)
    _save(runs, out)
    console.print(f"The plot is in [bold]{out}[/].")


def _table(summaries: list[Summary], n_unlabeled: int) -> Table:
    table = Table()
    table.add_column("classifier")
    for heading in ("mean error", "times worse", "median loss", "times worse"):
        table.add_column(heading, justify="right")
    at = {(s.classifier, s.measure): s for s in summaries if s.n_unlabeled == n_unlabeled}
    for classifier in dict.fromkeys(name for name, _ in at):
        error, loss = at[classifier, "error"], at[classifier, "squared loss"]
        worse = [f"{s.times_worse} of {s.n_repeats}" for s in (error, loss)]
        if classifier == SUPERVISED:
            worse = ["", ""]
        table.add_row(
            classifier,
            f"{error.mean:.3f} ± {error.standard_error:.3f}",
            worse[0],
            f"{loss.median:.3f}",
            worse[1],
        )
    return table


def _print_certificates(console: Console, X: Matrix, y: AnyArray, plan: Draws) -> None:
    """What can be said in the first draw without knowing any of the hidden labels."""
    labeled, rest = plan.draw(y, 0)
    for name, model in (
        ("Self-learning", SelfLearningClassifier()),
        ("Projected", ProjectedLeastSquaresClassifier()),
    ):
        model.fit(X[labeled], y[labeled], X_unlabeled=X[rest])
        console.print(f"[bold]{name}, what holds for any labels (first draw)[/]")
        console.print(f"{model.certificate_}\n", highlight=False)


def _save(runs: list[Run], out: Path) -> None:
    """Write under another name first, so that an interruption leaves no half a file."""
    partial = out.with_name(f".{out.name}.partial.png")
    try:
        save_figure(runs, partial)
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
