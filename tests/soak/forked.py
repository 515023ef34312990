"""Fits in processes that are forked while another thread is in the middle of a fit; a script.

So that what is forked is a fresh process, with nothing of pytest in it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tacit import ICLSClassifier, KernelICLSClassifier, TacitClassifier
from tests.estimators.tables import partly_labeled
from tests.rows.storages import swept_in

FEW, MANY = partly_labeled(14, 60), partly_labeled(14, 6000)
MODELS: dict[str, Any] = {
    "ICLS": lambda: ICLSClassifier().fit(*MANY.labeled, MANY.pool),
    "kernel": lambda: KernelICLSClassifier(alpha=0.1).fit(FEW.X, FEW.marked),
    "flagship": lambda: TacitClassifier(["linear"], random_state=0).fit(FEW.X, FEW.marked),
}


def decisions(name: str) -> Any:
    return MODELS[name]().decision_function(FEW.X)


@contextmanager
def watched(watch: Callable[..., None]) -> Iterator[None]:
    """Calls of Python in threads that are begun here are told to `watch`."""
    threading.setprofile(watch)
    try:
        yield
    finally:
        threading.setprofile(None)


def in_thread(call: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def functions_of(name: str) -> list[CodeType]:
    """Those of the package that a fit calls, also in the threads of its sweeps."""
    found: dict[CodeType, bool] = {}

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("tacit."):
            # What is computed for a property had a lock around it.
            found.setdefault(frame.f_code, frame.f_back.f_code.co_name == "__get__")

    with watched(note):
        in_thread(lambda: decisions(name)).join()
    return sorted(found, key=lambda code: not found[code])


class HoldAt:
    """Holds the first thread that calls a function, there, until it may go on."""

    def __init__(self, code: CodeType) -> None:
        self.code, self.is_there, self.may_go_on = code, threading.Event(), threading.Event()

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code is self.code and not self.is_there.is_set():
            self.is_there.set()
            self.may_go_on.wait()


def fork_at(code: CodeType, name: str, expected: Any, patience: int) -> int:
    """How the process ended that was forked while another thread called the function."""
    hold = HoldAt(code)
    with watched(hold):
        thread = in_thread(lambda: decisions(name))
        hold.is_there.wait(patience)
    child = os.fork()
    if child == 0:
        fit_in_child(name, expected, patience)
    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    hold.may_go_on.set()
    thread.join()
    return end


def fit_in_child(name: str, expected: Any, patience: int) -> None:
    """End with 0 after the same answer; where it hangs, the alarm ends it."""
    signal.alarm(patience)
    try:
        np.testing.assert_allclose(decisions(name), expected, rtol=1e-9, atol=1e-9)
        os._exit(0)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    os._exit(1)


def main(n_forks: int, patience: int) -> None:
    """Write where each process was forked, and how it ended."""
    warnings.filterwarnings("error")
    # Python warns of a fork beside threads since 3.12; here it is meant.
    warnings.filterwarnings("ignore", "This process.*is multi-threaded", DeprecationWarning)
    # Of BLAS one thread, as in sweeps: it has locks of its own, which no fork renews.
    with (
        swept_in(block_rows=500, n_workers=2),
        threadpool_limits(1, user_api="blas"),
        threadpool_limits(2, user_api="openmp"),
    ):
        for name in MODELS:
            expected, functions = decisions(name), functions_of(name)
            for number in np.linspace(0, len(functions) - 1, n_forks, dtype=int):
                end = fork_at(functions[number], name, expected, patience)
                sys.stdout.write(f"{name} {functions[number].co_qualname} {end}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
