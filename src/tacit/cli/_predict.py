"""`tacit predict`: labels for new rows, and how sure they are."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit._files import written_whole
from tacit._words import number_of
from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.cli import _tables as tables
from tacit.tables._errors import TableError

STANDARD_OUTPUT = "-"
SURE_ENOUGH = 0.9


def predict(
    model: given.ModelFile,
    table: given.TableFile,
    out: Annotated[
        str,
        typer.Option("--out", "-o", help="A CSV, TSV or Parquet file to write; - prints CSV."),
    ] = STANDARD_OUTPUT,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="Copy a column to the output, instead of the identifiers. Repeatable.",
        ),
    ] = None,
    separator: given.Separator = None,
    encoding: given.Encoding = None,
    decimal: given.Decimal = None,
    thousands: given.Thousands = None,
    date_format: given.DateFormat = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Predict the rows of a table with a saved model.

    The output has a row for each row of the table, with the columns label, score (positive for
    the second of two classes, unless the model has a threshold of its own), sure (the estimated
    probability that the label is right, learned from labels that were held back),
    label_without_unlabeled (what the supervised classifier alone would say) and probability_CLASS
    for each class. In CSV a quote stands before texts that spreadsheets would compute.
    """
    options = given.read_options(separator, encoding, decimal, thousands, date_format)
    if out != STANDARD_OUTPUT:
        given.check_output(Path(out), "--out", table, model)
        tables.check_format(out)
    from tacit.tables._model_file import is_model_file, load_model

    if is_model_file(table) and not is_model_file(model):
        raise TableError(
            f"{table!r} is a model and {str(model)!r} is none, so the two look swapped; write "
            f"`tacit predict {shlex.join([table, str(model)])}`."
        )
    given.existing(table)
    fitted = load_model(model)
    from tacit.tables._predicting import Unparsed, predict_file

    changed = {name: value for name, value in asdict(options).items() if value is not None}
    if changed:
        fitted = fitted.with_options(replace(fitted.card.options, **changed))
    unparsed: Unparsed = {}
    frames = predict_file(fitted, table, keep, unparsed)
    if out == STANDARD_OUTPUT:
        if as_json:
            screen.print_json([row for frame in frames for row in frame.to_dict("records")])
        else:
            tables.write_text(frames, screen.PlainTerminal() if sys.stdout.isatty() else sys.stdout)
        return
    summary = {"rows": 0, "at_least_90_percent_sure": 0, "changed_by_unlabeled_rows": 0}
    labels: Counter[Any] = Counter()
    with written_whole(Path(out)) as partial:
        tables.write(_counted(frames, summary, labels), partial, Path(out).suffix.lower())
    if as_json:
        columns = [asdict(column) for column in unparsed.values() if column.n_unparsed]
        screen.print_json({"file": out, **summary, "labels": labels, "unparsed_values": columns})
        return
    console = screen.stderr_console()
    screen.print_paragraph(
        console,
        f"Predicted {number_of(summary['rows'], 'row')} "
        f"({screen.counted(labels.most_common(5))}).\n"
        f"At least 90% sure: {summary['at_least_90_percent_sure']:,}. "
        "Another label than without the unlabeled rows: "
        f"{summary['changed_by_unlabeled_rows']:,}.",
    )
    screen.print_line(console, f"The predictions are in {out}.")


def _counted(frames: Iterator[Any], summary: dict[str, int], labels: Counter[Any]) -> Iterator[Any]:
    """The same frames, counted as they pass."""
    for frame in frames:
        prefix = "predicted_" if "predicted_label" in frame.columns else ""
        label, alone = frame[f"{prefix}label"], f"{prefix}label_without_unlabeled"
        summary["rows"] += len(frame)
        labels.update(label.tolist())
        summary["at_least_90_percent_sure"] += int((frame[f"{prefix}sure"] >= SURE_ENOUGH).sum())
        if alone in frame.columns:
            summary["changed_by_unlabeled_rows"] += int((frame[alone] != label).sum())
        yield frame
