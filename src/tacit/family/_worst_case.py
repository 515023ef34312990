"""The labels that improve the most on a baseline, in the worst case over candidate labelings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tacit._typing import AnyArray, Matrix, Vector

# Branch-and-bound stops here on problems with very many candidates; the gap is then reported.
NODES = 10_000
# What HiGHS, whose tolerances are absolute, may leave open of a program in units of about one.
TOLERANCE = 1e-6
# Whole weights up to this many units keep the tolerances far below one unit.
MOST_UNITS = 1e4


@dataclass(frozen=True)
class WorstCase:
    """The answer of the max-min program."""

    labels: Vector  #: The labels, -1 or 1.
    #: Gain less weighted loss against the baseline, for the worst candidate. Never negative.
    value: float
    #: No labels have a larger value, to a millionth of `unit`. `value` where solved to the end.
    bound: float
    relaxed: float  #: The value of the linear program, in which labels may be fractional.
    is_baseline: bool  #: Whether the labels are those of the baseline.
    unit: float = 1.0  #: The largest weight of a row, by which value and bound are judged.

    @property
    def is_exact(self) -> bool:
        """Whether no labels are better by more than a millionth of the value or of `unit`."""
        return self.bound - self.value <= TOLERANCE * max(self.unit, abs(self.value))


def improvements(
    labels: Vector, candidates: Matrix, baseline: Vector, loss_weight: float, weights: Vector
) -> Vector:
    """Gain less weighted loss of `labels` against the baseline, were each candidate the truth."""
    right, before = labels == candidates, baseline == candidates
    return np.asarray((right & ~before) @ weights - loss_weight * ((~right & before) @ weights))


def worst_case(
    candidates: Matrix, baseline: Vector, loss_weight: float, weights: Vector
) -> WorstCase:
    """Labels of the largest improvement for the worst candidate (Li & Zhou 2015), exactly.

    Rows on which all candidates agree take that label. The others with the same labels in all
    candidates and in the baseline are interchangeable, so there is one integer variable a pattern.
    """
    first, bound, relaxed = candidates[0], 0.0, 0.0
    contested = (candidates != first).any(axis=0)
    labels = np.where(contested, baseline, first)
    if weights[contested].any():
        # 1. One variable a pattern: how many of its rows are given the label 1.
        index = np.flatnonzero(contested)
        unit = _unit(weights[index])
        table = np.vstack([candidates[:, index], baseline[index], weights[index] / unit])
        patterns, of_row, counts = np.unique(table, axis=1, return_inverse=True, return_counts=True)
        of_row = of_row.reshape(-1)
        # What a row with label 1 instead of -1 adds to each candidate's term.
        right, before = patterns[:-2] > 0, patterns[-2] == patterns[:-2]
        worth = np.where(before, loss_weight, 1.0) * np.where(right, 1.0, -1.0) * patterns[-1]
        labels[index] = -1.0
        constant = improvements(labels, candidates, baseline, loss_weight, weights / unit)
        # 2. Maximise tau subject to tau <= constant_t + worth_t n for every candidate t.
        numbers, bound, relaxed = _solve_programs(worth, constant, counts)
        bound, relaxed = unit * bound, unit * relaxed
        # 3. The labels: rows of a pattern in their order.
        for pattern, number in enumerate(numbers):
            labels[index[of_row == pattern][: int(number)]] = 1.0
    value = float(improvements(labels, candidates, baseline, loss_weight, weights).min())
    if value <= 0.0:  # the baseline has the value zero
        labels, value = baseline.copy(), 0.0
    is_baseline, largest = bool((labels == baseline).all()), float(weights.max(initial=0.0))
    return WorstCase(labels, value, max(bound, value), max(relaxed, value), is_baseline, largest)


def _unit(weights: Vector) -> float:
    """The unit of the program: one that makes the weights whole, or the largest of them."""
    largest = float(weights.max())
    for unit in (float(weights[weights > 0.0].min()), 1.0):
        numbers = weights / unit
        if largest <= MOST_UNITS * unit and bool((numbers == np.round(numbers)).all()):
            return unit
    return largest


def _solve_programs(
    worth: Matrix, constant: Vector, counts: AnyArray
) -> tuple[Vector, float, float]:
    """How many rows of each pattern, a bound of the largest tau, and tau over real numbers."""
    n_candidates, n_patterns = worth.shape
    terms = np.column_stack([worth, -np.ones(n_candidates)])
    given: dict[str, Any] = {
        "c": np.append(np.zeros(n_patterns), -1.0),
        "constraints": LinearConstraint(terms, lb=-constant, ub=np.inf),
        "bounds": Bounds(np.append(0.0 * counts, -np.inf), np.append(1.0 * counts, np.inf)),
    }
    relaxed: Any = milp(**given)
    # Whole weights make every term a whole number, which sharpens the bound by up to one.
    whole = bool((worth == np.round(worth)).all() and (constant == np.round(constant)).all())
    integrality = np.append(np.ones(n_patterns), float(whole))
    options: Any = {"node_limit": NODES, "mip_rel_gap": 0.0}
    exact: Any = milp(**given, integrality=integrality, options=options)
    best = -float(relaxed.fun)
    bound = best if exact.mip_dual_bound is None else min(best, -float(exact.mip_dual_bound))
    numbers = np.floor(relaxed.x[:-1] + 0.5) if exact.x is None else np.round(exact.x[:-1])
    return numbers, bound, best
