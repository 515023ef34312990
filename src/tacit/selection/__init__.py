"""Splitters that know which rows can be tested on, and comparisons made with them."""

from tacit.selection.comparing import compare
from tacit.selection.comparison import Comparison
from tacit.selection.contestants import Contestant, default_contestants
from tacit.selection.curve import LearningCurve
from tacit.selection.learning import learning_curve
from tacit.selection.splitters import LabeledKFold, LabeledStratifiedShuffleSplit
from tacit.selection.verdict import Kind, Verdict

__all__ = [
    "Comparison",
    "Contestant",
    "Kind",
    "LabeledKFold",
    "LabeledStratifiedShuffleSplit",
    "LearningCurve",
    "Verdict",
    "compare",
    "default_contestants",
    "learning_curve",
]
