"""The exact answer for any number of rows: samples first, then rounds over all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import NumpyRows
from tacit.solver._basis import Coefficients
from tacit.solver._inside import Reached, reach_inside
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._labeling import Labeling, SignRule, SmoothRule
from tacit.solver._problem import BoxProblem
from tacit.solver._rows_problem import RowsProblem
from tacit.solver._solution import Solution, Status
from tacit.solver._working_set import Outcome, WorkingSet
from tacit.solver._zonotope import Zonotope

NAME = "working-set"
# Rows of the first sample, solved by the interior-point method; and for each direction.
FIRST_SAMPLE = 1024
FIRST_SAMPLE_EACH = 20
# Rows to draw for the second sample: they put the hyperplane within sqrt(r / n) of its place.
SECOND_SAMPLE = 65536
# Near rows of a round, and for each direction.
NEAR = 3000
NEAR_EACH = 20
# Rounds on the second sample at the most; it need only be as good as a sample can be.
SAMPLE_ROUNDS = 8
# Part of the mean objective below which the target may well be inside.
MAYBE_INSIDE = 0.02
# Rows are shifted where a mean is this many standard deviations from zero.
FAR_FROM_ZERO = 1e3

Report = Callable[[str], None]


def solve_working_set(
    problem: RowsProblem,
    tol: float = 1e-8,
    max_iter: int = 100,
    report: Report = lambda text: None,
) -> Solution:
    """Solve `problem` in rounds over its rows, without ever holding them all.

    1. Solve a small sample, its weights scaled up, by the interior-point method.
    2. Move on to a larger sample, where a few Newton steps suffice.
    3. If the target seems to be inside the zonotope, look for labels that reach it.
    4. Rounds over all rows (see WorkingSet) until the duality gap is met.

    A sweep costs O(U d); three to six are usual. The state is the dual vector, r numbers, and the
    rows near its hyperplane.

    Parameters
    ----------
    problem : RowsProblem
        What to solve.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=100
        Rounds at the most.
    report : callable, optional
        Told about every round.

    Returns
    -------
    Solution
        With the labels as a rule.
    """
    unit = problem.unit
    if unit == 0.0:
        raise ValueError("The problem has no generators; solve it densely.")
    functions = Coefficients(problem.functions.coef / unit, problem.functions.intercept / unit)
    zonotope = Zonotope(problem.rows, functions, shift_of(problem))
    target = problem.target / unit
    scale = problem.scale / unit**2

    sample = _Sample(problem, zonotope)
    q, status, objective = sample.solve_first(target, problem.n_equalities)
    report(f"first sample of {sample.n_first} rows solved")
    q = sample.refine(q, target, problem.n_equalities, scale)
    if not np.isfinite(q).all():
        q = -target

    # Equalities come second to a first metric whose target was inside, so this one may well be.
    tried = problem.n_equalities > 0
    tried |= status is Status.INSIDE or objective <= MAYBE_INSIDE * scale
    if tried:
        reached = reach_inside(zonotope, target, sample.generators, sample.weights)
        if reached is not None:
            report(f"the target is inside, {zonotope.n_sweeps} sweeps")
            return _inside(problem, zonotope, reached, unit)

    rounds = WorkingSet(
        zonotope,
        target,
        problem.n_equalities,
        scale,
        max(NEAR, NEAR_EACH * problem.rank),
        sample.threshold,
        sample.largest,
        report,
    )
    outcome = rounds.run(q, tol, max_iter)
    if not outcome.converged and not tried:
        reached = reach_inside(zonotope, target, sample.generators, sample.weights)
        if reached is not None:
            return _inside(problem, zonotope, reached, unit)
    return _solution(problem, zonotope, outcome, unit, max_iter)


class _Sample:
    """A random sample of the rows, weighted so that it stands for all of them."""

    def __init__(self, problem: RowsProblem, zonotope: Zonotope) -> None:
        drawn = problem.sample
        own = np.ones(len(drawn)) if drawn.weights is None else drawn.weights
        self.X = drawn.X if isinstance(drawn.X, np.ndarray) else drawn.X.toarray()
        self.weights: Vector = own * (problem.moments.weight / own.sum())
        self.generators: Matrix = zonotope.generators(self.X, None)
        self.largest = float(np.sqrt((self.generators**2).sum(axis=1).max(initial=0.0)))
        self.functions = zonotope.functions
        self.shift = zonotope.shift
        self.n_rows = problem.n_labels
        self.n_first = min(len(own), max(FIRST_SAMPLE, FIRST_SAMPLE_EACH * problem.rank))

    def solve_first(self, target: Vector, n_equalities: int) -> tuple[Vector, Status, float]:
        """The dual vector of the first part of the sample, its status and its objective."""
        # The sample is in the order of the table, so its first part must be drawn again.
        part = np.random.default_rng(0).permutation(len(self.X))[: self.n_first]
        weights = self.weights[part] * (self.weights.sum() / self.weights[part].sum())
        first = BoxProblem(self.generators[part] * weights[:, None], target, n_equalities)
        solution = solve_interior_point(first, tol=1e-2)
        q = solution.dual if solution.status.is_success else first.dual(solution.labels())
        return q, solution.status, solution.objective

    def refine(self, q: Vector, target: Vector, n_equalities: int, scale: float) -> Vector:
        """The dual vector of the whole sample, as far as a sample goes."""
        if len(self.X) < 2 * self.n_first or not np.any(q):
            return q
        rows = NumpyRows(self.X, self.weights)
        rounds = WorkingSet(
            Zonotope(rows, self.functions, self.shift),
            target,
            n_equalities,
            scale,
            min(max(NEAR, NEAR_EACH * len(target)), len(self.X) // 4),
            lambda q, n: float(np.quantile(np.abs(self.generators @ q), min(1.0, n / len(self.X)))),
            self.largest,
        )
        close_enough = 0.3 * np.sqrt(len(target) / len(self.X))
        return rounds.run(q, 1e-4, SAMPLE_ROUNDS, close_enough).q

    def threshold(self, q: Vector, n_near: int) -> float:
        """The distance from the hyperplane of q within which about `n_near` of all rows lie."""
        distance = np.abs(self.generators @ q)
        wanted = n_near / self.n_rows * len(distance)
        # Too few sampled rows tell little, so look at 200 and go by their density.
        counted = int(np.clip(wanted, min(200, len(distance) - 1), len(distance) - 1))
        return float(np.partition(distance, counted)[counted] * min(1.0, wanted / counted))


def shift_of(problem: RowsProblem) -> Vector | None:
    """What to subtract from rows before they are multiplied, if their means are far from zero."""
    variance = problem.moments.scatter.diagonal() / problem.moments.weight
    mean = problem.moments.mean
    return mean if (mean**2 > FAR_FROM_ZERO**2 * variance).any() else None


def _inside(problem: RowsProblem, zonotope: Zonotope, reached: Reached, unit: float) -> Solution:
    coef = zonotope.functions.coef @ reached.slope
    intercept = zonotope.functions.intercept @ reached.slope
    residual = reached.residual * unit
    return Solution(
        soft_labels=None,
        labeling=Labeling(
            None, SmoothRule(Coefficients(coef, intercept)), reached.mass, reached.total
        ),
        dual=np.zeros_like(residual),
        residual=residual,
        status=Status.INSIDE,
        solver=NAME,
        n_iter=zonotope.n_sweeps,
        n_sweeps=zonotope.n_sweeps,
        objective=0.5 * float(residual @ residual),
        scale=problem.scale,
        duality_gap=0.5 * float(residual @ residual),
        stationarity=0.0,
        infeasibility=float(np.linalg.norm(residual[: problem.n_equalities])),
    )


def _solution(
    problem: RowsProblem, zonotope: Zonotope, outcome: Outcome, unit: float, max_iter: int
) -> Solution:
    exact = outcome.exact
    assert exact is not None, "the last round is an exact solve"
    residual = exact.residual * unit
    soft = residual[problem.n_equalities :]
    coef = zonotope.functions.coef @ outcome.previous
    intercept = zonotope.functions.intercept @ outcome.previous
    status = Status.OPTIMAL
    if not outcome.converged:
        status = Status.MAX_ITERATIONS if outcome.n_rounds >= max_iter else Status.STALLED
    elif np.linalg.norm(exact.residual) <= 1e-11:
        status = Status.INSIDE
    return Solution(
        soft_labels=None,
        labeling=Labeling(
            None,
            SignRule(Coefficients(coef, intercept), exact.margin, exact.near.X, exact.labels),
            exact.mass,
            exact.total,
        ),
        dual=exact.q * unit,
        residual=residual,
        status=status,
        solver=NAME,
        n_iter=outcome.n_rounds,
        n_sweeps=zonotope.n_sweeps,
        objective=0.5 * float(soft @ soft),
        scale=problem.scale,
        duality_gap=outcome.gap * unit**2,
        stationarity=exact.stationarity + (outcome.gap - exact.gap) / (problem.scale / unit**2),
        infeasibility=exact.infeasibility * unit,
    )
