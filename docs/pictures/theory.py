"""Draw every picture of the theory pages: ``python -m docs.pictures.theory``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from docs.pictures import (
    theory_dual,
    theory_guarantee,
    theory_projection,
    theory_working_set,
    theory_zonotope,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IMAGES = Path(__file__).parents[1] / "images"
PICTURES: dict[str, Callable[[], Figure]] = {
    "zonotope": theory_zonotope.draw,
    "projection": theory_projection.draw,
    "dual": theory_dual.draw,
    "working_set": theory_working_set.draw,
    "guarantee": theory_guarantee.draw,
}


def draw_all(folder: Path = IMAGES) -> list[Path]:
    """Write all pictures into the folder and return their paths."""
    paths = []
    for name, draw in PICTURES.items():
        path = folder / f"theory_{name}.png"
        draw().savefig(path)
        paths.append(path)
    return paths


if __name__ == "__main__":
    draw_all()
