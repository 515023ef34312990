"""How many problems a run tries, and what it counts while it does."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, settings

# `make soak` sets it to 1; another number tries that many times fewer or more.
IS_SOAK = "TACIT_SOAK" in os.environ
FACTOR = float(os.environ.get("TACIT_SOAK", "1"))


def examples(test: int, soak: int) -> Callable[[Any], Any]:
    """How many problems `make test` tries, the same every time, and how many new ones a soak."""
    return settings(
        # No deadline: machines differ, and a slow example is not a wrong one.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        max_examples=max(1, round(FACTOR * soak)) if IS_SOAK else test,
        derandomize=not IS_SOAK,
        database=None,
        print_blob=True,
    )


@dataclass
class Tally:
    """What was tried in this process."""

    n_problems: int = 0
    seconds: float = 0.0
    slowest: str = ""
    worst_gap: float = 0.0
    worst: str = ""

    def count(self, problem: Any, seconds: float, gap: float) -> None:
        self.n_problems += 1
        if seconds > self.seconds:
            self.seconds, self.slowest = seconds, repr(problem)
        self.gap(gap, problem)

    def gap(self, gap: float, problem: Any) -> None:
        if gap > self.worst_gap:
            self.worst_gap, self.worst = gap, repr(problem)


TALLY = Tally()


def lines(tallies: list[dict[str, Any]]) -> list[str]:
    """What a soak prints at its end, from the tallies of all its processes."""
    if not tallies:
        return []
    worst = max(tallies, key=lambda one: one["worst_gap"])
    slowest = max(tallies, key=lambda one: one["seconds"])
    return [
        f"{sum(one['n_problems'] for one in tallies):,} problems",
        f"worst relative gap {worst['worst_gap']:.2g} {worst['worst']}".rstrip(),
        f"slowest fit {slowest['seconds']:.2g} s {slowest['slowest']}".rstrip(),
    ]
