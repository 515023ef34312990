"""Theorem 1 put to the test on random problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit._typing import Vector
from tacit.research.paper.theorem._problems import FAMILIES, Batch, batches

# Problems taken together: many enough to be fast, few enough to stay in cache.
_BLOCK = 4_000

Projection = Callable[[Vector, Vector, Vector], Vector]


@dataclass(frozen=True)
class FamilyCount:
    """What happened in the problems of one family of distributions."""

    family: str  # Its name
    problems: int  # How many
    # In how many the semi-supervised risk was higher than the supervised one, strictly lower, and
    # equal: there beta_sup lies in the interval, so that nothing changes.
    higher: int
    lower: int
    equal: int
    # Mean over all of them of (supervised risk - semi-supervised risk) / supervised risk.
    gain: float
    error: float  # Largest relative error of E x^2, the sum over nodes against the closed form


@dataclass(frozen=True)
class TheoremCheck:
    """The result of `check`."""

    seed: int  # Of the problems
    families: tuple[FamilyCount, ...]  # One row a family
    total: FamilyCount  # All families together

    @property
    def holds(self) -> bool:
        """Whether the semi-supervised risk was never higher."""
        return self.total.higher == 0

    def __str__(self) -> str:
        total = self.total
        words = [
            f"Theorem 1 on {total.problems:,} random problems from {len(self.families)} families "
            f"of distributions (seed {self.seed}):",
            f"  the semi-supervised risk is higher than the supervised one in {total.higher:,},",
            f"  strictly lower in {total.lower:,} ({total.lower / total.problems:.1%}),",
            f"  equal in {total.equal:,} ({total.equal / total.problems:.1%}).",
            f"  On average the risk falls by {total.gain:.1%} of the supervised risk.",
            "  Risks are compared without any tolerance. E x^2 of the sums over nodes agrees with "
            f"its closed form to {total.error:.0e}.",
            "",
            f"  {'family':<20}{'problems':>9}{'higher':>8}{'lower':>8}{'equal':>8}"
            f"{'risk falls by':>15}",
        ]
        words += [
            f"  {row.family:<20}{row.problems:>9,}{row.higher:>8,}{row.lower:>8,}{row.equal:>8,}"
            f"{row.gain:>15.1%}"
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
    to 3. That does not loosen the comparison: the nodes are a distribution themselves, for which
    the theorem holds exactly, and the risks are compared through the factors of their difference,
    whose signs rounding cannot turn. No tolerance is used.

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
    outcomes: dict[str, list[_Outcome]] = {family.name: [] for family in FAMILIES}
    for first in range(0, n_problems, _BLOCK):
        last = min(first + _BLOCK, n_problems)
        for batch in batches(first, last, seed):
            outcomes[batch.family.name].append(_outcome(batch, projection))
        if on_progress is not None:
            on_progress(last)
    families = tuple(_count(name, found) for name, found in outcomes.items() if found)
    total = _count("all", [outcome for found in outcomes.values() for outcome in found])
    return TheoremCheck(seed, families, total)


# Changes of the risk, their parts of the supervised risk, and the error of E x^2.
_Outcome = tuple[Vector, Vector, float]


def _outcome(batch: Batch, projection: Projection) -> _Outcome:
    moments, beta_sup = batch.moments, batch.beta_sup
    beta_semi = projection(beta_sup, moments.lower, moments.upper)
    change = moments.risk_change(beta_sup, beta_semi)
    risk = moments.risk(beta_sup)
    part = np.divide(change, risk, out=np.zeros_like(risk), where=change != 0)
    return change, part, batch.error


def _count(name: str, outcomes: Sequence[_Outcome]) -> FamilyCount:
    change, part = (np.concatenate([outcome[k] for outcome in outcomes]) for k in (0, 1))
    lower, equal = int((change < 0).sum()), int((change == 0).sum())
    return FamilyCount(
        name,
        len(change),
        # A risk that is not a number counts as a violation too.
        len(change) - lower - equal,
        lower,
        equal,
        -float(part.mean()),
        max(outcome[2] for outcome in outcomes),
    )
