"""`python -m benchmarks`: the tables and the plot, in one run with fixed BLAS threads.

How often verdicts are right is counted by `python -m benchmarks.verdicts`, which takes much longer.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import (
    columns,
    compare_time,
    evidence_time,
    family,
    hard,
    scaling,
    speed,
    startup,
    storage,
)

THREADS = 2
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "scaling.png"


def main() -> int:
    """Print the tables as they come, then write the page and the picture of the documentation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, nothing written")
    quick = parser.parse_args().quick
    say = _Page()

    machine = f"{platform.machine()}, {os.cpu_count()} cores, {THREADS} BLAS threads"
    say(f"All figures of one run: {machine}, Python {platform.python_version()}.")
    say("Times are medians of runs taken in turns.\n")
    say(speed.HEADER)
    holds = True
    for lines in (
        startup.startup_lines,
        speed.ridge_lines,
        lambda: [speed.classes_line()],
        speed.peer_lines,
        lambda: [speed.small_line()],
        family.family_lines,
        compare_time.compare_lines,
        columns.column_lines,
        lambda: evidence_time.evidence_lines((10_000,) if quick else evidence_time.PROMISES),
        lambda: [speed.memory_line()],
        lambda: storage.parquet_lines(1_000_000 if quick else storage.PARQUET_ROWS),
        lambda: [storage.dask_line(400_000 if quick else storage.DASK_ROWS)],
    ):
        for line in lines():
            say(line.markdown())
            holds &= line.holds

    n_unlabeled = 20_000 if quick else 100_000
    say(f"\n## Hard instances\n\nU = {n_unlabeled:,}, d = 50, default settings.\n")
    say(hard.HEADER)
    rows, converged = hard.hard_rows(n_unlabeled)
    for row in rows:
        say(row)
    holds &= converged

    say("\n## Rates of single sweeps\n\nMillions of rows a second, d = 50, all cores.\n")
    say("| storage | moments | values and slope |\n|---|---|---|")
    for row in storage.rate_rows():
        say(row)

    if not quick:
        scaling.draw(scaling.measure_curves(1_000_000), PICTURE)
        PAGE.write_text(_page(say.text))
    print("\nEvery promise holds." if holds else "\nNot every promise holds; see the table.")
    return 0 if holds else 1


class _Page:
    """Prints, and remembers what was printed."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, line: str) -> None:
        print(line, flush=True)
        self.text += line + "\n"


def _page(tables: str) -> str:
    return (
        "# Benchmarks\n\n"
        "Made by `make bench`. General solvers get the inner problem ready-made; for Tacit the\n"
        "whole `fit` is timed, certificate included. A peer is stopped after 60 s, so a ratio at\n"
        "that time is a lower bound; its gap says how far it got.\n\n"
        "![Seconds against unlabeled rows, on logarithmic axes](images/scaling.png)\n\n" + tables
    )


if __name__ == "__main__":
    # One thread limit for everybody, Tacit and its peers.
    with threadpool_limits(limits=THREADS):
        sys.exit(main())
