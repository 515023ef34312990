"""Theorem 1 of the paper, executable: populations, their interval, a check on random problems."""

from tacit.paper.theorem.check import FamilyCount, TheoremCheck, check
from tacit.paper.theorem.moments import least_squares
from tacit.paper.theorem.population import Mixture, Population, Sample
from tacit.paper.theorem.problems import Problem, random_problem

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
