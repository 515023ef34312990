"""Options of the commands that run experiments."""

from __future__ import annotations

from pathlib import Path

import typer

from tacit.datasets import PAPER


def check_jobs(jobs: int) -> None:
    """Refuse numbers of processes that make no sense."""
    if jobs == 0 or jobs < -1:
        raise typer.BadParameter(
            f"{jobs} processes make no sense; give a positive number, or -1.", param_hint="--jobs"
        )


def check_folder(out: Path) -> None:
    """Create the folder for everything written, or say why that cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(
            f"{out} cannot be a folder to write into ({error.strerror}); name another one.",
            param_hint="--out",
        ) from error


def chosen_datasets(given: list[str] | None) -> tuple[str, ...] | None:
    """The paper's datasets among the names given, in its order; None where none are given."""
    if not given:
        return None
    known = {name.lower(): name for name in PAPER}
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in known]
    if not names:
        raise typer.BadParameter(
            f"no name was given; name some of: {', '.join(PAPER)}.", param_hint="--datasets"
        )
    if strangers:
        raise typer.BadParameter(
            f"{', '.join(strangers)} is not among the paper's datasets: {', '.join(PAPER)}.",
            param_hint="--datasets",
        )
    wanted = {known[name.lower()] for name in names}
    return tuple(name for name in PAPER if name in wanted)
