"""Rounds over the rows for many classes: the dual has r times K unknowns, whatever U is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.rows._sweep import one_blas_thread
from tacit.solver._working_set import EXACT_TOLERANCE, LEAST_NEAR, SAFETY, Exact, Point, WorkingSet
from tacit.solver.simplex._cells import NearCells
from tacit.solver.simplex._curvature import Factor, assemble
from tacit.solver.simplex._interior_point import solve_simplex_interior_point
from tacit.solver.simplex._problem import SimplexProblem

# Added to the diagonal of the curvature, relative to its mean.
RIDGE = 1e-10


class SimplexRounds(WorkingSet):
    """Minimise D(Q) = 1/2 ||Q_soft||^2 + <Q, T> - sum_i min_k v_i'q_k, the negative dual.

    The rounds are those of WorkingSet. A row is near where its two lowest slopes are close, and
    only the classes within the same distance of the lowest are open in an exact solve, two for most
    rows: it costs little more than that of a box problem.
    """

    # An exact solve costs as much as ten Newton steps here.
    shrinks = 1.0
    most_newton = 20
    exact_on_samples = False

    def __init__(self, *arguments: Any, sizes: Vector | None = None) -> None:
        super().__init__(*arguments)
        counts = np.ones(self.target.shape[1]) if sizes is None else sizes
        self.soft = np.where(self.soft > 0.0, counts, 0.0)
        self.sizes = sizes  # how many classes each column stands for

    def _objective(self, residual: Matrix) -> float:
        soft = residual[self.n_equalities :]
        counts = 1.0 if self.sizes is None else self.sizes
        return 0.5 * float(np.vdot(soft, soft / counts))

    def _newton_step(self, point: Point) -> Matrix:
        """Minus the inverse curvature times the slope.

        The curvature of D is I + sum_i w_i delta(s_k - s_l) (e_k - e_l)(e_k - e_l)' (x) x_i x_i', k
        and l the two lowest classes of a row, and estimated by a kernel over the near rows.
        """
        near = point.near
        n_classes = self.target.shape[1]
        band = float(near.s.max(initial=0.0))
        kernel = np.zeros(len(near))
        # A band as narrow as rounding holds equal rows, and says nothing about curvature.
        if band > 1e-14 * float(np.linalg.norm(point.q)) * self.largest:
            kernel = 0.75 / band * (1.0 - (near.s / band) ** 2) * near.weights
        scaled = point.generators * np.sqrt(kernel)[:, None]
        pairs = _two_lowest(point.generators @ point.q)

        def blocks() -> Iterator[tuple[int, int, Matrix]]:
            code = pairs[:, 0] * n_classes + pairs[:, 1]
            order = np.argsort(code, kind="stable")
            values, starts = np.unique(code[order], return_index=True)
            for value, rows in zip(values, np.split(order, starts[1:]), strict=True):
                part = scaled[rows]
                yield int(value) // n_classes, int(value) % n_classes, part.T @ part

        with one_blas_thread():
            matrix = assemble(blocks(), n_classes, len(point.q))
            try:
                factor = Factor(matrix, self.soft, RIDGE)
                step = -factor.solve(point.gradient)
            except np.linalg.LinAlgError:
                step = -point.gradient
        return step if np.isfinite(step).all() else np.zeros_like(point.q)

    def _n_needed(self, point: Point, step: Matrix) -> int:
        """How many of the near rows the step may carry from one class to the other."""
        if len(point.near) == 0:
            return 0
        pairs = _two_lowest(point.generators @ point.q)
        moved = np.take_along_axis(point.generators @ step, pairs, axis=1)
        reach = SAFETY * float(np.quantile(np.abs(moved[:, 0] - moved[:, 1]), 0.95))
        needed = int(np.searchsorted(point.near.s, reach, side="right"))
        return max(needed, LEAST_NEAR * (step.size - len(step)))

    def _solve_near(self, point: Point, n_needed: int) -> Exact:
        near = point.near.nearest(n_needed)
        assert isinstance(near, NearCells), "cells are swept"
        V = point.generators[: len(near)]
        slopes = V @ point.q
        margin = float(near.s.max(initial=0.0))
        if near.weights.sum() >= (1.0 - 1e-9) * self.total_weight:
            margin = np.inf  # with all rows at hand all classes are open, and the answer is final
        open_classes = slopes - slopes.min(axis=1, keepdims=True, initial=np.inf) <= margin
        open_classes |= near.chosen > 0.0
        decided = point.sweep.negative[0] - V.T @ near.chosen
        V = V * near.weights[:, None]
        small = SimplexProblem(
            V, self.target - decided, self.n_equalities, open_classes, self.sizes
        )
        solution = solve_simplex_interior_point(small, tol=EXACT_TOLERANCE)
        labels = solution.labels()
        moved = labels * near.weights[:, None] - near.chosen
        return Exact(
            q=solution.dual,
            residual=solution.residual,
            near=near,
            labels=labels,
            margin=margin,
            gap=solution.gap(),
            stationarity=solution.kkt_residual(),
            infeasibility=solution.infeasibility,
            mass=point.sweep.mass + moved.sum(axis=0),
            total=point.sweep.total + near.X.T @ moved,
        )


def _two_lowest(slopes: Matrix) -> Index:
    """The two classes with the lowest slopes, in the order of the classes."""
    return np.sort(np.argpartition(slopes, 1, axis=1)[:, :2], axis=1)
