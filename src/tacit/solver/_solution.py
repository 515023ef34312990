"""What a solver hands back: soft labels, how good they are, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from tacit._typing import Matrix
from tacit.solver._labeling import Labeling
from tacit.solver._problem import Problem, relative

# A relative gap up to this is all that rounding allows some problems to reach.
SETTLED = 1e-8


class StopReason(Enum):
    """Why a solver stopped, as a value that survives storage.

    Some formats, skops among them, build what they read without arguments unless `__reduce__` says
    otherwise, which a member of an enumeration cannot be. Pickle knows enumerations anyway.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """The member by its value."""
        return type(self), (self.value,)


class Status(StopReason):
    """Why a solver stopped."""

    OPTIMAL = "optimal"
    INSIDE = "inside"
    """The target itself lies in the zonotope: the objective is zero to rounding."""
    EMPTY = "empty"
    """There is nothing to choose: no unlabeled rows."""
    MAX_ITERATIONS = "max_iterations"
    STALLED = "stalled"
    """Rounding errors stopped all progress before the tolerance was met."""

    @property
    def is_success(self) -> bool:
        """Whether the tolerance was met."""
        return self in (Status.OPTIMAL, Status.INSIDE, Status.EMPTY)


@dataclass(frozen=True)
class Solution:
    """Soft labels with the certificate of their optimality.

    Attributes
    ----------
    soft_labels : ndarray of shape (U,) or (U, K) or None
        The soft labels u; None where they are known as a rule only (see `labeling`).
    dual : ndarray of shape (r,) or (r, K)
        The dual vector q; the sign of V q fixes every label that is not fractional. For more than
        two classes it has one column a class, and the class with the lowest V q is the label.
    residual : ndarray of shape (r,) or (r, K)
        z = V'u - target.
    status : Status
        Why the solver stopped.
    solver : str
        The name of the solver.
    n_iter : int
        Iterations: factorisations (interior point), line searches (L-BFGS-B) or rounds (working
        set).
    objective : float
        1/2 ||z||^2 over the soft part.
    scale : float
        The mean objective over all labelings, which gives the gap an absolute unit.
    duality_gap, stationarity, infeasibility : float
        As measured on the problem, not as the solver believes them to be.
    n_sweeps : int
        Passes over the rows, where they were swept.
    labeling : Labeling or None
        The labels together with their rows.
    """

    soft_labels: Matrix | None
    dual: Matrix
    residual: Matrix
    status: Status
    solver: str
    n_iter: int
    objective: float
    scale: float
    duality_gap: float
    stationarity: float
    infeasibility: float
    n_sweeps: int = 0
    labeling: Labeling | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        u: Matrix,
        *,
        q: Matrix | None = None,
        status: Status,
        solver: str,
        n_iter: int,
    ) -> Solution:
        """Measure u (and its dual vector q, if it has its own) on `problem`.

        OPTIMAL becomes INSIDE where the target is reached.
        """
        judged = problem.judge(u, q)
        if status is Status.OPTIMAL and problem.is_reached(u):
            status = Status.INSIDE
        return cls(
            soft_labels=u,
            dual=problem.dual(u) if q is None else q,
            residual=problem.residual(u),
            status=status,
            solver=solver,
            n_iter=n_iter,
            objective=judged.objective,
            scale=problem.scale,
            duality_gap=judged.bound,
            stationarity=problem.kkt_residual(u, q),
            infeasibility=judged.infeasibility,
        )

    @classmethod
    def inside(
        cls, labeling: Labeling, residual: Matrix, solver: str, scale: float, n_sweeps: int
    ) -> Solution:
        """Labels, known as a rule, that reach the target but for rounding."""
        half = 0.5 * float(np.vdot(residual, residual))
        return cls(
            soft_labels=None,
            labeling=labeling,
            dual=np.zeros_like(residual),
            residual=residual,
            status=Status.INSIDE,
            solver=solver,
            n_iter=n_sweeps,
            n_sweeps=n_sweeps,
            objective=half,
            scale=scale,
            duality_gap=half,
            stationarity=0.0,
            infeasibility=0.0,
        )

    def after(self, earlier: Solution) -> Solution:
        """Count in the iterations and sweeps of an earlier attempt."""
        return replace(
            self,
            n_iter=self.n_iter + earlier.n_iter,
            n_sweeps=self.n_sweeps + earlier.n_sweeps,
        )

    def labels(self) -> Matrix:
        """The soft labels; an error where they are known as a rule only."""
        if self.soft_labels is None:
            raise ValueError("These labels are a rule; labeling.of_rows(rows) applies it.")
        return self.soft_labels

    def gap(self) -> float:
        """The duality gap: the objective is at most this far above its minimum."""
        return self.duality_gap

    def relative_gap(self) -> float:
        """The gap over the objective, or over 1e-4 of `scale` where the objective is smaller."""
        return relative(self.duality_gap, self.objective, self.scale)

    def kkt_residual(self) -> float:
        """The largest violation of the optimality conditions, in units of the scale."""
        return self.stationarity

    def is_optimal(self, tol: float = 1e-8) -> bool:
        """Whether the relative duality gap is at most `tol`, whatever the status says."""
        unit = (2.0 * self.scale) ** 0.5
        return self.relative_gap() <= tol and self.infeasibility <= tol * unit

    def is_settled(self) -> bool:
        """Whether what the gap leaves open is no more than rounding, whatever was asked for."""
        return self.status.is_success and self.relative_gap() <= SETTLED

    def n_fractional(self, margin: float = 1e-9) -> int:
        """How many rows have a soft label that is not one class; generically at most r (K - 1)."""
        u = self.soft_labels
        if u is None and self.labeling is not None:
            u = getattr(self.labeling.rule, "labels", None)
        if u is None:
            raise ValueError("The labels are known as a smooth rule; none of them is at a bound.")
        fractional = (u > margin) & (u < 1.0 - margin)
        return int((fractional.any(axis=1) if u.ndim == 2 else fractional).sum())
