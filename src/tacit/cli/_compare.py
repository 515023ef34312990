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
from tacit.cli import _tables as tables
from tacit.tables._errors import TableError

if TYPE_CHECKING:
    from tacit.report import Page
    from tacit.selection import Comparison
    from tacit.tables import MixedTable, TableComparison


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
    repeats: Annotated[int, typer.Option(min=1, help="How often to do it all over.")] = 2,
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
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say of each column why it was left out.")
    ] = False,
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
    given.existing(table)
    given.check_scoring(scoring, margin)
    from tacit.tables._comparing import compare_table

    settings = {"max_unlabeled": max_unlabeled, "random_state": seed}
    data = tables.read(table, target, unlabeled, label, keep, drop, options, **settings)
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
        report_page(found, screen.this_command(), given.is_piped(table)).write(report)
    if as_json:
        screen.print_json(_as_values(found, report))
        return
    console = screen.stdout_console()
    _print(console, found, verbose)
    _print_next(console, found, table, report)


def _print(console: Console, found: TableComparison, verbose: bool) -> None:
    comparison, verdict, table = found.comparison, found.comparison.verdict, found.table
    kind = str(verdict.kind)
    first, *others = (line for line in verdict.lines if line)
    words = Text.assemble((first, "bold"), *(f"\n{line}" for line in others))
    width = min(console.width, screen.MOST_WIDTH)
    style, title = screen.STYLES.get(kind, ""), kind.upper()
    if is_not_usable(comparison):
        style, title = "red", f"NOT USABLE YET ─ {title}"
    console.print()
    console.print(Panel(words, title=title, title_align="left", border_style=style, width=width))
    if comparison.losses:
        console.print()
        _print_grid(console, comparison)
    screen.print_points(console, verdict.evidence, "Evidence")
    certified = (f"{name}: {words}" for name, words in found.certificates.items())
    screen.print_points(console, certified, screen.CERTIFIED)
    what = (
        f"{table.name}: {number_of(table.n_labeled, 'label')} "
        f"({screen.counted(table.target.counts.items())}), "
        f"{number_of(table.n_unlabeled, 'unlabeled row')}; "
        f"{number_of(len(table.frame.columns), 'column')} became "
        f"{number_of(len(found.feature_names), 'feature')}."
    )
    notes = list(table.notes)
    if not verbose:
        notes = tables.in_short(table.columns, notes, "Use --verbose for the others.")
    screen.print_points(console, (what, *notes), screen.DONE)


def _print_grid(console: Console, comparison: Comparison) -> None:
    """The losses, and what the differences are from: the twins, or whoever beats those."""
    from tacit.selection._comparison import NO_MODEL, guess_texts
    from tacit.selection._verdict import CONFIDENCE
    from tacit.selection._wording import interval_text

    measure = comparison.measure
    headings = ("classifier", measure.name, "AUC", "difference", "interval", "verdict")
    grid = screen.new_grid(*headings, right=(1, 2, 3, 4))
    if comparison.guess is not None:
        name, *texts = guess_texts(comparison.guess, measure)
        grid.add_row(Text(name), *texts, "", "", Text(NO_MODEL, style="dim"))
    for contestant in comparison.contestants:
        name, method = contestant.name, comparison.methods.get(contestant.name)
        loss, auc, remark = comparison.texts(name)
        numbers, kind, style = ("", ""), "supervised", "dim"
        if method is not None:
            numbers = measure.signed(method.decisive.mean), interval_text(method.decisive, measure)
            kind, style = str(method.kind), screen.STYLES.get(str(method.kind), "")
        verdict = Text(kind, style=style)
        if remark:
            verdict.append(f"; {remark}", style="bold red")
        grid.add_row(Text(name), loss, auc, *numbers, verdict)
    screen.print_table(console, grid)
    console.print()
    twins = dict.fromkeys(c.twin for c in comparison.contestants if c.twin is not None)
    references = [
        f"the same classifier without the unlabeled rows ({', '.join(twins)})",
        *(
            f"for {method.name} from {method.decisive.reference}, which is better"
            for method in comparison.methods.values()
            if method.only_beats_twin
        ),
    ]
    unit = "points" if measure.in_points else measure.name
    screen.print_paragraph(
        console,
        f"Differences from {', '.join(references)} in {unit}, with {CONFIDENCE:.0%} intervals; "
        "below zero is better.",
    )


def _print_next(console: Console, found: TableComparison, table: str, report: Path | None) -> None:
    console.print()
    if report is not None:
        screen.print_line(console, f"The report is in {report}.")
    piped = given.is_piped(table)
    when = "Next, with the same table in a file" if piped else "Next"
    of_table = ["table.csv" if piped else table, "--target", found.table.target.name]
    options = tables.as_options(found.table)
    if is_not_usable(found.comparison):
        command = ["tacit", "label", *of_table, *options, "-o", "to_label.csv"]
        screen.print_line(console, f"{when}, which rows to label: {shlex.join(command)}")
        return
    model = (found.comparison.recommended or "ridge").lower()
    scoring = found.comparison.scoring_to_fit
    if scoring is not None:
        options += ["--scoring", scoring]
    command = ["tacit", "fit", *of_table, "--model", model, *options, "-o", "model.skops"]
    screen.print_line(console, f"{when}: {shlex.join(command)}")


def is_not_usable(comparison: Comparison) -> bool:
    """Whether the model that is recommended is not known to be better than a guess."""
    quality = comparison.quality.get(comparison.recommended or "")
    return quality is not None and quality.usability.is_told_first


def _as_values(found: TableComparison, report: Path | None) -> dict[str, Any]:
    from tacit.tables._fitting import versions

    comparison, verdict, table = found.comparison, found.comparison.verdict, found.table
    guess = comparison.guess
    return {
        "verdict": {**asdict(verdict), "kind": str(verdict.kind)},
        "recommended": comparison.recommended,
        "guess": guess and {"answer": guess.answer, "error": guess.error},
        "measure": comparison.measure.name,
        "margin": comparison.margin,
        "contestants": comparison.rows(),
        "certificates": {
            name: {**asdict(certificate), "words": str(certificate)}
            for name, certificate in found.certificates.items()
        },
        "forecasts": [asdict(each) for each in found.curve.forecast()] if found.curve else [],
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
        "report": report and str(report),
        "command": screen.this_command(),
        "versions": versions(),
    }


def report_page(found: TableComparison, command: str, piped: bool = False) -> Page:
    """The page of the comparison, then certificates, curves, the data and how to repeat it.

    `piped` where the table came from the standard input, and so from a file of unknown name.
    """
    from tacit.report import Listing
    from tacit.selection._curve import curve_values
    from tacit.tables._fitting import versions

    table = found.table
    names = ["Column", "Kind", "Missing", "Different values", "Note"]
    columns = [
        [c.name, c.kind, f"{c.n_missing:,}", f"{c.n_values:,}", c.note] for c in table.columns
    ]
    return found.comparison._page(
        f"{table.name}, column {table.target.name!r}",
        "report.html",
        certificates=found.certificates,
        curve=None if found.curve is None else curve_values(found.curve),
        table=table,
        notes=tables.in_short(table.columns, table.notes, "See the columns above."),
        label_counts=screen.counted(table.target.counts.items()),
        n_features=len(found.feature_names),
        columns=Listing("The columns", names, columns),
        command=command,
        python=_python(table, piped),
        piped=piped,
        versions=", ".join(f"{name} {number}" for name, number in versions().items()),
    )


def _python(table: MixedTable, piped: bool) -> str:
    chosen, written = tables.choices(table)
    arguments = [repr("table.csv" if piped else table.name), repr(table.target.name)]
    arguments += [f"{name}={list(values)!r}" for name, values in chosen.items() if values]
    if written:
        options = ", ".join(f"{name}={value!r}" for name, value in written.items())
        arguments.append(f"options=ReadOptions({options})")
    return (
        f"from tacit.tables import {'ReadOptions, ' if written else ''}compare_table, read_table\n"
        f"\ntable = read_table({', '.join(arguments)})\n"
        "print(compare_table(table).comparison)\n"
    )
