"""Is a start in the set? Labels near its own values that lead back to it, for many directions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from tacit._typing import Mask, Matrix, Vector
from tacit.rows import Block, CsrRows, Moments, NumpyRows, Rows, as_rows
from tacit.rows._moments import random_sample
from tacit.rows._sweep import add_each
from tacit.solver._basis import Basis, Coefficients
from tacit.solver._inside import Reached
from tacit.solver._label_sets import NearestLabels, label_set
from tacit.solver._labeling import Labeling
from tacit.solver._projection import Projection
from tacit.solver._solution import Solution

# So many unknowns of the dual are many: solvers take matrices of that order, and a sweep that may
# end at once is worth its while.
MANY_DIRECTIONS = 128
# Newton steps to the nearest labels, products for each, and the shortest part of a step. Five, a
# dozen and a whole step are usual where there are such labels.
NEWTON_STEPS, CONJUGATE_STEPS, SHORTEST = 40, 60, 1e-3
MOST_PRODUCTS = 150
# Products of a step after which one factor a class is worth its while: so many, or those of the
# time that it takes, for each direction and for each direction and class. And its numbers at most.
DEAR_STEP, DEAR_DIRECTION, DEAR_CLASS, MOST_NUMBERS = 4, 1 / 150, 1 / 20, 2**25
# Curvature along a step, relative to its length, below which there are no rows that could move; and
# what is added to that of a class relative to its mean, for directions in which it has none.
FLAT, FACTOR_RIDGE = 1e-10, 1e-4
# The smallest part of a residual that a step may be asked to leave, in double and single precision.
FINEST = 1e-6, 1e-5
# Rows of the sample for each unknown, and the numbers of it that are few enough.
ROWS_EACH, SAMPLE_NUMBERS = 8, 2**24
# Residuals in the unit of the problem, of the sample and of all rows. The former is better than a
# sample deserves, and enough to tell that it gets there; the latter is rounding.
NEAR_ENOUGH, REACHED = 1e-3, 1e-10
# The same in the coordinates of the columns, where the sample does not determine all directions.
REACHED_COLUMNS = 1e-8
# From so many sparse columns on no matrix of their order is made: their lengths take the place of
# an orthonormal basis. Steps then take more products, each of two sweeps over the entries.
WIDE, WIDE_TIMES = 2000, 9
# Of the square of a column, what is left at the least when its mean is taken away.
LEAST_LENGTH = 1e-10
# Rounding errors in the sum over the classes of a row's values.
SUM = 1e-9

Solve = Callable[[Matrix], Matrix]
Kernel = Callable[[Coefficients, Mask, Block], Matrix]


def already_inside(unlabeled: Rows, start: Coefficients, fit_intercept: bool) -> Projection | None:
    """The start, if labels near its own values on the unlabeled rows lead back to it, or None.

    A least-squares or ridge fit to the labeled rows solves S beta = b, and so
    (S + G) beta = b + X_u'f with its own values f. It belongs to all labels u with X_u'u = X_u'f,
    in every metric. Where the values themselves are labels that takes one sweep and no moments;
    with few labels and many columns they hardly leave the middle between the labels. None also
    where directions are few, for which other solvers are fast.
    """
    if start.coef.size < MANY_DIRECTIONS or unlabeled.total_weight == 0.0:
        return None
    adds_up, is_label, sums = unlabeled.reduce(partial(_values_of_block, start), _add_values)
    if is_label:
        labeling = Labeling(None, NearestLabels(start), sums[0], sums[1:])
        return inside(start, labeling, "values")
    if not adds_up or unlabeled.n_rows <= unlabeled.n_features:
        return None
    found = _reach_nearest(unlabeled, start, sums, fit_intercept)
    return None if found is None else inside(start, found[0].labeling, "nearest", *found[1:])


def inside(
    start: Coefficients,
    labeling: Labeling,
    name: str,
    residual: Matrix | None = None,
    scale: float = 0.0,
) -> Projection:
    """The start, which belongs to these labels, up to a residual."""
    if residual is None:
        residual = np.zeros_like(start.stacked())
    solution = Solution.inside(labeling, residual, name, scale, n_sweeps=1)
    return Projection(start, solution, True, 0.0)


def _reach_nearest(
    rows: Rows, start: Coefficients, sums: Matrix, fit_intercept: bool
) -> tuple[Reached, Matrix, float] | None:
    """Labels with X_u'u = `sums` that are nearest to the values of `start`, residual and scale.

    They are the labels nearest to the values f + V theta of other coefficients, where theta
    minimises the convex sum_i w_i h(f_i + v_i'theta) - <theta, target>, h with the slope "nearest
    label", so that the answer is a rule again. A semismooth Newton method, its steps by conjugate
    gradients: one sweep of O(U d K) each, and no matrix of order r K. V is orthonormal over a
    sample, which preconditions them, and one factor a class of the rows that may move does so where
    that is not enough. The sample goes first: where it cannot reach its own target, and a few rows
    reach farther than many, all rows are not even asked.
    """
    d, wanted = rows.n_features, ROWS_EACH * sums.size
    n_sample, few = min(wanted, max(ROWS_EACH * d, SAMPLE_NUMBERS // d)), rows
    is_wide = isinstance(rows, CsrRows) and d >= WIDE
    if n_sample < rows.n_rows and not is_wide:
        sample = random_sample(rows, n_sample, seed=0)
        own = np.ones(len(sample)) if sample.weights is None else sample.weights
        if not own.any():
            return None
        few = as_rows(sample.X, own * (rows.total_weight / own.sum()))
    if is_wide:
        functions, total = _columns(rows, fit_intercept)
    else:
        moments = Moments.of(few)
        functions = Basis.of(moments, 0.0, fit_intercept).functions
        mean = moments.mean @ functions.coef + functions.intercept
        total = moments.weight * mean
    every = _Nearest(rows, functions, start, sums)
    kind = label_set(np.zeros((1, *start.coef.shape[1:])))
    centre = np.multiply.outer(total, kind.centre) - every.target
    scale = 0.5 * (float(np.vdot(centre, centre)) + kind.variance * len(total))
    unit = float(np.sqrt(2.0 * scale))
    slope = np.zeros_like(every.target)
    if not is_wide and wanted // 2 <= few.n_rows < rows.n_rows // 2:
        own_sums = few.reduce(partial(_values_of_block, start), _add_values)[2]
        first = _Nearest(few, functions, start, own_sums).solve(slope, NEAR_ENOUGH * unit)
        if first is None:
            return None
        slope = first.slope
    found = every.solve(slope, REACHED * unit)
    if found is None:
        return None
    if not is_wide and len(total) < d + fit_intercept:
        squares = moments.scatter.diagonal() + moments.weight * moments.mean**2
        lengths = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        over = ((found.labeling.total - sums[1:]).T / lengths).T
        if np.linalg.norm(over) > REACHED_COLUMNS * unit:
            return None
    return found, found.residual, scale


def _columns(rows: Rows, fit_intercept: bool) -> tuple[Coefficients, Vector]:
    """The columns less their mean, of length one, with the constant; and their sums over the rows.

    As functions whose coefficients are sparse: a product with them is one with the rows.
    """
    sums, squares = rows.reduce(_squares_of_block, add_each)
    weight, d = rows.total_weight, len(squares)
    mean = sums / weight if fit_intercept else np.zeros(d)
    left = np.maximum(squares - weight * mean**2, LEAST_LENGTH * squares)
    lengths = np.sqrt(np.where(left > 0.0, left, 1.0))
    coef: Any = sparse.diags_array(1.0 / lengths, format="csr")
    if not fit_intercept:
        return Coefficients(coef, np.zeros(d)), sums / lengths
    coef = sparse.csr_array(sparse.hstack([sparse.csr_array((d, 1)), coef]))
    intercept = np.concatenate([[1.0 / np.sqrt(weight)], -mean / lengths])
    return Coefficients(coef, intercept), np.concatenate([[np.sqrt(weight)], np.zeros(d)])


def _squares_of_block(block: Block) -> tuple[Vector, Vector]:
    """The sums of columns and of their squares."""
    w = np.ones(block.X.shape[0]) if block.weights is None else block.weights
    return np.asarray(w @ block.X), np.asarray(w @ block.X.power(2))


def _factor(gram: Matrix) -> Solve:
    """The inverse of a curvature, with a little added to it."""
    ridge = FACTOR_RIDGE * float(np.trace(gram)) / len(gram)
    factor = cho_factor(gram + ridge * np.eye(len(gram)), check_finite=False)
    return lambda right: np.asarray(cho_solve(factor, right, check_finite=False))


class _Nearest:
    """The potential of `_reach_nearest` at theta, and Newton's method from there."""

    def __init__(
        self, rows: Rows, functions: Coefficients, start: Coefficients, sums: Matrix
    ) -> None:
        self.rows, self.functions, self.start = rows, functions, start
        self.target = self._in_basis(sums)
        self.unit = max(1.0, float(np.linalg.norm(self.target)))
        self.factor: Solve = np.asarray
        self.n_products = 0
        self.is_wide = sparse.issparse(functions.coef)
        # Steps for many classes are rough, and faster on all rows at once in single precision.
        self.single: Block | None = None
        if isinstance(rows, NumpyRows) and rows.X.size <= SAMPLE_NUMBERS and start.coef.ndim == 2:
            self.single = Block(rows.X.astype(np.float32, order="C"), rows.weights, 0)

    def solve(self, theta: Matrix, enough: float) -> Reached | None:
        """The theta with a residual of at most `enough`, or None where there seems to be none."""
        value, reached, free = self.look(theta)
        # Along the residual no labels may come as far as the target, which settles it at once.
        along = self.functions.combine(-reached.residual)
        farthest = float(self.rows.reduce(partial(_farthest_of_block, along), operator.add))
        if farthest < -float(np.vdot(reached.residual, self.target)):
            return None
        # No labels that reach the target leave the potential below this.
        lowest = float(self.rows.reduce(partial(_lowest_of_block, self.start), operator.add))
        for _ in range(NEWTON_STEPS):
            size = float(np.linalg.norm(reached.residual))
            if size <= enough:
                return reached
            if value < lowest:
                return None
            if self.n_products > MOST_PRODUCTS * (1 + WIDE_TIMES * self.is_wide):
                return None
            least = FINEST[self.single is not None]
            accuracy = min(0.1, max(size / self.unit, least, 0.3 * enough / size))
            before = self.n_products
            step = self.step(free, reached.residual, accuracy)
            time = len(step) * (DEAR_DIRECTION + DEAR_CLASS * len(step) / step.size)
            dear = self.n_products - before > max(DEAR_STEP, time)
            expected = 1e-4 * float(np.vdot(step, reached.residual))
            length = 1.0
            while True:
                trial = self.look(reached.slope + length * step)
                # Next to the answer the potential is flat to rounding, and the residual decides.
                smaller = float(np.linalg.norm(trial[1].residual)) <= 0.5 * size
                if smaller or trial[0] <= value + length * expected:
                    break
                length *= 0.5
                if length < SHORTEST:
                    return None
            value, reached, free = trial
            if dear and self.factor is np.asarray:
                self.factor = self.factor_of_classes(free)
        return None

    def look(self, theta: Matrix) -> tuple[float, Reached, Mask]:
        """Potential, labels, and the classes with a share, for each row."""
        moved = self.functions.combine(theta)
        values = Coefficients(self.start.coef + moved.coef, self.start.intercept + moved.intercept)
        value, sums, free = self.rows.reduce(partial(_nearest_of_block, values), add_each)
        residual = self._in_basis(sums) - self.target
        if residual.ndim == 2:
            residual -= residual.mean(axis=1, keepdims=True)
        labeling = Labeling(None, NearestLabels(values), sums[0], sums[1:])
        value -= float(np.vdot(theta, self.target))
        free = np.ascontiguousarray(np.concatenate(free, axis=-1))
        return value, Reached(theta, residual, labeling), free

    def _in_basis(self, sums: Matrix) -> Matrix:
        B = self.functions
        return np.asarray(B.coef.T @ sums[1:] + np.multiply.outer(B.intercept, sums[0]))

    def step(self, free: Mask, residual: Matrix, accuracy: float) -> Matrix:
        """Conjugate gradients on the curvature of these rows, to this part of the residual."""

        def times(direction: Matrix) -> Matrix:
            return self._in_basis(self._sum(_curved_of_block, direction, free))

        step, left = np.zeros_like(residual), -residual
        scaled = self.factor(left)
        direction, before = scaled, float(np.vdot(left, scaled))
        enough = accuracy**2 * before
        for _ in range(CONJUGATE_STEPS * (1 + WIDE_TIMES * self.is_wide)):
            self.n_products += 1
            product = times(direction)
            curvature = float(np.vdot(direction, product))
            if curvature <= FLAT * before:
                break  # flat: there are no more rows that could move
            length = before / curvature
            step, left = step + length * direction, left - length * product
            scaled = self.factor(left)
            after = float(np.vdot(left, scaled))
            if after <= enough:
                break
            direction, before = scaled + after / before * direction, after
        return step if step.any() else scaled

    def _sum(self, kernel: Kernel, theta: Matrix, free: Mask) -> Matrix:
        """That of a kernel over all rows, with these weights of the functions."""
        along = self.functions.combine(theta)
        if self.single is None:
            return self.rows.reduce(partial(kernel, along, free), np.add)
        rough = Coefficients(along.coef.astype(np.float32), along.intercept.astype(np.float32))
        return kernel(rough, free, self.single)

    def factor_of_classes(self, free: Mask) -> Solve:
        """The curvature of each class for itself, from the rows whose label can move; one sweep."""
        if self.is_wide or self.target.size * len(self.target) > MOST_NUMBERS:
            return self.factor
        grams = self._sum(_grams_of_block, np.eye(len(self.target)), free)
        try:
            factors = [_factor(gram) for gram in grams]
        except np.linalg.LinAlgError:  # a class that hardly any row may have
            return self.factor
        if self.target.ndim == 1:
            return factors[0]

        def solve(right: Matrix) -> Matrix:
            each = [factor(column) for factor, column in zip(factors, right.T, strict=True)]
            solution = np.column_stack(each)
            return np.asarray(solution - solution.mean(axis=1, keepdims=True))

        return solve


# In the functions of blocks a class is a row, so that rows of the table are multiplied from the
# left: with few classes that is faster by half.


def _values_of_block(start: Coefficients, block: Block) -> tuple[bool, bool, Matrix]:
    """Whether values add up to one over the classes, whether they are labels, and their sums."""
    values = _values(start, block.X)
    labels = values if values.ndim == 2 else np.stack([1.0 - values, values])
    adds_up = bool((np.abs(labels.sum(axis=0) - 1.0) <= SUM).all())
    is_label = adds_up and bool((labels >= 0.0).all())
    weighted = values if block.weights is None else values * block.weights
    return adds_up, is_label, _sums(weighted, block.X)


def _add_values(
    first: tuple[bool, bool, Matrix], second: tuple[bool, bool, Matrix]
) -> tuple[bool, bool, Matrix]:
    return first[0] and second[0], first[1] and second[1], first[2] + second[2]


def _farthest_of_block(along: Coefficients, block: Block) -> float:
    """The most of <values, label> that any labels have."""
    values = _values(along, block.X)
    most = np.maximum(0.0, values) if values.ndim == 1 else values.max(axis=0)
    return float(most.sum() if block.weights is None else block.weights @ most)


def _lowest_of_block(start: Coefficients, block: Block) -> float:
    """The least of h(values) - <values, label> that any label allows: <start, label> - 1/2 ||^2."""
    values = _values(start, block.X)
    least = np.minimum(0.0, values - 0.5) if values.ndim == 1 else values.min(axis=0) - 0.5
    return float(least.sum() if block.weights is None else block.weights @ least)


def _nearest_of_block(coefficients: Coefficients, block: Block) -> tuple[float, Matrix, list[Mask]]:
    """The sum of h, those of labels and of rows times labels, and what may move."""
    values = _values(coefficients, block.X)
    labels = label_set(values.T).project(values.T).T
    h = labels * (values - 0.5 * labels)
    free = labels > 0.0 if labels.ndim == 2 else (labels > 0.0) & (labels < 1.0)
    w = np.ones(block.X.shape[0]) if block.weights is None else block.weights
    return float((h @ w).sum()), _sums(labels * w, block.X), [free]


def _curved_of_block(along: Coefficients, free: Mask, block: Block) -> Matrix:
    """The sums of how labels move, and of rows times that, where values move `along`."""
    moved = _values(along, block.X)
    mask = free[..., block.start : block.start + block.X.shape[0]]
    moved *= mask
    if moved.ndim == 2:
        moved -= mask * (moved.sum(axis=0) / mask.sum(axis=0))
    if block.weights is not None:
        moved *= block.weights
    return _sums(moved, block.X)


def _grams_of_block(functions: Coefficients, free: Mask, block: Block) -> Matrix:
    """For each class the sum of v v' over the rows that may move, by how far they do.

    In single precision, for these are only to be near.
    """
    mask = np.atleast_2d(free[..., block.start : block.start + block.X.shape[0]])
    weights = np.ones(block.X.shape[0]) if block.weights is None else block.weights
    if len(mask) > 1:
        weights = weights * (1.0 - 1.0 / mask.sum(axis=0))
    V = functions.values(block.X)
    V = (V * np.sqrt(weights).astype(V.dtype)[:, None]).astype(np.float32, copy=False)
    grams, memory = [], np.empty_like(V)  # new memory for each class would take longer
    for own in map(np.flatnonzero, mask):
        part = V.take(own, axis=0, out=memory[: len(own)], mode="clip")
        grams.append(part.T @ part)
    return np.stack(grams)


def _values(coefficients: Coefficients, X: Any) -> Matrix:
    if isinstance(X, np.ndarray) and X.dtype == np.float32:  # there the other way round
        return np.ascontiguousarray(coefficients.values(X).T)
    values = np.asarray(coefficients.coef.T @ X.T)
    return np.asarray((values.T + coefficients.intercept).T)


def _sums(labels: Matrix, X: Any) -> Matrix:
    """The sums of labels, and of rows times labels, one below the other."""
    return np.concatenate([labels.sum(axis=-1)[None], np.asarray(labels @ X).T])
