"""Being asked to end: within a second, whatever is at work, and with no half-written file."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tacit._files import remove_unfinished

# What shells expect of a program that a signal has ended: 128 and the number of the signal.
_BEYOND = 128
INTERRUPTED = _BEYOND + signal.SIGINT
WORDS = {signal.SIGINT: "Interrupted", signal.SIGTERM: "Terminated"}
# What an orderly end may take. Long steps outside Python notice an interruption only when they are
# done, so after this the process ends without them.
GRACE_SECONDS = 0.5


@dataclass
class _State:
    """Of the process, as signals are."""

    number: signal.Signals | None = None
    kept: str = "no file was left half written"


_state = _State()
_ending = threading.Lock()


def listen() -> None:
    """Heed Ctrl-C and requests to end, from now on and for as long as this process lives.

    The first of them becomes a KeyboardInterrupt, upon which files and processes are tidied up as
    the call unwinds. Python raises it between two steps of its own, which may take long to come
    while a library computes or worker processes are waited for, so a second thread is told at once
    and ends the process if it is still there after a grace.

    Ctrl-C is heeded also where a shell has told a command in the background to ignore it: whoever
    sends the signal to it means it.
    """
    # The process that tidies up after worker processes would warn of what they left.
    others, ours = os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"
    os.environ["PYTHONWARNINGS"] = f"{others},{ours}" if others else ours
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    # The thread keeps both ends open; the far one would be closed when this call returns.
    threading.Thread(
        target=_watch, args=(reader, writer), name="interruptions", daemon=True
    ).start()
    for number in WORDS:
        signal.signal(number, _interrupt)


def check() -> None:
    """Raise again an interruption that came where nobody could see it.

    Python drops an exception that a signal raises inside a callback, such as that of a weak
    reference; whoever works for long asks here from time to time.
    """
    if has_come():
        raise KeyboardInterrupt


def has_come() -> bool:
    """Whether this process was asked to end."""
    return _state.number is not None


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """Within this block, an end by interruption tells that the same command goes on later."""
    before = _state.kept
    _state.kept = f"what was done is in {folder}, and the same command goes on from it"
    yield
    # Not after an error: an interruption is told of after it has left the block.
    _state.kept = before


def end_now() -> NoReturn:
    """Remove what is half written, stop worker processes, say so, and end at once.

    An orderly end may come to this just when the grace is over; the second caller waits here for
    the first to end them both.
    """
    _ending.acquire()
    remove_unfinished()
    _end_workers()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream.isatty():
                stream.write("\x1b[?25h")  # a progress bar hides the cursor
            stream.flush()
        except (OSError, ValueError):
            continue
    number = _state.number or signal.SIGINT
    with suppress(OSError):  # where nobody listens
        os.write(2, f"\n{WORDS[number]}; {_state.kept}.\n".encode())
    os._exit(_BEYOND + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise once: a second Ctrl-C must not break the orderly end that the first has begun."""
    if _state.number is None:
        _state.number = signal.Signals(number)
        raise KeyboardInterrupt


def _watch(reader: socket.socket, writer: socket.socket) -> None:
    while data := reader.recv(16):
        if any(number in data for number in WORDS):
            time.sleep(GRACE_SECONDS)
            # Where Python has not come to its own handler yet, it is not known there.
            _state.number = _state.number or next(number for number in WORDS if number in data)
            end_now()


def _end_workers() -> None:
    """Kill the processes of joblib, which would else finish what they are at, or wait for ever."""
    processes = sys.modules.get("multiprocessing")
    for worker in [] if processes is None else processes.active_children():
        # By number: what joblib starts has no method for it.
        with suppress(OSError):
            os.kill(worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
