"""What a process does otherwise that was forked by another one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_importer = os.getpid()


@contextmanager
def openmp_without_parent() -> Iterator[None]:
    """Let OpenMP do with one thread in a process that was forked after this module was imported.

    That of GNU would wait there for ever for the threads that it had in the parent.
    """
    if os.getpid() == _importer:
        yield
        return
    with threadpool_limits(1, user_api="openmp"):
        yield
