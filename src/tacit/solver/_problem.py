"""The one problem behind every estimator: the point of a zonotope nearest to a target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit._typing import Matrix, Vector

# The gap is judged against the objective, but never against less than this part of its mean
# over all labelings. At the default tolerance of 1e-8 that asks for a gap of 1e-12 of the mean,
# four digits above the rounding error of the gap itself.
SCALE_FLOOR = 1e-4


@dataclass(frozen=True)
class BoxProblem:
    """Minimise 1/2 ||z_soft||^2 with z = V'u - target over soft labels u in [0, 1]^U.

    The first `n_equalities` entries of z are not minimised but held at zero; all others are the
    soft part. Without equalities this is the Euclidean projection of `target` onto the zonotope
    V'[0, 1]^U.

    Parameters
    ----------
    V : ndarray of shape (U, r)
        One generator of the zonotope a row.
    target : ndarray of shape (r,)
        The point to approach.
    n_equalities : int, default=0
        How many leading columns must be met exactly.
    """

    V: Matrix
    target: Vector
    n_equalities: int = 0

    def __post_init__(self) -> None:
        """Refuse shapes that do not belong together."""
        if self.V.ndim != 2 or self.target.shape != self.V.shape[1:]:
            raise ValueError(
                f"V has shape {self.V.shape} and target has shape {self.target.shape}; "
                "V must be (U, r) and target (r,)."
            )
        if not 0 <= self.n_equalities <= self.rank:
            raise ValueError(
                f"n_equalities is {self.n_equalities}; it must lie between 0 and the {self.rank} "
                "columns of V."
            )

    @property
    def n_labels(self) -> int:
        """U, the number of soft labels."""
        return int(self.V.shape[0])

    @property
    def rank(self) -> int:
        """The number of directions r in which a labeling can move the coefficients."""
        return int(self.V.shape[1])

    @cached_property
    def scale(self) -> float:
        """The mean of the objective over all 2^U labelings, in closed form.

        It is positive unless there is nothing to decide, does not change when the classes are
        swapped, and so gives "small" a meaning when the optimal objective itself is zero.
        """
        V, target = self.V[:, self.n_equalities :], self.target[self.n_equalities :]
        centre = 0.5 * V.sum(axis=0) - target
        return float(0.5 * centre @ centre + 0.125 * np.vdot(V, V))

    def residual(self, u: Vector) -> Vector:
        """z = V'u - target."""
        return u @ self.V - self.target

    def objective(self, u: Vector) -> float:
        """1/2 ||z_soft||^2."""
        z = self.residual(u)[self.n_equalities :]
        return float(0.5 * z @ z)

    def dual(self, u: Vector) -> Vector:
        """The dual vector that belongs to u where there are no equalities: q = z."""
        q = self.residual(u)
        q[: self.n_equalities] = 0.0
        return q

    def gap(self, u: Vector, q: Vector | None = None) -> float:
        """The exact difference between the objective at u and the dual objective at q.

        For q = z it is sum_i u_i max(0, s_i) + (1 - u_i) max(0, -s_i) with s = V q, and half the
        squared distance from z to the optimal z is never larger.
        """
        z = self.residual(u)
        if q is None:
            q = z.copy()
            q[: self.n_equalities] = 0.0
        s = self.V @ q
        complementarity = float(np.where(s > 0, u * s, (u - 1.0) * s).sum())
        k = self.n_equalities
        mismatch = z[k:] - q[k:]
        return float(complementarity + 0.5 * mismatch @ mismatch - q[:k] @ z[:k])

    def infeasibility(self, u: Vector) -> float:
        """How far the equalities are from holding, as a Euclidean norm."""
        return float(np.linalg.norm(self.residual(u)[: self.n_equalities]))

    def kkt_residual(self, u: Vector, q: Vector | None = None) -> float:
        """The largest violation of u = clip(u - s, 0, 1), with s = V q in units of `scale`."""
        if self.n_labels == 0 or self.scale == 0.0:
            return 0.0
        s = self.V @ (self.dual(u) if q is None else q)
        return float(np.abs(u - np.clip(u - s / self.scale, 0.0, 1.0)).max())

    def relative_gap(self, u: Vector, q: Vector | None = None) -> float:
        """The gap over the objective, or over a small part of `scale` if that is larger."""
        return relative(self.gap(u, q), self.objective(u), self.scale)


def gap_unit(objective: float, scale: float) -> float:
    """What a gap is judged against: the objective, or a small part of `scale` if that is larger."""
    return max(objective, SCALE_FLOOR * scale)


def relative(gap: float, objective: float, scale: float) -> float:
    """`gap` over `objective`, or over a small part of `scale` if that is larger.

    Infinite when any of them is not a number, so that broken labels are never called optimal.
    """
    unit = gap_unit(objective, scale)
    if not np.isfinite(gap + unit):
        return float("inf")
    return max(gap, 0.0) / unit if unit > 0.0 else 0.0
