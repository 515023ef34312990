"""Support vector machines, and what unlabeled rows do to them."""

from tacit.solver.margin.geometry import Features, Geometry, Gram, centred
from tacit.solver.margin.kernels import check_kernel
from tacit.solver.margin.newton import Start, solve_hinge
from tacit.solver.margin.problem import HingeProblem, HingeSolution, HingeStatus
from tacit.solver.margin.separators import (
    SeparatorProblem,
    Separators,
    label_bounds,
    representatives,
    sample_separators,
)
from tacit.solver.margin.transductive import (
    TransductiveProblem,
    TransductiveSolution,
    TransductiveStatus,
    descend,
    minimise,
)
from tacit.solver.margin.worst_case import WorstCase, improvements, worst_case

__all__ = [
    "Features",
    "Geometry",
    "Gram",
    "HingeProblem",
    "HingeSolution",
    "HingeStatus",
    "SeparatorProblem",
    "Separators",
    "Start",
    "TransductiveProblem",
    "TransductiveSolution",
    "TransductiveStatus",
    "WorstCase",
    "centred",
    "check_kernel",
    "descend",
    "improvements",
    "label_bounds",
    "minimise",
    "representatives",
    "sample_separators",
    "solve_hinge",
    "worst_case",
]
