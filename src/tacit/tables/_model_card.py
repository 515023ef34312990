"""What a saved model says about itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from tacit.tables._card_checks import dict_of, first_misfit, first_wrong
from tacit.tables._errors import ModelFileError

FORMAT = 1
SUPERVISED = ("supervised", "logistic")


def is_supervised(model: str) -> bool:
    """Whether a method learns from labeled rows alone."""
    return model in SUPERVISED


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
    marks : list of str
        What marked unlabeled rows, besides blanks and NA.
    table : str
        The table it was fitted on.
    columns : list of dict
        What each column of it is.
    feature_names : list of str
        The numbers that the classifier sees.
    alpha : float
        The ridge penalty; for logistic regression, one over scikit-learn's C.
    certificate : dict or None
        What holds for every labeling of the unlabeled rows.
    certificate_words : str
        The same in words.
    supervised : dict
        Coefficients of the supervised classifier on the same numbers: "coef" and "intercept".
    sureness : dict or None
        The curve that turns margins into sureness.
    notes : list of str
        What was done that a reader should know.
    streamed : bool
        Whether the unlabeled rows stayed on disk.
    separator : str or None
        Between the values of a table of text. Signs that stood between the thousands of a column
        do so in new tables with the same separator, unless these tell otherwise.
    command : str
        How to repeat it.
    versions : dict of str to str
        Of the packages that fitted it.
    format : int
        Of this description.
    """

    model: str
    target: str
    classes: list[Any]
    label_counts: list[int]
    n_unlabeled: int
    marks: list[str]
    table: str
    columns: list[dict[str, Any]]
    feature_names: list[str]
    alpha: float
    certificate: dict[str, Any] | None
    certificate_words: str
    supervised: dict[str, Any]
    sureness: dict[str, Any] | None
    notes: list[str] = field(default_factory=list)
    streamed: bool = False
    separator: str | None = None
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
            raise damaged(name, "it cannot be read") from error
        if number > FORMAT:
            made_by = dict_of(values.get("versions")).get("tacit", "a newer version")
            raise ModelFileError(
                f"{name} was made by tacit {made_by}, which is newer than this one; update tacit."
            )
        if set(values) != {f.name for f in fields(cls)}:
            raise damaged(name, "its entries are not those of a model")
        wrong = first_wrong(values)
        if wrong is not None:
            raise damaged(name, wrong)
        return cls(**values)

    def check_fits(self, pipeline: Any, name: str) -> None:
        """An error where the description is not one of this pipeline."""
        wrong = first_misfit(asdict(self), pipeline)
        if wrong is not None:
            raise damaged(name, wrong)


def damaged(name: str, why: str) -> ModelFileError:
    """The error for a description that something is wrong with."""
    return ModelFileError(
        f"{name} has a damaged description ({why}); fit the model again with `tacit fit`, or copy "
        "the file again."
    )
