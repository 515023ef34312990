"""Options that several commands have."""

from __future__ import annotations

import typer

from tacit.datasets import PAPER


def check_jobs(jobs: int) -> None:
    """Refuse numbers of processes that make no sense."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(
            f"{jobs} processes make no sense; give a positive number, or -1.", param_hint="--jobs"
        )


def chosen_datasets(given: list[str] | None) -> tuple[str, ...] | None:
    """The paper's datasets among the names given, in its order; None where none are given."""
    if not given:
        return None
    known = {name.lower(): name for name in PAPER}
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in known]
    if strangers or not names:
        raise typer.BadParameter(
            f"{', '.join(strangers) or 'nothing'} is not among the paper's datasets: "
            f"{', '.join(PAPER)}.",
            param_hint="--datasets",
        )
    wanted = {known[name.lower()] for name in names}
    return tuple(name for name in PAPER if name in wanted)
