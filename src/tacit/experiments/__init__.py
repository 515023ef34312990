"""The protocols: learning curves and cross-validation -> flat rows -> tables and figures."""

from tacit.experiments.contenders import Contender, Sees, paper_contenders
from tacit.experiments.experiment import Experiment, run
from tacit.experiments.protocols import CrossValidation, LearningCurves, Table
from tacit.experiments.results import Results, Summary
from tacit.experiments.run import Run
from tacit.experiments.store import RunStore

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
