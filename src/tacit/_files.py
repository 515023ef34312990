"""Files that appear whole or not at all, for every part of the library that writes one."""

from __future__ import annotations

import errno
import os
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What is being written now, so that a process that is told to stop at once can clean up.
_unfinished: set[Path] = set()
# The names that `written_whole` makes.
_PARTIAL = re.compile(r"\..*\.[0-9a-f]{12}\.partial(\.[^.]*)?")
# A file that is being written mostly changes more often than that.
_IDLE_SECONDS = 1.0
# What the system says of a full disk, and of a limit on the size of files: while writing, when it
# knows no name.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A temporary name beside `file`, which becomes `file` when the block ends without error.

    What was there before stays as it is until then. Where `file` is a link, the file that the link
    leads to is written; a device, such as /dev/null, is written to directly. Nobody else has the
    temporary name, and its suffix is that of `file`, by which writers know the format.
    """
    if file.exists() and not (file.is_file() or file.is_dir()):
        # Renaming would put a file in the place of the device.
        yield file
        return
    named, file = file, file.resolve() if file.is_symlink() else file
    # In the same folder, because only there a rename is one step; hidden, so that nobody reads it.
    partial = file.with_name(f".{file.stem}.{uuid.uuid4().hex[:12]}.partial{file.suffix}")
    _unfinished.add(partial)
    try:
        with _held(partial):
            yield partial
            partial.replace(file)
    except OSError as error:
        _name(error, partial, named)
        raise
    finally:
        partial.unlink(missing_ok=True)
        _unfinished.discard(partial)


@contextmanager
def _held(partial: Path) -> Iterator[None]:
    """Lock the file, so that other processes see that it is being written, however slowly."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(partial, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        with suppress(OSError):  # not every network drive has locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _is_held(partial: Path) -> bool:
    """Whether a process that is alive holds the file."""
    try:
        import fcntl
    except ImportError:
        return False
    descriptor = os.open(partial, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _name(error: OSError, partial: Path, file: Path) -> None:
    """Let an error speak of the file that was to be written, not of its temporary name."""
    hidden, known = str(partial), str(file)
    if error.filename is not None and os.fspath(error.filename) == hidden:
        error.filename = known
        error.filename2 = None
    elif error.errno is not None and hidden in str(error.strerror):
        # Arrow puts the name into the words.
        error.filename, error.strerror = known, os.strerror(error.errno)
    elif error.filename is None and error.errno in _NO_ROOM:
        error.filename, error.strerror = known, os.strerror(error.errno)


def write_text(file: Path, text: str) -> None:
    """Write `text` as UTF-8 with plain line ends, all or nothing."""
    with written_whole(file) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def remove_unfinished() -> None:
    """Delete whatever is half written, before a process ends without unwinding."""
    for partial in list(_unfinished):
        partial.unlink(missing_ok=True)


def remove_left_behind(folder: Path) -> None:
    """Delete the half-written files in a folder, of processes that were killed.

    One that another process is writing is left: it holds it, or, where there are no locks or it has
    only just begun, changed it within the last second.
    """
    for file in folder.glob(".*.partial*"):
        if _PARTIAL.fullmatch(file.name) and file not in _unfinished:
            with suppress(OSError):  # gone meanwhile, or not ours to delete: no reason to stop
                is_idle = time.time() - file.stat().st_mtime > _IDLE_SECONDS
                if is_idle and not _is_held(file):
                    file.unlink()


def check_can_write(file: Path, what: str) -> None:
    """Complain early about a place that cannot be written to; `what` is the user's name for it."""
    if file.is_dir():
        raise IsADirectoryError(f"{what} is the folder {str(file)!r}; name a file in it.")
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"{what} is {str(file)!r}, but the folder {str(file.parent)!r} does not exist; create "
            "it or name another."
        )
    if not os.access(file.parent, os.W_OK):
        raise PermissionError(
            f"{what} is {str(file)!r}, but the folder {str(file.parent)!r} cannot be written to; "
            "name another."
        )
