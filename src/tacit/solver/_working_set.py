"""The exact answer for any number of rows: samples first, then rounds over all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tacit._cached import cached_property
from tacit._typing import Index, Matrix, Vector
from tacit.rows import NumpyRows
from tacit.solver._basis import Coefficients
from tacit.solver._groups import merged, new_groups, sizes_of, split_groups, spread_out
from tacit.solver._inside import centred_on, reach_inside
from tacit.solver._interior_point import solve_interior_point
from tacit.solver._labeling import Labeling, LowestRule
from tacit.solver._problem import Problem, RowsProblem, relative
from tacit.solver._rounds import Outcome, Report, Rounds
from tacit.solver._solution import Solution, Status
from tacit.solver._zonotope import Zonotope

NAME = "working-set"
# Rows of the first sample, solved by the interior-point method, for two and for more classes, and
# for each direction.
FIRST_SAMPLE, FIRST_SAMPLE_CLASSES, FIRST_SAMPLE_EACH = 1024, 512, 20
# Rows of the second sample for each unknown of many classes below which it tells too little.
SECOND_SAMPLE_EACH = 8
# Relative gap of the first sample: as good as its hyperplanes deserve.
FIRST_TOLERANCE = 1e-2
# Rows to draw for the second sample: they put the hyperplane within sqrt(r / n) of its place.
SECOND_SAMPLE = 65536
# Near rows of a round at the least, and for each unknown of the dual; a sample deserves no more.
NEAR, NEAR_EACH = 3000, (20, 8)
# Rounds on the second sample at the most; it need only be as good as a sample can be.
SAMPLE_ROUNDS = (8, 12)
# Part of the mean objective below which the target may well be inside.
MAYBE_INSIDE = 0.02
# Rows are shifted where a mean is this many standard deviations from zero.
FAR_FROM_ZERO = 1e3
# Times the near rows of a first round that are looked at before alike classes are tried again.
FEW_NEAR = 4
# Rounds with groups of classes at the most, and all rounds where there is another way.
GROUP_ROUNDS, ONLY_NEAR_ROUNDS = 12, 25
# Part of the mean objective below which the target may be inside, if only at the boundary.
ALL_BUT = 1e-8


def solve_working_set(
    problem: RowsProblem,
    tol: float = 1e-8,
    max_iter: int = 100,
    report: Report = lambda text: None,
    only_near: bool = False,
) -> Solution:
    """Solve `problem` in rounds over its rows, without ever holding them all.

    1. Solve a small sample, its weights scaled up, by the interior-point method.
    2. Move on to a larger sample, where a few Newton steps suffice.
    3. If the target seems to be inside the zonotope, look for labels that reach it.
    4. Rounds over all rows (see Rounds) until the duality gap is met.

    A sweep costs O(U d K); three to six are usual for two classes. The state is the dual vector, r
    or r K numbers, and the rows between classes. The labels come as a rule. With `only_near` it
    gives up where rows near the boundaries between many classes do not settle it.
    """
    if problem.unit == 0.0:
        raise ValueError("The problem has no generators; solve it densely.")
    max_iter = min(max_iter, ONLY_NEAR_ROUNDS) if only_near else max_iter
    search = _Search(problem, tol, max_iter, report, 1.0 if only_near else FEW_NEAR)
    q, may_be_inside = search.start()
    is_outside = may_be_inside and search.is_outside(q)
    if may_be_inside and not is_outside:
        inside = search.inside()
        if inside is not None:
            return inside
    # Groups of classes first, if there seem to be any; then rounds that look at few rows; then
    # groups again, now that more is known; and in the end rounds that may look at all rows.
    solution = search.by_groups(q)
    if solution is not None:
        return solution
    outcome = search.rounds(q, np.inf if problem.target.ndim == 1 else search.most_near)
    if not outcome.converged and problem.target.ndim == 2:
        solution = search.by_groups(outcome.q)
        if solution is not None:
            return solution
        if outcome.n_rounds < max_iter and not only_near:
            outcome = search.rounds(outcome.q, np.inf)
    if not outcome.converged and not may_be_inside:
        inside = search.inside()
        if inside is not None:
            return inside
    return search.solution(outcome)


@dataclass
class _Search:
    """One problem in its own unit, and what was tried so far."""

    problem: RowsProblem
    tol: float
    max_iter: int
    report: Report
    most_near: float  # times the near rows of a first round
    n_rounds: int = 0
    groups_tried: list[list[list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        problem, unit = self.problem, self.problem.unit
        functions = Coefficients(problem.functions.coef / unit, problem.functions.intercept / unit)
        self.zonotope = Zonotope(problem.rows, functions, _shift(problem))
        self.target = problem.target / unit
        self.scale = problem.scale / unit**2
        self.sample = _Sample(problem, self.zonotope)

    def start(self) -> tuple[Matrix, bool]:
        """The dual vector of the sample, and whether the target may well be inside."""
        k, sample = self.problem.n_equalities, self.sample
        first = sample.solve_first(self.target, k)
        self.report(f"first sample of {sample.n_first} rows solved")
        q = sample.refine(first.dual, self.target, k, self.scale)
        if not np.isfinite(q).all():
            q = -self.target
        objective = first.objective
        if q.ndim == 2:
            # A small sample reaches farther than all rows together, so the larger one is asked.
            objective = 0.5 * float(np.vdot(q[k:], q[k:]))
        # Equalities come second to a first metric whose target was inside, so this may well be.
        is_low = objective <= MAYBE_INSIDE * self.scale
        return q, k > 0 or first.status is Status.INSIDE or is_low

    def is_outside(self, q: Matrix) -> bool:
        """Whether no labels come as far along q as the target does: one sweep.

        Then the dual objective is above zero at some multiple of q, by no less than rounding.
        """
        soft = q[self.problem.n_equalities :]
        ahead = float(self.zonotope.sweep([q], -1.0, 1).minima[0]) - float(np.vdot(q, self.target))
        unit = 2.0 * ALL_BUT * self.scale * float(np.vdot(soft, soft))
        return ahead > 0.0 and ahead**2 > unit

    def inside(self) -> Solution | None:
        """Labels that reach the target, if there are any."""
        sample = self.sample
        reached = reach_inside(self.zonotope, self.target, sample.generators, sample.weights)
        if reached is None:
            return None
        n_sweeps, unit = self.zonotope.n_sweeps, self.problem.unit
        self.report(f"the target is inside, {n_sweeps} sweeps")
        residual = reached.residual * unit
        return Solution.inside(reached.labeling, residual, NAME, self.problem.scale, n_sweeps)

    def rounds(self, q: Matrix, most_near: float, groups: list[Index] | None = None) -> Outcome:
        """Rounds over all rows from q, one column a class or a group."""
        target = self.target if groups is None else merged(self.target, groups)
        n_near = _n_near(target)
        rounds = Rounds(
            zonotope=self.zonotope,
            target=target,
            n_equalities=self.problem.n_equalities,
            scale=self.scale,
            n_near=n_near,
            threshold=self.sample.threshold,
            largest=self.sample.largest,
            most_near=most_near * n_near,
            sizes=None if groups is None else sizes_of(groups),
            report=self.report,
        )
        most = max(1, self.max_iter - self.n_rounds)
        outcome = rounds.run(q, self.tol, most if groups is None else min(most, GROUP_ROUNDS))
        self.n_rounds += outcome.n_rounds
        return replace(outcome, n_rounds=self.n_rounds)

    def by_groups(self, Q: Matrix) -> Solution | None:
        """The answer with the groups that Q suggests, or None where there are none such."""
        groups = None if Q.ndim == 1 else new_groups(Q, self.groups_tried)
        if groups is None:
            return None
        self.report(f"classes in groups: {self.groups_tried[-1]}")
        outcome = self.rounds(merged(Q, groups) / sizes_of(groups), self.most_near, groups)
        exact, sample = outcome.exact, self.sample
        if exact is None or not outcome.converged:
            return None
        shared = split_groups(
            self.zonotope,
            self.target,
            groups,
            self._labeling(outcome),
            exact.solution.residual,
            (sample.X, sample.generators, sample.weights),
        )
        if shared is None:
            return None
        labeling, residual = shared
        dual, k = spread_out(exact.solution.dual, groups), self.problem.n_equalities
        # What the sharing has left over, besides the gap of the groups.
        over = residual[k:] - dual[k:]
        held = float(np.vdot(dual[:k], residual[:k]))
        gap = outcome.gap + 0.5 * float(np.vdot(over, over)) + abs(held)
        objective = 0.5 * float(np.vdot(residual[k:], residual[k:]))
        # A target that all but can be reached deserves to be reached: that is another answer.
        if relative(gap, objective, self.scale) > self.tol or objective <= ALL_BUT * self.scale:
            return None
        return self._measured(
            labeling, dual, residual, Status.OPTIMAL, gap, exact.solution.stationarity
        )

    def solution(self, outcome: Outcome) -> Solution:
        """What the rounds have found."""
        assert outcome.exact is not None, "the last round is an exact solve"
        found = outcome.exact.solution
        status = Status.OPTIMAL
        if not outcome.converged:
            out_of_rounds = outcome.n_rounds >= self.max_iter
            status = Status.MAX_ITERATIONS if out_of_rounds else Status.STALLED
        elif np.linalg.norm(found.residual) <= 1e-11:
            status = Status.INSIDE
        stationarity = found.stationarity + (outcome.gap - found.gap()) / self.scale
        labeling = self._labeling(outcome)
        return self._measured(
            labeling, found.dual, found.residual, status, outcome.gap, stationarity
        )

    def _labeling(self, outcome: Outcome) -> Labeling:
        exact, functions = outcome.exact, self.zonotope.functions
        assert exact is not None, "the last round is an exact solve"
        rule = LowestRule(
            functions.combine(outcome.previous), exact.margin, exact.near.X, exact.solution.labels()
        )
        return Labeling(None, rule, exact.mass, exact.total)

    def _measured(
        self,
        labeling: Labeling,
        dual: Matrix,
        residual: Matrix,
        status: Status,
        gap: float,
        stationarity: float,
    ) -> Solution:
        """In the unit of the given problem."""
        unit, k = self.problem.unit, self.problem.n_equalities
        soft = residual[k:] * unit
        return Solution(
            soft_labels=None,
            labeling=labeling,
            dual=dual * unit,
            residual=residual * unit,
            status=status,
            solver=NAME,
            n_iter=self.n_rounds,
            n_sweeps=self.zonotope.n_sweeps,
            objective=0.5 * float(np.vdot(soft, soft)),
            scale=self.problem.scale,
            duality_gap=gap * unit**2,
            stationarity=stationarity,
            infeasibility=float(np.linalg.norm(residual[:k])) * unit,
        )


class _Sample:
    """A random sample of the rows, weighted so that it stands for all of them."""

    def __init__(self, problem: RowsProblem, zonotope: Zonotope) -> None:
        drawn = problem.sample
        own = np.ones(len(drawn)) if drawn.weights is None else drawn.weights
        self.X = drawn.X if isinstance(drawn.X, np.ndarray) else drawn.X.toarray()
        self.weights: Vector = own * (problem.moments.weight / own.sum())
        self.zonotope = zonotope
        self.label_set = problem.label_set
        self.n_rows = problem.n_labels
        few = FIRST_SAMPLE if problem.target.ndim == 1 else FIRST_SAMPLE_CLASSES
        self.n_first = min(len(own), max(few, FIRST_SAMPLE_EACH * problem.rank))

    @cached_property
    def generators(self) -> Matrix:
        """Without weights."""
        return self.zonotope.generators(self.X, None)

    @cached_property
    def part(self) -> Index:
        """Where the first sample is, drawn again because rows are in the order of the table."""
        return np.random.default_rng(0).permutation(len(self.X))[: self.n_first]

    @cached_property
    def first(self) -> Matrix:
        """Generators of the first sample: for two classes all of them are hardly ever needed."""
        return self.zonotope.generators(self.X[self.part], None)

    @cached_property
    def largest(self) -> float:
        """The length of the longest of these."""
        return float(np.sqrt((self.first**2).sum(axis=1).max(initial=0.0)))

    def solve_first(self, target: Matrix, n_equalities: int) -> Solution:
        """The solution of the first part of the sample."""
        weights = self.weights[self.part]
        weights = weights * (self.weights.sum() / weights.sum())
        first = Problem(self.first * weights[:, None], target, n_equalities)
        solution = solve_interior_point(first, tol=FIRST_TOLERANCE)
        if solution.status.is_success:
            return solution
        return replace(solution, dual=first.dual(solution.labels()))

    def refine(self, q: Matrix, target: Matrix, n_equalities: int, scale: float) -> Matrix:
        """The dual vector of the whole sample, as far as a sample goes."""
        n, is_one = len(self.X), target.ndim == 1
        wanted = max(2 * self.n_first, 0 if is_one else SECOND_SAMPLE_EACH * target.size)
        if n < wanted or not np.any(q):
            return q
        zonotope = self.zonotope
        rounds = Rounds(
            zonotope=Zonotope(NumpyRows(self.X, self.weights), zonotope.functions, zonotope.shift),
            target=target if is_one else centred_on(target, self.generators, self.weights),
            n_equalities=n_equalities,
            scale=scale,
            n_near=min(NEAR_EACH[not is_one] * target.size, n // 4),
            threshold=lambda q, n_near: float(np.quantile(self._distance(q), min(1.0, n_near / n))),
            largest=self.largest,
        )
        close_enough = 0.3 * float(np.sqrt(target.size / n))
        return rounds.run(q, 1e-4, SAMPLE_ROUNDS[target.ndim == 2], close_enough).q

    def _distance(self, q: Matrix) -> Vector:
        return self.label_set.decide(np.atleast_2d(self.zonotope.slopes(self.X, q).T))[2]

    def threshold(self, q: Matrix, n_near: int) -> float:
        """The distance between the lowest slopes within which about `n_near` of all rows lie."""
        distance = self._distance(q)
        wanted = n_near / self.n_rows * len(distance)
        # Too few sampled rows tell little, so look at 200 and go by their density.
        counted = int(np.clip(wanted, min(200, len(distance) - 1), len(distance) - 1))
        return float(np.partition(distance, counted)[counted] * min(1.0, wanted / counted))


def _n_near(target: Matrix) -> int:
    return max(NEAR, NEAR_EACH[target.ndim == 2] * target.size)


def _shift(problem: RowsProblem) -> Vector | None:
    """What to subtract from rows before they are multiplied, if their means are far from zero."""
    variance = problem.moments.scatter.diagonal() / problem.moments.weight
    mean = problem.moments.mean
    return mean if (mean**2 > FAR_FROM_ZERO**2 * variance).any() else None
