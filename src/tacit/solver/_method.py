"""Solvers by name, for generators in memory and for rows of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tacit._typing import Matrix
from tacit.rows import check_memory
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._labeling import Labeling
from tacit.solver._lbfgsb import solve_lbfgsb
from tacit.solver._problem import Problem, RowsProblem
from tacit.solver._proximal import solve_proximal
from tacit.solver._rounds import Report
from tacit.solver._semismooth import Quadratic, solve_semismooth
from tacit.solver._solution import Solution
from tacit.solver._working_set import solve_working_set

DENSE: dict[str, Callable[[Problem, float, int], Solution]] = {
    "interior-point": solve_interior_point,
    "lbfgsb": solve_lbfgsb,
}
SOLVERS = ("auto", "interior-point", "lbfgsb", "working-set")

# Up to so many rows, and so many for each direction, the interior-point method on all of them
# takes no longer than on the working set's first sample.
DIRECT = 3000
DIRECT_EACH = 24
# Unknowns of the dual for more than two classes above which its matrices take seconds each, and
# above which they are not worth it where near rows do not settle the problem at once.
MANY_UNKNOWNS, SOME_UNKNOWNS = 2000, 200
# Rows for each unknown below which that is so where unknowns are only some: an exact solve on near
# rows then takes longer than all rounds of the proximal method.
FEW_EACH = 64
# From so many directions on, and so many for each label, a semismooth Newton method is worth a try.
MANY_DIRECTIONS = 128
DIRECTIONS_EACH = 0.5
# Where rounds over the rows fail, this many numbers still fit into memory for the dense method.
DENSE_NUMBERS = 10**8


def solve(
    problem: Problem, solver: str = "auto", tol: float = 1e-8, max_iter: int = 10_000
) -> Solution:
    """Solve `problem` by the solver of that name.

    Parameters
    ----------
    problem : Problem
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
    name = "interior-point" if solver == "auto" else solver
    if name not in DENSE:
        raise ValueError(f"solver is {solver!r}; it must be one of {['auto', *sorted(DENSE)]}.")
    return DENSE[name](problem, tol, max_iter)


@dataclass(frozen=True)
class Method:
    """A solver's name with its settings."""

    solver: str = "auto"  # the interior-point method for few rows and the working set for many
    tol: float = 1e-8  # the relative duality gap to reach
    max_iter: int = 1000
    report: Report = lambda text: None  # told about progress

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise ValueError(f"solver is {self.solver!r}; it must be one of {sorted(SOLVERS)}.")

    def is_dense(self, problem: RowsProblem) -> bool:
        """Whether all generators of `problem` are to be held in memory."""
        weights = problem.sample.weights
        if problem.unit == 0.0 or (weights is not None and not weights.any()):
            return True  # nothing to sweep for, or a sample that says nothing
        if self.solver != "auto":
            return self.solver != "working-set"
        return problem.n_labels <= max(DIRECT, DIRECT_EACH * problem.rank)

    def fits(self, problem: RowsProblem) -> bool:
        """Whether the dense method may take over where rounds over the rows have failed."""
        few = problem.n_labels * problem.rank <= DENSE_NUMBERS
        return few and self.solver != "working-set"

    def is_proximal(self, problem: Problem | RowsProblem, above: int | None = None) -> bool:
        """Whether matrices of the order of the dual are too large, and can be done without."""
        plain = problem.target.ndim == 2 and problem.n_equalities == 0
        above = MANY_UNKNOWNS if above is None else above
        many = plain and problem.target.size > above and self.solver == "auto"
        return many and problem.n_labels * max(problem.target.shape) <= DENSE_NUMBERS

    def dense(self, problem: Problem, quadratic: Quadratic | None = None) -> Solution:
        """Solve a problem whose generators are in memory, and its objective may be known too."""
        is_plain = problem.allowed is None and problem.sizes is None and not problem.n_equalities
        many = max(MANY_DIRECTIONS if quadratic is None else 1, DIRECTIONS_EACH * problem.n_labels)
        if is_plain and problem.rank >= many and problem.n_labels and self.solver == "auto":
            exact = solve_semismooth(problem, self.tol, self.max_iter, quadratic)
            if exact is not None:
                return exact
        if self.is_proximal(problem) and is_plain:
            return solve_proximal(problem, self.tol, self.max_iter)
        if problem.target.ndim == 2:
            _check_order(problem)
        name = self.solver if self.solver in DENSE else "interior-point"
        found = DENSE[name](problem, self.tol, self.max_iter)
        if not found.status.is_success and is_plain and self.is_proximal(problem, 0):
            # Where the exact steps at its end go astray, rounds of small problems do not.
            other = solve_proximal(problem, self.tol, self.max_iter)
            found = other.after(found) if other.status.is_success else found
        return found

    def empty(self, n_rows: int, target: Matrix) -> Solution:
        """The solution where no row counts, and all labels are as good."""
        empty = Problem(np.zeros((0, len(target))), np.zeros_like(target))
        labels = np.zeros((n_rows, *target.shape[1:])) + empty.label_set.centre
        return replace(self.dense(empty), soft_labels=labels)

    def rows(self, problem: RowsProblem) -> Solution:
        """Solve a problem whose generators are rows."""
        if self.is_dense(problem) or self.is_proximal(problem):
            return with_labeling(problem, self.dense(problem.dense()))
        _check_order(problem)
        has_other = self.is_proximal(problem, SOME_UNKNOWNS)
        if has_other and problem.n_labels < FEW_EACH * problem.target.size:
            found = solve_proximal(problem.dense(), self.tol, self.max_iter)
            if found.status.is_success:
                return with_labeling(problem, found)
            has_other = False
        solution = solve_working_set(problem, self.tol, self.max_iter, self.report, has_other)
        if solution.status.is_success or not self.fits(problem):
            return solution
        dense = problem.dense()
        settings = dense, self.tol, self.max_iter
        found = solve_proximal(*settings) if has_other else self.dense(dense)
        return with_labeling(problem, found).after(solution)


def _check_order(problem: Problem | RowsProblem) -> None:
    rank, n_classes = problem.rank, problem.n_classes if problem.target.ndim == 2 else 1
    check_memory(
        (rank * n_classes) ** 2,
        f"the equations of {n_classes} classes in {rank:,} directions",
        "use fewer columns (for example TruncatedSVD), fewer classes or no class_prior",
    )


def with_labeling(problem: RowsProblem, solution: Solution) -> Solution:
    """A dense solution together with its rows."""
    labeling = Labeling.of_values(problem.rows, solution.labels())
    return replace(solution, labeling=labeling, n_sweeps=solution.n_sweeps + 2)
