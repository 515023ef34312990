"""Values of new rows that a model cannot read, counted and told."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from tacit.tables._columns import CATEGORY, DATE, NUMBER
from tacit.tables._dates import ISO, TIME
from tacit.tables._errors import TableError
from tacit.tables._model_file import Model
from tacit.tables._packages import import_pandas
from tacit.tables._truth import TRUTH
from tacit.tables._typed_columns import as_kind

SHOWN = 30


class TableWarning(UserWarning):
    """Something about a table that a reader should know."""


@dataclass
class Doubt:
    """One column with values that were not understood.

    Attributes
    ----------
    column, kind : str
        The column, and what the model was fitted with there.
    n_values, n_unread : int
        Values that are not missing, and those of them that were not understood.
    example : str
        One of these.
    written : str or None
        How dates are written, or what numbers stand for.
    """

    column: str
    kind: str
    n_values: int = 0
    n_unread: int = 0
    example: str = ""
    written: str | None = None

    def sentence(self) -> str:
        """What was done about it."""
        part = f"{self.n_unread:,} of {self.n_values:,} values"
        if self.kind == CATEGORY:
            return (
                f"column {self.column!r}: {part} never occurred when the model was fitted and tell "
                f"it nothing, such as {self.example}."
            )
        return (
            f"column {self.column!r}: {part} are not {self._what()} and were taken as missing, "
            f"such as {self.example}."
        )

    def check(self) -> None:
        """An error where there are numbers or dates to read and none could be read."""
        if self.kind != CATEGORY and self.n_unread == self.n_values:
            raise TableError(
                f"Column {self.column!r} has {self.n_values:,} values such as {self.example}, and "
                f"the model was fitted with {self._what()} there; correct the column, or leave it "
                "empty where nothing is known."
            )

    def _what(self) -> str:
        if self.kind == NUMBER:
            named = {TRUTH: "true or false", TIME: "times of day written like 13:45"}
            return named.get(self.written or "", "numbers")
        example = "2024-12-31"
        if self.written not in (None, ISO):
            example = import_pandas().Timestamp("2024-12-31 13:45").strftime(self.written)
        return f"dates written like {example}"


class Doubts:
    """What a model could not read in the rows it was given, piece by piece.

    Parameters
    ----------
    model : Model
        Fitted.

    Attributes
    ----------
    notes : list of str
        How numbers were read where a reader should know.
    """

    def __init__(self, model: Model) -> None:
        self.notes: list[str] = []
        categories = _known_categories(model)
        self._columns: list[tuple[Doubt, int, set[str]]] = [
            (
                Doubt(column["name"], column["kind"], written=column["written"]),
                column["n_values"],
                categories.get(column["name"], set()),
            )
            for column in model.card.columns
            if column["kind"] in (NUMBER, DATE) or column["name"] in categories
        ]

    def add(self, frame: Any) -> None:
        """Count what cannot be read in some rows, which must have the model's columns."""
        for doubt, n_values, categories in self._columns:
            raw = frame[doubt.column]
            typed = as_kind(raw, doubt.kind, doubt.written, n_values)
            if doubt.kind == CATEGORY:
                given = typed.notna()
                unread = given & ~typed.isin(categories)
            else:
                given = raw.notna()
                if raw.dtype == object:
                    given &= raw.astype("string").str.strip() != ""
                unread = given & typed.isna()
            doubt.n_values += int(given.sum())
            if unread.any():
                doubt.n_unread += int(unread.sum())
                doubt.example = doubt.example or _short(raw[unread].iloc[0])

    def found(self) -> list[Doubt]:
        """The columns of which something was not understood."""
        return [doubt for doubt, *_ in self._columns if doubt.n_unread]

    def tell(self) -> None:
        """Warn of each note and column; an error where one could not be read at all."""
        for doubt in self.found():
            doubt.check()
        for note in self.notes:
            warnings.warn(note, TableWarning, stacklevel=2)
        for doubt in self.found():
            warnings.warn(doubt.sentence(), TableWarning, stacklevel=2)


def _known_categories(model: Model) -> dict[str, set[str]]:
    """The values of each column that has a number of its own for each of them."""
    vectorizer = dict(model.pipeline.steps).get("vectorizer")
    encoders = getattr(vectorizer, "transformers_", {})
    return {
        name: {str(value) for value in encoder.categories_[0] if isinstance(value, str)}
        for name, encoder in encoders.items()
        if hasattr(encoder, "categories_")
    }


def _short(value: Any) -> str:
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]}...'"
