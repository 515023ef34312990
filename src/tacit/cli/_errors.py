"""The one place where errors become sentences and exit codes."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from functools import partial
from typing import Any, NoReturn, TextIO

import typer

from tacit.cli._interrupts import INTERRUPTED, end_now, has_come

OK, FAILED, USAGE = 0, 1, 2
# Typer brings its own copy of click or uses the installed one, by version; this is its base class
# of everything that is wrong with how a command was written.
_UsageError: Any = typer.BadParameter.__mro__[1]
_ADVICE = {
    errno.ENOSPC: "free some space, or name another place.",
    errno.EDQUOT: "free some space, or name another place.",
    errno.EFBIG: "raise the limit on the size of files, or name another place.",
    errno.EACCES: "change the permissions, or name another place.",
    errno.EPERM: "change the permissions, or name another place.",
    errno.EROFS: "name a place that can be written to.",
    errno.ENAMETOOLONG: "give a shorter name.",
}


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line, by default with what this process was given, and leave."""
    code = _run(sys.argv[1:] if arguments is None else arguments)
    if code == INTERRUPTED or has_come():
        end_now()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            # What cannot be written now would fail once more when Python ends.
            _silence(stream)
    # Without waiting for worker processes and threads, which have nothing left to do.
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    command, debug = "tacit", "--debug" in arguments
    try:
        from tacit.cli._app import app

        group: Any = typer.main.get_command(app)
        command = " ".join(["tacit", *[a for a in arguments if a in group.commands][:1]])
        with warnings.catch_warnings():
            warnings.showwarning = partial(_warn, command, debug)
            result = group.main(args=arguments, prog_name="tacit", standalone_mode=False)
            sys.stdout.flush()
        return result if isinstance(result, int) else OK
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except (Exception, SystemExit) as error:
        # An interruption may break what is under way, and the error that follows hides it.
        if has_come() or _follows(error, KeyboardInterrupt):
            return INTERRUPTED
        # Typer turns this one into an exit of its own.
        if _follows(error, BrokenPipeError):
            # Whoever read the output has seen enough; nothing went wrong.
            _silence(sys.stdout)
            return OK
        if isinstance(error, typer.Exit):
            return int(error.exit_code)
        if debug:
            traceback.print_exception(error)
        return _report(command, error)


def _follows(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _report(command: str, error: BaseException) -> int:
    """Say what went wrong, and give the exit code."""
    if isinstance(error, _UsageError):
        message = " ".join(str(error.format_message()).split()).replace(": Value error,", ":")
        if message:  # none without a command, after which the help has been printed
            _write(f"{command}: {message.rstrip('.')}; see `{command} --help`.")
        return USAGE
    sentence = _sentence(error)
    if isinstance(error, MemoryError):
        sentence = (
            "there is not enough memory; use fewer rows or columns, or a Parquet file, of which "
            "unlabeled rows can stay on disk."
        )
    elif not _is_for_people(error):
        sentence = (
            f"something unexpected went wrong ({type(error).__name__}: {sentence}); run it again "
            "with --debug to see where."
        )
    _write(f"{command}: {sentence}")
    return FAILED


def _write(sentence: str) -> None:
    from tacit.cli._output import plain

    sys.stderr.write(f"{plain(sentence)}\n")


def _is_for_people(error: BaseException) -> bool:
    """Whether the message of an error is written for whoever typed the command."""
    if isinstance(error, LookupError):
        from tacit.research.datasets import DatasetNotFoundError

        return isinstance(error, DatasetNotFoundError)
    # What cannot be decoded is told by Python in bytes and positions.
    if isinstance(error, UnicodeError):
        return False
    return isinstance(error, ValueError | OSError | ImportError)


def _sentence(error: BaseException) -> str:
    """The message of an error on one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fspath(error.filename)!r}" if error.filename else "the output"
        advice = _ADVICE.get(error.errno or 0, "check the name and the permissions.")
        return f"{where}: {error.strerror}; {advice}"
    return " ".join(str(error).split()) or type(error).__name__


def _warn(
    command: str, debug: bool, message: Any, category: type, filename: str, lineno: int, *_: Any
) -> None:
    """Warnings of the library as sentences, too."""
    place = f" ({category.__name__}, {filename}:{lineno})" if debug else ""
    _write(f"{command}: warning: {' '.join(str(message).split())}{place}")


def _silence(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
