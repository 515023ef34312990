"""Options of the commands that run experiments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

OutFolder = Annotated[Path, typer.Option(help="Folder for everything written.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Folder with datasets, asked before other sources.")
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(help="Only these datasets; repeat the option or separate by commas."),
]
Cluster = Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on instead.")]


def check_folder(out: Path) -> None:
    """Create the folder for everything written, or say why that cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise OSError(
            f"--out is {str(out)!r}, which cannot be a folder to write into ({error.strerror}); "
            "name another."
        ) from error


def chosen_datasets(given: list[str] | None) -> tuple[str, ...] | None:
    """The paper's datasets among the names given, in its order; None where none are given."""
    if not given:
        return None
    from tacit.research.datasets import PAPER

    known = {name.lower(): name for name in PAPER}
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in known]
    if not names:
        raise typer.BadParameter(
            f"no name was given; name some of: {', '.join(PAPER)}.", param_hint="--datasets"
        )
    if strangers:
        raise typer.BadParameter(
            f"{', '.join(strangers)} is not among the paper's datasets; name some of: "
            f"{', '.join(PAPER)}.",
            param_hint="--datasets",
        )
    wanted = {known[name.lower()] for name in names}
    return tuple(name for name in PAPER if name in wanted)
