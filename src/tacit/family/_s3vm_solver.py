"""The semi-supervised support vector machine: hinge losses of rows whose labels nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit._typing import Vector
from tacit.family._svm import Geometry, HingeProblem, HingeSolution
from tacit.family._svm_newton import solve_hinge
from tacit.solver._solution import StopReason

# The parts of the unlabeled cost that annealing passes through. Below the first the unlabeled rows
# hardly matter, so that it starts from the supervised solution.
ANNEALING = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
# Rounds after which only the best of several runs goes on. Small problems have settled by then.
FIRST_ROUNDS = 5
# A trial of the search needs to be just good enough to tell which labels would change.
TRIAL_TOL = 1e-4


class TransductiveStatus(StopReason):
    """Why the rounds stopped."""

    FIXED_POINT = "fixed_point"
    """No label changed: a local minimum, up to ties."""
    MAX_ITERATIONS = "max_iterations"
    INEXACT = "inexact"
    """The convex problem of the last round was not solved to its tolerance."""

    @property
    def is_success(self) -> bool:
        """Whether the labels settled and the last problem was solved."""
        return self is TransductiveStatus.FIXED_POINT


@dataclass(frozen=True)
class TransductiveProblem:
    r"""Labeled rows with hinge losses and unlabeled ones with the symmetric hinge loss.

    .. math:: \min_{w, b} \tfrac12\|w\|^2 + \sum_{i \le L} c_i \max(0, 1 - y_i f(x_i))
        + \sum_{j > L} c_j \max(0, 1 - |f(x_j)|), \qquad f(x) = \langle x, w\rangle + b

    The rows of `geometry` are the L labeled and then the U unlabeled ones. With the balancing
    constraint, the weighted mean of f over the unlabeled rows is `mean`; the rows are then centred
    there, and b is the constant `mean`. None: no constraint, and b is free.
    """

    geometry: Geometry
    y: Vector
    costs: Vector
    mean: float | None

    @property
    def n_labeled(self) -> int:
        """The number of labeled rows."""
        return len(self.y)

    @property
    def shift(self) -> float:
        """What the balancing constraint adds to the values of the convex problem."""
        return 0.0 if self.mean is None else self.mean

    def with_labels(self, labels: Vector, part: float = 1.0) -> HingeProblem:
        """The convex problem for given labels and a part of the unlabeled cost.

        Its objective is never below that of this problem, and equal to it wherever the labels are
        the signs of f.
        """
        signs = np.concatenate([self.y, labels])
        costs = self.costs.copy()
        costs[self.n_labeled :] *= part
        return HingeProblem(
            self.geometry, signs, 1.0 - self.shift * signs, costs, intercept=self.mean is None
        )

    def values(self, solution: HingeSolution) -> Vector:
        """f on all rows."""
        return solution.values + self.shift

    def objective(self, solution: HingeSolution, part: float = 1.0) -> float:
        """The objective above at a solution of some convex problem."""
        values, n = self.values(solution), self.n_labeled
        labeled = self.costs[:n] @ np.maximum(1.0 - self.y * values[:n], 0.0)
        unlabeled = self.costs[n:] @ np.maximum(1.0 - np.abs(values[n:]), 0.0)
        return float(0.5 * solution.squared_norm + labeled + part * unlabeled)

    def signs(self, solution: HingeSolution, before: Vector) -> Vector:
        """The labels that f gives the unlabeled rows; those on the boundary keep theirs."""
        values = self.values(solution)[self.n_labeled :]
        return np.where(values == 0.0, before, np.sign(values))


@dataclass(frozen=True)
class TransductiveSolution:
    """A local minimum of a transductive problem.

    Attributes
    ----------
    hinge : HingeSolution
        The convex problem of the last round, with its duality gap.
    labels : ndarray of shape (U,)
        The labels of the unlabeled rows, -1 or 1.
    objective : float
        The objective of the transductive problem.
    objectives : tuple of float
        After every round of the run that led here; they never rise.
    start : str
        Which start the run had.
    status : TransductiveStatus
        Why it stopped.
    n_iter : int
        Convex problems solved, over all starts and trials.
    """

    hinge: HingeSolution
    labels: Vector
    objective: float
    objectives: tuple[float, ...]
    start: str
    status: TransductiveStatus
    n_iter: int


def descend(
    problem: TransductiveProblem,
    labels: Vector,
    at: HingeSolution | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    part: float = 1.0,
    start: str = "given",
) -> TransductiveSolution:
    """Fit with the labels, relabel by the fit, and so on until no label changes.

    max(0, 1 - |f|) is the smaller of max(0, 1 - f) and max(0, 1 + f), so the convex problem with
    labels touches the objective from above at the f that gave the labels: the objective falls with
    every change of labels. Fixed points are those of the concave-convex procedure of Collobert et
    al. (2006), whose convex bound is looser.
    """
    objectives: list[float] = []
    status = TransductiveStatus.MAX_ITERATIONS
    # Labels settle long before digits do, so the first rounds are solved to fewer of them.
    round_tol = max(tol, TRIAL_TOL)
    while len(objectives) < max_iter:
        convex = problem.with_labels(labels, part)
        hinge = solve_hinge(convex, at, round_tol)
        if objectives and hinge.objective > objectives[-1]:
            hinge = solve_hinge(convex, hinge, tol)
        following = problem.signs(hinge, labels)
        if (following == labels).all() and hinge.relative_gap() > tol:
            round_tol = tol
            hinge = solve_hinge(convex, hinge, tol)
            following = problem.signs(hinge, labels)
        objectives.append(problem.objective(hinge, part))
        if (following == labels).all():
            solved = hinge.status.is_success
            status = TransductiveStatus.FIXED_POINT if solved else TransductiveStatus.INEXACT
            break
        if len(objectives) < max_iter:
            at = problem.with_labels(following, part).start_from(hinge, convex.signs)
            labels = following
    return TransductiveSolution(
        hinge, labels, objectives[-1], tuple(objectives), start, status, len(objectives)
    )


def anneal(problem: TransductiveProblem, labels: Vector, rounds: int) -> TransductiveSolution:
    """A few `rounds` at every size of the unlabeled cost as it grows, each from the last answer.

    Small costs smooth the landscape: the labels follow the labeled rows and the bulk of the
    unlabeled ones before single rows hold them fast (Joachims 1999; Chapelle et al. 2008).
    """
    at, n_iter = None, 0
    for part in (*ANNEALING, 1.0):
        result = descend(problem, labels, at, TRIAL_TOL, rounds, part, "annealed")
        labels, at = result.labels, result.hinge
        n_iter += result.n_iter
    return replace(result, n_iter=n_iter)


def minimise(
    problem: TransductiveProblem,
    starts: Sequence[tuple[str, Vector]],
    n_switches: int = 20,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> TransductiveSolution:
    """The best local minimum from several starts, improved by switching single labels.

    `starts` are names and labels to descend from; annealing begins with the first of them. At most
    `n_switches` trials switch the label of one row, those closest to the boundary first.
    """
    rounds = min(FIRST_ROUNDS, max_iter)
    found = [
        descend(problem, labels, None, TRIAL_TOL, rounds, start=name) for name, labels in starts
    ]
    found.append(anneal(problem, starts[0][1], rounds))
    best = min(found, key=lambda result: result.objective)
    n_iter = sum(result.n_iter for result in found)
    settled = descend(problem, best.labels, best.hinge, tol, max_iter, start=best.start)
    n_iter += settled.n_iter
    improved, more = _switch(problem, settled, n_switches, tol, max_iter)
    return replace(improved, n_iter=n_iter + more)


def _switch(
    problem: TransductiveProblem,
    best: TransductiveSolution,
    n_switches: int,
    tol: float,
    max_iter: int,
) -> tuple[TransductiveSolution, int]:
    """Descend from the labels of `best` with one of them switched, as long as that helps."""
    n_iter, left, tried = 0, n_switches, -1
    while left > 0 and tried != 0:
        values = np.abs(problem.values(best.hinge)[problem.n_labeled :])
        near = np.argsort(values, kind="stable")
        tried = 0
        for row in near[values[near] < 1.0][:left]:
            left -= 1
            labels = best.labels.copy()
            labels[row] *= -1.0
            switched = problem.with_labels(labels)
            at = switched.start_from(best.hinge, problem.with_labels(best.labels).signs)
            trial = solve_hinge(switched, at, TRIAL_TOL)
            following = problem.signs(trial, labels)
            n_iter += 1
            if (following == best.labels).all():
                continue  # the row went back
            at = problem.with_labels(following).start_from(trial, switched.signs)
            result = descend(problem, following, at, tol, max_iter, start="switched")
            n_iter += result.n_iter
            if result.objective < best.objective * (1.0 - 10.0 * tol):
                best, tried = result, 1
                break
    return best, n_iter
