"""Thin commands: parse, call the library, print.

Exit codes: 0 for success, 1 for something wrong with the data or a file, 2 for a command that was
written wrongly, 130 after an interrupt (Ctrl-C).
"""

from __future__ import annotations

import sys

from tacit.cli.signals import INTERRUPTED, listen


def main() -> None:
    """Run the command line; without the `cli` extra, say how to get it."""
    listen()
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
