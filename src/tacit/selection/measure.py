"""What is measured on the test rows, said in words and in units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.metrics import get_scorer, get_scorer_names

WORDS = {
    "accuracy": "error",
    "balanced_accuracy": "balanced error",
    "roc_auc": "1 - area under the ROC curve",
}


@dataclass(frozen=True)
class Measure:
    """A loss: a score turned round, so that smaller is better.

    Attributes
    ----------
    scoring : str
        scikit-learn's name of the score, or that of the function given.
    scorer : callable
        `scorer(model, X, y)`, greater is better.
    name : str
        The loss in words.
    in_points : bool
        Whether the loss is a part of one, told in points: 100 of them make one. Otherwise it is
        the negative score, in its own units.
    """

    scoring: str
    scorer: Any
    name: str
    in_points: bool

    @property
    def is_error(self) -> bool:
        """Whether the loss is the part of rows that are predicted wrong."""
        return self.scoring == "accuracy"

    @property
    def title(self) -> str:
        """The name with a capital letter, to begin a line with."""
        return self.name[:1].upper() + self.name[1:]

    def loss(self, score: float) -> float:
        """The loss of a score."""
        return 1.0 - score if self.in_points else -score

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


def read_measure(scoring: Any) -> Measure:
    """The measure that the parameter `scoring` stands for."""
    if callable(scoring):
        name = getattr(scoring, "__name__", type(scoring).__name__)
        return Measure(name, scoring, f"negative {name}", in_points=False)
    if not isinstance(scoring, str) or scoring not in get_scorer_names():
        raise ValueError(
            f"scoring is {scoring!r}; it must be one of scikit-learn's names for classifiers, such "
            "as 'accuracy', 'balanced_accuracy', 'roc_auc', 'f1' or 'neg_log_loss', or a function "
            "of a fitted model, X and y."
        )
    is_loss = scoring.startswith("neg_")
    name = scoring[4:].replace("_", " ") if is_loss else WORDS.get(scoring, f"1 - {scoring}")
    return Measure(scoring, get_scorer(scoring), name, in_points=not is_loss)
