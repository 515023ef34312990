"""Support vector machines, and what unlabeled rows do to them."""

from tacit.family.margin._geometry import Features, Geometry, Gram, centred
from tacit.family.margin._kernels import check_kernel
from tacit.family.margin._newton import Start, solve_hinge
from tacit.family.margin._problem import HingeProblem, HingeSolution, HingeStatus
from tacit.family.margin._separators import (
    SeparatorProblem,
    Separators,
    label_bounds,
    representatives,
    sample_separators,
)
from tacit.family.margin._transductive import (
    TransductiveProblem,
    TransductiveSolution,
    TransductiveStatus,
    descend,
    minimise,
)
from tacit.family.margin._worst_case import WorstCase, improvements, worst_case

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
