"""Theorem 1 of the paper, executable: populations, their interval, a check on random problems."""

from tacit.research.paper.theorem._check import FamilyCount, TheoremCheck, check
from tacit.research.paper.theorem._moments import least_squares
from tacit.research.paper.theorem._population import Mixture, Population, Sample

__all__ = [
    "FamilyCount",
    "Mixture",
    "Population",
    "Sample",
    "TheoremCheck",
    "check",
    "least_squares",
]
