"""Being asked to end."""

from __future__ import annotations

import signal
import sys
from typing import Any

# What shells expect of a program that a signal has ended.
INTERRUPTED = 130
TERMINATED = 143

_seen: list[int] = []


def listen() -> None:
    """Turn Ctrl-C into KeyboardInterrupt, and a request to end into a clean exit.

    Processes are ended and files kept whole in both cases. Ctrl-C is heeded also where a shell has
    told a command in the background to ignore it: whoever sends the signal to it means it.
    """
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))


def check() -> None:
    """Raise again an interruption that came where nobody could see it.

    Python drops an exception that a signal raises inside a callback, such as that of a weak
    reference; whoever works for long asks here from time to time.
    """
    if _seen:
        raise KeyboardInterrupt


def _interrupt(number: int, frame: Any) -> None:
    _seen.append(number)
    raise KeyboardInterrupt
