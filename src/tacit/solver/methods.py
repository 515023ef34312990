"""Solvers by name."""

from __future__ import annotations

from collections.abc import Callable

from tacit.solver.interior_point import solve_interior_point
from tacit.solver.lbfgsb import solve_lbfgsb
from tacit.solver.problem import BoxProblem
from tacit.solver.solution import Solution

Method = Callable[[BoxProblem], Solution]

METHODS: dict[str, Callable[[BoxProblem, float, int], Solution]] = {
    "auto": solve_interior_point,
    "interior-point": solve_interior_point,
    "lbfgsb": solve_lbfgsb,
}


def solve(
    problem: BoxProblem, solver: str = "auto", tol: float = 1e-8, max_iter: int = 10_000
) -> Solution:
    """Solve `problem` by the solver of that name.

    Parameters
    ----------
    problem : BoxProblem
        What to solve.
    solver : {"auto", "interior-point", "lbfgsb"}, default="auto"
        "auto" is the interior-point method.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=10_000
        Iterations at the most.

    Returns
    -------
    Solution
        The soft labels with their certificate.
    """
    return method(solver, tol, max_iter)(problem)


def method(solver: str, tol: float, max_iter: int) -> Method:
    """The solver of that name as a function of the problem alone."""
    if solver not in METHODS:
        raise ValueError(f"solver is {solver!r}; it must be one of {sorted(METHODS)}.")
    run = METHODS[solver]
    return lambda problem: run(problem, tol, max_iter)
