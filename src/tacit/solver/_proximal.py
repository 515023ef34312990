"""Many classes and directions: a proximal method without matrices of the order of the dual."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from tacit._typing import Mask, Matrix
from tacit.solver._active_set import Candidate, solve_in_unit
from tacit.solver._label_sets import Simplex
from tacit.solver._problem import Problem
from tacit.solver._solution import Solution, Status

# The weight of the distance to the last labels, in units of the mean curvature: the first, by what
# it falls, and the last. A smaller one takes fewer rounds of more products.
FIRST_WEIGHT, FALLS_BY, LAST_WEIGHT = 1e-3, 0.3, 1e-5
# The slope at which a round ends is the gap that the last one has left, between these bounds.
LOOSEST, TIGHTEST = 1e-5, 1e-14
# Rounds without a smaller gap after which rounding has won.
PATIENCE = 5
# Newton steps of a round and products of a step at the most, and the shortest part of a step.
NEWTON_STEPS, CONJUGATE_STEPS, SHORTEST = 60, 200, 1e-6


def solve_proximal(problem: Problem, tol: float = 1e-8, max_iter: int = 100) -> Solution:
    """Solve `problem`, of more than two classes and without equalities, in O(U r K) a product.

    Each round adds w/2 ||u - u_last||^2 to the objective. The dual of that is smooth: its labels
    are those nearest to u_last - V q / w, and a semismooth Newton method finds q, its steps by
    conjugate gradients that only see the rows between classes, with one factor of order r a class.
    The labels of a round have a duality gap in the problem itself of w times their last move, and
    that is what is judged (Li, Sun & Toh 2018, for the lasso).
    """
    iterate = partial(_iterate, tol=tol, max_iter=max_iter)
    return solve_in_unit(problem.centred(), "proximal", iterate)


def _iterate(problem: Problem, tol: float, max_iter: int) -> tuple[Candidate, Status, int]:
    unit = float(np.vdot(problem.V, problem.V)) / problem.rank
    weight, labels = FIRST_WEIGHT, problem.uniform()
    q, gap, n_worse = problem.residual(labels), 1.0, 0
    for n_iter in range(1, max_iter + 1):
        enough = min(LOOSEST, max(TIGHTEST, gap))
        q, found = _Round(problem, labels, weight * unit).solve(q, enough)
        judged = problem.judge(found)
        if judged.relative_gap <= tol:
            return Candidate(found), Status.OPTIMAL, n_iter
        n_worse = n_worse + 1 if judged.gap >= gap else 0
        if n_worse == PATIENCE:
            return Candidate(labels), Status.STALLED, n_iter
        gap = judged.gap
        labels, weight = found, max(FALLS_BY * weight, LAST_WEIGHT)
    return Candidate(labels), Status.MAX_ITERATIONS, max_iter


class _Round:
    """Minimise 1/2 ||q||^2 + <q, target> + w sum_i h(u_i - v_i'q / w), h'(x) the nearest label."""

    def __init__(self, problem: Problem, last: Matrix, weight: float) -> None:
        self.V, self.target, self.last, self.weight = problem.V, problem.target, last, weight

    def value(self, q: Matrix, moved: Matrix, labels: Matrix) -> float:
        """The value at q, from u - V q / w and the labels nearest to it."""
        h = float(np.vdot(labels, moved) - 0.5 * np.vdot(labels, labels))
        return 0.5 * float(np.vdot(q, q)) + float(np.vdot(q, self.target)) + self.weight * h

    def slope(self, q: Matrix, labels: Matrix) -> Matrix:
        """The slope at q, whose labels these are."""
        return np.asarray(q + self.target - self.V.T @ labels)

    def solve(self, q: Matrix, enough: float) -> tuple[Matrix, Matrix]:
        """The dual vector with a slope of at most `enough`, or nearly, and its labels."""
        moved = self.last - self.V @ (q / self.weight)
        labels = _nearest(moved)
        value, slope = self.value(q, moved, labels), self.slope(q, labels)
        for _ in range(NEWTON_STEPS):
            size = float(np.linalg.norm(slope))
            if size <= enough:
                break
            step = _Between(self.V, labels > 0.0, self.weight).solve(-slope, min(0.1, size))
            expected, along = 1e-4 * float(np.vdot(step, slope)), self.V @ (step / self.weight)
            length = 1.0
            while True:
                there, far = q + length * step, moved - length * along
                found = _nearest(far)
                reached = self.value(there, far, found)
                slope = self.slope(there, found) if length == 1.0 else slope
                # Next to the answer the value is flat to rounding, and the slope decides.
                smaller = length == 1.0 and float(np.linalg.norm(slope)) <= 0.5 * size
                if smaller or reached <= value + length * expected:
                    break
                length *= 0.5
                if length < SHORTEST:
                    return q, labels
            q, moved, labels, value = there, far, found, reached
            slope = self.slope(q, labels)
        return q, labels


class _Between:
    """The curvature I + sum_i M_i (x) v_i v_i' / w, M_i the projector of the open classes of a row.

    Only rows with more than one open class have a part in it. They are held class by class.
    """

    def __init__(self, V: Matrix, is_open: Mask, weight: float) -> None:
        n_open = is_open.sum(axis=1)
        classes, self.rows = np.nonzero((is_open & (n_open > 1)[:, None]).T)
        ends = np.searchsorted(classes, np.arange(is_open.shape[1] + 1))
        self.parts = [slice(a, b) for a, b in pairwise(ends)]
        self.n_open, self.V, self.weight = n_open, V[self.rows], weight
        scaled = self.V * np.sqrt((1.0 - 1.0 / n_open[self.rows]) / weight)[:, None]
        identity = np.eye(V.shape[1])
        self.inverse = np.linalg.inv(
            np.stack([scaled[part].T @ scaled[part] + identity for part in self.parts])
        )

    def times(self, direction: Matrix) -> Matrix:
        """The product of the curvature and `direction`, of shape (r, K)."""
        columns = np.ascontiguousarray(direction.T)
        pairs = list(zip(self.parts, columns, strict=True))
        moved = np.concatenate([self.V[part] @ column for part, column in pairs])
        mean = np.bincount(self.rows, moved, len(self.n_open)) / self.n_open
        moved -= mean[self.rows]
        back = np.stack([moved[part] @ self.V[part] for part in self.parts])
        return direction + back.T / self.weight

    def solve(self, right: Matrix, accuracy: float) -> Matrix:
        """Conjugate gradients, each class preconditioned by itself, to this part of `right`."""
        step, left = np.zeros_like(right), right
        scaled = self._scaled(left)
        direction, before = scaled, float(np.vdot(left, scaled))
        enough = accuracy**2 * before
        for _ in range(CONJUGATE_STEPS):
            product = self.times(direction)
            length = before / float(np.vdot(direction, product))
            step, left = step + length * direction, left - length * product
            scaled = self._scaled(left)
            after = float(np.vdot(left, scaled))
            if after <= enough:
                break
            direction, before = scaled + after / before * direction, after
        return step

    def _scaled(self, right: Matrix) -> Matrix:
        return np.asarray((self.inverse @ right.T[:, :, None])[:, :, 0].T)


def _nearest(values: Matrix) -> Matrix:
    """The nearest labels; only classes less than one below the highest can have a share."""
    top = values.max(axis=1, keepdims=True)
    rows, classes = np.nonzero(values > top - 1.0)
    counts = np.bincount(rows, minlength=len(values))
    width = int(counts.max(initial=1))
    if 2 * width > values.shape[1]:
        return Simplex(values.shape[1]).project(values)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    few = np.repeat(top - 1.0, width, axis=1)
    few[rows, place] = values[rows, classes]
    labels = np.zeros_like(values)
    labels[rows, classes] = Simplex(width).project(few)[rows, place]
    return labels
