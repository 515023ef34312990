"""Calls side by side: in this process, in several on this machine, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.backend import resource_tracker as loky_tracker

Data = TypeVar("Data")
Task = TypeVar("Task")
Result = TypeVar("Result")

# Tasks handed to a cluster ahead of what its workers do, so that none of them waits.
AHEAD = 3
# Seconds between two looks at whether the process that began a worker is still there.
PATIENCE = 0.5


def run_all(
    function: Callable[[Data, Task], Result],
    data: Mapping[str, Data],
    tasks: Sequence[tuple[str, Task]],
    n_jobs: int | None = None,
    cluster: str | None = None,
    **options: Any,
) -> Generator[tuple[int, Result]]:
    """Call `function(data[name], task)` for each (name, task), yielding (position, result).

    Results come as they end, in any order; closed early, the rest is given up. `n_jobs` are
    processes on this machine, as joblib counts them, and `options` are for its Parallel; `cluster`
    is the address of a Dask scheduler to use instead, to whose workers data are sent once.
    """
    numbered = ((place, *task) for place, task in enumerate(tasks))
    if cluster is not None and tasks:
        yield from _on_cluster(function, data, numbered, cluster)
    elif effective_n_jobs(n_jobs) > 1 and tasks:
        calls = (delayed(_call)(k, function, data[name], task) for k, name, task in numbered)
        yield from _in_processes(calls, n_jobs, **options)
    else:
        # Without joblib, so that an interrupt ends at once and errors keep a short traceback.
        yield from (_call(k, function, data[name], task) for k, name, task in numbered)


def _call(
    place: int, function: Callable[[Data, Task], Result], data: Data, task: Task
) -> tuple[int, Result]:
    return place, function(data, task)


def _end_with(parent: int) -> None:
    """End this process when its parent does, which if killed could not end its workers itself."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PATIENCE)
        os._exit(1)

    # Those of other backends may have been begun by a server, which lives on.
    if multiprocessing.current_process().name.startswith("Loky"):
        threading.Thread(target=watch, daemon=True).start()


def _in_processes(calls: Iterable[Any], n_jobs: int | None, **options: Any) -> Generator[Any]:
    """What delayed `calls` give, in the order in which they end.

    Workers do not hear Ctrl-C, which a terminal sends to them too: the process that began them ends
    them, and theirs would only be tracebacks of calls that were cut off.
    """
    with _unheard_by_children(signal.SIGINT):
        options |= {"initializer": _end_with, "initargs": (os.getpid(),)}
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


def _on_cluster(
    function: Callable[[Data, Task], Result],
    data: Mapping[str, Data],
    tasks: Iterator[tuple[int, str, Task]],
    address: str,
) -> Generator[tuple[int, Result]]:
    try:
        import distributed
    except ImportError as error:
        raise ImportError("A Dask cluster needs Dask: pip install 'tacit[dask]'") from error
    try:
        connected = distributed.Client(address)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ValueError(
            f"No Dask scheduler answers at cluster={address!r} ({error}); give the address that it "
            "prints when it starts, such as tcp://10.0.0.1:8786."
        ) from error
    client: Any
    with connected as client:
        # One copy of the data on every worker, not one with every task. Under keys of its own: the
        # names of a mapping or a hash may be those of another user, who is just releasing them.
        copies = client.scatter(list(data.values()), broadcast=True, hash=False)
        held = dict(zip(data, copies, strict=True))

        def submit(place: int, name: str, task: Task) -> Any:
            return client.submit(_call, place, function, held[name], task, pure=False)

        ahead = AHEAD * max(1, sum(client.nthreads().values()))
        running: Any = distributed.as_completed(submit(*each) for each in islice(tasks, ahead))  # type: ignore[no-untyped-call]
        for future in running:
            yield future.result()
            for each in islice(tasks, 1):
                running.add(submit(*each))
