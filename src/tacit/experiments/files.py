"""Writing files so that no interruption leaves half of one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A temporary name beside `file`, which becomes `file` when all is written.

    Nobody else has that name, and its suffix is that of `file`, by which writers know the format.
    """
    partial = file.with_name(f".{file.stem}.{uuid.uuid4().hex}.partial{file.suffix}")
    try:
        yield partial
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def write_text(file: Path, text: str) -> None:
    """Write `text` as UTF-8, all or nothing."""
    with written_whole(file) as partial:
        partial.write_text(text, encoding="utf-8")
