"""Theorem 1 put to the test on random problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit._typing import Vector
from tacit.research.paper.theorem._problems import FAMILIES, Batch, batches

# Problems taken together: many enough to be fast, few enough to stay in cache. Sums are taken over
# one block after the other, so that the result depends on nothing but seed and number of problems.
_BLOCK = 4_000

Projection = Callable[[Vector, Vector, Vector], Vector]


@dataclass(frozen=True)
class FamilyCount:
    """What happened in the problems of one family of distributions."""

    family: str  # Its name
    problems: int  # How many
    # In how many the semi-supervised risk was higher than the supervised one, strictly lower, and
    # equal.
    higher: int
    lower: int
    equal: int
    inside: int  # In how many beta_sup lay in the interval, so that nothing changes
    # Mean over all of them of (supervised risk - semi-supervised risk) / supervised risk.
    gain: float
    error: float  # Largest relative error of E x^2, the sum over nodes against the closed form


@dataclass(frozen=True)
class TheoremCheck:
    """The result of `check`."""

    seed: int  # Of the problems
    families: tuple[FamilyCount, ...]  # One row a family

    @property
    def total(self) -> FamilyCount:
        """All families together."""
        return _total("all", self.families)

    @property
    def holds(self) -> bool:
        """Whether the semi-supervised risk was never higher."""
        return self.total.higher == 0

    def __str__(self) -> str:
        total = self.total
        share = 100.0 / total.problems
        words = [
            f"Theorem 1 on {total.problems:,} random problems from {len(self.families)} families "
            f"of distributions (seed {self.seed}):",
            f"  the semi-supervised risk is higher than the supervised one in {total.higher:,},",
            f"  strictly lower in {total.lower:,} ({share * total.lower:.1f} %),",
            f"  equal in {total.equal:,} ({share * total.equal:.1f} %).",
            f"  In {total.inside:,} the supervised coefficient lies in the interval, so nothing "
            "changes.",
            f"  On average the risk falls by {100 * total.gain:.1f} % of the supervised risk.",
            "  Risks are compared without any tolerance. E x^2 of the sums over nodes agrees with "
            f"its closed form to {total.error:.0e}.",
            "",
            f"  {'family':<20}{'problems':>9}{'higher':>8}{'lower':>8}{'equal':>8}"
            f"{'risk falls by':>15}",
        ]
        words += [
            f"  {row.family:<20}{row.problems:>9,}{row.higher:>8,}{row.lower:>8,}{row.equal:>8,}"
            f"{100 * row.gain:>13.1f} %"
            for row in self.families
        ]
        return "\n".join(words)


def clip(beta_sup: Vector, lower: Vector, upper: Vector) -> Vector:
    """The projection of the theorem: the nearest point of the interval."""
    return np.minimum(np.maximum(beta_sup, lower), upper)


def check(
    n_problems: int = 100_000,
    *,
    seed: int = 0,
    projection: Projection = clip,
    on_progress: Callable[[int], None] | None = None,
) -> TheoremCheck:
    """Draw random problems and count how often the semi-supervised risk is higher.

    Each problem is a distribution of x from one of the families, a conditional probability
    P(y = 1 | x) from thirteen kinds (among them those that put beta_star on an end of the
    interval), and 1 to 50 labeled rows. It depends on the seed and its own number only.

    Expectations are sums over fixed nodes with non-negative weights. E x^2 and the interval come
    out to about 7 digits, E x y to as many or, where P(y = 1 | x) is steep or oscillates in a tail,
    to 3; `random_problem` gives a single problem with adaptive quadrature. That does not loosen
    the comparison: the nodes are a distribution themselves, for which the theorem holds
    exactly, and the risks are compared through the factors of their difference, whose signs
    rounding cannot turn. No tolerance is used.

    Parameters
    ----------
    n_problems : int, default=100_000
        How many.
    seed : int, default=0
        Another one gives other problems.
    projection : callable, optional
        Maps arrays beta_sup, lower and upper to the estimates to be compared with beta_sup. The
        theorem is about the default, clipping; others show that the check can fail.
    on_progress : callable, optional
        Told how many problems are done, after each few thousand.

    Returns
    -------
    TheoremCheck
        Counts for each family; as a string, in words.

    Notes
    -----
    Takes about 0.1 ms a problem, and memory for a few thousand of them at a time.

    References
    ----------
    Krijthe and Loog, Implicitly Constrained Semi-Supervised Least Squares Classification, IDA
    2015, Theorem 1.
    """
    if n_problems < 1:
        raise ValueError(f"n_problems must be at least 1, got {n_problems}.")
    counts: dict[str, list[FamilyCount]] = {family.name: [] for family in FAMILIES}
    for first in range(0, n_problems, _BLOCK):
        last = min(first + _BLOCK, n_problems)
        for batch in batches(first, last, seed):
            counts[batch.family.name].append(_count(batch, projection))
        if on_progress is not None:
            on_progress(last)
    return TheoremCheck(seed, tuple(_total(name, rows) for name, rows in counts.items() if rows))


def _count(batch: Batch, projection: Projection) -> FamilyCount:
    moments, beta_sup = batch.moments, batch.beta_sup
    beta_semi = projection(beta_sup, moments.lower, moments.upper)
    change = moments.risk_change(beta_sup, beta_semi)
    risk = moments.risk(beta_sup)
    inside = (moments.lower <= beta_sup) & (beta_sup <= moments.upper)
    gain = np.divide(-change, risk, out=np.zeros_like(risk), where=change != 0)
    return FamilyCount(
        batch.family.name,
        len(change),
        # A risk that is not a number counts as a violation too.
        int((~(change <= 0)).sum()),
        int((change < 0).sum()),
        int((change == 0).sum()),
        int(inside.sum()),
        float(gain.mean()),
        batch.error,
    )


def _total(name: str, rows: Sequence[FamilyCount]) -> FamilyCount:
    problems = sum(row.problems for row in rows)
    return FamilyCount(
        name,
        problems,
        sum(row.higher for row in rows),
        sum(row.lower for row in rows),
        sum(row.equal for row in rows),
        sum(row.inside for row in rows),
        sum(row.gain * row.problems for row in rows) / problems,
        max(row.error for row in rows),
    )
