"""The mathematics: problems, solvers, projections and certificates.

Knows neither scikit-learn, classes, files nor engines.
"""

from tacit.solver import samples
from tacit.solver.basis import Basis, Coefficients
from tacit.solver.certificate import Certificate, certify
from tacit.solver.constraint_set import ConstraintSet, LabeledRows
from tacit.solver.interior_point import solve_interior_point
from tacit.solver.labeling import Labeling
from tacit.solver.large import solve_working_set
from tacit.solver.lbfgsb import solve_lbfgsb
from tacit.solver.methods import Method, solve
from tacit.solver.problem import BoxProblem
from tacit.solver.projection import Projection, project
from tacit.solver.rows_problem import RowsProblem
from tacit.solver.simplex import (
    SimplexProblem,
    SimplexRowsProblem,
    solve_simplex_interior_point,
    solve_simplex_working_set,
)
from tacit.solver.solution import Solution, Status

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
