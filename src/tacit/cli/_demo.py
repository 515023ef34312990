"""`tacit demo`: a table where unlabeled rows help, and one where there is nothing to gain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit._files import check_can_write, written_whole
from tacit.cli import _options as given
from tacit.cli import _output as screen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tacit._typing import AnyArray, Index, Matrix
    from tacit.evidence import Evidence

# By table.
LABELS = (50, 100)
PLOTS = (".png", ".pdf", ".svg")
WITHOUT, WITH = "without unlabeled rows", "TacitClassifier"


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to save the plot.")] = Path(
        "tacit-demo.png"
    ),
    draws: Annotated[int, typer.Option(min=2, help="Random draws of the labels.")] = 5,
    debug: given.Debug = False,
) -> None:
    """See what it is about: two tables with few labels.

    Handwritten digits with 50 labels and diabetes patients with 100, all other rows unlabeled, in
    several random draws. In one table they help, in the other there is nothing to gain. It takes
    under a minute, and needs no data of yours.
    """
    check_can_write(out, "--out")
    if out.suffix.lower() not in PLOTS:
        raise typer.BadParameter(
            f"{str(out)!r} must end in one of {', '.join(PLOTS)}.", param_hint="--out"
        )
    from tacit.report import new_figure

    figure = new_figure(8.0, 3.6)  # or an error, before anything is fitted
    errors: dict[str, list[tuple[float, float]]] = {}
    told: dict[str, list[Evidence]] = {}
    with screen.stage("Drawing labels and fitting") as on_progress:
        tables = demo_tables()
        n_fits = len(tables) * draws
        for n_labeled, (table, (X, y)) in zip(LABELS, tables.items(), strict=True):
            title = f"{table}, {n_labeled} labels"
            errors[title], told[title] = [], []
            for draw in range(draws):
                pair, evidence = _fit(X, y, n_labeled, draw)
                errors[title].append(pair)
                told[title].append(evidence)
                on_progress(sum(map(len, errors.values())), n_fits)
    _draw(figure, errors)
    with written_whole(out) as partial:
        figure.savefig(partial)
    console = screen.stdout_console()
    for title, pairs in errors.items():
        _print(title, pairs, told[title])
    console.print()
    screen.print_line(console, f"The plot is in {out}.")
    command = "tacit compare table.csv --target COLUMN"
    screen.print_line(console, f"Next, with a table of your own: {command}")


def demo_tables() -> dict[str, tuple[Matrix, AnyArray]]:
    """Where neighbours have the same class, and where they need not; scikit-learn ships both."""
    import numpy as np
    from sklearn.datasets import load_diabetes, load_digits

    X, progression = load_diabetes(return_X_y=True)
    return {
        "Handwritten digits, 1,797 rows": load_digits(return_X_y=True),
        "Diabetes patients, 442 rows": (X, (progression > np.median(progression)).astype(int)),
    }


def hide_labels(y: AnyArray, n_labeled: int, draw: int) -> tuple[AnyArray, Index]:
    """Labels of which all but some are -1, and the positions of these rows."""
    import numpy as np

    order = np.random.default_rng((draw, n_labeled)).permutation(len(y))
    # One of each class first, then any.
    first = order[np.unique(y[order], return_index=True)[1]]
    labeled = np.concatenate([first, order[~np.isin(order, first)]])[:n_labeled]
    hidden = np.setdiff1d(order, labeled)
    partly = y.copy()
    partly[hidden] = -1
    return partly, hidden


def _fit(X: Matrix, y: AnyArray, n_labeled: int, draw: int) -> tuple[tuple[float, float], Evidence]:
    """Errors on the rows without label, without and with them, and what the labels said."""
    import numpy as np

    from tacit import TacitClassifier

    partly, hidden = hide_labels(y, n_labeled, draw)
    model = TacitClassifier(random_state=draw).fit(X, partly)
    error = float(np.mean(model.transduction_ != y[hidden]))
    without = float(np.mean(model.without_views().predict(X[hidden]) != y[hidden]))
    return (without, error), model.evidence_


def _print(title: str, errors: list[tuple[float, float]], evidence: list[Evidence]) -> None:
    import numpy as np

    console = screen.stdout_console()
    screen.print_heading(console, f"{title}, {len(errors)} draws")
    console.print()
    grid = screen.new_grid("classifier", "mean error", "lowest", "highest", right=(1, 2, 3))
    for name, values in zip((WITHOUT, WITH), np.array(errors).T, strict=True):
        grid.add_row(name, *(f"{part(values):.1%}" for part in (np.mean, np.min, np.max)))
    screen.print_table(console, grid)
    n_used, n_worse = sum(e.uses_views for e in evidence), sum(b > a for a, b in errors)
    screen.print_paragraph(
        console,
        f"Unlabeled rows were used in {n_used} of {len(errors)} draws, and the error was higher "
        f"with them in {n_worse}.",
    )
    is_usual = [each.uses_views == (2 * n_used > len(evidence)) for each in evidence]
    draw = is_usual.index(True)
    screen.print_paragraph(
        console, str(evidence[draw]), f"What the labels say in draw {draw + 1}, as in most"
    )


def _draw(figure: Figure, errors: dict[str, list[tuple[float, float]]]) -> None:
    """One panel a table, one line a draw: the error without and with the unlabeled rows."""
    from tacit.report import COLOURS

    panels = figure.subplots(1, len(errors), sharey=True)
    highest = 100.0 * max(max(pair) for pairs in errors.values() for pair in pairs)
    for axes, (title, pairs) in zip(panels, errors.items(), strict=True):
        for pair in pairs:
            values = [100.0 * error for error in pair]
            axes.plot((0, 1), values, "o-", color=COLOURS[2], linewidth=1.6, markersize=5)
        axes.set_xticks((0, 1), (WITHOUT, WITH))
        axes.set_xlim(-0.4, 1.4)
        axes.set_ylim(0.0, 1.1 * highest)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
    panels[0].set_ylabel("error on the rows without label, in %")
