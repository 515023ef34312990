"""The semi-supervised support vector machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tacit._typing import Vector
from tacit.estimators._parameters import Number
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._margin import MarginClassifier, MarginProblem
from tacit.family._svm import Features, HingeSolution, solve_hinge
from tacit.solver._solution import StopReason

# The parts of the unlabeled cost that annealing passes through. Below the first the unlabeled rows
# hardly matter, so that it starts from the supervised solution.
ANNEALING = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
# Rounds after which only the best of several runs goes on. Small problems have settled by then.
FIRST_ROUNDS = 5
# A trial of the search needs to be just good enough to tell which labels would change.
TRIAL_TOL = 1e-4
# Gains below this part of the objective are none: with ties, as among equal rows, labels could go
# to and fro for ever.
LEAST_GAIN = 1e-6
# Digits to which rows are equally near to the boundary.
NEAR = 6


class TransductiveStatus(StopReason):
    """Why the rounds stopped."""

    FIXED_POINT = "fixed_point"  #: No label changed: a local minimum, up to ties.
    MAX_ITERATIONS = "max_iterations"
    INEXACT = "inexact"  #: The convex problem of the last round was not solved to its tolerance.

    @property
    def is_success(self) -> bool:
        """Whether the labels settled and the last problem was solved."""
        return self is TransductiveStatus.FIXED_POINT


@dataclass(frozen=True)
class TransductiveSolution:
    """A local minimum of a transductive problem."""

    hinge: HingeSolution  #: The convex problem of the last round, with its duality gap.
    labels: Vector  #: The labels of the unlabeled rows, -1 or 1.
    objective: float  #: The objective of the transductive problem.
    objectives: tuple[float, ...]  #: After every round of the run that led here; they never rise.
    start: str  #: Which start the run had.
    status: TransductiveStatus  #: Why it stopped.
    n_iter: int  #: Convex problems solved, over all starts and trials.


class S3VMClassifier(MarginClassifier):
    r"""Semi-supervised, or transductive, support vector machine (Bennett & Demiriz 1998).

    Looks for a wide margin on labeled and unlabeled rows alike, so that the boundary runs where
    rows are few:

    .. math:: \min_f \tfrac12\|f\|^2 + C\sum_{i=1}^{L}\max(0, 1 - y_i f(x_i))
        + C_u\sum_{j=1}^{U}\max(0, 1 - |f(x_j)|)
        \quad\text{subject to}\quad \frac1U\sum_{j=1}^U f(x_j) = r.

    The balancing constraint keeps all unlabeled rows from falling on one side. This is not convex:
    the answer is a local minimum, and nothing guarantees that it is better than the supervised
    machine. Use it where clusters are known to be classes.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the loss of a labeled row.
    C_unlabeled : float, default=0.1
        Cost of the loss of an unlabeled row. What they weigh together grows with their number.
    $margin_kernel
    balance : bool or float, default=True
        The balancing constraint: the mean r of f over the unlabeled rows is the mean of the labels,
        -1 and 1, of the labeled ones (True), or 2p - 1 for a part p of `classes_[1]`, between 0
        and 1. False: no constraint.
    n_switches : int, default=20
        Trials at the end that switch the label of one row near the boundary; 0 for none.
    tol : float, default=1e-8
        The relative duality gap to which the convex problem of the last round is solved.
    max_iter : int, default=1000
        Rounds of one run at the most.
    $unlabeled

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    coef_ : ndarray of shape (1, d)
        Coefficients, for the linear kernel.
    X_fit_ : ndarray, sparse matrix or None
        For other kernels, the labeled and then the unlabeled rows; None for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, N)
        For other kernels: the decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`.
    intercept_ : ndarray of shape (1,)
        The constant of f. Decisions of -1 and 1 are the margins.
    soft_labels_ : ndarray of shape (U,)
        The labels of the unlabeled rows, 1 for `classes_[1]` and 0 for the other: those marked in
        y, in order, then those of X_unlabeled.
    objective_ : float
        The objective above.
    solution_ : tacit.family.TransductiveSolution
        The solver's result: status, the objective after every round, the duality gap of the last.
    n_iter_ : int
        Convex problems solved, over all starts and trials; 0 without unlabeled rows.
    $features_

    See Also
    --------
    S4VMClassifier : Hedges between many such minima.
    sklearn.svm.SVC : The supervised twin, with the same decisions where no row is unlabeled.

    Notes
    -----
    Each round fits a support vector machine to the labels of the last one by a semismooth Newton
    method, O((L + U) d) a step for the linear kernel and O((L + U)^2) for others, and relabels; the
    objective falls with every change of labels. Runs begin at the supervised machine, at the
    supervised machine under the balancing constraint, and from that at small unlabeled costs that
    grow; the best one is kept and improved by switching single labels. There is no randomness.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import S3VMClassifier
    >>> model = S3VMClassifier(balance=0.6).fit(X, partly)
    >>> model.score(X, y) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "balance": ["boolean", Number(Real, 0, 1, closed="neither")],
        "n_switches": [Number(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        C: float = 1.0,
        C_unlabeled: float = 0.1,
        kernel: Any = "linear",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        balance: bool | float = True,
        n_switches: int = 20,
        tol: float = 1e-8,
        max_iter: int = 1000,
        unlabeled: Any = -1,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.balance = balance
        self.n_switches = n_switches
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            rows = self._margin_rows(data)
            has_unlabeled = bool(rows.unlabeled_weights.any())
            is_balanced, mean = has_unlabeled and bool(self.balance), 0.0
            if is_balanced:
                is_switch = isinstance(self.balance, bool | np.bool_)
                mean = rows.mean_label if is_switch else 2.0 * float(self.balance) - 1.0
            origin = rows.origin(of_unlabeled=is_balanced)
            features = Features(rows.Z - origin @ rows.Z, intercept=not is_balanced)
            problem = MarginProblem(features, rows.y, rows.costs, mean)
            starts = {}
            for name in ("balanced", "supervised") if is_balanced else ("supervised",):
                _, values = problem.supervised(name == "balanced", self.tol)
                starts[name] = np.where(values > 0, 1.0, -1.0)
            solution = minimise(problem, starts, self.n_switches, self.tol, self.max_iter)
        hinge = solution.hinge
        self._store(rows, origin, hinge.signs * hinge.alpha, hinge.b + mean)
        # Rows on the boundary belong where `predict` puts them.
        self.soft_labels_ = np.asarray(problem.values(hinge) > 0, dtype=np.float64)
        self.n_iter_ = solution.n_iter if has_unlabeled else 0
        self.solution_ = replace(solution, n_iter=self.n_iter_)
        self.objective_ = solution.objective
        if solution.status is TransductiveStatus.MAX_ITERATIONS:
            self._warn(
                f"stopped after {len(solution.objectives)} rounds with labels that still change; "
                f"raise max_iter (now {self.max_iter})"
            )
        else:
            self._warn_of_gap(hinge)


def _relabeled(values: Vector, labels: Vector) -> Vector:
    """The signs of the values; rows on the boundary keep their labels."""
    return np.where(values == 0.0, labels, np.sign(values))


def descend(
    problem: MarginProblem,
    labels: Vector,
    at: HingeSolution | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    part: float = 1.0,
    start: str = "given",
    relabel: Callable[[Vector, Vector], Vector] = _relabeled,
) -> TransductiveSolution:
    """Fit with the labels, relabel by the fit, and so on until no label changes.

    The convex problem with labels touches the objective from above at the f that gave the labels:
    the objective falls with every change of labels. `relabel` makes the labels with the smallest
    losses, of all or of some, from the values of f and the last labels.
    """
    objectives: list[float] = []
    status, following = TransductiveStatus.MAX_ITERATIONS, labels
    least_gain = min(tol, LEAST_GAIN)
    while len(objectives) < max_iter and status is TransductiveStatus.MAX_ITERATIONS:
        labels = following
        at = solve_hinge(problem.with_labels(labels, part), at, tol)
        following = relabel(problem.values(at), labels)
        losses = problem.with_labels(following, part).loss(at.values)
        objectives.append(0.5 * at.squared_norm + losses)
        stays = len(objectives) > 1 and objectives[-1] >= objectives[-2] * (1.0 - least_gain)
        if stays or (following == labels).all():
            solved = at.status.is_success
            status = TransductiveStatus.FIXED_POINT if solved else TransductiveStatus.INEXACT
    assert at is not None
    return TransductiveSolution(
        at, labels, objectives[-1], tuple(objectives), start, status, len(objectives)
    )


def anneal(problem: MarginProblem, labels: Vector, rounds: int) -> TransductiveSolution:
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
    problem: MarginProblem,
    starts: Mapping[str, Vector],
    n_switches: int = 20,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> TransductiveSolution:
    """The best local minimum from several starts, improved by switching single labels.

    `starts` are labels to descend from, by name; annealing begins with the first of them. At most
    `n_switches` trials switch the label of one row, those closest to the boundary first.
    """
    rounds = min(FIRST_ROUNDS, max_iter)
    found = [
        descend(problem, labels, None, TRIAL_TOL, rounds, start=name)
        for name, labels in starts.items()
    ]
    found.append(anneal(problem, next(iter(starts.values())), rounds))
    best = min(found, key=lambda result: result.objective)
    settled = descend(problem, best.labels, best.hinge, tol, max_iter, start=best.start)
    n_iter = settled.n_iter + sum(result.n_iter for result in found)
    return _switch(problem, replace(settled, n_iter=n_iter), n_switches, tol, max_iter)


def _switch(
    problem: MarginProblem, best: TransductiveSolution, n_switches: int, tol: float, max_iter: int
) -> TransductiveSolution:
    """Descend from the labels of `best` with one of them switched, as long as that helps."""
    n_iter, tried = best.n_iter, set[int]()
    for _ in range(n_switches):
        # Support vectors; of those equally near, as all on the margin are, the heaviest first.
        alpha = best.hinge.alpha[len(problem.y) :]
        near = np.lexsort((-alpha, np.abs(problem.values(best.hinge)).round(NEAR)))
        left = [row for row in near.tolist() if alpha[row] > 0.0 and row not in tried]
        if not left:
            break
        row = left[0]
        tried.add(row)
        labels = best.labels.copy()
        labels[row] *= -1.0
        trial = solve_hinge(problem.with_labels(labels), best.hinge, TRIAL_TOL)
        following = _relabeled(problem.values(trial), labels)
        n_iter += 1
        if (following == best.labels).all():
            continue  # the row went back
        result = descend(problem, following, trial, tol, max_iter, start="switched")
        n_iter += result.n_iter
        if result.objective < best.objective * (1.0 - 10.0 * tol):
            best, tried = result, set()
    return replace(best, n_iter=n_iter)
