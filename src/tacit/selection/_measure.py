"""What is measured on the test rows, said in words and in units."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from tacit._typing import AnyArray
from tacit._words import number_of
from tacit.selection._evaluate import Fit, Split, UndefinedScoreError, predictions
from tacit.selection._labeled_table import LabeledTable

WORDS = {
    "accuracy": "error",
    "balanced_accuracy": "balanced error",
    "roc_auc": "1 - area under the ROC curve",
}
WORKING = "'accuracy', 'balanced_accuracy', 'roc_auc' or 'f1_macro'"
AVERAGED = ("f1", "jaccard", "precision", "recall")
# Scores that ask which class is the positive one, and what to take where there are more than two.
FOR_TWO_CLASSES = {
    "roc_auc": "'f1_macro' or 'roc_auc_ovr'",
    **{name: f"'{name}_macro'" for name in AVERAGED},
    **dict.fromkeys(("positive_likelihood_ratio", "neg_negative_likelihood_ratio"), "'f1_macro'"),
}
# Those of them that take the class 1 for the positive one, and what to take where there is none.
OF_CLASS_ONE = {name: f"'{name}_macro'" for name in AVERAGED} | {"average_precision": "'roc_auc'"}
# Scores that are no part of one: they have no upper limit, or no lower one.
IN_THEIR_OWN_UNITS = (
    "d2_brier_score", "d2_log_loss_score", "mutual_info_score", "positive_likelihood_ratio",
)  # fmt: skip
# Scores that no constant answer does well by, so that beating one shows something. Recall, and all
# that clusterings are compared by, may praise it.
SPEAK_AGAINST_GUESSES = (
    "accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "neg_brier_score",
    "neg_log_loss", "roc_auc", "roc_auc_ovo", "roc_auc_ovr",
)  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """A loss: a score turned round, so that smaller is better."""

    scoring: str  # scikit-learn's name of the score, or that of the function given
    scorer: Any  # `scorer(model, X, y)`, greater is better
    name: str  # The loss in words
    # Whether the loss is a part of one, told in points: 100 of them make one. Otherwise it is the
    # negative score, in its own units.
    in_points: bool
    is_named: bool = True  # One of scikit-learn's scores, and not a function that was given

    @property
    def is_error(self) -> bool:
        """Whether the loss is the part of rows that are predicted wrong."""
        return self.is_named and self.scoring == "accuracy"

    @property
    def speaks_against_guesses(self) -> bool:
        """Whether no constant answer does well by it, so that beating one shows something."""
        return self.is_named and self.scoring in SPEAK_AGAINST_GUESSES

    @property
    def is_of_predictions(self) -> bool:
        """Whether the loss is a part of one that depends on the predicted classes alone."""
        return self.in_points and getattr(self.scorer, "_response_method", None) == "predict"

    @property
    def scale(self) -> float:
        """What a loss is multiplied with where it is shown without unit."""
        return 100.0 if self.in_points else 1.0

    @property
    def title(self) -> str:
        """The name with a capital letter, to begin a line with."""
        return self.name[:1].upper() + self.name[1:]

    def text(self, loss: float) -> str:
        """A loss as people read it."""
        return f"{100.0 * loss:.1f}%" if self.in_points else f"{loss:.3g}"

    def amount(self, difference: float) -> str:
        """The size of a difference as people read it, with its unit."""
        if not self.in_points:
            return f"{abs(difference):.3g}"
        points = f"{abs(100.0 * difference):.1f}"
        return f"{points} point" if points == "1.0" else f"{points} points"

    def signed(self, difference: float) -> str:
        """A difference with its sign and without unit."""
        if not self.in_points:
            return f"{difference:+.3g}" if difference else "0"
        text = f"{100.0 * difference:+.1f}"
        # Nothing is neither gained nor lost.
        return "0.0" if text[1:] == "0.0" else text

    def loss_of(self, fit: Fit, table: LabeledTable, split: Split) -> float:
        """The loss of a fitted contestant on the test rows of a split."""
        y = table.y[split.test]
        if self.is_of_predictions:
            predicted = predictions(fit, table.codes)
            if self.is_error:
                # scikit-learn's scorer gives the same, and checks a handful of rows for longer than
                # it takes to predict them.
                return float(np.mean(predicted != y))
        score = float(self.scorer(fit.model, fit.X_test, y))
        loss = 1.0 - score if self.in_points else -score
        if not math.isfinite(loss):
            raise UndefinedScoreError(
                f"scoring is {self.scoring!r}, which gives {loss} where cv leaves "
                f"{number_of(len(y), 'row')} to test on, of {len(np.unique(y))} of the "
                f"{len(table.classes)} classes. Leave cv out or give a number of folds, so that "
                "every split tests on every class, or use a score that does not compare classes, "
                "such as scoring='accuracy'."
            )
        return loss

    def answers_of(self, fit: Fit, table: LabeledTable, split: Split) -> AnyArray:
        """What the measure depends on of the answers for the test rows."""
        for name in () if self.is_of_predictions else ("decision_function", "predict_proba"):
            if hasattr(fit.model, name):
                return np.asarray(getattr(fit.model, name)(fit.X_test))
        return predictions(fit, table.codes)

    def disagreement(self, one: AnyArray, other: AnyArray) -> float | None:
        """The part of the rows for which two models answer differently.

        Where the loss is of other things than predicted classes, only that of models which are the
        same function.
        """
        if self.is_of_predictions:
            return float(np.mean(one != other))
        return 0.0 if np.array_equal(one, other) else None

    def check_score_suits(self, table: LabeledTable) -> None:
        """Refuse a score that does not suit the classes."""
        scoring, classes = self.scoring, table.classes.tolist()
        # A function of the user's own may have any name.
        if not self.is_named:
            return
        start = f"scoring is {scoring!r}, which"
        if len(classes) > 2 and scoring in FOR_TWO_CLASSES:
            raise ValueError(
                f"{start} is for two classes, and y has {len(classes)}; use 'balanced_accuracy' or "
                f"{FOR_TWO_CLASSES[scoring]}."
            )
        if len(classes) == 2 and scoring == "top_k_accuracy":
            raise ValueError(
                f"{start} asks whether a class is among the two likeliest, and y has only two; use "
                "'accuracy'."
            )
        if len(classes) == 2 and scoring in OF_CLASS_ONE and 1 not in table.codes:
            raise ValueError(
                f"{start} takes the class 1 for the positive one, and y has {classes[0]} and "
                f"{classes[1]}; name the classes 0 and 1, or use {OF_CLASS_ONE[scoring]}."
            )

    def positive_class(self, table: LabeledTable) -> list[str]:
        """Which class a score is about, where that is for a reader to know."""
        if not self.is_named or self.scoring not in OF_CLASS_ONE or len(table.classes) > 2:
            return []
        positive = table.classes.tolist()[sorted(table.codes).index(1)]
        return [
            f"The score {self.scoring!r} is about finding the class {positive!r}; "
            f"{OF_CLASS_ONE[self.scoring]} is about all classes."
        ]

    def check_margin(self, margin: Any) -> None:
        """Refuse a margin that no difference could leave, or that is no number."""
        if not isinstance(margin, numbers.Real) or not 0.0 < float(margin) < math.inf:
            raise ValueError(f"margin is {margin!r}; it must be a positive number, such as 0.02.")
        if self.in_points and float(margin) >= 1.0:
            raise ValueError(
                f"margin is {margin!r}; it must be below 1, because {self.name} is a part of one "
                "here: 2 points are 0.02."
            )


def read_measure(scoring: Any) -> Measure:
    """The measure that the parameter `scoring` stands for."""
    if isinstance(scoring, str) and scoring in get_scorer_names():
        _refuse_regression(scoring, get_scorer(scoring))
        if scoring.endswith("_samples"):
            raise ValueError(
                f"scoring is {scoring!r}, which is for rows with several labels each, and these "
                f"have one; use '{scoring.removesuffix('_samples')}_macro'."
            )
        is_loss, own = scoring.startswith("neg_"), scoring in IN_THEIR_OWN_UNITS
        name = WORDS.get(scoring, f"1 - {scoring}")
        if is_loss:
            name = scoring[4:].replace("_", " ")
        elif own:
            name = f"negative {scoring.replace('_', ' ')}"
        return Measure(scoring, get_scorer(scoring), name, in_points=not (is_loss or own))
    if not callable(scoring):
        raise ValueError(
            f"scoring is {scoring!r}; it must be one of scikit-learn's names for classifiers, such "
            f"as {WORKING}, or in Python a function of a fitted model, X and y."
        )
    # What make_scorer makes is named for the function in it.
    function = getattr(scoring, "_score_func", scoring)
    name = getattr(function, "__name__", type(function).__name__)
    _refuse_regression(name, scoring)
    words = name.replace("_", " ").strip()
    if getattr(scoring, "_sign", 1) > 0:
        words = f"negative {words}"
    return Measure(name, scoring, words, in_points=False, is_named=False)


def _refuse_regression(name: str, scorer: Any) -> None:
    function = getattr(scorer, "_score_func", None)
    if getattr(function, "__module__", "").endswith("._regression"):
        raise ValueError(
            f"scoring is {name!r}, which is for regression, and these are classes; use {WORKING}."
        )
