"""The protocols: learning curves and cross-validation -> flat rows -> tables and figures."""

from tacit.research.experiments._contestants import paper_contestants as paper_contestants
from tacit.research.experiments._experiment import Experiment as Experiment
from tacit.research.experiments._experiment import run as run
from tacit.research.experiments._protocols import CrossValidation as CrossValidation
from tacit.research.experiments._protocols import LearningCurves as LearningCurves
from tacit.research.experiments._protocols import complete_table as complete_table
from tacit.research.experiments._results import Results as Results
from tacit.research.experiments._results import RunSummary as RunSummary
from tacit.research.experiments._store import RunStore as RunStore
from tacit.selection import Contestant as Contestant
from tacit.selection._contestants import Sees as Sees
from tacit.selection._evaluate import Run as Run
