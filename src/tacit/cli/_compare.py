"""`tacit compare`: whether the unlabeled part of a table is worth using."""

from __future__ import annotations

import shlex
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from tacit._words import number_of
from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.cli._grids import print_table
from tacit.tables._errors import TableError

if TYPE_CHECKING:
    from tacit.tables._comparing import TableComparison

# The name under which `tacit fit` knows a contestant.
MODELS = {
    "ridge": "supervised",
    "logistic": "logistic",
    "ICLS": "icls",
    "projected": "projected",
    "self-learning": "self-learning",
}


def compare(
    table: given.TableFile,
    target: given.Target,
    report: Annotated[
        Path | None, typer.Option(help="Write a page for the browser to this file.")
    ] = None,
    unlabeled: given.Mark = None,
    label: given.Label = None,
    keep: given.Keep = None,
    drop: given.Drop = None,
    folds: Annotated[int | None, typer.Option(min=2, help="Parts to hold back in turn.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often to do it all over.")] = 5,
    scoring: Annotated[str, typer.Option(help="scikit-learn's name of a score.")] = "accuracy",
    margin: Annotated[
        float,
        typer.Option(min=0.0001, help="Differences up to this count as none; 0.02 is 2 points."),
    ] = 0.02,
    max_unlabeled: Annotated[
        int, typer.Option(min=1, help="Unlabeled rows to use; more are sampled.")
    ] = 20_000,
    separator: given.Separator = None,
    encoding: given.Encoding = None,
    decimal: given.Decimal = None,
    thousands: given.Thousands = None,
    date_format: given.DateFormat = None,
    jobs: given.Jobs = -1,
    seed: given.Seed = 0,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Find out whether unlabeled rows help, or may hurt.

    The answer is a verdict with its evidence: labels are held back in turn and predicted by
    supervised and semi-supervised classifiers. Rows without label are never scored.
    """
    if report is not None:
        given.check_output(report, "--report", table)
        from tacit.report import check_can_write_pages

        check_can_write_pages()
    options = given.read_options(separator, encoding, decimal, thousands, date_format)
    given.check_table(table)
    _check_measure(scoring, margin)
    from tacit.tables._comparing import compare_table
    from tacit.tables._table import read_table

    data = read_table(
        table,
        target,
        unlabeled,
        labels=label or (),
        keep=keep or (),
        drop=drop or (),
        max_unlabeled=max_unlabeled,
        random_state=seed,
        options=options,
    )
    if folds is not None and folds > data.n_labeled:
        raise TableError(
            f"--folds is {folds} and there are only {data.n_labeled} labels; use at most "
            f"{data.n_labeled}, or leave --folds out."
        )
    with screen.stages() as on_progress, warnings.catch_warnings():
        # What fits complain about is told by the notes of the comparison.
        warnings.simplefilter("ignore")
        found = compare_table(
            data,
            cv=folds,
            n_repeats=repeats,
            scoring=scoring,
            margin=margin,
            n_jobs=jobs,
            random_state=seed,
            with_curve=report is not None,
            on_progress=on_progress,
        )
    if report is not None:
        from tacit.cli._report_page import report_page

        report_page(found, screen.this_command(), given.is_piped(table)).write(report)
    if as_json:
        screen.print_json(_as_values(found, report))
        return
    console = screen.stdout_console()
    _print(console, found)
    _print_next(console, found, table, report)


def _check_measure(scoring: str, margin: float) -> None:
    """Complain of a score or a margin that cannot be, before the table is read."""
    from tacit.selection._measure import WORKING, check_margin, read_measure

    try:
        measure = read_measure(scoring)
    except ValueError as error:
        raise ValueError(
            f"--scoring is {scoring!r}; it must be one of scikit-learn's scores of classifiers, "
            f"such as {WORKING}."
        ) from error
    try:
        check_margin(margin, measure)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--margin") from error


def _print(console: Console, found: TableComparison) -> None:
    comparison, verdict, table = found.comparison, found.comparison.verdict, found.table
    kind = str(verdict.kind)
    words = Text(verdict.sentence, style="bold")
    if verdict.advice:
        words.append(f"\n{verdict.advice}", style="not bold")
    console.print()
    console.print(
        Panel(
            words,
            title=kind.upper(),
            title_align="left",
            border_style=screen.STYLES.get(kind, ""),
            width=min(console.width, screen.MOST_WIDTH),
        )
    )
    if comparison.losses:
        console.print()
        print_table(console, _grid(found))
        from tacit.selection._verdict import CONFIDENCE

        unit = "points" if comparison.measure.in_points else comparison.measure.name
        console.print()
        screen.print_paragraph(
            console,
            f"Differences from {_references(found)} in {unit}, with {CONFIDENCE:.0%} intervals; "
            "below zero is better.",
        )
    screen.print_points(console, verdict.evidence, "Evidence")
    certified = (f"{name}: {words}" for name, words in found.certificates.items())
    screen.print_points(console, certified, screen.CERTIFIED)
    counts = screen.counted(table.target.counts.items())
    screen.print_points(
        console,
        (
            f"{table.name}: {number_of(table.n_labeled, 'label')} ({counts}), "
            f"{number_of(table.n_unlabeled, 'unlabeled row')}; "
            f"{number_of(len(table.frame.columns), 'column')} became "
            f"{number_of(len(found.feature_names), 'feature')}.",
            *table.notes,
        ),
        screen.DONE,
    )


def _grid(found: TableComparison) -> Any:
    from tacit.selection._wording import interval_text

    comparison = found.comparison
    measure = comparison.measure
    grid = screen.new_grid(
        "classifier", measure.name, "difference", "interval", "verdict", right=(1, 2, 3)
    )
    for contestant in comparison.contestants:
        loss = measure.text(comparison.losses[contestant.name])
        method = comparison.methods.get(contestant.name)
        if method is None:
            grid.add_row(Text(contestant.name), loss, "", "", Text("supervised", style="dim"))
            continue
        decisive = method.decisive
        grid.add_row(
            Text(contestant.name),
            loss,
            measure.signed(decisive.mean),
            interval_text(decisive, measure),
            Text(str(method.kind), style=screen.STYLES.get(str(method.kind), "")),
        )
    return grid


def _print_next(console: Console, found: TableComparison, table: str, report: Path | None) -> None:
    console.print()
    if report is not None:
        screen.print_line(console, f"The report is in {report}.")
    recommended = found.comparison.recommended
    model = MODELS.get(recommended or "", "supervised")
    piped = given.is_piped(table)
    file = "table.csv" if piped else table
    command = ["tacit", "fit", file, "--target", found.table.target.name, "--model", model]
    for option, values in _choices(found).items():
        for value in values:
            command += [option, value]
    command += ["-o", "model.skops"]
    when = "Next, with the same table in a file" if piped else "Next"
    screen.print_line(console, f"{when}: {shlex.join(command)}")


def _choices(found: TableComparison) -> dict[str, tuple[str, ...]]:
    """The options of the command that decide what is learned from."""
    table, markers = found.table, found.table.target.markers
    written = {
        f"--{name.replace('_', '-')}": (value,)
        for name, value in asdict(table.options).items()
        if value is not None
    }
    return {
        "--unlabeled": markers.values,
        "--label": markers.labels,
        "--keep": table.keep,
        "--drop": table.drop,
        **written,
    }


def _references(found: TableComparison) -> str:
    """What methods are compared with: their twins, or a classifier that beats those."""
    comparison = found.comparison
    twins = dict.fromkeys(c.twin for c in comparison.contestants if c.twin is not None)
    words = [f"the supervised twin ({', '.join(twins)})"]
    for method in comparison.methods.values():
        if method.only_beats_twin:
            words.append(f"for {method.name} from {method.decisive.reference}, which is better")
    return ", ".join(words)


def _as_values(found: TableComparison, report: Path | None) -> dict[str, Any]:
    from tacit.tables._fitting import versions

    comparison, verdict, table = found.comparison, found.comparison.verdict, found.table
    return {
        "verdict": {**asdict(verdict), "kind": str(verdict.kind)},
        "recommended": comparison.recommended,
        "measure": comparison.measure.name,
        "margin": comparison.margin,
        "contestants": comparison.rows(),
        "certificates": {
            name: {**asdict(certificate), "words": str(certificate)}
            for name, certificate in found.certificates.items()
        },
        "forecasts": []
        if found.curve is None
        else [asdict(forecast) for forecast in found.curve.forecast()],
        "table": {
            "name": table.name,
            "target": table.target.name,
            "labels": table.target.counts,
            "n_labeled": table.n_labeled,
            "n_unlabeled": table.n_unlabeled,
            "columns": [asdict(column) for column in table.columns],
            "features": found.feature_names,
            "notes": table.notes,
        },
        "report": None if report is None else str(report),
        "command": screen.this_command(),
        "versions": versions(),
    }
