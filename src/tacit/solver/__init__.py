"""The mathematics: problems, solvers, projections and certificates.

Knows neither scikit-learn, classes, files nor engines.
"""

from tacit.solver._basis import Basis, Coefficients
from tacit.solver._certificate import Certificate, certify
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._labeling import Labeling
from tacit.solver._lbfgsb import solve_lbfgsb
from tacit.solver._method import Method, solve
from tacit.solver._problem import Problem, RowsProblem
from tacit.solver._projection import Projection, project
from tacit.solver._solution import Solution, Status
from tacit.solver._working_set import solve_working_set

__all__ = [
    "Basis",
    "Certificate",
    "Coefficients",
    "ConstraintSet",
    "LabeledRows",
    "Labeling",
    "Method",
    "Problem",
    "Projection",
    "RowsProblem",
    "Solution",
    "Status",
    "certify",
    "project",
    "solve",
    "solve_interior_point",
    "solve_lbfgsb",
    "solve_working_set",
]
