"""Counts, lists, names and tables in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

# Names and values of a table may hold sequences that steer a terminal, signs that turn the order of
# what is shown around, others that break lines, and such as nobody sees.
_TURNING = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))} | {
    code: f"\\u{code:04x}" for code in (*_TURNING, 0x2028, 0x2029, 0xFEFF)
}


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


def spelled_out(text: str, but: str = "") -> str:
    """A text with whatever would steer a terminal spelled out, some of it excepted."""
    return text.translate({code: name for code, name in _CONTROLS.items() if chr(code) not in but})


def first_sentence(error: BaseException) -> str:
    """What an error of a library says first, without the full stop."""
    return str(error).partition("\n")[0].partition(". ")[0].rstrip(".")


def aligned(lines: Sequence[Sequence[str]], right: bool = False) -> list[str]:
    """The lines of a table of texts, its columns set to the left or to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = str.rjust if right else str.ljust
    return ["  ".join(map(padded, line, widths)).rstrip() for line in lines]
