"""Labels, scores and their probabilities for new rows, and the values that could not be parsed."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from tacit._typing import AnyArray
from tacit.evidence import probabilities
from tacit.tables import _columns as kinds
from tacit.tables import _reading as reading
from tacit.tables._errors import TableError, TableWarning, import_pandas
from tacit.tables._model_card import BY_EVIDENCE
from tacit.tables._model_file import Model
from tacit.tables._target import find_column

LABEL, SCORE, SURE, WITHOUT = "label", "score", "sure", "label_without_unlabeled"
PROBABILITY = "probability_"


def predict_frame(
    model: Model, frame: Any, keep: list[str] | None = None, unparsed: Unparsed | None = None
) -> Any:
    """Predict the rows of a table.

    Parameters
    ----------
    model : Model
        Fitted.
    frame : DataFrame, str or Path
        A frame of pandas or polars, or a file: rows with the columns that the model was fitted on,
        in any order; others are ignored.
    keep : list of str, optional
        Columns to copy to the result; by default those that look like identifiers.
    unparsed : dict, optional
        Where to count, by column, values that cannot be read; the caller then tells of them. By
        default there is a warning for each column that has some.

    Returns
    -------
    DataFrame
        Of polars for one of polars, otherwise of pandas, with the index that was given. One row for
        each row: the columns kept, and

        label
            The class.
        score
            The regression value minus one half for two classes, positive for the second unless the
            model has a threshold of its own; the regression value of the label for more. For
            logistic regression, the log-odds.
        sure
            The estimated probability that the label is right, calibrated on labels that were held
            back; missing where there were too few of them.
        label_without_unlabeled
            What the supervised classifier alone would say. Rows where it differs are those that
            the unlabeled data has decided. Not there for supervised models.
        probability_<class>
            The estimated probability of each class, `sure` being that of the label: the largest,
            but for a model with a threshold; not there where `sure` is missing.

        If a column that is kept has one of these names, all of them begin with ``predicted_``.

    Raises
    ------
    TableError
        If a column is not there, or no value of a column of numbers or dates can be read.
    """
    if reading.is_path(frame):
        return import_pandas().concat(predict_file(model, frame, keep, unparsed), ignore_index=True)
    raw = reading.read_raw(frame)
    for column in keep or ():
        find_column(column, list(raw.frame.columns), raw.name)
    predicted = _predicted(model, raw.frame, keep, unparsed)
    if type(frame).__module__.partition(".")[0] == "polars":
        return type(frame)(predicted)
    predicted.index = getattr(frame, "index", predicted.index)
    return predicted


def _predicted(model: Model, frame: Any, keep: list[str] | None, unparsed: Unparsed | None) -> Any:
    """The predictions for rows of a frame of pandas with names of its own, numbered from 0."""
    card, classifier = model.card, model.classifier
    known = {column.name for column in card.columns if column.kind == kinds.IDENTIFIER}
    kept = [name for name in frame.columns if name in known] if keep is None else keep
    typed = model.pipeline[0].transform(frame)
    Z = np.asarray(model.pipeline[1:-1].transform(typed), dtype=np.float64)
    counted = {} if unparsed is None else unparsed
    _count_unparsed(model, frame, typed, counted)
    if unparsed is None:
        _warn(counted)
    decision = np.asarray(classifier.decision_function(Z))
    columns: dict[str, Any] = {name: frame[name].to_numpy() for name in kept}
    by_class = [f"{PROBABILITY}{label}" for label in card.classes]
    is_taken = set(kept) & {LABEL, SCORE, SURE, WITHOUT, *by_class}
    prefix = "predicted_" if is_taken else ""
    predicted = model.pipeline[-1].predict(Z).astype(object)
    columns[prefix + LABEL] = _as_they_are(predicted)
    columns[prefix + SCORE] = decision if decision.ndim == 1 else decision.max(axis=1)
    known_probabilities = None
    if card.model in BY_EVIDENCE:
        known_probabilities = classifier.predict_proba(Z)
    elif card.calibration is not None:
        per_class = np.reshape(decision, (len(Z), -1))
        known_probabilities = probabilities(per_class, card.calibration.temperature)
    columns[prefix + SURE] = np.nan
    if known_probabilities is not None:
        known_probabilities = known_probabilities.round(4)
        position = {label: k for k, label in enumerate(card.classes)}
        answers = [position[label] for label in predicted.tolist()]
        columns[prefix + SURE] = known_probabilities[np.arange(len(Z)), answers]
    if hasattr(classifier, "supervised_"):
        columns[prefix + WITHOUT] = _as_they_are(classifier.supervised_.predict(Z).astype(object))
    if known_probabilities is not None:
        for name, values in zip(by_class, known_probabilities.T, strict=True):
            columns[prefix + name] = values
    return import_pandas().DataFrame(columns)


def _as_they_are(labels: AnyArray) -> AnyArray:
    """Truth values and whole numbers as such, and not as objects."""
    return np.asarray(import_pandas().Series(labels).infer_objects())


def predict_file(
    model: Model, source: Any, keep: list[str] | None = None, unparsed: Unparsed | None = None
) -> Generator[Any]:
    """Predict the rows of a file, big Parquet files in pieces.

    Parameters
    ----------
    model : Model
        Fitted. A table of text is read as the model's own was; `Model.with_options` changes that.
    source : str, Path or DataFrame
        A file or frame as `read_table` reads it; a column of labels is not needed.
    keep : list of str, optional
        Columns to copy.
    unparsed : dict, optional
        Where to count, by column, values that cannot be read. They are told when all rows are read.

    Yields
    ------
    pandas.DataFrame
        As `predict_frame` gives it, in the order of the rows.
    """
    frames: Iterable[Any]
    if reading.is_parquet(source):
        files = reading.open_parquet(source)
        name, columns = repr(str(source)), [column.strip() for column in files.columns]
        pieces = (reading.as_frame(piece, name) for _, piece in reading.pieces_of(files))
        frames = (reading.RawTable(piece, name).frame for piece in pieces)
    else:
        codes = [c.name for c in model.card.columns if c.kind in (kinds.CATEGORY, kinds.TEXT)]
        raw = reading.read_raw(source, model.card.options, as_text=codes)
        name, columns, frames = raw.name, list(raw.frame.columns), [raw.frame]
        for note in () if raw.is_text else raw.notes:  # which sheet it was
            warnings.warn(note, TableWarning, stacklevel=2)
    for column in keep or ():
        find_column(column, columns, name)
    counted = {} if unparsed is None else unparsed
    for frame in frames:
        yield _predicted(model, frame, keep, counted)
    _warn(counted)


@dataclass
class UnparsedColumn:
    """What was not understood of a column, by what the model was fitted with there."""

    column: str
    kind: str
    n_values: int = 0
    n_unparsed: int = 0
    example: str = ""
    format: str | None = None

    def sentence(self) -> str:
        """What was done about it; an error where there was something to read, all in vain."""
        what = "never occurred when the model was fitted and tell it nothing"
        if self.kind != kinds.CATEGORY:
            expected = self._expected()
            if self.n_unparsed == self.n_values:
                option = "--date-format" if self.kind == kinds.DATE else "--decimal and --thousands"
                raise TableError(
                    f"Column {self.column!r} has {self.n_values:,} values such as {self.example}, "
                    f"and the model was fitted with {expected} there; correct the column, say with "
                    f"{option} how it is written, or leave it empty where nothing is known."
                )
            what = f"are not {expected} and were taken as missing"
        return (
            f"column {self.column!r}: {self.n_unparsed:,} of {self.n_values:,} values {what}, "
            f"such as {self.example}."
        )

    def _expected(self) -> str:
        if self.kind == kinds.NUMBER:
            named = {kinds.BOOLEAN: "true or false", kinds.TIME: "times of day written like 13:45"}
            return named.get(self.format or "", "numbers")
        form = "%Y-%m-%d" if self.format in (None, kinds.ISO) else self.format
        return f"dates written like {datetime(2024, 12, 31, 13, 45).strftime(form)}"


Unparsed = dict[str, UnparsedColumn]


def _count_unparsed(model: Model, frame: Any, typed: Any, counted: Unparsed) -> None:
    """Count what could not be read in some rows, by their values before and after typing."""
    vectorizer = dict(model.pipeline.steps).get("vectorizer")
    encoders = getattr(vectorizer, "transformers_", {})
    for column in model.card.columns:
        name = column.name
        # Of each column that has a number of its own for each of its values, these values.
        categories = getattr(encoders.get(name), "categories_", None)
        if column.kind in (kinds.NUMBER, kinds.DATE):
            given = kinds.is_given(frame[name])
            unparsed = given & typed[name].isna()
        elif categories is not None:
            given = typed[name].notna()
            unparsed = given & ~typed[name].isin(categories[0])
        else:
            continue
        count = counted.setdefault(name, UnparsedColumn(name, column.kind, format=column.format))
        count.n_values += int(given.sum())
        if unparsed.any():
            count.n_unparsed += int(unparsed.sum())
            count.example = count.example or kinds.short(frame.loc[unparsed, name].iloc[0])


def _warn(counted: Unparsed) -> None:
    """Warn of each column; an error where one could not be read at all."""
    for sentence in [column.sentence() for column in counted.values() if column.n_unparsed]:
        warnings.warn(sentence, TableWarning, stacklevel=3)
