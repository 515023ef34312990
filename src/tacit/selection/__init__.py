"""Splitters that know which rows can be tested on, and comparisons made with them."""

from tacit.selection._compare import compare, learning_curve
from tacit.selection._comparison import Comparison
from tacit.selection._contestants import Contestant, default_contestants
from tacit.selection._curve import LearningCurve
from tacit.selection._splitters import LabeledKFold, LabeledStratifiedShuffleSplit
from tacit.selection._suggest import Suggestion, suggest_labels
from tacit.selection._threshold import tune_threshold
from tacit.selection._verdict import Kind, Verdict

__all__ = [
    "Comparison",
    "Contestant",
    "Kind",
    "LabeledKFold",
    "LabeledStratifiedShuffleSplit",
    "LearningCurve",
    "Suggestion",
    "Verdict",
    "compare",
    "default_contestants",
    "learning_curve",
    "suggest_labels",
    "tune_threshold",
]
