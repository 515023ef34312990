"""Counts, lists, names and tables in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def number_of(count: int, noun: str) -> str:
    """A number of things: "1 row", "2,000 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: Sequence[str], most: int | None = None, word: str = "and") -> str:
    """Names with commas and a `word` before the last; beyond `most`, how many more there are."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def nearest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """The known name that comes nearest to one that is not known, if any is near enough."""
    folded = {each.casefold(): each for each in known}
    near = get_close_matches(name.casefold().strip(), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None


def aligned(lines: Sequence[Sequence[str]], right: bool = False) -> list[str]:
    """The lines of a table of texts, its columns set to the left or to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = str.rjust if right else str.ljust
    return ["  ".join(map(padded, line, widths)).rstrip() for line in lines]
