"""Times, ratios and memory, measured side by side."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any


def medians(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The median seconds of each run, taken in turns so that a busy machine slows down all."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def resident_bytes() -> int:
    """Memory of this process that is in use now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class PeakMemory:
    """The highest resident memory inside a `with` block, looked at every few milliseconds."""

    def __enter__(self) -> PeakMemory:
        self.before = self.peak = resident_bytes()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.003):
            self.peak = max(self.peak, resident_bytes())

    def __exit__(self, *exception: object) -> None:
        self._done.set()
        self._thread.join()
        self.peak = max(self.peak, resident_bytes())

    @property
    def growth(self) -> int:
        """Bytes above the level at the beginning."""
        return self.peak - self.before


def in_new_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function says in a process of its own, which holds no memory from earlier work."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()
