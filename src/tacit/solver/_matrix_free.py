"""The projection of a sparse table whose rows and columns are both too many for a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tacit._typing import Index, Matrix, Vector
from tacit.rows import CentredRows
from tacit.solver._basis import Coefficients
from tacit.solver._least_squares import SMALL_PENALTY
from tacit.solver._problem import REACHED, gap_unit
from tacit.solver._solution import Solution, Status

NAME = "matrix-free"
# Changes of the active set at the most; between three and eight are usual.
MOST_CHANGES = 50
# Conjugate gradients take a few hundred steps where there is an answer, and a fit a thousand
# products with all rows.
MOST_STEPS, MOST_PRODUCTS = 3000, 4000
# How far the labels at a bound may be from it, relatively: while rows are sought that belong there,
# and then in each turn so much less, until the gap is closed or rounding leaves nothing to gain.
# The gap is of the order of the square, and values are as far off as labels.
FIRST, TIGHTER, TIGHTEST = 1e-3, 1e-4, 1e-12
# What a correction leaves of that, so that equations in all rows need not be solved to the last
# digit for each of its steps.
MOST_MISSING = 1e-3
# An inner solution is so much more accurate than the one that it is for.
INNER = 0.1
# Columns whose inner products are known exactly to the preconditioner. More of them save steps, but
# no time.
MOST_COLUMNS = 1000
# What the other columns add to the square of a row is at least this part of the mean square.
LEAST_SQUARE = 1e-3
# Relative gaps below this are rounding.
LEAST_GAP = 1e-12
# Accuracy of the answer for given labels, and of the unit that gaps are judged in.
ACCURATE, ROUGH = 1e-12, 1e-2

Times = Callable[[Vector], Vector]
IsEnough = Callable[[Vector, float], bool]


@dataclass
class Unexplained:
    """Inner products T of unlabeled rows, less what a ridge fit to the labeled ones explains.

    T = K_uu - K_ul (K_ll + alpha I)^-1 K_lu = alpha Z_u (S + alpha J)^-1 Z_u', with an intercept
    among the coefficients if there is one. What multiplies it takes two sweeps over the rows.
    """

    known: CentredRows  # the labeled rows
    X: Any  # sparse, rows less `base`, each times the root of its weight
    roots: Vector
    base: Vector
    alpha: float
    fit_intercept: bool
    factor: Matrix  # of the inner products of the labeled rows, with the penalty

    @classmethod
    def of(
        cls, known: CentredRows, rows: CentredRows, alpha: float, fit_intercept: bool
    ) -> Unexplained:
        gram = known.gram()
        largest = float(gram.diagonal().max(initial=0.0))
        np.einsum("ii->i", gram)[:] += alpha
        factor, _ = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        if factor.diagonal().min() ** 2 <= SMALL_PENALTY * largest:
            raise np.linalg.LinAlgError("rounding errors of the labeled rows")
        base = rows.mean - rows.offset
        return cls(known, rows.X, rows.roots, base, alpha, fit_intercept, factor)

    def among(self, index: Index) -> Unexplained:
        """The same for some of the unlabeled rows."""
        return replace(self, X=self.X[index], roots=self.roots[index])

    @property
    def shift(self) -> Vector:
        """From the base to the mean of the labeled rows."""
        return self.known.mean - self.base

    def change(self, y: Vector) -> tuple[Vector, float]:
        """alpha (S + alpha J)^-1 Z_u'y: coefficients, and the value at the labeled mean."""
        mass = float(self.roots @ y)
        right = self.X.T @ y - mass * self.shift
        dual = cho_solve((self.factor, True), self.known.times(right), check_finite=False)
        known = self.known.roots @ self.known.roots
        level = self.alpha * mass / known if self.fit_intercept else 0.0
        return right - self.known.back(dual), float(level)

    def times(self, y: Vector) -> Vector:
        """T y."""
        coef, level = self.change(y)
        return np.asarray(self.X @ coef + self.roots * (level - self.shift @ coef))


class NearInverse:
    """An approximate inverse of T + diag(extra), for conjugate gradients.

    The columns with the largest squares are taken as they are, and of the others only what they add
    to the square of each row: as in text, where few columns are in many rows. For m such columns
    the equations are of order m.
    """

    def __init__(self, T: Unexplained) -> None:
        squares = np.bincount(T.X.indices, T.X.data**2, minlength=T.X.shape[1])
        self.T, m = T, min(MOST_COLUMNS, max(1, T.X.shape[0] // 4), T.X.shape[1])
        self.columns = np.sort(np.argsort(-squares, kind="stable")[:m])
        known, columns = T.known, self.columns
        design = known.X[:, columns].toarray()
        design += np.outer(known.roots, (T.shift - known.offset)[columns])
        constant = known.roots if T.fit_intercept else np.zeros(len(known.roots))
        design = np.column_stack([constant, design])
        self.prior = design.T @ design / T.alpha
        np.einsum("ii->i", self.prior)[T.fit_intercept :] += 1.0
        self.rest = self._rest(T.X, T.X[:, columns])

    def _rest(self, X: Any, chosen: Any) -> Vector:
        whole = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        rest = whole - np.asarray(chosen.multiply(chosen).sum(axis=1)).ravel()
        least = LEAST_SQUARE * max(float(whole.mean()), np.finfo(float).eps * self.T.alpha)
        return np.asarray(np.maximum(rest, least))

    def of(self, index: Index | None = None, extra: Vector | float = 0.0) -> Times:
        """The inverse for some rows, by the formula of Sherman, Morrison and Woodbury."""
        T = self.T if index is None else self.T.among(index)
        diagonal = (self.rest if index is None else self.rest[index]) + extra
        Z, constant = T.X[:, self.columns], T.roots * T.fit_intercept
        weighted = Z.multiply(1.0 / diagonal[:, None]).tocsr()
        inner = self.prior.copy()
        inner[1:, 1:] += (Z.T @ weighted).toarray()
        inner[0, 0] += constant @ (constant / diagonal)
        inner[0, 1:] += constant @ weighted
        inner[1:, 0] = inner[0, 1:]
        factor = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

        def solve(right: Vector) -> Vector:
            over = right / diagonal
            summed = np.concatenate([[constant @ over], Z.T @ over])
            part = cho_solve(factor, summed, check_finite=False)
            return np.asarray(over - (constant * part[0] + Z @ part[1:]) / diagonal)

        return solve


def conjugate_gradients(
    times: Times, right: Vector, near: Times, is_enough: IsEnough, first: Vector | None = None
) -> Vector:
    """The solution of times(x) = right; an error where it does not get there."""
    x = np.zeros_like(right) if first is None else first.copy()
    left = right - times(x) if x.any() else right.copy()
    scaled = near(left)
    direction, before = scaled, float(left @ scaled)
    for _ in range(MOST_STEPS):
        if is_enough(left, before):
            return x
        product = times(direction)
        curvature = float(direction @ product)
        if not curvature > 0.0:
            break
        length = before / curvature
        x += length * direction
        left -= length * product
        scaled = near(left)
        after = float(left @ scaled)
        direction, before = scaled + after / before * direction, after
    raise np.linalg.LinAlgError("conjugate gradients did not converge")


def _shorter_than(length: float) -> IsEnough:
    return lambda left, _: bool(left @ left <= length**2)


class MatrixFree:
    """Minimise 1/2 d'Qd over changes d of labels, in the metric of the labeled or of all rows.

    Q = alpha T (T + alpha I)^-2, or T (T + alpha I)^-1. The slopes s = Q d are zero for all rows
    but those held at a bound, which are few. With the inverse 1/alpha (T + 2 alpha I) +
    alpha T^-1, or I + alpha T^-1, they are the solution of equations among these rows alone, by
    conjugate gradients. Rows that leave [0, 1] are held, and those whose slope points inside let
    go, until nothing changes. A row of weight w has d and s over the root of w, so that Q is the
    same for all weights.
    """

    def __init__(self, T: Unexplained, values: Vector, of_all: bool) -> None:
        if len(np.unique(T.X.indices)) + T.fit_intercept < len(T.roots):
            raise np.linalg.LinAlgError("rows beyond their columns are combinations of others")
        self.T, self.values, self.of_all = T, values, of_all
        self.n_products = 0
        self.lower, self.upper = -T.roots * values, T.roots * (1.0 - values)
        self.near = NearInverse(T)
        self.near_all = self.near.of()

    def times(self, y: Vector) -> Vector:
        """T y, counted."""
        self.n_products += 1
        if self.n_products > MOST_PRODUCTS:
            raise np.linalg.LinAlgError("more products than a matrix would be worth")
        return self.T.times(y)

    def _without_inverse(self, T: Times, s: Vector) -> Vector:
        """The inverse of Q times s, but for alpha T^-1 s."""
        return s if self.of_all else T(s) / self.T.alpha + 2.0 * s

    def _over(self, s: Vector, energy: float, accuracy: float, first: Any = None) -> Vector:
        """T^-1 s, to an accuracy in units of s'Q^-1 s, of which it may be a small part."""
        enough = (INNER * accuracy) ** 2 * energy / self.T.alpha
        return conjugate_gradients(
            self.times, s, self.near_all, lambda left, size: size <= enough, first
        )

    def _changes(self, s: Vector, h: Vector, accuracy: float) -> tuple[Vector, Vector]:
        """The inverse of Q times s, and T^-1 s, of which h is near."""
        part = self._without_inverse(self.times, s)
        h = self._over(s, float(s @ part), accuracy, h)
        return part + self.T.alpha * h, h

    def _correction(self, index: Index, missing: Vector) -> Vector:
        """What is to be added to the slopes of the rows held for most of a missing change."""
        T, alpha = self.T.among(index), self.T.alpha
        extra = alpha / self.near.rest[index]
        inverse = None if self.of_all else self.near.of(index, alpha * (2.0 + extra))

        def near(right: Vector) -> Vector:
            return right / (1.0 + extra) if inverse is None else alpha * inverse(right)

        def times(s: Vector) -> Vector:
            part = self._without_inverse(T.times, s)
            whole = np.zeros_like(self.lower)
            whole[index] = s
            over = self._over(whole, float(s @ part), MOST_MISSING)
            return np.asarray(part + alpha * over[index])

        enough = MOST_MISSING**2 * float(missing @ near(missing))
        return conjugate_gradients(times, missing, near, lambda _, size: size <= enough)

    def unit(self) -> float:
        """The objective of random labels, in place of its mean over all of them."""
        random = np.random.default_rng(0).integers(0, 2, len(self.values))
        d = np.where(random, self.upper, self.lower)
        enough = ROUGH**2 * float(d @ self.near_all(d))
        return self.objective(d, self._answer(d, None, lambda _, size: size <= enough))

    def objective(self, d: Vector, y: Vector) -> float:
        """1/2 d'Qd from y = (T + alpha I)^-1 d."""
        return 0.5 * float((d if self.of_all else self.T.alpha * y) @ self.times(y))

    def _answer(self, d: Vector, first: Vector | None, is_enough: IsEnough) -> Vector:
        def times(y: Vector) -> Vector:
            return self.times(y) + self.T.alpha * y

        return conjugate_gradients(times, d, self.near_all, is_enough, first)

    def solve(
        self, tol: float, max_iter: int, report: Callable[[str], None]
    ) -> tuple[Solution, Vector]:
        """Labels, with y such that T y are the changes of values; an error if sets do not settle.

        For any h and s = T h, with d the change that Q takes to s, labels that change by d + e have
        the gap of these slopes plus 1/2 e'Qe, at most 1/8 ||e||^2, or 1/2 ||e||^2 in the metric of
        all rows. So it holds whatever the accuracy of h is.
        """
        scale, accuracy = self.unit(), FIRST
        if not scale > 0.0:
            raise np.linalg.LinAlgError("random labels are as good as any")
        side = np.where(self.upper < 0.0, 1, np.where(self.lower > 0.0, -1, 0))
        s, h = np.zeros_like(self.lower), np.zeros_like(self.lower)
        for n_iter in range(1, min(max_iter, MOST_CHANGES) + 1):
            held = np.flatnonzero(side)
            bounds = np.where(side > 0, self.upper, self.lower)[held]
            s = np.where(side, s, 0.0)
            d, h = self._changes(s, h, accuracy)
            s[held] += self._correction(held, bounds - d[held])
            d, h = self._changes(s, h, accuracy)
            past = np.where(d < self.lower, -1, np.where(d > self.upper, 1, 0))
            changed = np.where(side != 0, np.where(side * s <= 0.0, side, 0), past)
            n_changed = int((changed != side).sum())
            report(f"round {n_iter}: {len(held):,} labels at a bound, {n_changed:,} changed")
            side = changed
            missing = float(np.linalg.norm(bounds - d[held]))
            if n_changed or missing > accuracy * np.linalg.norm(bounds):
                continue
            if accuracy == FIRST:
                accuracy *= TIGHTER
                continue
            unit = gap_unit(0.5 * float(s @ d), scale)
            enough = max(tol, LEAST_GAP)
            is_enough = _shorter_than(INNER * enough * unit / np.sqrt(len(s)))
            h = conjugate_gradients(self.times, s, self.near_all, is_enough, h)
            solution, y = self._judge(h, side, scale, n_iter)
            if solution.is_optimal(enough):
                is_stalled = not solution.is_optimal(tol)
                return self._finish(solution, y, Status.STALLED if is_stalled else None)
            accuracy *= TIGHTER
            if accuracy < TIGHTEST:
                break
        if n_iter == max_iter:
            return self._finish(*self._judge(h, side, scale, n_iter), Status.MAX_ITERATIONS)
        raise np.linalg.LinAlgError("the rows held at bounds do not settle")

    def _judge(self, h: Vector, side: Vector, scale: float, n_iter: int) -> tuple[Solution, Vector]:
        """Labels near those of h, with their gap."""
        alpha, roots = self.T.alpha, self.T.roots
        s = self.times(h)
        d = self._without_inverse(self.times, s) + alpha * h
        y = h if self.of_all else s / alpha + h
        change = np.divide(d, roots, out=np.zeros_like(d), where=roots > 0.0)
        labels = np.where(side, side > 0, np.clip(self.values + change, 0.0, 1.0))
        apart = roots * (labels - self.values) - d
        up, down = np.maximum(roots * s, 0.0), np.maximum(-roots * s, 0.0)
        gap = float(labels @ up + (1.0 - labels) @ down)
        off = np.maximum(np.minimum(labels, up / scale), np.minimum(1.0 - labels, down / scale))
        solution = Solution(
            soft_labels=labels,
            dual=np.zeros(0),
            residual=np.zeros(0),
            status=Status.OPTIMAL,
            solver=NAME,
            n_iter=n_iter,
            objective=0.5 * float(s @ d),
            scale=scale,
            duality_gap=gap + (0.5 if self.of_all else 0.125) * float(apart @ apart),
            stationarity=float(off.max()),
            infeasibility=0.0,
        )
        return solution, y

    def _finish(
        self, solution: Solution, y: Vector, status: Status | None
    ) -> tuple[Solution, Vector]:
        """The answer for these labels, and the solution with what depends on it."""
        d = self.T.roots * (solution.labels() - self.values)
        y = self._answer(d, y, _shorter_than(ACCURATE * float(np.linalg.norm(d))))
        objective = self.objective(d, y)
        is_reached = objective <= REACHED**2 * solution.scale
        status = status or (Status.INSIDE if is_reached else Status.OPTIMAL)
        z = self.residual(y)
        solution = replace(
            solution, objective=objective, status=status, n_sweeps=2 * self.n_products
        )
        return replace(solution, residual=z, dual=z), y

    def residual(self, y: Vector) -> Vector:
        """Change of the labeled values, root of the penalty times coefficients, others' values."""
        T = self.T
        coef, level = T.change(y)
        known = T.known.times(coef) + level * T.known.roots
        parts = [known, np.sqrt(T.alpha) * coef]
        return np.concatenate([*parts, self.times(y)] if self.of_all else parts)

    def squared_change(self, y: Vector) -> float:
        """The squared length of all of these: the change in the metric of all rows."""
        z, values = self.residual(y), self.times(y)
        return float(z @ z) if self.of_all else float(z @ z + values @ values)

    def coefficients(self, y: Vector) -> Coefficients:
        """By how much they change."""
        coef, level = self.T.change(y)
        return Coefficients(coef, np.asarray(level - self.T.known.mean @ coef))
