"""Thin commands: parse, call the library, print.

Exit codes: 0 for success, 1 for something wrong with the data or a file, 2 for a command that was
written wrongly, 130 after an interrupt (Ctrl-C).
"""

from __future__ import annotations

import signal
import sys

# What shells expect of a program that a signal has ended.
INTERRUPTED = 130
TERMINATED = 143


def main() -> None:
    """Run the command line; without the `cli` extra, say how to get it."""
    # A request to end is an interruption like Ctrl-C: processes are ended and files kept whole.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _run() -> None:
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit(
            "The command line needs typer and rich; install them with: pip install 'tacit[cli]'"
        )
    from tacit.cli.errors import run

    run()
