"""Counts and lists in words."""

from __future__ import annotations

from collections.abc import Sequence


def number_of(count: int, noun: str) -> str:
    """A number of things: "1 row", "2,000 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: Sequence[str], most: int | None = None, word: str = "and") -> str:
    """Names with commas and a `word` before the last; beyond `most`, how many more there are."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"
