"""Writing files so that no interruption leaves half of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A temporary name beside `file`, which becomes `file` when all is written."""
    partial = file.with_name(f".{file.stem}.partial{file.suffix}")
    try:
        yield partial
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
