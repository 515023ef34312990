"""Labels, scores and sureness for new rows."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Matrix
from tacit.tables._columns import CATEGORY, IDENTIFIER, NUMBER, TEXT
from tacit.tables._doubts import Doubts
from tacit.tables._model_card import is_supervised
from tacit.tables._model_file import Model
from tacit.tables._packages import import_pandas, import_pyarrow
from tacit.tables._reading import KnownColumns, arrow_errors, existing, parquet_files, read_raw
from tacit.tables._sampling import is_big_parquet
from tacit.tables._sureness import Sureness
from tacit.tables._targets import find_column
from tacit.tables._written_numbers import is_style

BATCH_ROWS = 65_536
LABEL, SCORE, SURE, WITHOUT = "label", "score", "sure", "label_without_unlabeled"


def predict_frame(
    model: Model, frame: Any, keep: list[str] | None = None, doubts: Doubts | None = None
) -> Any:
    """Predict the rows of a table.

    Parameters
    ----------
    model : Model
        Fitted.
    frame : pandas.DataFrame
        Rows with the columns that the model was fitted on, in any order; others are ignored.
    keep : list of str, optional
        Columns to copy to the result; by default those that look like identifiers.
    doubts : Doubts, optional
        Where to count values that cannot be read; the caller then tells of them. By default
        there is a warning for each column that has some.

    Returns
    -------
    pandas.DataFrame
        One row for each row: the columns kept, and

        label
            The class.
        score
            The regression value minus one half for two classes, positive for the second; the
            regression value of the label for more. For logistic regression, the log-odds.
        sure
            The estimated probability that the label is right, learned from labels that were held
            back (see `tacit.tables._sureness`); missing where there were too few of them.
        label_without_unlabeled
            What the supervised classifier alone would say. Rows where it differs are those that
            the unlabeled data has decided. Not there for supervised models.

    Raises
    ------
    TableError
        If a column is not there, or no value of a column of numbers or dates can be read.
    """
    card = model.card
    kept = identifiers(model, frame) if keep is None else keep
    Z = np.asarray(model.features.transform(frame), dtype=np.float64)
    counted = Doubts(model) if doubts is None else doubts
    counted.add(frame)
    if doubts is None:
        counted.tell()
    decision = _decision(Z, model.classifier.coef_, model.classifier.intercept_)
    columns: dict[str, Any] = {name: frame[name].to_numpy() for name in kept}
    prefix = "predicted_" if any(n in (LABEL, SCORE, SURE, WITHOUT) for n in kept) else ""
    columns[prefix + LABEL] = _winners(decision, card.classes)
    columns[prefix + SCORE] = decision if decision.ndim == 1 else decision.max(axis=1)
    sure = np.full(len(Z), np.nan)
    if card.sureness is not None:
        sure = Sureness(**card.sureness).of(decision)
    columns[prefix + SURE] = sure.round(4)
    if not is_supervised(card.model):
        alone = _decision(
            Z, np.array(card.supervised["coef"]), np.array(card.supervised["intercept"])
        )
        columns[prefix + WITHOUT] = _winners(alone, card.classes)
    return import_pandas().DataFrame(columns)


def predict_file(
    model: Model,
    source: str | Path,
    keep: list[str] | None = None,
    doubts: Doubts | None = None,
) -> Generator[Any]:
    """Predict the rows of a file, big Parquet files in pieces.

    Parameters
    ----------
    model : Model
        Fitted.
    source : str or Path
        A file as `read_table` reads it; a column of labels is not needed.
    keep : list of str, optional
        Columns to copy.
    doubts : Doubts, optional
        Where to count values that cannot be read. They are told when all rows are read.

    Yields
    ------
    pandas.DataFrame
        As `predict_frame` gives it, in the order of the rows.
    """
    doubts = Doubts(model) if doubts is None else doubts
    if not is_big_parquet(source):
        columns = model.card.columns
        known = KnownColumns(
            as_text=[c["name"] for c in columns if c["kind"] in (CATEGORY, TEXT)],
            as_numbers={
                c["name"]: c["written"] if is_style(c["written"] or "") else None
                for c in columns
                if c["kind"] == NUMBER
            },
            separator=model.card.separator,
        )
        raw = read_raw(source, known)
        doubts.notes += raw.number_notes
        for name in keep or ():
            find_column(name, list(raw.frame.columns), raw.name)
        frame = predict_frame(model, raw.frame, keep, doubts)
        doubts.tell()
        yield frame
        return
    pyarrow = import_pyarrow()
    path = existing(source)
    name = repr(str(path))
    for file in parquet_files(path):
        with (
            arrow_errors(repr(str(file))),
            pyarrow.parquet.ParquetFile(file, pre_buffer=False) as parquet,
        ):
            for wanted in keep or ():
                find_column(wanted, parquet.schema_arrow.names, name)
            for batch in parquet.iter_batches(BATCH_ROWS):
                yield predict_frame(model, batch.to_pandas(), keep, doubts)
    doubts.tell()


def identifiers(model: Model, frame: Any) -> list[str]:
    """The columns of a table that the model knows as identifiers."""
    known = {c["name"] for c in model.card.columns if c["kind"] == IDENTIFIER}
    return [name for name in frame.columns if name in known]


def _decision(Z: Matrix, coef: Matrix, intercept: Matrix) -> Matrix:
    values = Z @ coef.T + intercept
    return np.asarray(values[:, 0] if len(coef) == 1 else values)


def _winners(decision: Matrix, classes: list[Any]) -> AnyArray:
    winners = (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
    return np.asarray(np.array(classes, dtype=object)[winners])
