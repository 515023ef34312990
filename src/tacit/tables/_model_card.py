"""What a saved model says about itself."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from tacit.tables._columns import Column
from tacit.tables._errors import ModelFileError
from tacit.tables._text import INFER, ReadOptions

FORMAT = 1
# The methods that learn from labeled rows alone.
SUPERVISED = ("supervised", "logistic")


@dataclass(frozen=True)
class SupervisedTwin:
    """Coefficients of the supervised classifier on the same features, as scikit-learn has them."""

    coef: list[list[float]]
    intercept: list[float]


@dataclass(frozen=True)
class Calibration:
    """The probability that an answer is right, as a function of its margin.

    The log-odds are `slope * margin + offset`, from `n_labels` that were held back, of which
    `n_right` were predicted right.
    """

    slope: float
    offset: float
    n_labels: int
    n_right: int


@dataclass(frozen=True)
class ModelCard:
    """Everything about a fitted model that is not code, as plain values.

    Attributes
    ----------
    model : str
        The method: "icls", "projected", "supervised", "logistic" or "self-learning".
    target : str
        The column of labels.
    classes : list
        The classes; a positive score of two means the second.
    label_counts : list of int
        Labels of each class.
    n_unlabeled : int
        Unlabeled rows that it learned from.
    unlabeled_markers : list of str
        What marked unlabeled rows, besides blanks and NA.
    table : str
        The table it was fitted on.
    columns : list of Column
        What each column of it is.
    feature_names : list of str
        The numbers that the classifier sees.
    alpha : float
        The ridge penalty; for logistic regression, one over scikit-learn's C.
    certificate : dict or None
        What holds for every labeling of the unlabeled rows.
    certificate_words : str
        The same in words.
    supervised : SupervisedTwin
        The classifier without the unlabeled rows.
    calibration : Calibration or None
        The curve that turns margins into probabilities.
    options : ReadOptions
        How the table was said to be written; new tables are read in the same way.
    notes : list of str
        What was done that a reader should know.
    streamed : bool
        Whether the unlabeled rows stayed on disk.
    command : str
        How to repeat it.
    versions : dict of str to str
        Of the packages that fitted it.
    format : int
        Of this description.
    """

    model: str
    target: str
    classes: list[str | int]
    label_counts: list[int]
    n_unlabeled: int
    unlabeled_markers: list[str]
    table: str
    columns: list[Column]
    feature_names: list[str]
    alpha: float
    certificate: dict[str, Any] | None
    certificate_words: str
    supervised: SupervisedTwin
    calibration: Calibration | None
    options: ReadOptions = INFER
    notes: list[str] = field(default_factory=list)
    streamed: bool = False
    command: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def n_labeled(self) -> int:
        """Labels of all classes."""
        return sum(self.label_counts)

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, name: str) -> ModelCard:
        """Read it back; an error names what is wrong."""
        try:
            values = json.loads(text)
            number = int(values["format"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise _damaged(name, "it cannot be read") from error
        if number > FORMAT:
            known = values.get("versions")
            made_by = known.get("tacit", "") if isinstance(known, dict) else ""
            raise ModelFileError(
                f"{name} was made by tacit {made_by or 'of a newer version'}, which is newer than "
                "this one; update tacit."
            )
        try:
            card: ModelCard = _built(cls, values, "it")
        except ValueError as error:
            raise _damaged(name, str(error)) from error
        classes = card.classes
        if len(classes) < 2 or len(set(map(str, classes))) < len(classes):
            raise _damaged(name, "'classes' are not classes")
        if len(card.label_counts) != len(classes) or min(card.label_counts) < 0:
            raise _damaged(name, "'label_counts' are not counts of the classes")
        if card.calibration is not None and card.calibration.n_labels < 1:
            raise _damaged(name, "'calibration' is one of no labels")
        return card

    def check_fits(self, pipeline: Any, name: str) -> None:
        """An error where the description is not one of this pipeline."""
        try:
            classifier = pipeline[-1]
            shape = tuple(classifier.coef_.shape)
            n_intercepts = int(classifier.intercept_.size)
            classes = classifier.classes_.tolist()
            names = {column for column, *_ in pipeline[0].columns}
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise _damaged(name, "the model lacks what it describes") from error
        coef = self.supervised.coef
        if classes != self.classes:
            raise _damaged(name, "'classes' are not those of the model")
        if (len(coef), n_intercepts) != (shape[0], len(self.supervised.intercept)) or {
            len(row) for row in coef
        } != {shape[1]}:
            raise _damaged(name, "'supervised' has not the shape of the model")
        if len(self.feature_names) != shape[1]:
            raise _damaged(name, "'feature_names' are not as many as those of the model")
        if not names <= {column.name for column in self.columns}:
            raise _damaged(name, "'columns' are not those of the model")


def _damaged(name: str, why: str) -> ModelFileError:
    return ModelFileError(
        f"{name} has a damaged description ({why}); fit the model again with `tacit fit`, or copy "
        "the file again."
    )


def _built(kind: Any, value: Any, name: str) -> Any:
    """A value of a type from what JSON has of it; an error names the entry that is not one."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is UnionType:
        if value is None and NoneType in parts:
            return None
        simple = [part for part in parts if part is not NoneType]
        # Of several types, plain ones: no conversion is tried.
        fitting = [p for p in simple if len(simple) == 1 or type(value) is p]
        if fitting:
            return _built(fitting[0], value, name)
    elif is_dataclass(kind) and isinstance(value, dict):
        hints = get_type_hints(kind)
        if set(value) == {entry.name for entry in fields(kind)}:
            built = {key: _built(hints[key], one, repr(key)) for key, one in value.items()}
            return kind(**built)  # type: ignore[operator]
    elif origin is list and isinstance(value, list):
        return [_built(parts[0], one, name) for one in value]
    elif origin is dict and isinstance(value, dict):
        return {str(key): _built(parts[1], one, name) for key, one in value.items()}
    elif kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) < 1e308 and math.isfinite(value):
            return float(value)
    elif type(value) is kind:
        return value
    raise ValueError(f"{name} is not what it should be")
