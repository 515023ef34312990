"""Soft-label self-learning: a convex problem, solved by a semismooth Newton method."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Matrix, Vector
from tacit.rows import Block
from tacit.solver._basis import Basis, Coefficients
from tacit.solver._constraint_set import ConstraintSet
from tacit.solver._label_sets import LabelSet, label_set
from tacit.solver._problem import gap_unit, relative
from tacit.solver._solution import Status

# Part of the predicted decrease that a step must bring (Armijo).
SUFFICIENT = 1e-4
# Rounding errors of the objective, relative to it.
ROUNDING = 1e-14
# Points of a line search in one sweep, and sweeps of it: the step is found to 1 / 256 and the
# slope is interpolated linearly from there on, which is exact within a piece. Where the first
# piece is shorter than that, as with rows far from the others, up to so many more sweeps follow.
SECTIONS, SECTION_SWEEPS, MORE_SWEEPS = 16, 2, 10
# Steps after which they are judged as a whole, the part of the gap that must be gone by then,
# and the part of it by which the objective must fall, or more steps would not help either.
ROUND, LOSES, FALLS = 40, 0.1, 1e-3
# Where labels leave directions open, the pull towards the supervised solution relative to the
# smallest curvature that they determine, and the curvature below which a direction is open.
PULL, OPEN = 1e-8, 1e-4


@dataclass(frozen=True)
class SoftSelfLearningResult:
    """The minimiser, with the certificate of its optimality.

    Attributes
    ----------
    coefficients : Coefficients
        The answer.
    status : Status
        Why the solver stopped; INSIDE if the supervised solution itself is the answer.
    n_iter : int
        Newton steps.
    n_sweeps : int
        Passes over the unlabeled rows.
    objective : float
        Half the squared loss, distances of unlabeled rows and penalty included.
    scale : float
        The objective of the constant one half, which gives the gap an absolute unit.
    duality_gap : float
        The objective is at most this far above its minimum.
    """

    coefficients: Coefficients
    status: Status
    n_iter: int
    n_sweeps: int
    objective: float
    scale: float
    duality_gap: float

    def gap(self) -> float:
        """The duality gap."""
        return self.duality_gap

    def relative_gap(self) -> float:
        """The gap over the objective, or over 1e-4 of `scale` where the objective is smaller."""
        return relative(self.duality_gap, self.objective, self.scale)

    def is_optimal(self, tol: float = 1e-8) -> bool:
        """Whether the relative duality gap is at most `tol`, whatever the status says."""
        return self.relative_gap() <= tol


@dataclass(frozen=True)
class _Sums:
    """What one sweep adds up: half the squared distances, their gradient, and Gram matrices.

    There is one Gram matrix for each linear piece of the projection onto the labels.
    """

    value: float
    gradient: Matrix
    grams: dict[int, Matrix] = field(default_factory=dict)

    def __add__(self, other: _Sums) -> _Sums:
        grams = dict(self.grams)
        for piece, gram in other.grams.items():
            grams[piece] = grams[piece] + gram if piece in grams else gram
        return _Sums(self.value + other.value, self.gradient + other.gradient, grams)


def solve_soft_self_learning(
    constraints: ConstraintSet,
    start: Coefficients,
    labeled_basis: Basis,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> SoftSelfLearningResult:
    """Minimise the squared loss with the labels of the unlabeled rows chosen at will.

    The objective is 1/2 sum (x'w - y)^2 + alpha/2 ||w||^2 over the labeled rows, plus 1/2
    dist(x'w, labels)^2 over the unlabeled ones; convex, once differentiable, and quadratic in
    pieces. A Newton step costs one sweep of O(U d^2) at the most (rows with values inside the
    labels only cost O(d)) and O((K d)^3); the method ends after finitely many. Among several
    minimisers, which there may be if the labeled rows do not determine all coefficients, the one
    nearest to `start` in the metric of all rows is taken.
    """
    return _Newton(constraints, start, labeled_basis).run(tol, max_iter)


class _Newton:
    """The problem in coordinates theta of the basis of all rows, r x m numbers.

    There all curvatures lie between 0 and 1.
    """

    def __init__(self, constraints: ConstraintSet, start: Coefficients, labeled: Basis) -> None:
        self.constraints, self.given = constraints, start
        self.functions = constraints.basis.functions
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
        self.start: Matrix = constraints.coordinates(start).reshape(-1, Y.shape[1])
        self.scale = 0.125 * rows.total_weight * Y.shape[1]
        self.n_sweeps = 0
        rank = min(labeled.rank, constraints.basis.rank)
        self.pull = self.open = 0.0
        if rank < constraints.basis.rank:
            weakest = float(np.linalg.eigvalsh(self.gram)[-rank])
            self.pull, self.open = PULL * weakest, OPEN * weakest

    def run(self, tol: float, max_iter: int) -> SoftSelfLearningResult:
        theta = self.start
        sums = self._sweep(theta)
        if sums.value <= ROUNDING**2 * self.constraints.unlabeled_moments.weight:
            empty = self.constraints.unlabeled_moments.weight == 0.0
            status = Status.EMPTY if empty else Status.INSIDE
            objective = self._labeled(theta) + sums.value
            return self._result(None, status, 0, objective, 0.0)

        # The gap is of first order in the gradient, and the predicted decrease of second.
        small = tol**2
        before = np.inf, np.inf
        for n_iter in range(max_iter + 1):
            # 1. The Newton step, and what it promises.
            gradient = self._gradient(theta, sums)
            step = self._solve(self._hessian(sums), -gradient)
            decrease = -0.5 * float(np.vdot(gradient, step))
            objective = self._labeled(theta) + sums.value
            unit = gap_unit(objective, self.scale)
            settled = decrease <= ROUNDING**2 * unit
            # 2. Judge.
            if decrease <= small * unit or settled or n_iter == max_iter:
                theta, sums, gap = self._polish(theta, sums)
                objective = self._labeled(theta) + sums.value
                if relative(gap, objective, self.scale) <= tol:
                    return self._result(theta, Status.OPTIMAL, n_iter, objective, gap)
                if settled or n_iter == max_iter:
                    break
                small *= 1e-4
            if n_iter % ROUND == 0 and n_iter > 0:
                gap = self._gap(theta, sums)
                loses = gap <= (1.0 - LOSES) * before[0]
                if not loses and before[1] - objective <= FALLS * gap:
                    theta, sums, gap = self._polish(theta, sums)
                    break
                before = gap, objective
            # 3. Step.
            theta, sums = self._search(theta, sums, step, decrease)
        objective = self._labeled(theta) + sums.value
        status = Status.MAX_ITERATIONS if n_iter == max_iter else Status.STALLED
        return self._result(theta, status, n_iter, objective, gap)

    def _result(
        self, theta: Matrix | None, status: Status, n_iter: int, objective: float, gap: float
    ) -> SoftSelfLearningResult:
        coefficients = self.given
        if theta is not None:
            flat = theta[:, 0] if self.given.coef.ndim == 1 else theta
            coefficients = self.functions.combine(flat)
        return SoftSelfLearningResult(
            coefficients, status, n_iter, self.n_sweeps, objective, self.scale, gap
        )

    def _labeled(self, theta: Matrix) -> float:
        """Half the squared loss on the labeled rows and the penalty."""
        residual = self.Z @ theta - self.Y
        return 0.5 * float(np.vdot(residual, residual))

    def _value(self, theta: Matrix, sums: _Sums) -> float:
        pulled = theta - self.start
        return self._labeled(theta) + sums.value + 0.5 * self.pull * float(np.vdot(pulled, pulled))

    def _gradient(self, theta: Matrix, sums: _Sums) -> Matrix:
        labeled = self.Z.T @ (self.Z @ theta - self.Y)
        return np.asarray(labeled + sums.gradient + self.pull * (theta - self.start))

    def _hessian(self, sums: _Sums) -> Matrix:
        """Of all m columns of theta, one below the other, without the pull."""
        m = self.Y.shape[1]
        hessian = np.kron(np.eye(m), self.gram)
        for piece, gram in sums.grams.items():
            hessian += np.kron(curvature(piece, m), gram)
        return hessian

    def _solve(self, hessian: Matrix, right: Matrix) -> Matrix:
        matrix = hessian + self.pull * np.eye(len(hessian))
        try:
            solved = np.linalg.solve(matrix, right.T.ravel())
        except np.linalg.LinAlgError:
            solved = np.linalg.lstsq(matrix, right.T.ravel(), rcond=None)[0]
        return np.asarray(solved.reshape(right.T.shape).T)

    def _polish(self, theta: Matrix, sums: _Sums) -> tuple[Matrix, _Sums, float]:
        """Undo what the pull has done in the directions that rows determine; with the gap."""
        gap = self._gap(theta, sums)
        if self.pull == 0.0:
            return theta, sums, gap
        eigenvalues, vectors = np.linalg.eigh(self._hessian(sums))
        kept = vectors[:, eigenvalues > self.open]
        gradient = (self._gradient(theta, sums) - self.pull * (theta - self.start)).T.ravel()
        step = kept @ ((kept.T @ gradient) / eigenvalues[eigenvalues > self.open])
        polished = theta - step.reshape(theta.T.shape).T
        after = self._sweep(polished)
        gap_after = self._gap(polished, after)
        return (polished, after, gap_after) if gap_after < gap else (theta, sums, gap)

    def _search(
        self, theta: Matrix, sums: _Sums, step: Matrix, decrease: float
    ) -> tuple[Matrix, _Sums]:
        """The whole step if it keeps its promise, otherwise the best point on the way."""
        value = self._value(theta, sums)
        ahead = self._sweep(theta + step)
        enough = value - SUFFICIENT * decrease + ROUNDING * value
        if self._value(theta + step, ahead) <= enough:
            return theta + step, ahead
        low, high = 0.0, 1.0
        for sweep in range(SECTION_SWEEPS + MORE_SWEEPS):
            if sweep >= SECTION_SWEEPS and low > 0.0:
                break
            points = np.linspace(low, high, SECTIONS + 1)
            slopes = self._slopes(theta, step, points)
            rising = int(np.argmax(slopes >= 0.0)) if (slopes >= 0.0).any() else SECTIONS
            rising = max(rising, 1)
            low, high = float(points[rising - 1]), float(points[rising])
        before, after = float(slopes[rising - 1]), float(slopes[rising])
        best = low if after <= before else low - before * (high - low) / (after - before)
        best = float(np.clip(best, low, high))
        return theta + best * step, self._sweep(theta + best * step)

    def _slopes(self, theta: Matrix, step: Matrix, points: Vector) -> Vector:
        """The derivative along `step` at several points, in one sweep."""
        at, along = self.functions.combine(theta), self.functions.combine(step)
        labeled = self.Z @ step
        first = np.vdot(labeled, self.Z @ theta - self.Y)
        first += self.pull * np.vdot(step, theta - self.start)
        second = np.vdot(labeled, labeled) + self.pull * np.vdot(step, step)
        swept = self._reduce(partial(_slopes_of_block, self.set, at, along, points))
        return np.asarray(first + points * second + swept)

    def _sweep(self, theta: Matrix) -> _Sums:
        at = self.functions.combine(theta)
        swept: _Sums = self._reduce(partial(_sums_of_block, self.set, at, self.functions))
        return swept

    def _gap(self, theta: Matrix, sums: _Sums) -> float:
        """The exact difference to the dual objective at the nearest dual feasible point.

        The residuals of all rows would be dual feasible if the gradient were zero. Taking its
        value from the residual of each row makes them so, because the basis is orthonormal.
        """
        labeled = self.Z.T @ (self.Z @ theta - self.Y)
        gradient = labeled + sums.gradient
        residual = self.Z @ gradient
        at, off = self.functions.combine(theta), self.functions.combine(gradient)
        swept: float = self._reduce(partial(_gap_of_block, self.set, at, off))
        return 0.5 * float(np.vdot(residual, residual)) + swept

    def _reduce(self, kernel: Callable[[Block], Any]) -> Any:
        self.n_sweeps += 1
        return self.constraints.unlabeled.reduce(kernel, operator.add)


def pieces_of(values: Matrix, projected: Matrix) -> AnyArray:
    """The linear piece of the projection that a value is on, as the bits of a number.

    Of one column, 0 for values inside of the interval and 1 for others; of more, the classes with
    positive labels.
    """
    n_columns = values.shape[1]
    kept = values != projected if n_columns == 1 else projected > 0.0
    # Python's integers have as many bits as there are classes.
    kind: Any = np.int64 if n_columns < 62 else object
    bits = np.array([1 << k for k in range(n_columns)], dtype=kind)
    return np.asarray(kept.astype(kind) @ bits)


def curvature(piece: int, n_columns: int) -> Matrix:
    """I - P, P the derivative of the projection on a piece: where no label moves with its value."""
    kept = np.array([piece >> k & 1 for k in range(n_columns)], dtype=np.float64)
    return np.asarray(np.diag(1.0 - kept) + np.outer(kept, kept) / kept.sum())


def _support(slopes: Matrix) -> Vector:
    """The largest product with a label: max(0, s), or the largest entry."""
    return np.asarray(slopes.max(axis=1, initial=0.0 if slopes.shape[1] == 1 else -np.inf))


def _weights(block: Block) -> Vector:
    return np.ones(block.X.shape[0]) if block.weights is None else block.weights


def _sums_of_block(labels: LabelSet, at: Coefficients, basis: Coefficients, block: Block) -> _Sums:
    weights = _weights(block)
    values = at.values(block.X)
    projected = labels.project(values)
    residual = values - projected
    pieces = pieces_of(values, projected)
    gradient = np.zeros((basis.coef.shape[1], values.shape[1]))
    grams = {}
    for piece in np.unique(pieces[pieces != 0]):
        index = np.flatnonzero(pieces == piece)
        Z = basis.values(block.X[index])
        weighted = (Z * weights[index, None]).T
        gradient += weighted @ residual[index]
        grams[int(piece)] = weighted @ Z
    value = 0.5 * float(weights @ (residual**2).sum(axis=1))
    return _Sums(value, gradient, grams)


def _slopes_of_block(
    labels: LabelSet, at: Coefficients, along: Coefficients, points: Vector, block: Block
) -> Vector:
    weights, values, change = _weights(block), at.values(block.X), along.values(block.X)
    slopes = np.zeros(len(points))
    for i, point in enumerate(points):
        moved = values + point * change
        slopes[i] = weights @ ((moved - labels.project(moved)) * change).sum(axis=1)
    return slopes


def _gap_of_block(labels: LabelSet, at: Coefficients, off: Coefficients, block: Block) -> float:
    values = at.values(block.X)
    residual = values - labels.project(values)
    slopes = residual - off.values(block.X)
    # Fenchel and Young: the distance at the value and its conjugate at the slope.
    both = 0.5 * (residual**2).sum(axis=1) + 0.5 * (slopes**2).sum(axis=1) + _support(slopes)
    return float(_weights(block) @ (both - (slopes * values).sum(axis=1)))
