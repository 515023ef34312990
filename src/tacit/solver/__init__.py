"""The mathematics: problems, solvers, projections and certificates.

Knows neither scikit-learn, classes, files nor engines.
"""

from tacit.solver import _samples as samples
from tacit.solver._basis import Basis, Coefficients
from tacit.solver._certificate import Certificate, certify
from tacit.solver._constraint_set import ConstraintSet, LabeledRows
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._labeling import Labeling
from tacit.solver._large import solve_working_set
from tacit.solver._lbfgsb import solve_lbfgsb
from tacit.solver._methods import Method, solve
from tacit.solver._problem import BoxProblem
from tacit.solver._projection import Projection, project
from tacit.solver._rows_problem import RowsProblem
from tacit.solver._solution import Solution, Status
from tacit.solver.simplex import (
    SimplexProblem,
    SimplexRowsProblem,
    solve_simplex_interior_point,
    solve_simplex_working_set,
)

__all__ = [
    "Basis",
    "BoxProblem",
    "Certificate",
    "Coefficients",
    "ConstraintSet",
    "LabeledRows",
    "Labeling",
    "Method",
    "Projection",
    "RowsProblem",
    "SimplexProblem",
    "SimplexRowsProblem",
    "Solution",
    "Status",
    "certify",
    "project",
    "samples",
    "solve",
    "solve_interior_point",
    "solve_lbfgsb",
    "solve_simplex_interior_point",
    "solve_simplex_working_set",
    "solve_working_set",
]
