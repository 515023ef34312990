"""Self-learning with soft labels: one convex problem, solved by a semismooth Newton method."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.estimators._implicit import warn_if_unfinished
from tacit.estimators._linear import RegressionClassifier
from tacit.estimators._training import TrainingData
from tacit.rows import Block
from tacit.rows._sweep import add_each
from tacit.solver import Coefficients, ConstraintSet, Status
from tacit.solver._label_sets import LabelSet, NearestLabels, label_set
from tacit.solver._problem import gap_unit, relative

# Part of the predicted decrease that a step must bring (Armijo), and how often it is halved.
SUFFICIENT, HALVINGS = 1e-4, 50
# Rounding errors of the objective, relative to it.
ROUNDING = 1e-14
# Where labels leave directions open, the pull towards the supervised solution relative to the
# smallest curvature that they determine, and the curvature below which a direction is open.
PULL, OPEN = 1e-8, 1e-4


@dataclass(frozen=True)
class SoftSelfLearningResult:
    """The minimiser, with the certificate of its optimality."""

    coefficients: Coefficients  #: The answer.
    #: Why the solver stopped; INSIDE if the supervised solution itself is the answer.
    status: Status
    n_iter: int  #: Newton steps.
    n_sweeps: int  #: Passes over the unlabeled rows.
    objective: float  #: Half the squared loss, distances of unlabeled rows and penalty included.
    scale: float  #: The objective of the constant one half, which gives the gap an absolute unit.
    duality_gap: float  #: The objective is at most this far above its minimum.

    def gap(self) -> float:
        """The duality gap."""
        return self.duality_gap

    def relative_gap(self) -> float:
        """The gap over the objective, or over 1e-4 of `scale` where the objective is smaller."""
        return relative(self.duality_gap, self.objective, self.scale)

    def is_optimal(self, tol: float = 1e-8) -> bool:
        """Whether the relative duality gap is at most `tol`, whatever the status says."""
        return self.relative_gap() <= tol


class SoftSelfLearningClassifier(RegressionClassifier):
    r"""Soft-label self-learning for least squares (Krijthe & Loog 2016).

    The labels of the unlabeled rows are chosen together with the coefficients so that the squared
    loss on all rows is smallest, which leaves

    .. math:: \min_\beta \|X\beta - y\|^2 + \alpha\|\beta\|^2
        + \sum_{i=1}^{U} \operatorname{dist}(x_{u,i}'\beta, [0, 1])^2.

    For more than two classes, the distance is to the simplex. An unlabeled row only counts where
    its value is not a label, so values are kept from running away and nothing else happens.

    Parameters
    ----------
    alpha : float or "loo", default=0.0
        Ridge penalty, never on the intercept. "loo" chooses it by leave-one-out on the labeled
        rows.
    $fit_intercept
    $tol
    max_iter : int, default=100
        Newton steps at the most; about ten are needed.
    $unlabeled
    $class_weight

    Attributes
    ----------
    $classes_
    $coef_
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The labels nearest to the values of the unlabeled rows, which are those that least squares
        on all rows needs to give the answer back. For rows on disk or on a cluster computed on
        demand.
    solution_ : tacit.family.SoftSelfLearningResult
        The solver's result, with status and duality gap.
    certificate_ : tacit.solver.Certificate
        Best and worst change of the squared loss over all labelings, against the supervised fit.
        There is no guarantee.
    $supervised_coef_
    $alpha_
    n_iter_ : int
        Newton steps; 0 where the supervised classifier is the answer.
    $features_

    See Also
    --------
    LeastSquaresClassifier : The supervised twin.
    SelfLearningClassifier : With hard labels, which ends in a local minimum.

    Notes
    -----
    A Newton step is one sweep of O(U d^2) at the most for two classes, of O(U d^2 K^2) for more,
    and as many more as it has to be halved; the method ends after finitely many steps and stops on
    the duality gap. Where the labeled rows do not determine all coefficients (L < p), the
    minimiser nearest to the supervised solution in the metric of all rows is taken, so the answer
    is unique.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import SoftSelfLearningClassifier
    >>> round(SoftSelfLearningClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    def __init__(
        self,
        alpha: float | str = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 100,
        unlabeled: Any = -1,
        class_weight: Any = None,
    ) -> None:
        super().__init__(alpha, fit_intercept, unlabeled, class_weight)
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: TrainingData) -> None:
        supervised = self._fit_supervised(data)
        start, rank = supervised.coefficients, supervised.rank
        constraints = supervised.constraint_set(supervised.alpha)
        result = solve_soft_self_learning(constraints, start, rank, self.tol, self.max_iter)
        answer = result.coefficients
        self._store(answer, start)
        self.solution_, self.n_iter_ = result, result.n_iter
        self.soft_labels_ = data.unlabeled.map(NearestLabels(answer))
        # Values that are labels agree with themselves as labels. Of others it does not know.
        in_set = True if result.status in (Status.INSIDE, Status.EMPTY) else None
        self.certificate_ = supervised.certify(answer, supervised_in_set=in_set)
        warn_if_unfinished(self, f"raise tol (now {self.tol:g}) or scale the features")


def solve_soft_self_learning(
    constraints: ConstraintSet,
    start: Coefficients,
    labeled_rank: int,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> SoftSelfLearningResult:
    """Minimise the squared loss with the labels of the unlabeled rows chosen at will.

    The objective is convex, once differentiable, and quadratic in pieces. A Newton step costs one
    sweep of O(U d^2 K^2) at the most (rows with values inside the interval only cost O(d)) and
    O((K d)^3); the method ends after finitely many. Among several minimisers, which there may be if
    the labeled rows do not determine all coefficients, that nearest to `start` is taken.
    """
    problem = _Problem(constraints, start, labeled_rank)
    weight = constraints.unlabeled_moments.weight
    answer, gap, n_iter = problem.at(problem.start), 0.0, 0
    if answer.distances <= ROUNDING**2 * weight:
        coefficients, status = start, Status.INSIDE if weight else Status.EMPTY
    else:
        answer, gap, n_iter = _minimise(problem, answer, tol, max_iter)
        status = Status.MAX_ITERATIONS if n_iter == max_iter else Status.STALLED
        if relative(gap, answer.objective, problem.scale) <= tol:
            status = Status.OPTIMAL
        theta = answer.theta[0] if start.coef.ndim == 1 else answer.theta.T
        coefficients = problem.functions.combine(theta)
    return SoftSelfLearningResult(
        coefficients, status, n_iter, problem.n_sweeps, answer.objective, problem.scale, gap
    )


def _minimise(
    problem: _Problem, at: _Point, tol: float, max_iter: int
) -> tuple[_Point, float, int]:
    """Newton's method from a point: the answer, its gap, and the steps."""
    for n_iter in range(max_iter + 1):
        step, decrease = problem.newton_step(at)
        unit = gap_unit(at.objective, problem.scale)
        is_last = n_iter == max_iter or decrease <= ROUNDING**2 * unit
        # The gap is of first order in the gradient, and the predicted decrease of second.
        if is_last or decrease <= tol**2 * unit:
            answer, gap = problem.polished(at)
            if is_last or relative(gap, answer.objective, problem.scale) <= tol:
                return answer, gap, n_iter
        following = problem.descend(at, step, decrease)
        if following is None:
            break
        at = following
    return *problem.polished(at), n_iter


class _Point(NamedTuple):
    """Coefficients theta and what one sweep tells of them."""

    theta: Matrix
    distances: float  # half the squared distances of the unlabeled rows
    objective: float
    pulled: float  # the objective with the pull
    gradient: Matrix
    hessian: Matrix


class _Problem:
    """The problem in coordinates theta of the basis of all rows, m x r numbers.

    There all curvatures lie between 0 and 1. Where labels leave directions open, theta is pulled
    towards the start.
    """

    def __init__(self, constraints: ConstraintSet, start: Coefficients, labeled_rank: int) -> None:
        self.unlabeled, self.functions = constraints.unlabeled, constraints.basis.functions
        rows = constraints.labeled
        Z = self.functions.values(rows.X)
        root = np.ones(len(Z)) if rows.weights is None else np.sqrt(rows.weights)
        penalty = np.sqrt(constraints.basis.alpha) * self.functions.coef
        Y = rows.y.reshape(len(Z), -1)
        # A penalty is so many more labeled rows without an intercept and with the value zero.
        self.Z = np.vstack([root[:, None] * Z, penalty])
        self.Y = np.vstack([root[:, None] * Y, np.zeros((len(penalty), Y.shape[1]))])
        self.gram = self.Z.T @ self.Z
        self.set: LabelSet = label_set(Y)
        self.start: Matrix = constraints.coordinates(start).reshape(-1, Y.shape[1]).T
        self.scale = 0.125 * float(root @ root) * Y.shape[1]
        self.n_sweeps = 0
        rank = min(labeled_rank, constraints.basis.rank)
        self.pull = self.open = 0.0
        if rank < constraints.basis.rank:
            weakest = float(np.linalg.eigvalsh(self.gram)[-rank])
            self.pull, self.open = PULL * weakest, OPEN * weakest

    def at(self, theta: Matrix) -> _Point:
        """One sweep."""
        at, size = self.functions.combine(theta.T), theta.size
        swept = self._reduce(partial(_sums_of_block, self.set, at, self.functions))
        residual, moved = self.Z @ theta.T - self.Y, theta - self.start
        objective = 0.5 * float(np.vdot(residual, residual) + swept[0])
        pulled = objective + 0.5 * self.pull * float(np.vdot(moved, moved))
        gradient = residual.T @ self.Z + swept[1]
        hessian = np.kron(np.eye(len(theta)), self.gram) + swept[2].reshape(size, size)
        return _Point(theta, 0.5 * float(swept[0]), objective, pulled, gradient, hessian)

    def newton_step(self, at: _Point) -> tuple[Matrix, float]:
        """The step to the minimum of the piece, and the decrease that it promises."""
        matrix = at.hessian + self.pull * np.eye(at.theta.size)
        gradient = (at.gradient + self.pull * (at.theta - self.start)).ravel()
        try:
            step = np.linalg.solve(matrix, -gradient)
        except np.linalg.LinAlgError:
            step = np.linalg.lstsq(matrix, -gradient, rcond=None)[0]
        return np.asarray(step.reshape(at.theta.shape)), -0.5 * float(gradient @ step)

    def descend(self, at: _Point, step: Matrix, decrease: float) -> _Point | None:
        """The first of the halved steps that keeps its promise, if any does."""
        for halving in range(HALVINGS):
            point = self.at(at.theta + 0.5**halving * step)
            enough = SUFFICIENT * 0.5**halving * decrease - ROUNDING * at.pulled
            if point.pulled <= at.pulled - enough:
                return point
        return None

    def polished(self, at: _Point) -> tuple[_Point, float]:
        """The point without what the pull has done in directions that rows determine; its gap."""
        points = [at]
        if self.pull > 0.0:
            eigenvalues, vectors = np.linalg.eigh(at.hessian)
            kept = vectors[:, eigenvalues > self.open]
            step = kept @ ((kept.T @ at.gradient.ravel()) / eigenvalues[eigenvalues > self.open])
            points.append(self.at(at.theta - step.reshape(at.theta.shape)))
        gaps = [self.gap(point) for point in points]
        best = int(np.argmin(gaps))
        return points[best], gaps[best]

    def gap(self, at: _Point) -> float:
        """The exact difference to the dual objective at the nearest dual feasible point.

        The residuals of all rows would be dual feasible if the gradient were zero. Taking its
        value from the residual of each row makes them so, because the basis is orthonormal.
        """
        residual = self.Z @ at.gradient.T
        values, off = self.functions.combine(at.theta.T), self.functions.combine(at.gradient.T)
        swept = self._reduce(partial(_gap_of_block, self.set, values, off))
        return 0.5 * float(np.vdot(residual, residual)) + float(swept[0])

    def _reduce(self, kernel: Any) -> Any:
        self.n_sweeps += 1
        return self.unlabeled.reduce(kernel, add_each)


def curvature(kept: Matrix, k: int, j: int) -> Vector:
    """The derivative by value j of value k less its label; `kept` is one for positive labels."""
    both = kept[:, k] * kept[:, j] / kept.sum(axis=1)
    return np.asarray(both + 1.0 - kept[:, k] if k == j else both)


def _sums_of_block(
    labels: LabelSet, at: Coefficients, basis: Coefficients, block: Block
) -> tuple[Any, ...]:
    """Squared distances, half their gradient and half their second derivatives."""
    values, weights = at.values(block.X), block.weights
    projected = labels.project(values)
    kept, outside = (projected > 0.0).astype(np.float64), np.arange(len(values))
    if values.shape[1] == 1:  # a value inside the interval has no part in it
        outside = np.flatnonzero(values != projected)
        kept = np.ones_like(values)
    Z, residual, kept = basis.values(block.X[outside]), (values - projected)[outside], kept[outside]
    weighted = Z if weights is None else Z * weights[outside, None]
    m, r = values.shape[1], Z.shape[1]
    hessian = np.empty((m, r, m, r))
    for k, j in combinations_with_replacement(range(m), 2):
        hessian[k, :, j] = (weighted * curvature(kept, k, j)[:, None]).T @ Z
        hessian[j, :, k] = hessian[k, :, j]
    squares = (residual**2).sum(axis=1)
    value = squares.sum() if weights is None else weights[outside] @ squares
    return value, residual.T @ weighted, hessian


def _gap_of_block(
    labels: LabelSet, at: Coefficients, off: Coefficients, block: Block
) -> tuple[float]:
    values = at.values(block.X)
    residual = values - labels.project(values)
    slopes = residual - off.values(block.X)
    # The largest product with a label: max(0, s), or the largest entry.
    support = slopes.max(axis=1, initial=0.0 if slopes.shape[1] == 1 else -np.inf)
    # Fenchel and Young: the distance at the value and its conjugate at the slope.
    gaps = 0.5 * (residual**2 + slopes**2).sum(axis=1) + support - (slopes * values).sum(axis=1)
    return (float(gaps.sum() if block.weights is None else block.weights @ gaps),)
