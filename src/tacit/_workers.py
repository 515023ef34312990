"""Worker processes on this machine."""

from __future__ import annotations

import multiprocessing.resource_tracker
import signal
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import Parallel
from joblib.externals.loky.backend import resource_tracker as loky_tracker


def as_they_end(calls: Iterable[Any], n_jobs: int | None, **options: Any) -> Generator[Any]:
    """What delayed `calls` give, in the order in which they end.

    Workers do not hear Ctrl-C, which a terminal sends to them too: the process that began them ends
    them, and theirs would only be tracebacks of calls that were cut off.

    Parameters
    ----------
    calls : iterable of delayed calls
        What to do.
    n_jobs : int or None
        Processes, as joblib counts them.
    **options
        For joblib's Parallel.
    """
    with _unheard_by_children(signal.SIGINT):
        done = Parallel(n_jobs=n_jobs, return_as="generator_unordered", **options)(calls)
    try:
        # Not `yield from done`, which would be closed first.
        yield from (each for each in done)
    finally:
        with warnings.catch_warnings():
            # joblib has advice for those who stop before the end; here it was the user.
            warnings.simplefilter("ignore", UserWarning)
            done.close()


@contextmanager
def _unheard_by_children(number: signal.Signals) -> Iterator[None]:
    """Processes and threads that are started here have the signal blocked.

    Nothing is lost in this thread: a signal that comes meanwhile is delivered afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # These are started with the first worker, and unblock the signal once they are.
    multiprocessing.resource_tracker.ensure_running()
    loky_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
