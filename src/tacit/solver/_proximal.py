"""Many classes and directions: a proximal method without matrices of the order of the dual."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array

from tacit._typing import AnyArray, Index, Mask, Matrix, Vector
from tacit.solver._active_set import Candidate, solve_in_unit
from tacit.solver._problem import Judgement, Problem
from tacit.solver._solution import Solution, Status

# The weight of the distance to the last labels, in units of the mean curvature: the first, by what
# it falls, and from where on it falls only if rounds bring little. A smaller one takes fewer rounds
# of more products.
FIRST_WEIGHT, FALLS_BY, LOW_WEIGHT = 1e-3, 0.5, 1e-4
# Rounds at a low weight, at the most, before all rows and classes are looked at, and what is left
# of the gap if they bring little.
ROUNDS, LITTLE = 12, 0.05
# How far below the highest a class of a row may be and still be looked at, where one has no share;
# and the part of all pairs of a row and a class above which all are looked at.
SLACK, MANY = 2.0, 0.25
# A round ends at a slope of this part of the root of the gap, and of the dual vector, which is next
# to nothing where the target can all but be reached; or at rounding.
PART, TIGHTEST = 0.02, 1e-14
# The gap of all classes, as a multiple of that of those looked at, up to which these were enough.
ENOUGH = 3.0
# Looks at all rows without a smaller gap after which rounding has won.
PATIENCE = 5
# What is left of the slope by a Newton step, in single precision; and how many products more than
# with a new preconditioner are worth a new one.
ACCURACY, WORTH = 0.15, 40
# Classes above which nearly all labels are zero, and sums over all others are faster.
SPARSE = 32
# Newton steps of a round and products of a step at the most, and the shortest part of a step.
NEWTON_STEPS, CONJUGATE_STEPS, SHORTEST = 60, 200, 1e-6


def solve_proximal(problem: Problem, tol: float = 1e-8, max_iter: int = 100) -> Solution:
    """Solve `problem`, of more than two classes and without equalities, in O(U r K) a product.

    Each round adds w/2 ||u - u_last||^2 to the objective. The dual of that is smooth: its labels
    are those nearest to u_last - V q / w, and a semismooth Newton method finds q, its steps by
    conjugate gradients that only see the rows between classes, with one factor of order r a class.
    Labels and q of a round have a duality gap in the problem itself of w times their last move, and
    that is what is judged (Li, Sun & Toh 2018, for the lasso).

    After the first round most classes of most rows are out of the question. The next rounds only
    look at pairs of a row and a class that are not, while the weight falls in single precision.
    Those at a low weight start a little beyond the last labels (Guler 1992), and every few of them
    all pairs are looked at again.
    """
    iterate = partial(_iterate, tol=tol, max_iter=max_iter)
    # Small products in single precision say now and then that a number is invalid where all are
    # finite (OpenBLAS, once in a hundred processes); the gap tells whether an answer is one.
    with np.errstate(invalid="ignore"):
        return solve_in_unit(problem.centred(), "proximal", iterate)


def _iterate(problem: Problem, tol: float, max_iter: int) -> tuple[Candidate, Status, int]:
    unit = float(np.vdot(problem.V, problem.V)) / problem.rank
    weight, gap, n_worse = FIRST_WEIGHT, np.inf, 0
    labels = problem.uniform()
    q = problem.residual(labels)
    everything = _Everything(problem)
    # The first rounds only have to find which rows and classes are in question.
    table = rough = _Everything(problem, np.float32)
    best = gap, Candidate(labels, q)
    for n_iter in range(1, max_iter + 1):
        # 1. Rounds on the rows and classes in question.
        is_low = weight <= LOW_WEIGHT
        q, found, seen = _rounds(table, q, labels, weight * unit, gap, tol, is_low)
        # 2. Judge them on all.
        labels, excess = table.whole(found), everything.excess(q)
        judged = everything.judge(labels, q, excess)
        if judged.relative_gap <= tol:
            return Candidate(labels, q), Status.OPTIMAL, n_iter
        n_worse = n_worse + 1 if judged.gap >= best[0] else 0
        if n_worse == PATIENCE:
            return best[1], Status.STALLED, n_iter
        best = min(best, (judged.gap, Candidate(labels, q)), key=lambda each: each[0])
        # 3. A smaller weight, or more pairs of rows and classes at the same one.
        were_enough = judged.gap <= ENOUGH * seen.gap
        if were_enough and not is_low:
            weight = max(FALLS_BY * weight, LOW_WEIGHT)
        elif were_enough and judged.gap > LITTLE * gap:
            weight *= FALLS_BY
        is_open = (excess < SLACK * weight * unit) | (labels > 0.0)
        if not were_enough:
            is_open |= table.is_open
        table = everything if weight <= LOW_WEIGHT else rough
        table = table if is_open.mean() > MANY else _Pairs(table, is_open)
        gap = judged.gap
    return best[1], Status.MAX_ITERATIONS, max_iter


def _rounds(
    table: _Everything, q: Matrix, labels: Matrix, weight: float, gap: float, tol: float, many: bool
) -> tuple[Matrix, Matrix, Judgement]:
    """The dual vector, labels and judgement of `table` after one round, or after `many`."""
    centre = before = table.part(labels)
    rounds, momentum = _Rounds(table, weight), 1.0
    for _ in range(ROUNDS if many else 1):
        enough = PART * min(float(np.sqrt(gap)), float(np.linalg.norm(q)))
        q, found = rounds.solve(q, centre, max(TIGHTEST, enough))
        judged = table.judge(found, q, table.excess(q))
        if judged.relative_gap <= 0.5 * tol:
            break
        gap = judged.gap
        if float(np.vdot(centre - found, found - before)) > 0.0:
            momentum = 1.0  # the last start was too far out
        following = 0.5 + np.sqrt(0.25 + momentum**2)
        centre = found + (momentum - 1.0) / following * (found - before)
        momentum, before = following, found
    return q, found, judged


class _Everything:
    """All rows and classes, with labels of shape (U, K), in double or single precision."""

    def __init__(self, problem: Problem, dtype: type[np.floating] = np.float64) -> None:
        self.problem, self.target = problem, problem.target
        self.V: AnyArray = problem.V.astype(dtype, copy=False)
        self.single: AnyArray = problem.V.astype(np.float32)
        self.is_open: Mask = np.ones((problem.n_labels, problem.n_classes), dtype=bool)

    def part(self, labels: Matrix) -> Matrix:
        """The labels of this table."""
        return labels.astype(self.V.dtype, copy=False)

    def whole(self, labels: Matrix) -> Matrix:
        """Those of all rows and classes."""
        return labels.astype(np.float64, copy=False)

    def times(self, q: Matrix) -> Matrix:
        """V q, in the shape of the labels."""
        return np.asarray(self.V @ q.astype(self.V.dtype, copy=False))

    def sum(self, labels: Matrix) -> Matrix:
        """V'u."""
        if labels.shape[1] <= SPARSE:
            labels = labels.astype(self.V.dtype, copy=False)
            return np.asarray(self.V.T @ labels, dtype=np.float64)
        where = np.flatnonzero(labels != 0.0)
        rows, classes = np.divmod(where, labels.shape[1])
        values = labels.ravel()[where].astype(self.V.dtype, copy=False)
        picked = coo_array((values, (rows, classes)), shape=labels.shape)
        return np.asarray((picked.T.tocsr() @ self.V).T, dtype=np.float64)

    def nearest(self, values: Matrix) -> Matrix:
        """The nearest labels."""
        return _nearest(values)

    def excess(self, q: Matrix) -> Matrix:
        """By how much each entry of V q is above the lowest of its row."""
        slopes = self.times(q)
        slopes -= slopes.min(axis=1, keepdims=True)
        return slopes

    def judge(self, labels: Matrix, q: Matrix, excess: Matrix) -> Judgement:
        """The gap between labels and q in the problem of this table."""
        residual = self.sum(labels) - self.target
        apart = residual - q
        gap = float(np.vdot(labels, excess)) + 0.5 * float(np.vdot(apart, apart))
        return Judgement(gap, 0.5 * float(np.vdot(residual, residual)), 0.0, self.problem.scale)

    def between(self, labels: Matrix) -> _Between:
        """The pairs of rows and classes with a share of more than none and less than all."""
        rows, classes = _by_class((labels > 0.0) & (labels < 1.0))
        return _Between(self.single[rows], rows, classes, labels.shape)


class _Pairs(_Everything):
    """Some classes of some rows, with one label a pair; those of rows with one class are decided.

    The pairs of a class lie together.
    """

    def __init__(self, table: _Everything, is_open: Mask) -> None:
        self.problem, self.is_open, self.shape = table.problem, is_open, is_open.shape
        self.decided = is_open & (is_open.sum(axis=1, keepdims=True) == 1)
        self.rows, self.classes = _by_class(is_open & ~self.decided)
        self.parts = _parts(self.classes, is_open.shape[1])
        self.V = table.V[self.rows]
        self.single = self.V.astype(np.float32, copy=False)
        self.target = table.target - table.sum(self.decided)

    def part(self, labels: Matrix) -> Vector:
        return np.asarray(labels[self.rows, self.classes], dtype=self.V.dtype)

    def whole(self, labels: Vector) -> Matrix:
        whole: Matrix = self.decided.astype(np.float64)
        whole[self.rows, self.classes] = labels
        return whole

    def times(self, q: Matrix) -> Vector:
        return _times(self.V, self.parts, np.ascontiguousarray(q.T, dtype=self.V.dtype))

    def sum(self, labels: Vector) -> Matrix:
        return _sum(self.V, self.parts, labels).T.astype(np.float64, copy=False)

    def nearest(self, values: Vector) -> Vector:
        return _nearest_of_pairs(values, self.rows, self.shape[0]).astype(values.dtype, copy=False)

    def excess(self, q: Matrix) -> Vector:
        slopes = self.times(q)
        lowest = np.full(self.shape[0], np.inf)
        np.minimum.at(lowest, self.rows, slopes)
        return np.asarray(slopes - lowest[self.rows])

    def between(self, labels: Vector) -> _Between:
        part = (labels > 0.0) & (labels < 1.0)
        return _Between(self.single[part], self.rows[part], self.classes[part], self.shape)


class _Rounds:
    """Minimise 1/2 ||q||^2 + <q, target> + w sum_i h(u_i - v_i'q / w), h'(x) the nearest label."""

    def __init__(self, table: _Everything, weight: float) -> None:
        self.table, self.weight = table, weight
        self.inverse: AnyArray = np.empty(0)  # the preconditioner
        self.fewest, self.excess = np.inf, np.inf  # products with it: of a step, and above that

    def value(self, q: Matrix, moved: Matrix, labels: Matrix) -> float:
        """The value at q, from u - V q / w and the labels nearest to it."""
        h = float(np.vdot(labels, moved) - 0.5 * np.vdot(labels, labels))
        linear = float(np.vdot(q, self.table.target))
        return 0.5 * float(np.vdot(q, q)) + linear + self.weight * h

    def slope(self, q: Matrix, labels: Matrix) -> Matrix:
        """The slope at q, whose labels these are."""
        return np.asarray(q + self.table.target - self.table.sum(labels))

    def solve(self, q: Matrix, last: Matrix, enough: float) -> tuple[Matrix, Matrix]:
        """The dual vector with a slope of at most `enough`, or nearly, and its labels."""
        table, weight = self.table, self.weight
        moved = last - table.times(q / weight)
        labels = table.nearest(moved)
        value, slope = self.value(q, moved, labels), self.slope(q, labels)
        for _ in range(NEWTON_STEPS):
            size = float(np.linalg.norm(slope))
            if size <= enough:
                break
            between = table.between(labels)
            if self.excess > WORTH:
                self.inverse, self.fewest, self.excess = between.inverse(weight), np.inf, 0.0
            step, n_products = between.solve(-slope, weight, self.inverse)
            self.fewest = min(self.fewest, n_products)
            self.excess += n_products - self.fewest
            expected, along = 1e-4 * float(np.vdot(step, slope)), table.times(step / weight)
            length = 1.0
            while True:
                there, far = q + length * step, moved - length * along
                found = table.nearest(far)
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
            slope = slope if length == 1.0 else self.slope(q, labels)
        return q, labels


class _Between:
    """The curvature I + sum_i M_i (x) v_i v_i' / w, M_i the projector of the open classes of a row.

    It is given the pairs of a row and an open class, class by class, and their generators. All is
    in single precision: a step that is a little off costs less than the bytes of a better one.
    """

    def __init__(self, V: AnyArray, rows: Index, classes: Index, shape: tuple[int, ...]) -> None:
        self.V, self.rows, self.parts = V, rows, _parts(classes, shape[1])
        n_open = np.maximum(np.bincount(rows, minlength=shape[0]), 1)
        self.part = (1.0 / n_open).astype(np.float32)

    def times(self, direction: AnyArray, weight: np.float32) -> AnyArray:
        """The product of the curvature and `direction`, of shape (K, r)."""
        moved = _times(self.V, self.parts, direction)
        mean = np.bincount(self.rows, moved, len(self.part)).astype(np.float32) * self.part
        return np.asarray(direction + _sum(self.V, self.parts, moved - mean[self.rows]) / weight)

    def solve(self, right: Matrix, weight: float, inverse: AnyArray) -> tuple[Matrix, int]:
        """Conjugate gradients, preconditioned by what `inverse` gives, and how many products."""
        single, size = np.float32(weight), float(np.abs(right).max())
        left: AnyArray = np.ascontiguousarray(right.T / size, dtype=np.float32)
        step, scaled = np.zeros_like(left), _each(inverse, left)
        direction, before = scaled, float(np.vdot(left, scaled))
        n_products, enough = 0, ACCURACY**2 * before
        while n_products < CONJUGATE_STEPS and before > 0.0:
            n_products += 1
            product = self.times(direction, single)
            length = np.float32(before / float(np.vdot(direction, product)))
            step, left = step + length * direction, left - length * product
            scaled = _each(inverse, left)
            after = float(np.vdot(left, scaled))
            if after <= enough:
                break
            direction, before = scaled + np.float32(after / before) * direction, after
        # What rounding left of a change of the sum over the classes, no later step would undo.
        found = size * step.T.astype(np.float64)
        return np.asarray(found - found.mean(axis=1, keepdims=True)), n_products

    def inverse(self, weight: float) -> AnyArray:
        """That of the curvature of each class alone."""
        root = np.sqrt((1.0 - self.part[self.rows]) / np.float32(weight))
        scaled = self.V * root[:, None]
        identity = np.eye(self.V.shape[1], dtype=np.float32)
        own = [scaled[part].T @ scaled[part] + identity for part in self.parts]
        return np.asarray(np.linalg.inv(np.stack(own)))


def _by_class(mask: Mask) -> tuple[Index, Index]:
    """Where it holds, the rows of a class together."""
    rows, classes = np.divmod(np.flatnonzero(mask), mask.shape[1])
    order = np.argsort(classes.astype(np.min_scalar_type(mask.shape[1])), kind="stable")
    return rows[order], classes[order]


def _parts(classes: Index, n_classes: int) -> list[slice]:
    ends = np.searchsorted(classes, np.arange(n_classes + 1)).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


def _times(V: AnyArray, parts: list[slice], rows: AnyArray) -> AnyArray:
    """For each pair of a row and a class the product of its generator and the row of its class."""
    values = np.empty(len(V), dtype=V.dtype)
    for part, row in zip(parts, rows, strict=True):
        np.dot(V[part], row, out=values[part])
    return values


def _sum(V: AnyArray, parts: list[slice], values: AnyArray) -> AnyArray:
    """For each class the sum of generators times values, as a row."""
    found = np.empty((len(parts), V.shape[1]), dtype=V.dtype)
    for part, row in zip(parts, found, strict=True):
        np.dot(values[part], V[part], out=row)
    return found


def _each(inverse: AnyArray, right: AnyArray) -> AnyArray:
    """The preconditioner; no step changes the sum over the classes, and neither does it."""
    found = (inverse @ right[:, :, None])[:, :, 0]
    return np.asarray(found - found.mean(axis=0))


def _nearest(values: Matrix) -> Matrix:
    """The nearest labels; only classes less than one below the highest can have a share."""
    top = values.max(axis=1, keepdims=True)
    pairs = np.flatnonzero(values > top - 1.0)
    labels = np.zeros_like(values)
    labels.ravel()[pairs] = _nearest_of_pairs(
        values.ravel()[pairs], pairs // values.shape[1], len(values)
    )
    return labels


def _nearest_of_pairs(values: Vector, rows: Index, n_rows: int) -> Vector:
    """All entries less one threshold a row, none below zero (Michelot 1986)."""
    kept, where = values, rows
    while True:
        counts = np.maximum(np.bincount(where, minlength=n_rows), 1)
        threshold = (np.bincount(where, kept, n_rows) - 1.0) / counts
        above = kept > threshold[where]
        if above.all():
            return np.maximum(values - threshold[rows], 0.0)
        kept, where = kept[above], where[above]
