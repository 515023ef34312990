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
from tacit.tables._errors import TableError
from tacit.tables._packages import import_pandas, import_pyarrow

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
    the second of two classes), sure (the estimated probability that the label is right, learned
    from labels that were held back) and label_without_unlabeled (what the supervised classifier
    alone would say).
    """
    options = given.read_options(separator, encoding, decimal, thousands, date_format)
    if out != STANDARD_OUTPUT:
        given.check_output(Path(out), "--out", table, model)
        if _suffix(out) not in WRITERS:
            raise typer.BadParameter(
                f"{out!r} must end in one of {', '.join(WRITERS)}.", param_hint="--out"
            )
    from tacit.tables._model_file import is_model_file, load_model

    if is_model_file(table) and not is_model_file(model):
        raise TableError(
            f"{table!r} is a model and {str(model)!r} is none, so the two look swapped; write "
            f"`tacit predict {shlex.join([table, str(model)])}`."
        )
    given.check_table(table)
    fitted = load_model(model)
    from tacit.tables._predicting import UnparsedValues, predict_file

    changed = {name: value for name, value in asdict(options).items() if value is not None}
    if changed:
        fitted = fitted.with_options(replace(fitted.card.options, **changed))
    unparsed = UnparsedValues(fitted)
    frames = predict_file(fitted, table, keep, unparsed)
    summary = Summary()
    if out == STANDARD_OUTPUT:
        if as_json:
            records = [row for frame in frames for row in frame.to_dict("records")]
            screen.print_json(records)
            return
        for number, frame in enumerate(summary.counted(frames)):
            frame.to_csv(sys.stdout, index=False, header=number == 0)
        return
    with written_whole(Path(out)) as partial:
        WRITERS[_suffix(out)](summary.counted(frames), partial)
    if as_json:
        columns = [asdict(column) for column in unparsed.found()]
        screen.print_json({"file": out, **vars(summary), "unparsed_values": columns})
        return
    console = screen.stderr_console()
    screen.print_paragraph(console, summary.sentence())
    screen.print_line(console, f"The predictions are in {out}.")


class Summary:
    """Counts of what was predicted."""

    def __init__(self) -> None:
        self.rows = self.at_least_90_percent_sure = self.changed_by_unlabeled_rows = 0
        self.labels: Counter[Any] = Counter()

    def counted(self, frames: Iterator[Any]) -> Iterator[Any]:
        """The same frames, counted as they pass."""
        for frame in frames:
            prefix = "predicted_" if "predicted_label" in frame.columns else ""
            label, alone = frame[f"{prefix}label"], f"{prefix}label_without_unlabeled"
            self.rows += len(frame)
            self.labels.update(label.tolist())
            self.at_least_90_percent_sure += int((frame[f"{prefix}sure"] >= SURE_ENOUGH).sum())
            if alone in frame.columns:
                self.changed_by_unlabeled_rows += int((frame[alone] != label).sum())
            yield frame

    def sentence(self) -> str:
        """The counts in words."""
        labels = screen.counted(self.labels.most_common(5))
        return (
            f"Predicted {number_of(self.rows, 'row')} ({labels}).\n"
            f"At least 90% sure: {self.at_least_90_percent_sure:,}. "
            "Another label than without the unlabeled rows: "
            f"{self.changed_by_unlabeled_rows:,}."
        )


def _write_text(separator: str) -> Any:
    def write(frames: Iterator[Any], path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            for number, frame in enumerate(frames):
                frame.to_csv(file, index=False, header=number == 0, sep=separator)

    return write


def _write_parquet(frames: Iterator[Any], path: Path) -> None:
    pyarrow = import_pyarrow()
    writer = None
    try:
        for frame in frames:
            table = pyarrow.Table.from_pandas(frame, preserve_index=False)
            writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
            writer.write_table(table.cast(writer.schema))
    except pyarrow.ArrowException as error:
        raise TableError(f"The predictions cannot be written as Parquet ({error}).") from error
    finally:
        if writer is not None:
            writer.close()


def _write_feather(frames: Iterator[Any], path: Path) -> None:
    pandas = import_pandas()
    import_pyarrow().feather.write_feather(pandas.concat(frames, ignore_index=True), path)


WRITERS = {
    ".csv": _write_text(","),
    ".tsv": _write_text("\t"),
    ".txt": _write_text("\t"),
    ".parquet": _write_parquet,
    ".pq": _write_parquet,
    ".feather": _write_feather,
}


def _suffix(out: str) -> str:
    return Path(out).suffix.lower()
