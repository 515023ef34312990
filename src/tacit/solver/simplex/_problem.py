"""The problem of more than two classes: soft labels on the simplex, one column a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit._typing import Mask, Matrix, Vector
from tacit.solver._problem import relative


@dataclass(frozen=True)
class Judgement:
    """How good labels are: duality gap, objective, and how far equalities are from holding."""

    gap: float
    objective: float
    infeasibility: float
    scale: float

    @property
    def relative_gap(self) -> float:
        """The gap over the objective, or over a small part of the scale if that is larger."""
        return relative(self.gap, self.objective, self.scale)

    @property
    def badness(self) -> float:
        """The relative gap, or the violation of the equalities if that is larger."""
        return max(self.relative_gap, self.infeasibility)


@dataclass(frozen=True)
class SimplexProblem:
    """Minimise 1/2 ||Z_soft||_F^2 with Z = V'P - target over soft labels P, rows on the simplex.

    The first `n_equalities` rows of Z are not minimised but held at zero; all others are the soft
    part. The rows of P add up to one, so Z 1 = V'1 - target 1 whatever P is: only targets with
    `target 1 = V'1` can be reached (see `centred`).

    Parameters
    ----------
    V : ndarray of shape (U, r)
        One generator a row.
    target : ndarray of shape (r, K)
        The point to approach, one column a class.
    n_equalities : int, default=0
        How many leading columns of V must be met exactly.
    allowed : ndarray of bool of shape (U, K), optional
        The classes that a row may have; all of them by default.
    sizes : ndarray of shape (K,), optional
        How many classes each column stands for, one by default. A column of several counts with
        the square over its size, because they share what is left of it best when all alike.
    """

    V: Matrix
    target: Matrix
    n_equalities: int = 0
    allowed: Mask | None = None
    sizes: Vector | None = None

    def __post_init__(self) -> None:
        """Refuse shapes that do not belong together."""
        if self.V.ndim != 2 or self.target.ndim != 2 or len(self.target) != self.V.shape[1]:
            raise ValueError(
                f"V has shape {self.V.shape} and target has shape {self.target.shape}; "
                "V must be (U, r) and target (r, K)."
            )
        if not 0 <= self.n_equalities <= self.rank:
            raise ValueError(
                f"n_equalities is {self.n_equalities}; it must lie between 0 and the {self.rank} "
                "columns of V."
            )
        if self.allowed is None:
            return
        if self.allowed.shape != (self.n_labels, self.n_classes):
            raise ValueError(
                f"allowed has shape {self.allowed.shape}; it must be "
                f"{(self.n_labels, self.n_classes)}, one value for each row and class."
            )
        if not self.allowed.any(axis=1).all():
            raise ValueError("allowed leaves a row without any class; each needs at least one.")

    @property
    def n_labels(self) -> int:
        """U, the number of rows with a soft label."""
        return int(self.V.shape[0])

    @property
    def rank(self) -> int:
        """The number of directions r in which a labeling can move the coefficients of a class."""
        return int(self.V.shape[1])

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.target.shape[1])

    @cached_property
    def scale(self) -> float:
        """The mean of the objective over all labelings by one class a row, in closed form.

        As in BoxProblem: positive unless there is nothing to decide, and the same for any order of
        the classes. For K = 2 it is twice that of the box problem, as the objective is.
        """
        V, target = self.V[:, self.n_equalities :], self.target[self.n_equalities :]
        share = self.uniform()
        centre = V.T @ share - target
        spread = float((V**2).sum(axis=1) @ ((share - share**2) / self.counts).sum(axis=1))
        return float(0.5 * np.vdot(centre, centre / self.counts) + 0.5 * spread)

    @property
    def counts(self) -> Vector:
        """How many classes each column stands for."""
        return np.ones(self.n_classes) if self.sizes is None else self.sizes

    def whole(self) -> SimplexProblem:
        """The same problem with the equalities among what is minimised."""
        return SimplexProblem(self.V, self.target, 0, self.allowed, self.sizes)

    def times(self, factor: float) -> SimplexProblem:
        """The same problem in another unit."""
        V, target = self.V * factor, self.target * factor
        return SimplexProblem(V, target, self.n_equalities, self.allowed, self.sizes)

    def uniform(self) -> Matrix:
        """The labels that give the same share to every class that a row may have."""
        if self.allowed is None:
            return np.full((self.n_labels, self.n_classes), 1.0 / self.n_classes)
        return np.asarray(self.allowed / self.allowed.sum(axis=1, keepdims=True))

    def centred(self) -> SimplexProblem:
        """The same problem without what no labels can change: the mean of Z over the classes.

        It has the same minimisers, and an objective that is smaller by a constant.
        """
        surplus = self.V.sum(axis=0) - self.target.sum(axis=1)
        target = self.target + np.outer(surplus, self.counts / self.counts.sum())
        return SimplexProblem(self.V, target, self.n_equalities, self.allowed, self.sizes)

    def residual(self, P: Matrix) -> Matrix:
        """Z = V'P - target."""
        return np.asarray(self.V.T @ P - self.target)

    def objective(self, P: Matrix) -> float:
        """1/2 ||Z_soft||_F^2."""
        Z = self.residual(P)[self.n_equalities :]
        return float(0.5 * np.vdot(Z, Z / self.counts))

    def dual(self, P: Matrix) -> Matrix:
        """The dual matrix that belongs to P where there are no equalities: Q = Z over the sizes."""
        Q = self.residual(P) / self.counts
        Q[: self.n_equalities] = 0.0
        return Q

    def excess(self, Q: Matrix) -> Matrix:
        """For each row and class s_k - min s, with s = v'Q; infinite where not allowed."""
        s = self.V @ Q
        if self.allowed is not None:
            s = np.where(self.allowed, s, np.inf)
        return np.asarray(s - s.min(axis=1, keepdims=True, initial=np.inf))

    def judge(self, P: Matrix, Q: Matrix | None = None) -> Judgement:
        """Gap, objective and violation of the equalities, at once."""
        Z = self.residual(P)
        k = self.n_equalities
        objective = 0.5 * float(np.vdot(Z[k:], Z[k:] / self.counts))
        if Q is None:
            Q = Z / self.counts
            Q[:k] = 0.0
        excess = self.excess(Q)
        if self.allowed is not None:
            excess = np.where(self.allowed, excess, 0.0)
        mismatch = Z[k:] / self.counts - Q[k:]
        apart = 0.5 * np.vdot(mismatch, mismatch * self.counts)
        gap = np.vdot(P, excess) + apart - np.vdot(Q[:k], Z[:k])
        return Judgement(float(gap), objective, float(np.linalg.norm(Z[:k])), self.scale)

    def gap(self, P: Matrix, Q: Matrix | None = None) -> float:
        """The exact difference between the objective at P and the dual objective at Q.

        For Q = Z it is sum_i sum_k p_ik (s_ik - min_l s_il) with s = V Q, and half the squared
        distance from Z to the optimal Z is never larger.
        """
        return self.judge(P, Q).gap

    def infeasibility(self, P: Matrix) -> float:
        """How far the equalities are from holding, as a Euclidean norm."""
        return float(np.linalg.norm(self.residual(P)[: self.n_equalities]))

    def kkt_residual(self, P: Matrix, Q: Matrix | None = None) -> float:
        """The largest part of a label on a class that is not the lowest, in units of `scale`.

        That is the largest min(p_ik, (s_ik - min_l s_il) / scale), zero at the answer.
        """
        if self.n_labels == 0 or self.scale == 0.0:
            return 0.0
        excess = self.excess(self.dual(P) if Q is None else Q)
        return float(np.minimum(P, excess / self.scale).max())

    def relative_gap(self, P: Matrix, Q: Matrix | None = None) -> float:
        """The gap over the objective, or over a small part of `scale` if that is larger."""
        return self.judge(P, Q).relative_gap
