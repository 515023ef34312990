"""The protocols: learning curves and cross-validation -> flat rows -> tables and figures."""

from tacit.research.experiments._contestants import paper_contestants
from tacit.research.experiments._experiment import Experiment, run
from tacit.research.experiments._protocols import CrossValidation, LearningCurves, complete_table
from tacit.research.experiments._results import Results, RunSummary
from tacit.research.experiments._store import RunStore
from tacit.selection import Contestant
from tacit.selection._contestants import Sees
from tacit.selection._evaluate import Run

__all__ = [
    "Contestant",
    "CrossValidation",
    "Experiment",
    "LearningCurves",
    "Results",
    "Run",
    "RunStore",
    "RunSummary",
    "Sees",
    "complete_table",
    "paper_contestants",
    "run",
]
