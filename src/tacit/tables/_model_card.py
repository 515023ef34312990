"""What a saved model says about itself."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tacit.tables._columns import Column, typed_frame
from tacit.tables._errors import ModelFileError
from tacit.tables._text import INFER, ReadOptions

Value = TypeVar("Value")

FORMAT = 1
TACIT = "tacit"
# The methods that learn from labeled rows alone.
SUPERVISED = ("ridge", "logistic", "anchors", "forest")
# Those that are TacitClassifiers, whose probabilities are calibrated on labels that they leave out.
BY_EVIDENCE = (TACIT, "anchors", "forest")
_DESCRIPTION = "has a damaged description"


@dataclass(frozen=True)
class Calibration:
    """From decisions to probabilities, by labels that were held back."""

    temperature: float  #: The factor of the decisions in a softmax over the classes.
    n_labels: int  #: Labels that were held back.
    n_right: int  #: Those of them that were predicted right.


@dataclass(frozen=True)
class ModelCard:
    """Everything about a fitted model that is not code, as plain values."""

    model: str  #: The method, one of `MODELS`.
    target: str  #: The column of labels.
    classes: list[str | int]  #: The classes; a positive score of two means the second.
    label_counts: list[int]  #: Labels of each class.
    n_unlabeled: int  #: Unlabeled rows that it learned from.
    unlabeled_markers: list[str]  #: What marked unlabeled rows, besides blanks and NA.
    table: str  #: The table it was fitted on.
    columns: list[Column]  #: What each column of it is.
    feature_names: list[str]  #: The numbers that the classifier sees.
    #: The ridge penalty; for logistic regression, one over scikit-learn's C; none of `BY_EVIDENCE`.
    alpha: float | None
    certificate: dict[str, Any] | None  #: What holds for every labeling of the unlabeled rows.
    certificate_words: str  #: The same in words.
    calibration: Calibration | None  #: From decisions to probabilities; tacit has its own.
    options: ReadOptions = INFER  #: How the table was written; new ones are read in the same way.
    notes: list[str] = field(default_factory=list)  #: What was done that a reader should know.
    streamed: bool = False  #: Whether the unlabeled rows stayed on disk.
    command: str = ""  #: How to repeat it.
    versions: dict[str, str] = field(default_factory=dict)  #: Of the packages that fitted it.
    scoring: str | None = None  #: The score that the threshold was chosen by.
    threshold: float | None = None  #: From which score of a row on the second class is answered.
    format: int = FORMAT  #: Of this description.

    @property
    def n_labeled(self) -> int:
        """Labels of all classes."""
        return sum(self.label_counts)


def read_card_text(text: str, name: str) -> ModelCard:
    """The description from its text; an error names what is wrong."""
    try:
        values = json.loads(text)
        if int(values["format"]) <= FORMAT:
            values["columns"] = [_built(Column, column) for column in values["columns"]]
            values["options"] = _built(ReadOptions, values["options"])
            if values["calibration"] is not None:
                values["calibration"] = _built(Calibration, values["calibration"])
            return _built(ModelCard, values)
        made_by = dict(values["versions"]).get("tacit", "of a newer version")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise damaged(name, _DESCRIPTION, error) from error
    raise ModelFileError(
        f"{name} was made by tacit {made_by}, which is newer than this one; update tacit."
    )


def _built(kind: type[Value], values: dict[str, Any]) -> Value:
    """A dataclass from what JSON has of it, if every entry is of its type."""
    built = kind(**values)
    for entry, hint in get_type_hints(kind).items():
        parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        value = getattr(built, entry)
        is_typed = isinstance(value, tuple(get_origin(part) or part for part in parts))
        if not is_typed or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{entry!r} is not what it should be")
    return built


def check_card(card: ModelCard, pipeline: Any, name: str) -> None:
    """An error where the description is not one of this pipeline."""
    try:
        classifier = pipeline[-1] if card.threshold is None else pipeline[-1].estimator_
        classes = classifier.classes_.tolist()
        fits = {
            "classes": card.classes == classes,
            "label_counts": len(card.label_counts) == len(classes),
            "feature_names": len(card.feature_names) == classifier.n_features_in_,
            "columns": card.columns == pipeline[0].kw_args["columns"],
            "options": card.options == pipeline[0].kw_args["options"],
            "typing": pipeline[0].func is typed_frame,
            "threshold": card.threshold == getattr(pipeline[-1], "threshold", None),
            "calibration": card.calibration is None or card.calibration.n_labels > 0,
        }
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        raise damaged(name, _DESCRIPTION, error) from error
    for entry, is_same in fits.items():
        if not is_same:
            raise damaged(name, _DESCRIPTION, f"{entry!r} is not that of the model")


def damaged(name: str, what: str, why: object) -> ModelFileError:
    """The error for a file that is not what it was."""
    return ModelFileError(
        f"{name} {what} ({why}); fit the model again with `tacit fit`, or copy the file again."
    )
