"""The exact answer for many classes and any number of rows: a sample first, then rounds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.rows import NumpyRows
from tacit.solver._basis import Coefficients
from tacit.solver._labeling import Labeling
from tacit.solver._large import MAYBE_INSIDE, NAME, Report, shift_of
from tacit.solver._problem import relative
from tacit.solver._solution import Solution, Status
from tacit.solver._working_set import Outcome
from tacit.solver.simplex._cells import Cells
from tacit.solver.simplex._groups import ALIKE, Shared, alike, merged, share_out, sizes_of
from tacit.solver.simplex._inside import ReachedClasses, centred_on, reach_inside_classes
from tacit.solver.simplex._interior_point import solve_simplex_interior_point
from tacit.solver.simplex._problem import SimplexProblem
from tacit.solver.simplex._rounds import SimplexRounds
from tacit.solver.simplex._rows_problem import SimplexRowsProblem
from tacit.solver.simplex._rules import LowestRule, SoftmaxRule

# Rows of the first sample, solved by the interior-point method; and for each direction.
FIRST_SAMPLE = 512
FIRST_SAMPLE_EACH = 8
# Near rows of a round, and for each unknown of the dual.
NEAR = 3000
NEAR_EACH = 8
# Rounds on the whole sample at the most; it need only be as good as a sample can be.
SAMPLE_ROUNDS = 12
# Times the near rows of a first round that are looked at before something else is tried.
FEW_NEAR = 4
# Rounds with groups of classes at the most.
GROUP_ROUNDS = 12
# Part of the mean objective below which the target may be inside, if only at the boundary.
ALL_BUT = 1e-8


def solve_simplex_working_set(
    problem: SimplexRowsProblem,
    tol: float = 1e-8,
    max_iter: int = 100,
    report: Report = lambda text: None,
) -> Solution:
    """Solve `problem` in rounds over its rows, without ever holding them all.

    The steps are those of `solve_working_set`: a small sample, a larger one, labels that reach the
    target if it seems to be inside, and rounds over all rows until the duality gap is met. A sweep
    costs O(U d K); the state is the dual matrix, r times K numbers, and the rows between classes.

    Parameters
    ----------
    problem : SimplexRowsProblem
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
    cells = Cells(problem.rows, functions, shift_of(problem))
    target = problem.target / unit
    scale = problem.scale / unit**2

    sample = _Sample(problem, cells)
    Q, status = sample.solve_first(target, problem.n_equalities)
    report(f"first sample of {sample.n_first} rows solved")
    Q = sample.refine(Q, target, problem.n_equalities, scale)
    if not np.isfinite(Q).all():
        Q = -target

    # Equalities come second to a first metric whose target was inside, so this one may well be.
    tried = problem.n_equalities > 0
    # A small sample reaches farther than all rows together, so the larger one is asked.
    soft = Q[problem.n_equalities :]
    tried |= status is Status.INSIDE or 0.5 * float(np.vdot(soft, soft)) <= MAYBE_INSIDE * scale
    if tried:
        reached = reach_inside_classes(cells, target, sample.generators, sample.weights)
        if reached is not None:
            report(f"the target is inside, {cells.n_sweeps} sweeps")
            return _inside(problem, cells, reached, unit)

    # Groups of classes first, if there seem to be any; then rounds that look at few rows; then
    # groups again, now that more is known; and in the end rounds that may look at all rows.
    effort = _Effort(problem, cells, sample, target, scale, tol, max_iter, report)
    solution = effort.by_groups(Q)
    if solution is not None:
        return solution
    outcome = effort.rounds(Q, FEW_NEAR)
    if not outcome.converged:
        solution = effort.by_groups(outcome.q)
        if solution is not None:
            return solution
        if outcome.n_rounds < max_iter:
            outcome = effort.rounds(outcome.q, np.inf)
    if not outcome.converged and not tried:
        reached = reach_inside_classes(cells, target, sample.generators, sample.weights)
        if reached is not None:
            return _inside(problem, cells, reached, unit)
    return _solution(problem, cells, outcome, unit, max_iter)


@dataclass
class _Effort:
    """Rounds over all rows of one problem, in its unit, with all classes or with groups of them."""

    problem: SimplexRowsProblem
    cells: Cells
    sample: _Sample
    target: Matrix
    scale: float
    tol: float
    max_iter: int
    report: Report
    n_rounds: int = 0
    groups_tried: list[list[list[int]]] = field(default_factory=list)

    def rounds(self, Q: Matrix, most_near: float, groups: list[Index] | None = None) -> Outcome:
        """Rounds from Q, one column a class or a group."""
        target = self.target if groups is None else merged(self.target, groups)
        n_near = max(NEAR, NEAR_EACH * target.size)
        rounds = SimplexRounds(
            self.cells,
            target,
            self.problem.n_equalities,
            self.scale,
            n_near,
            self.sample.threshold,
            self.sample.largest,
            self.report,
            sizes=None if groups is None else sizes_of(groups),
        )
        rounds.most_near = most_near * n_near
        most = max(1, self.max_iter - self.n_rounds)
        outcome = rounds.run(Q, self.tol, most if groups is None else min(most, GROUP_ROUNDS))
        self.n_rounds += outcome.n_rounds
        return replace(outcome, n_rounds=self.n_rounds)

    def by_groups(self, Q: Matrix) -> Solution | None:
        """The answer with the groups that Q suggests, or None where there are none such."""
        groups = alike(Q, ALIKE)
        named = [members.tolist() for members in groups]
        if not 1 < len(groups) < Q.shape[1] or named in self.groups_tried:
            return None
        self.groups_tried.append(named)
        self.report(f"classes in groups: {named}")
        start = merged(Q, groups) / sizes_of(groups)
        outcome = self.rounds(start, FEW_NEAR, groups)
        exact = outcome.exact
        if exact is None or not outcome.converged:
            return None
        cells, sample = self.cells, self.sample
        rule = _lowest_rule(cells, outcome)
        shared = share_out(
            cells,
            self.target,
            groups,
            rule,
            (exact.mass, exact.total, exact.residual),
            (sample.X, sample.generators, sample.weights),
        )
        if shared is None:
            return None
        cells.n_sweeps += shared.n_sweeps
        which = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
        dual = np.zeros_like(self.target)
        dual[:, np.concatenate(groups)] = exact.q[:, which]
        return self._solution_of(shared, outcome, dual)

    def _solution_of(self, shared: Shared, outcome: Outcome, dual: Matrix) -> Solution | None:
        problem, unit, k = self.problem, self.problem.unit, self.problem.n_equalities
        # What the sharing has left over, besides the gap of the groups.
        over = shared.residual[k:] - dual[k:]
        held = float(np.vdot(dual[:k], shared.residual[:k]))
        gap = outcome.gap + 0.5 * float(np.vdot(over, over)) + abs(held)
        soft = shared.residual[k:]
        objective = 0.5 * float(np.vdot(soft, soft))
        # A target that all but can be reached deserves to be reached: that is another answer.
        if relative(gap, objective, self.scale) > self.tol or objective <= ALL_BUT * self.scale:
            return None
        return Solution(
            soft_labels=None,
            labeling=Labeling(None, shared.rule, shared.mass, shared.total),
            dual=dual * unit,
            residual=shared.residual * unit,
            status=Status.OPTIMAL,
            solver=NAME,
            n_iter=self.n_rounds,
            n_sweeps=self.cells.n_sweeps,
            objective=objective * unit**2,
            scale=problem.scale,
            duality_gap=gap * unit**2,
            stationarity=0.0 if outcome.exact is None else outcome.exact.stationarity,
            infeasibility=float(np.linalg.norm(shared.residual[:k])) * unit,
        )


class _Sample:
    """A random sample of the rows, weighted so that it stands for all of them."""

    def __init__(self, problem: SimplexRowsProblem, cells: Cells) -> None:
        drawn = problem.sample
        own = np.ones(len(drawn)) if drawn.weights is None else drawn.weights
        self.X = drawn.X if isinstance(drawn.X, np.ndarray) else drawn.X.toarray()
        self.weights: Vector = own * (problem.moments.weight / own.sum())
        self.generators: Matrix = cells.generators(self.X, None)
        self.largest = float(np.sqrt((self.generators**2).sum(axis=1).max(initial=0.0)))
        self.cells = cells
        self.n_rows = problem.n_labels
        self.n_first = min(len(own), max(FIRST_SAMPLE, FIRST_SAMPLE_EACH * problem.rank))

    def solve_first(self, target: Matrix, n_equalities: int) -> tuple[Matrix, Status]:
        """The dual matrix of the first part of the sample, and its status."""
        # The sample is in the order of the table, so its first part must be drawn again.
        part = np.random.default_rng(0).permutation(len(self.X))[: self.n_first]
        weights = self.weights[part] * (self.weights.sum() / self.weights[part].sum())
        first = SimplexProblem(self.generators[part] * weights[:, None], target, n_equalities)
        solution = solve_simplex_interior_point(first, tol=3e-2)
        Q = solution.dual if solution.status.is_success else first.dual(solution.labels())
        return Q, solution.status

    def refine(self, Q: Matrix, target: Matrix, n_equalities: int, scale: float) -> Matrix:
        """The dual matrix of the whole sample, as far as a sample goes."""
        if len(self.X) < 2 * self.n_first or not np.any(Q):
            return Q
        rounds = SimplexRounds(
            Cells(NumpyRows(self.X, self.weights), self.cells.functions, self.cells.shift),
            centred_on(target, self.generators, self.weights),
            n_equalities,
            scale,
            min(max(NEAR, NEAR_EACH * target.size), len(self.X) // 4),
            lambda Q, n: float(np.quantile(self._difference(Q), min(1.0, n / len(self.X)))),
            self.largest,
        )
        close_enough = 0.3 * float(np.sqrt(target.size / len(self.X)))
        return rounds.run(Q, 1e-4, SAMPLE_ROUNDS, close_enough).q

    def _difference(self, Q: Matrix) -> Vector:
        """The difference of the two lowest slopes of each row of the sample."""
        lowest = np.partition(self.generators @ Q, 1, axis=1)
        return np.asarray(lowest[:, 1] - lowest[:, 0])

    def threshold(self, Q: Matrix, n_near: int) -> float:
        """The difference of the two lowest slopes within which about `n_near` of all rows lie."""
        difference = self._difference(Q)
        wanted = n_near / self.n_rows * len(difference)
        # Too few sampled rows tell little, so look at 200 and go by their density.
        counted = int(np.clip(wanted, min(200, len(difference) - 1), len(difference) - 1))
        return float(np.partition(difference, counted)[counted] * min(1.0, wanted / counted))


def _inside(
    problem: SimplexRowsProblem, cells: Cells, reached: ReachedClasses, unit: float
) -> Solution:
    coef = cells.functions.coef @ reached.slope
    intercept = cells.functions.intercept @ reached.slope
    residual = reached.residual * unit
    rule = SoftmaxRule(Coefficients(coef, intercept))
    half = 0.5 * float(np.vdot(residual, residual))
    return Solution(
        soft_labels=None,
        labeling=Labeling(None, rule, reached.mass, reached.total),
        dual=np.zeros_like(residual),
        residual=residual,
        status=Status.INSIDE,
        solver=NAME,
        n_iter=cells.n_sweeps,
        n_sweeps=cells.n_sweeps,
        objective=half,
        scale=problem.scale,
        duality_gap=half,
        stationarity=0.0,
        infeasibility=float(np.linalg.norm(residual[: problem.n_equalities])),
    )


def _solution(
    problem: SimplexRowsProblem, cells: Cells, outcome: Outcome, unit: float, max_iter: int
) -> Solution:
    exact = outcome.exact
    assert exact is not None, "the last round is an exact solve"
    residual = exact.residual * unit
    soft = residual[problem.n_equalities :]
    status = Status.OPTIMAL
    if not outcome.converged:
        status = Status.MAX_ITERATIONS if outcome.n_rounds >= max_iter else Status.STALLED
    elif np.linalg.norm(exact.residual) <= 1e-11:
        status = Status.INSIDE
    return Solution(
        soft_labels=None,
        labeling=Labeling(None, _lowest_rule(cells, outcome), exact.mass, exact.total),
        dual=exact.q * unit,
        residual=residual,
        status=status,
        solver=NAME,
        n_iter=outcome.n_rounds,
        n_sweeps=cells.n_sweeps,
        objective=0.5 * float(np.vdot(soft, soft)),
        scale=problem.scale,
        duality_gap=outcome.gap * unit**2,
        stationarity=exact.stationarity + (outcome.gap - exact.gap) / (problem.scale / unit**2),
        infeasibility=exact.infeasibility * unit,
    )


def _lowest_rule(cells: Cells, outcome: Outcome) -> LowestRule:
    exact = outcome.exact
    assert exact is not None, "the last round is an exact solve"
    functions = cells.functions
    direction = Coefficients(
        functions.coef @ outcome.previous, functions.intercept @ outcome.previous
    )
    return LowestRule(direction, exact.margin, exact.near.X, exact.labels)
