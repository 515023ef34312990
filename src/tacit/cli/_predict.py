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
from rich.text import Text

from tacit._files import written_whole
from tacit._words import number_of
from tacit.cli._options import (
    DateFormat,
    Debug,
    Decimal,
    Encoding,
    Json,
    ModelFile,
    Separator,
    TableFile,
    Thousands,
    check_output,
    check_table,
    read_options,
)
from tacit.cli._output import counted, print_json, print_paragraph, stderr_console
from tacit.tables._errors import TableError
from tacit.tables._packages import import_pandas, import_pyarrow

STANDARD_OUTPUT = "-"
SURE_ENOUGH = 0.9


def predict(
    model: ModelFile,
    table: TableFile,
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
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    date_format: DateFormat = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Predict the rows of a table with a saved model.

    The output has a row for each row of the table, with the columns label, score (positive for
    the second of two classes), sure (the estimated probability that the label is right, learned
    from labels that were held back) and label_without_unlabeled (what the supervised classifier
    alone would say).
    """
    options = read_options(separator, encoding, decimal, thousands, date_format)
    if out != STANDARD_OUTPUT:
        check_output(Path(out), "--out", table, model)
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
    check_table(table)
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
            print_json(records)
            return
        for number, frame in enumerate(summary.counted(frames)):
            frame.to_csv(sys.stdout, index=False, header=number == 0)
        return
    with written_whole(Path(out)) as partial:
        WRITERS[_suffix(out)](summary.counted(frames), partial)
    if as_json:
        columns = [asdict(column) for column in unparsed.found()]
        print_json({"file": out, **summary.as_values(), "unparsed_values": columns})
        return
    console = stderr_console()
    print_paragraph(console, summary.sentence())
    console.print(Text(f"The predictions are in {out}."), soft_wrap=True)


class Summary:
    """Counts of what was predicted."""

    def __init__(self) -> None:
        self.n_rows = 0
        self.n_sure = 0
        self.n_changed = 0
        self.labels: Counter[Any] = Counter()

    def counted(self, frames: Iterator[Any]) -> Iterator[Any]:
        """The same frames, counted as they pass."""
        for frame in frames:
            prefix = "predicted_" if "predicted_label" in frame.columns else ""
            self.n_rows += len(frame)
            self.labels.update(frame[f"{prefix}label"].tolist())
            self.n_sure += int((frame[f"{prefix}sure"] >= SURE_ENOUGH).sum())
            alone = f"{prefix}label_without_unlabeled"
            if alone in frame.columns:
                self.n_changed += int((frame[alone] != frame[f"{prefix}label"]).sum())
            yield frame

    def as_values(self) -> dict[str, Any]:
        """The counts as a dictionary."""
        return {
            "rows": self.n_rows,
            "labels": dict(self.labels),
            "at_least_90_percent_sure": self.n_sure,
            "changed_by_unlabeled_rows": self.n_changed,
        }

    def sentence(self) -> str:
        """The counts in words."""
        labels = counted(self.labels.most_common(5))
        return (
            f"Predicted {number_of(self.n_rows, 'row')} ({labels}).\n"
            f"At least 90% sure: {self.n_sure:,}. "
            f"Another label than without the unlabeled rows: {self.n_changed:,}."
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
