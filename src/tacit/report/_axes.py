"""Axes: where a value lies between the ends, and where the ticks are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tacit.report._numerals import plain

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
# Where a logarithmic axis also shows zero, it stands this part of the axis left of the rest.
_ROOM_FOR_ZERO = 0.12


@dataclass(frozen=True)
class Tick:
    """A mark on an axis.

    Attributes
    ----------
    value : float
        The value.
    text : str
        What is written there.
    """

    value: float
    text: str


@dataclass(frozen=True)
class Axis:
    """A straight or logarithmic axis.

    Attributes
    ----------
    low, high : float
        Its ends; on a logarithmic axis the least and greatest positive value.
    ticks : tuple of Tick
        Marks, from low to high.
    logarithmic : bool
        Whether equal ratios are equally far apart.
    zero : bool
        Whether zero has a place of its own left of a logarithmic axis.
    """

    low: float
    high: float
    ticks: tuple[Tick, ...]
    logarithmic: bool = False
    zero: bool = False

    def place(self, value: float) -> float:
        """Where the value lies, as a part of the length: 0 at the low end, 1 at the high end."""
        if not self.logarithmic:
            return (value - self.low) / (self.high - self.low)
        if value == 0.0:
            return 0.0
        start = _ROOM_FOR_ZERO if self.zero else 0.0
        part = math.log2(value / self.low) / math.log2(self.high / self.low)
        return start + (1.0 - start) * part


def straight(values: Iterable[float], most_ticks: int = 6, to_ticks: bool = True) -> Axis:
    """A straight axis that shows all finite values, with ticks at round numbers.

    Parameters
    ----------
    values : iterable of float
        What it must show.
    most_ticks : int
        Not more ticks than this, or one more.
    to_ticks : bool
        Whether the ends are ticks; otherwise they are the extreme values.
    """
    low, high = _ends(values)
    step = _step((high - low) / max(1, most_ticks - 1))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if not to_ticks:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = decimals(step)
    ticks = tuple(
        Tick(k * step, plain(round(k * step, digits), f",.{digits}f"))
        for k in range(first, last + 1)
    )
    if to_ticks:
        low, high = ticks[0].value, ticks[-1].value
    return Axis(low, high, ticks)


def logarithmic(values: Sequence[float], most_ticks: int = 9) -> Axis:
    """A logarithmic axis, with ticks at the values themselves, or at powers of two where many.

    Parameters
    ----------
    values : sequence of float
        What it must show: positive numbers, and perhaps zero, which gets a place of its own.
    most_ticks : int
        Not more ticks than this.
    """
    positive = sorted({float(value) for value in values if value > 0.0})
    zero = len(positive) < len({float(value) for value in values})
    low, high = positive[0], positive[-1]
    if low == high:
        low, high = low / 2.0, high * 2.0
    if len(positive) + zero <= most_ticks:
        marks = positive
    else:
        powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
        stride = math.ceil(len(powers) / (most_ticks - zero))
        marks = [2.0**k for k in powers[::stride]] if powers else [low, high]
    ticks = tuple(Tick(value, plain(value)) for value in ([0.0] if zero else []) + marks)
    return Axis(low, high, ticks, logarithmic=True, zero=zero)


def decimals(step: float) -> int:
    """How many decimals tell numbers apart that differ by `step`."""
    for digits in range(12):
        if abs(step * 10**digits - round(step * 10**digits)) < 1e-6 * step * 10**digits:
            return digits
    return 12


def roomy(places: Sequence[float], widths: Sequence[float], length: float) -> list[bool]:
    """Which labels to show on an axis of this length, so that none touches another.

    The last one counts most, then those from the first on.

    Parameters
    ----------
    places : sequence of float
        Their middles, in rising order, as parts of the length.
    widths : sequence of float
        How wide they are, in the unit of `length`.
    length : float
        The length of the axis.
    """
    shown = [False] * len(places)
    if not shown:
        return shown
    shown[-1] = True
    last = len(places) - 1
    edge = places[last] * length - widths[last] / 2.0
    reached = -math.inf
    for k in range(last):
        middle, half = places[k] * length, widths[k] / 2.0
        if middle - half >= reached and middle + half <= edge:
            shown[k] = True
            reached = middle + half
    return shown


def _ends(values: Iterable[float]) -> tuple[float, float]:
    finite = [float(value) for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return low, high
    room = 0.1 * abs(low) or 1.0
    return low - room, high + room


def _step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(s * power for s in _STEPS if s * power >= least * (1.0 - 1e-9))
