"""Thin commands: parse, call the library, print.

Exit codes: 0 for success, 1 for something wrong with the data or a file, 2 for a command that was
written wrongly, 130 after Ctrl-C, 143 after a request to end (SIGTERM).
"""

from __future__ import annotations

import os
import sys

from tacit.cli._interrupts import end_now, listen

# By these, some terminals and CI services ask for colours where nobody could see them.
_FORCED = ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "TTY_COMPATIBLE", "GITHUB_ACTIONS")


def main() -> None:
    """Run the command line; without the `cli` extra, say how to get it."""
    listen()
    try:
        _run()
    except KeyboardInterrupt:
        end_now()


def _run() -> None:
    for name in _FORCED:
        os.environ.pop(name, None)
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit(
            "The command line needs typer and rich; install them with: pip install 'tacit[cli]'"
        )
    from tacit.cli._errors import run

    run()
