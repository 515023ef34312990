"""How many files a run tries, what happens to their bytes, and the bounds on reading one."""

from __future__ import annotations

import faulthandler
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# `make fuzz` sets it to 1; another number tries that many times fewer or more.
IS_FUZZ = "TACIT_FUZZ" in os.environ
FACTOR = float(os.environ.get("TACIT_FUZZ", "1"))
# A file of a few hundred bytes takes milliseconds and no memory to speak of.
SECONDS = 20.0
MORE_BYTES = 2 * 2**30


def examples(test: int, fuzz: int) -> Callable[[Any], Any]:
    """How many files `make test` tries, the same every time, and how many new ones `make fuzz`."""
    return settings(
        deadline=None,
        suppress_health_check=list(HealthCheck),
        max_examples=max(1, round(FACTOR * fuzz)) if IS_FUZZ else test,
        derandomize=not IS_FUZZ,
        database=None,
        print_blob=True,
    )


@contextmanager
def bounded() -> Iterator[None]:
    """Memory beyond the bound is a MemoryError, and what never ends ends the whole process."""
    resource = pytest.importorskip("resource", reason="this system knows no limits")
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    if IS_FUZZ:
        faulthandler.dump_traceback_later(10 * SECONDS, exit=True)
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (now + MORE_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        if IS_FUZZ:
            faulthandler.cancel_dump_traceback_later()
    seconds = time.process_time() - start
    assert seconds < SECONDS, f"took {seconds:.0f} s"


def mutated(content: bytes, seed: int, tokens: list[bytes]) -> bytes:
    """A few pieces of the bytes cut out, repeated, changed, or replaced by a token."""
    random = np.random.default_rng(seed)
    for _ in range(int(random.integers(0, 6))):
        at = int(random.integers(0, len(content) + 1))
        end = min(len(content), at + int(random.integers(0, 12)))
        token = tokens[int(random.integers(len(tokens)))]
        piece = [
            b"",
            content[at:end] * 2,
            bytes(random.integers(0, 256, size=end - at, dtype=np.uint8)),
            token,
            token * int(random.integers(1, 50)),
        ][int(random.integers(5))]
        content = content[:at] + piece + content[end:]
    if random.random() < 0.1:
        content = content[: int(random.integers(0, len(content) + 1))]
    return content
