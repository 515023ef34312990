"""The 2015 paper: its published numbers, Theorem 1, and what reproduces each table and figure."""

from tacit.research.paper._population import Mixture, Population, least_squares
from tacit.research.paper._theorem import TheoremCheck, check_theorem

__all__ = ["Mixture", "Population", "TheoremCheck", "check_theorem", "least_squares"]
