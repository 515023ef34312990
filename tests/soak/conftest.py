"""Adds up what the processes of a soak have counted, and prints it at the end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from tests.soak.tally import IS_SOAK, TALLY, lines

FROM_WORKERS: list[dict[str, Any]] = []


def pytest_sessionfinish(session: Any) -> None:
    """A worker of pytest-xdist sends what it counted to the process that began it."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["tally"] = asdict(TALLY)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    FROM_WORKERS.append(getattr(node, "workeroutput", {}).get("tally", asdict(TALLY)))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if IS_SOAK:
        terminalreporter.section("what was tried")
        for line in lines(FROM_WORKERS or [asdict(TALLY)]):
            terminalreporter.line(line)
