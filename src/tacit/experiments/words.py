"""Counts and lists in words, for notes and findings."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, what: str = "repeat") -> str:
    """A number and its noun: "1 repeat", "2 repeats"."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Names with commas and an "and" before the last; beyond `most`, how many more there are."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]
