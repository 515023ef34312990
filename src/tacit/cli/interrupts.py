"""Ctrl-C: an end within a second, whatever is at work, and no half-written file."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from types import TracebackType
from typing import NoReturn

from tacit._files import remove_unfinished

INTERRUPTED = 130
# What an orderly end may take. Long steps outside Python notice an interrupt only when they are
# done, so after this the process ends without them.
GRACE_SECONDS = 0.5


class InterruptWatch:
    """While it is entered, an interrupt ends the process soon, in order or without.

    Python raises KeyboardInterrupt between two steps of its own, which may take long to come while
    a library computes or worker processes are waited for. A second thread is told of the signal at
    once and ends the process if it is still there after the grace.
    """

    def __enter__(self) -> InterruptWatch:
        # The process that tidies up after worker processes would warn of what they left.
        others = os.environ.get("PYTHONWARNINGS")
        ours = "ignore:resource_tracker"
        os.environ["PYTHONWARNINGS"] = f"{others},{ours}" if others else ours
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._before = -1
        self.was_interrupted = False
        if threading.current_thread() is threading.main_thread():
            self._before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
            threading.Thread(target=self._wait, name="interrupts", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(self._before)
        self._writer.close()

    def _wait(self) -> None:
        while data := self._reader.recv(16):
            if signal.SIGINT in data:
                self.was_interrupted = True
                time.sleep(GRACE_SECONDS)
                end_now()


def end_now() -> NoReturn:
    """Remove what is half written, stop worker processes, say so, and end at once."""
    remove_unfinished()
    _end_workers()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream.isatty():
                stream.write("\x1b[?25h")  # a progress bar hides the cursor
            stream.flush()
        except (OSError, ValueError):
            continue
    os.write(2, b"\nInterrupted; no file was left half written.\n")
    os._exit(INTERRUPTED)


def _end_workers() -> None:
    """Kill the processes of joblib, which would otherwise finish what they are at."""
    loky = sys.modules.get("joblib.externals.loky.reusable_executor")
    executor = getattr(loky, "_executor", None)
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        try:
            process.kill()
        except (OSError, ValueError, AttributeError):
            continue
