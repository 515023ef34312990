"""Options of the commands that run experiments."""

from __future__ import annotations

import os
from collections.abc import Sequence
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


def chosen(given: list[str] | None, known: Sequence[str], option: str) -> tuple[str, ...]:
    """The known names among those given, in their order; all where none are given."""
    if not given:
        return tuple(known)
    by_name = {name.lower(): name for name in known}
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    strangers = [name for name in names if name.lower() not in by_name]
    if strangers or not names:
        what = f"{', '.join(strangers)} is unknown" if strangers else "no name was given"
        raise typer.BadParameter(f"{what}; name some of: {', '.join(known)}.", param_hint=option)
    wanted = {by_name[name.lower()] for name in names}
    return tuple(name for name in known if name in wanted)
