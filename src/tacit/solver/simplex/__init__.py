"""More than two classes: soft labels on the simplex, one joint problem."""

from tacit.solver.simplex._interior_point import solve_simplex_interior_point
from tacit.solver.simplex._large import solve_simplex_working_set
from tacit.solver.simplex._problem import SimplexProblem
from tacit.solver.simplex._rows_problem import SimplexRowsProblem

__all__ = [
    "SimplexProblem",
    "SimplexRowsProblem",
    "solve_simplex_interior_point",
    "solve_simplex_working_set",
]
