"""A support vector machine with given labels: the convex problem inside every margin method."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit._typing import Vector
from tacit.family._svm_geometry import Geometry
from tacit.solver._stopping import StopReason


class HingeStatus(StopReason):
    """Why the solver stopped."""

    OPTIMAL = "optimal"
    MAX_ITERATIONS = "max_iterations"
    STALLED = "stalled"
    """Rounding errors stopped all progress before the tolerance was met."""

    @property
    def is_success(self) -> bool:
        """Whether the tolerance was met."""
        return self is HingeStatus.OPTIMAL


@dataclass(frozen=True)
class HingeProblem:
    r"""Hinge losses of labeled rows with a quadratic penalty.

    .. math:: \min_{w, b} \tfrac12 \|w\|^2
        + \sum_i c_i \max(0, m_i - s_i(\langle x_i, w\rangle + b))

    The dual, with :math:`\beta_i = s_i\alpha_i`, is

    .. math:: \max_\alpha \sum_i m_i\alpha_i - \tfrac12 \Bigl\|\sum_i \beta_i x_i\Bigr\|^2,
        \qquad 0 \le \alpha_i \le c_i, \quad \sum_i \beta_i = 0,

    the last only where there is an intercept b.

    The signs s are the labels, -1 or 1, the margins m usually 1, and the costs c not negative.
    """

    geometry: Geometry
    signs: Vector
    margins: Vector
    costs: Vector
    intercept: bool

    def violations(self, values: Vector) -> Vector:
        """By how much rows of these decision values miss their margins."""
        return np.asarray(self.margins - self.signs * values)

    def loss(self, values: Vector) -> float:
        """The hinge losses of decision values."""
        return float(self.costs @ np.maximum(self.violations(values), 0.0))

    def feasible(self, alpha: Vector) -> Vector:
        """The dual point near `alpha` that meets the constraints, the sum to rounding."""
        alpha = np.clip(alpha, 0.0, self.costs)
        if not self.intercept:
            return np.asarray(alpha)
        excess = float(self.signs @ alpha)
        # Rows off their bounds take what is wrong, so that those at a bound stay there.
        room = np.where(self.signs * excess > 0, alpha, self.costs - alpha)
        room[(alpha <= 0.0) | (alpha >= self.costs)] = 0.0
        total = float(room.sum())
        if total >= abs(excess):
            return np.asarray(alpha - self.signs * room * (excess / total if total > 0 else 0.0))
        # Shrinking the heavier side keeps every box.
        heavy = self.signs * excess > 0
        weight = float(alpha[heavy].sum())
        alpha[heavy] *= (weight - abs(excess)) / weight
        return np.asarray(alpha)

    def best_intercept(self, values: Vector) -> float:
        """The intercept with the smallest loss; of an interval of these the middle.

        The slope of the loss is a step function of b with a step of c_i where row i meets its
        margin, so that its zero is a weighted median.
        """
        if not self.intercept:
            return 0.0
        meets = self.signs * self.margins - values
        order = np.argsort(meets, kind="stable")
        climbed = np.cumsum(self.costs[order])
        target = self.costs[self.signs > 0].sum()
        # The slope is zero to rounding between two rows: an interval of equally good intercepts.
        slack = 1e-12 * climbed[-1]
        first = int(np.searchsorted(climbed, target - slack))
        last = int(np.searchsorted(climbed, target + slack))
        first, last = min(first, len(order) - 1), min(last, len(order) - 1)
        return float(0.5 * (meets[order[first]] + meets[order[last]]))

    def measure(
        self, alpha: Vector, status: HingeStatus = HingeStatus.OPTIMAL, n_iter: int = 0
    ) -> HingeSolution:
        """The solution that the dual point `alpha` stands for, and its duality gap."""
        alpha = self.feasible(alpha)
        w = self.geometry.combine(self.signs * alpha)
        values = self.geometry.values(w)
        squared_norm = self.geometry.inner(w, w, values)
        b = self.best_intercept(values)
        values = values + b
        return HingeSolution(
            w=w,
            b=b,
            alpha=alpha,
            values=values,
            squared_norm=squared_norm,
            objective=0.5 * squared_norm + self.loss(values),
            dual_objective=float(self.margins @ alpha) - 0.5 * squared_norm,
            status=status,
            n_iter=n_iter,
            noise=float(np.finfo(float).eps * alpha.sum() ** 2 * self.geometry.mean_square()),
        )

    def start_from(self, solution: HingeSolution, signs: Vector) -> HingeSolution:
        """Where to start from a solution for `signs`, some of which have changed."""
        guess = np.where(self.violations(solution.values) > 0.0, self.costs, 0.0)
        return replace(solution, alpha=np.where(self.signs != signs, guess, solution.alpha))


@dataclass(frozen=True)
class HingeSolution:
    """A support vector machine with the certificate of its optimality.

    Attributes
    ----------
    w : ndarray
        The normal vector, as the geometry represents it.
    b : float
        The intercept.
    alpha : ndarray of shape (n,)
        The dual point, feasible.
    values : ndarray of shape (n,)
        Decision values of all rows.
    squared_norm : float
        ||w||^2.
    objective, dual_objective : float
        Of w and b, and of alpha: bounds of the smallest objective from above and below.
    status : HingeStatus
        Why the solver stopped.
    n_iter : int
        Newton steps.
    noise : float
        What rounding may do to either objective: inner products of features far from their origin,
        or of steep kernels, lose digits.
    """

    w: Vector
    b: float
    alpha: Vector
    values: Vector
    squared_norm: float
    objective: float
    dual_objective: float
    status: HingeStatus
    n_iter: int
    noise: float = 0.0

    def gap(self) -> float:
        """By how much the objective can be above the smallest at the most."""
        return max(0.0, self.objective - self.dual_objective)

    def relative_gap(self) -> float:
        """The gap as a part of the objective."""
        return self.gap() / self.objective if self.objective > 0 else 0.0

    def is_optimal(self, tol: float) -> bool:
        """Whether the relative gap is at most `tol`, or too small to be told from rounding."""
        return self.gap() <= max(tol * self.objective, self.noise)
