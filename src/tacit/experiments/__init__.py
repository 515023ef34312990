"""The protocols: repeated draws of labeled rows -> tidy rows -> tables and figures."""

from tacit.experiments.draws import Draws, Run, default_classifiers, run_draws
from tacit.experiments.summary import Summary, summarise

__all__ = ["Draws", "Run", "Summary", "default_classifiers", "run_draws", "summarise"]
