"""The protocols: learning curves and cross-validation -> flat rows -> tables and figures."""

from tacit.research.experiments._contenders import Contender, Sees, paper_contenders
from tacit.research.experiments._experiment import Experiment, run
from tacit.research.experiments._protocols import CrossValidation, LearningCurves, Table
from tacit.research.experiments._results import Results, Summary
from tacit.research.experiments._run import Run
from tacit.research.experiments._store import RunStore

__all__ = [
    "Contender",
    "CrossValidation",
    "Experiment",
    "LearningCurves",
    "Results",
    "Run",
    "RunStore",
    "Sees",
    "Summary",
    "Table",
    "paper_contenders",
    "run",
]
