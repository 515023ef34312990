"""Theorem 1 of the paper, executable: populations, their interval, a check on random problems."""

from tacit.research.paper.theorem._check import FamilyCount, TheoremCheck, check
from tacit.research.paper.theorem._integration import least_squares
from tacit.research.paper.theorem._population import Mixture, Population, Sample
from tacit.research.paper.theorem._problems import Problem, random_problem

__all__ = [
    "FamilyCount",
    "Mixture",
    "Population",
    "Problem",
    "Sample",
    "TheoremCheck",
    "check",
    "least_squares",
    "random_problem",
]
