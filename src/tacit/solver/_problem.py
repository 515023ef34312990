"""The one problem behind every estimator: the point of a zonotope nearest to a target."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

import numpy as np

from tacit._cached import cached_property
from tacit._typing import Mask, Matrix, Vector
from tacit.rows import Block, Moments, Rows, Sample
from tacit.solver._basis import Coefficients
from tacit.solver._label_sets import Interval, LabelSet, Simplex

# The gap is judged against the objective, but never against less than this part of its mean
# over all labelings. At the default tolerance of 1e-8 that asks for a gap of 1e-12 of the mean,
# four digits above the rounding error of the gap itself.
SCALE_FLOOR = 1e-4
# The target counts as reached when the residual is this part of the problem's own size.
REACHED = 1e-11
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Judgement:
    """How good labels are: duality gap, objective, and how far equalities are from holding."""

    gap: float
    objective: float
    infeasibility: float
    scale: float
    # What the gap is in doubt by, because equalities hold to rounding only: far multipliers could
    # make any labels seem optimal.
    rounding: float = 0.0

    @property
    def relative_gap(self) -> float:
        """The gap over the objective, or over a small part of the scale if that is larger."""
        return relative(self.gap + self.rounding, self.objective, self.scale)

    @property
    def bound(self) -> float:
        """By how much the objective is above the lowest at the most: none is below zero."""
        return min(max(self.gap + self.rounding, 0.0), self.objective)

    @property
    def badness(self) -> float:
        """The relative gap, or the violation of the equalities if that is larger."""
        return max(self.relative_gap, self.infeasibility)


class _Measured:
    """What a problem knows of itself without any labels."""

    target: Matrix
    n_equalities: int

    @cached_property
    def label_set(self) -> LabelSet:
        """Where a label may lie: the interval for two classes, the simplex for more."""
        return Interval() if self.target.ndim == 1 else Simplex(self.target.shape[1])

    @property
    def n_classes(self) -> int:
        """K."""
        return self.label_set.n_vertices

    @property
    def rank(self) -> int:
        """The number of directions r in which a labeling can move the coefficients of a class."""
        return len(self.target)

    @cached_property
    def scale(self) -> float:
        """The mean of the objective over all labelings by one class a row, in closed form.

        It is positive unless there is nothing to decide, is the same for any order of the classes,
        and so gives "small" a meaning when the optimal objective itself is zero. On the simplex
        of two classes it is twice that on the interval, as the objective is.
        """
        return self._mean_objective(self.n_equalities)

    @cached_property
    def unit(self) -> float:
        """The length that makes the mean of 1/2 ||z||^2, equalities included, one half."""
        return float(np.sqrt(2.0 * self._mean_objective(0)))

    def _mean_objective(self, first: int) -> float:
        raise NotImplementedError


@dataclass(frozen=True)
class Problem(_Measured):
    """Minimise 1/2 ||z_soft||^2 with z = V'u - target over soft labels u.

    For two classes a label is a number in [0, 1], and `target` is a vector; for more it lies on the
    simplex, and target, labels and z have one column a class (see `label_set`).

    The first `n_equalities` rows of z are not minimised but held at zero; all others are the
    soft part. Without equalities this is the Euclidean projection of `target` onto the zonotope
    of all V'u. Labels on the simplex add up to one, so the sum of z over the classes is the
    same for all of them: only a target with the sum V'1 can be reached (see `centred`).

    Parameters
    ----------
    V : ndarray of shape (U, r)
        One generator of the zonotope a row.
    target : ndarray of shape (r,) or (r, K)
        The point to approach.
    n_equalities : int, default=0
        How many leading columns of V must be met exactly.
    allowed : ndarray of bool of shape (U, K), optional
        The classes that a row may have, on the simplex; all of them by default.
    sizes : ndarray of shape (K,), optional
        How many classes each column stands for, on the simplex; one by default. A column of several
        counts with the square over its size, because they share what is left of it best when
        all alike.
    """

    V: Matrix
    target: Matrix
    n_equalities: int = 0
    allowed: Mask | None = None
    sizes: Vector | None = None

    def __post_init__(self) -> None:
        """Refuse shapes that do not belong together."""
        if self.V.ndim != 2 or self.target.ndim not in (1, 2) or self.rank != self.V.shape[1]:
            raise ValueError(
                f"V has shape {self.V.shape} and target has shape {self.target.shape}; "
                "V must be (U, r) and target (r,) or (r, K)."
            )
        if not 0 <= self.n_equalities <= self.rank:
            raise ValueError(
                f"n_equalities is {self.n_equalities}; it must lie between 0 and the {self.rank} "
                "columns of V."
            )
        if self.allowed is None:
            return
        if self.target.ndim == 1:
            raise ValueError("allowed is for labels on the simplex, and target is a vector.")
        if self.allowed.shape != (self.n_labels, self.target.shape[1]):
            raise ValueError(
                f"allowed has shape {self.allowed.shape}; it must be "
                f"{(self.n_labels, self.target.shape[1])}, one value for each row and class."
            )
        if not self.allowed.any(axis=1).all():
            raise ValueError("allowed leaves a row without any class; each needs at least one.")

    @property
    def n_labels(self) -> int:
        """U, the number of soft labels."""
        return int(self.V.shape[0])

    @cached_property
    def counts(self) -> Matrix:
        """How many classes each column of the target stands for."""
        return np.ones(self.target.shape[1:]) if self.sizes is None else self.sizes

    def _mean_objective(self, first: int) -> float:
        V, target = self.V[:, first:], self.target[first:]
        if self.allowed is None and self.sizes is None:
            centre = np.multiply.outer(V.sum(axis=0), self.label_set.centre) - target
            spread = self.label_set.variance * float(np.vdot(V, V))
        else:
            share = self.uniform()
            centre = V.T @ share - target
            variances = ((share - share**2) / self.counts).sum(axis=1)
            spread = float((V**2).sum(axis=1) @ variances)
        return float(0.5 * np.vdot(centre, centre / self.counts) + 0.5 * spread)

    def uniform(self) -> Matrix:
        """The labels that give the same share to every class that a row may have."""
        if self.allowed is None:
            return np.tile(self.label_set.centre, (self.n_labels, *(1,) * (self.target.ndim - 1)))
        return np.asarray(self.allowed / self.allowed.sum(axis=1, keepdims=True))

    def centred(self) -> Problem:
        """The same problem without what no labels can change: the mean of z over the classes.

        It has the same minimisers, and an objective that is smaller by a constant.
        """
        if self.target.ndim == 1:
            return self
        surplus = self.V.sum(axis=0) - self.target.sum(axis=1)
        return replace(
            self, target=self.target + np.outer(surplus, self.counts / self.counts.sum())
        )

    def residual(self, u: Matrix) -> Matrix:
        """z = V'u - target."""
        return np.asarray(self.V.T @ u - self.target)

    def objective(self, u: Matrix) -> float:
        """1/2 ||z_soft||^2."""
        z = self.residual(u)[self.n_equalities :]
        return float(0.5 * np.vdot(z, z / self.counts))

    def dual(self, u: Matrix) -> Matrix:
        """The dual vector that belongs to u where there are no equalities: z over the sizes."""
        q = self.residual(u) / self.counts
        q[: self.n_equalities] = 0.0
        return q

    def excess(self, q: Matrix) -> Matrix:
        """For each vertex and row s_k - min s, with s = V q; infinite where not allowed."""
        s = self.label_set.slopes(self.V @ q)
        if self.allowed is not None:
            s = np.where(self.allowed.T, s, np.inf)
        return np.asarray(s - s.min(axis=0, initial=np.inf))

    def judge(self, u: Matrix, q: Matrix | None = None) -> Judgement:
        """Gap, objective and violation of the equalities, at once."""
        z = self.residual(u)
        k = self.n_equalities
        apart = held = rounding = 0.0
        if q is None:
            q = z / self.counts
            q[:k] = 0.0
        else:
            mismatch = z[k:] / self.counts - q[k:]
            apart = 0.5 * float(np.vdot(mismatch, mismatch * self.counts))
            held = float(np.vdot(q[:k], z[:k]))
            missed = EPS * float(np.linalg.norm(self.V) + np.linalg.norm(self.target[:k]))
            rounding = float(np.vdot(np.abs(q[:k]), np.abs(z[:k]) + missed))
        objective = 0.5 * float(np.vdot(z[k:], z[k:] / self.counts))
        infeasibility = float(np.linalg.norm(z[:k])) if k else 0.0
        gap = self._complementarity(u, q) + apart - held
        return Judgement(gap, objective, infeasibility, self.scale, rounding)

    def _complementarity(self, u: Matrix, q: Matrix) -> float:
        """The sum over rows and vertices of weight times s_k - min s."""
        if u.ndim == 1:
            # The same without the stacks of the general form, in a third of the time.
            s = self.V @ q
            return float(np.where(s > 0, u * s, (u - 1.0) * s).sum())
        excess = self.excess(q)
        if self.allowed is not None:
            excess = np.where(self.allowed.T, excess, 0.0)
        return float(np.vdot(self.label_set.weights(u), excess))

    def gap(self, u: Matrix, q: Matrix | None = None) -> float:
        """The exact difference between the objective at u and the dual objective at q.

        For q = z it is the sum over rows and vertices of weight times s_k - min s with s = V q: for
        two classes sum_i u_i max(0, s_i) + (1 - u_i) max(0, -s_i). Half the squared distance
        from z to the optimal z is never larger.
        """
        return self.judge(u, q).gap

    def is_reached(self, u: Matrix) -> bool:
        """Whether V'u is the target, equalities and all, up to rounding."""
        return bool(np.linalg.norm(self.residual(u)) <= REACHED * self.unit)

    def kkt_residual(self, u: Matrix, q: Matrix | None = None) -> float:
        """The largest part of a label on a vertex that is not the lowest, in units of `scale`.

        That is the largest min(weight, (s_k - min s) / scale), zero at the answer.
        """
        if self.n_labels == 0 or self.scale == 0.0:
            return 0.0
        excess = self.excess(self.dual(u) if q is None else q)
        return float(np.minimum(self.label_set.weights(u), excess / self.scale).max())

    def relative_gap(self, u: Matrix, q: Matrix | None = None) -> float:
        """The gap over the objective, or over a small part of `scale` if that is larger."""
        return self.judge(u, q).relative_gap


@dataclass(frozen=True)
class RowsProblem(_Measured):
    """A Problem whose generators are v = w (x'coef + intercept), one for each row of a table.

    Attributes
    ----------
    rows : Rows
        The unlabeled rows x with weights w.
    moments : Moments
        Theirs.
    sample : Sample
        Some of them, drawn at random.
    functions : Coefficients
        From a row to its generator, r columns.
    target : ndarray of shape (r,) or (r, K)
        The point to approach. With one column a class it must be centred: its sum over the classes
        is the sum of the generators, so that labels can reach it.
    n_equalities : int
        How many leading columns must be met exactly.
    """

    rows: Rows
    moments: Moments
    sample: Sample
    functions: Coefficients
    target: Matrix
    n_equalities: int

    @property
    def n_labels(self) -> int:
        """U, the number of soft labels."""
        return self.rows.n_rows

    def _mean_objective(self, first: int) -> float:
        """From the moments; a row of weight w counts as w rows here."""
        coef, intercept = self.functions.coef[:, first:], self.functions.intercept[first:]
        mean = self.moments.mean @ coef + intercept
        squares = np.einsum("ik,ik->", coef, self.moments.scatter @ coef)
        squares += self.moments.weight * mean @ mean
        total = np.multiply.outer(self.moments.weight * mean, self.label_set.centre)
        centre = total - self.target[first:]
        found = 0.5 * np.vdot(centre, centre) + 0.5 * self.label_set.variance * squares
        return max(float(found), 0.0)  # rounding may undercut it

    def dense(self) -> Problem:
        """With all generators in memory: one sweep, U x r numbers."""
        functions = self.functions

        def kernel(block: Block) -> list[Matrix]:
            V = functions.values(block.X)
            return [V if block.weights is None else V * block.weights[:, None]]

        V = np.vstack(self.rows.reduce(kernel, operator.add))
        return Problem(V, self.target, self.n_equalities)


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
