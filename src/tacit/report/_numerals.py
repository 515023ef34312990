"""Numbers as people read them."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"


def plain(value: float, form: str = "") -> str:
    """A number with thousands apart and a true minus sign; a dash where there is none.

    Parameters
    ----------
    value : float
        The number.
    form : str
        How Python is to format it; by default whole numbers in full, others to four digits.
    """
    if not math.isfinite(value):
        return MISSING if math.isnan(value) else f"{MINUS if value < 0 else ''}\N{INFINITY}"
    if form:
        text = format(value, form)
    elif value == int(value) and abs(value) < 1e15:
        text = f"{int(value):,}"
    else:
        text = f"{value:,.4g}"
    # Rounding must not leave a minus before nothing.
    if text.startswith("-") and not any(digit in text for digit in "123456789"):
        text = text[1:]
    return text.replace("-", MINUS)


def fixed(value: float, digits: int) -> str:
    """A number with this many decimals."""
    return plain(value, f",.{digits}f")


def signed(value: float, digits: int) -> str:
    """A difference: with this many decimals, and with its sign unless it rounds to zero."""
    text = fixed(value, digits)
    nothing = text.startswith(MINUS) or not any(digit in text for digit in "123456789\N{INFINITY}")
    return text if nothing else f"+{text}"


def between(low: float, high: float, digits: int, with_sign: bool = False) -> str:
    """An interval in words."""
    write = signed if with_sign else fixed
    return f"{write(low, digits)} to {write(high, digits)}"
