"""The one place where errors become sentences and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, NoReturn

import typer

from tacit.cli.interrupts import INTERRUPTED, InterruptWatch, end_now

OK, FAILED, USAGE = 0, 1, 2
# Typer brings its own copy of click or uses the installed one, by version; this is its base class
# of everything that is wrong with how a command was written.
_UsageError: Any = typer.BadParameter.__mro__[1]

_debug = False


def set_debug(wanted: bool) -> None:
    """Show where errors come from; called by the option --debug."""
    global _debug
    _debug = _debug or wanted


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code.

    Parameters
    ----------
    arguments : list of str, optional
        What stands behind `tacit`; by default, what this process was started with.
    """
    with InterruptWatch() as watch:
        code = _run(sys.argv[1:] if arguments is None else arguments, watch)
        if code == INTERRUPTED:
            end_now()
        _flush()
    # Without waiting for worker processes and threads, which have nothing left to do.
    sys.exit(code)


def _run(arguments: list[str], watch: InterruptWatch | None = None) -> int:
    command = "tacit"
    try:
        from tacit.cli.app import app

        group: Any = typer.main.get_command(app)
        command = _command_of(arguments, list(getattr(group, "commands", ())))
        result = group.main(args=arguments, prog_name="tacit", standalone_mode=False)
        return result if isinstance(result, int) else OK
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        # An interrupt may break what is under way, and the error that follows hides it.
        if _follows_interrupt(error) or (watch is not None and watch.was_interrupted):
            return INTERRUPTED
        return _told(command, error)


def _follows_interrupt(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _told(command: str, error: Exception) -> int:
    """Say what went wrong, and give the exit code."""
    if isinstance(error, typer.Exit):
        return int(error.exit_code)
    if isinstance(error, _UsageError):
        return _say_usage(command, error)
    if isinstance(error, BrokenPipeError):
        # Whoever read the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    if isinstance(error, MemoryError):
        sentence = (
            "there is not enough memory; use fewer rows or columns, or a Parquet file with "
            "numeric columns, which is streamed."
        )
    elif isinstance(error, ValueError | OSError | ImportError):
        sentence = _sentence(error)
    else:
        sentence = (
            f"something unexpected went wrong ({type(error).__name__}: {_sentence(error)}); run it "
            "again with --debug to see where."
        )
    return _say(command, sentence, error)


def _say(command: str, sentence: str, error: BaseException) -> int:
    if _debug:
        traceback.print_exception(error)
    sys.stderr.write(f"{command}: {sentence}\n")
    return FAILED


def _say_usage(command: str, error: Any) -> int:
    if _debug:
        traceback.print_exception(error)
    message = " ".join(str(error.format_message()).split()).replace(": Value error,", ":")
    if not message:  # no command at all: the help has been printed
        return USAGE
    sys.stderr.write(f"{command}: {message.rstrip('.')}; see `{command} --help`.\n")
    return USAGE


def _sentence(error: BaseException) -> str:
    """The message of an error on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and error.strerror and error.filename:
        text = f"{str(error.filename)!r}: {error.strerror}; check the name and the permissions."
    return text


def _command_of(arguments: list[str], known: list[str]) -> str:
    names = [argument for argument in arguments if argument in known]
    return f"tacit {names[0]}" if names else "tacit"


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
