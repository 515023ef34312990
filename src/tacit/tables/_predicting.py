"""Labels, scores and their probabilities for new rows, and the values that could not be parsed."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Matrix
from tacit.tables._calibration import probabilities
from tacit.tables._columns import (
    BOOLEAN,
    CATEGORY,
    DATE,
    IDENTIFIER,
    ISO,
    NUMBER,
    TEXT,
    TIME,
    short,
)
from tacit.tables._errors import TableError, TableWarning
from tacit.tables._model_card import SUPERVISED
from tacit.tables._model_file import Model
from tacit.tables._packages import import_pandas
from tacit.tables._reading import (
    SMALL_FILE,
    arrow_errors,
    as_frame,
    is_parquet,
    read_raw,
)
from tacit.tables._table import open_batches
from tacit.tables._target import find_column
from tacit.tables._text import NULLS

LABEL, SCORE, SURE, WITHOUT = "label", "score", "sure", "label_without_unlabeled"


def predict_frame(
    model: Model, frame: Any, keep: list[str] | None = None, unparsed: UnparsedValues | None = None
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
    unparsed : UnparsedValues, optional
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
            The estimated probability that the label is right, calibrated on labels that were held
            back; missing where there were too few of them.
        label_without_unlabeled
            What the supervised classifier alone would say. Rows where it differs are those that
            the unlabeled data has decided. Not there for supervised models.

    Raises
    ------
    TableError
        If a column is not there, or no value of a column of numbers or dates can be read.
    """
    card, classifier = model.card, model.classifier
    known = {column.name for column in card.columns if column.kind == IDENTIFIER}
    kept = [name for name in frame.columns if name in known] if keep is None else keep
    typed = model.pipeline[0].transform(frame)
    Z = np.asarray(model.pipeline[1:-1].transform(typed), dtype=np.float64)
    counted = UnparsedValues(model) if unparsed is None else unparsed
    counted.add(frame, typed)
    if unparsed is None:
        counted.warn()
    decision = np.asarray(classifier.decision_function(Z))
    columns: dict[str, Any] = {name: frame[name].to_numpy() for name in kept}
    prefix = "predicted_" if any(n in (LABEL, SCORE, SURE, WITHOUT) for n in kept) else ""
    columns[prefix + LABEL] = _labels(classifier, Z, card.classes)
    columns[prefix + SCORE] = decision if decision.ndim == 1 else decision.max(axis=1)
    sure = np.full(len(Z), np.nan)
    if card.calibration is not None:
        sure = probabilities(card.calibration, decision)
    columns[prefix + SURE] = sure.round(4)
    if card.model not in SUPERVISED:
        twin = copy.copy(classifier)
        twin.coef_ = np.array(card.supervised.coef)
        twin.intercept_ = np.array(card.supervised.intercept)
        columns[prefix + WITHOUT] = _labels(twin, Z, card.classes)
    return import_pandas().DataFrame(columns)


def predict_file(
    model: Model,
    source: str | Path,
    keep: list[str] | None = None,
    unparsed: UnparsedValues | None = None,
) -> Generator[Any]:
    """Predict the rows of a file, big Parquet files in pieces.

    Parameters
    ----------
    model : Model
        Fitted. A table of text is read as the model's own was; `Model.with_options` changes that.
    source : str or Path
        A file as `read_table` reads it; a column of labels is not needed.
    keep : list of str, optional
        Columns to copy.
    unparsed : UnparsedValues, optional
        Where to count values that cannot be read. They are told when all rows are read.

    Yields
    ------
    pandas.DataFrame
        As `predict_frame` gives it, in the order of the rows.
    """
    counted = UnparsedValues(model) if unparsed is None else unparsed
    for frame in _frames(model, source, keep or []):
        yield predict_frame(model, frame, keep, counted)
    counted.warn()


def _frames(model: Model, source: str | Path, keep: list[str]) -> Generator[Any]:
    if not is_parquet(source, SMALL_FILE):
        codes = [c.name for c in model.card.columns if c.kind in (CATEGORY, TEXT)]
        raw = read_raw(source, model.card.options, as_text=codes)
        for name in keep:
            find_column(name, list(raw.frame.columns), raw.name)
        yield raw.frame
        return
    batches = open_batches(Path(source), keep)
    with arrow_errors(repr(str(source))):
        for _, batch in batches.tables():
            yield as_frame(batch)


def _labels(classifier: Any, Z: Matrix, classes: list[Any]) -> AnyArray:
    """Predicted classes with the types of the card: numbers stay numbers."""
    of_class = dict(zip(classifier.classes_.tolist(), classes, strict=True))
    return np.array([of_class[label] for label in classifier.predict(Z).tolist()], dtype=object)


@dataclass
class UnparsedColumn:
    """A column with values that were not understood, by what the model was fitted with there."""

    column: str
    kind: str
    n_values: int = 0
    n_unparsed: int = 0
    example: str = ""
    format: str | None = None

    def sentence(self) -> str:
        """What was done about it."""
        what = "never occurred when the model was fitted and tell it nothing"
        if self.kind != CATEGORY:
            what = f"are not {self._what()} and were taken as missing"
        return (
            f"column {self.column!r}: {self.n_unparsed:,} of {self.n_values:,} values {what}, "
            f"such as {self.example}."
        )

    def check(self) -> None:
        """An error where there are numbers or dates to read and none could be read."""
        if self.kind != CATEGORY and self.n_unparsed == self.n_values:
            option = {NUMBER: "--decimal and --thousands", DATE: "--date-format"}[self.kind]
            raise TableError(
                f"Column {self.column!r} has {self.n_values:,} values such as {self.example}, and "
                f"the model was fitted with {self._what()} there; correct the column, say with "
                f"{option} how it is written, or leave it empty where nothing is known."
            )

    def _what(self) -> str:
        if self.kind == NUMBER:
            named = {BOOLEAN: "true or false", TIME: "times of day written like 13:45"}
            return named.get(self.format or "", "numbers")
        example = "2024-12-31"
        if self.format not in (None, ISO):
            example = import_pandas().Timestamp("2024-12-31 13:45").strftime(self.format)
        return f"dates written like {example}"


class UnparsedValues:
    """What a model could not read in the rows it was given, piece by piece."""

    def __init__(self, model: Model) -> None:
        self._categories = _known_categories(model)
        self._columns = [
            UnparsedColumn(column.name, column.kind, format=column.format)
            for column in model.card.columns
            if column.kind in (NUMBER, DATE) or column.name in self._categories
        ]

    def add(self, frame: Any, typed: Any) -> None:
        """Count what could not be read in some rows, by their values before and after typing."""
        for column in self._columns:
            raw, values = frame[column.column], typed[column.column]
            if column.kind == CATEGORY:
                given = values.notna()
                unparsed = given & ~values.isin(self._categories[column.column])
            else:
                given = raw.notna()
                if raw.dtype == object:
                    given &= ~raw.astype("string").str.strip().isin(NULLS)
                unparsed = given & values.isna()
            column.n_values += int(given.sum())
            if unparsed.any():
                column.n_unparsed += int(unparsed.sum())
                column.example = column.example or short(raw[unparsed].iloc[0])

    def found(self) -> list[UnparsedColumn]:
        """The columns of which something was not understood."""
        return [column for column in self._columns if column.n_unparsed]

    def warn(self) -> None:
        """Warn of each column; an error where one could not be read at all."""
        for column in self.found():
            column.check()
        for column in self.found():
            warnings.warn(column.sentence(), TableWarning, stacklevel=2)


def _known_categories(model: Model) -> dict[str, set[str]]:
    """The values of each column that has a number of its own for each of them."""
    vectorizer = dict(model.pipeline.steps).get("vectorizer")
    encoders = getattr(vectorizer, "transformers_", {})
    return {
        name: {str(value) for value in encoder.categories_[0] if isinstance(value, str)}
        for name, encoder in encoders.items()
        if hasattr(encoder, "categories_")
    }
