"""The one place that imports matplotlib, and the colours of all figures."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito's palette, which colour-blind readers can tell apart.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches.

    It is made without pyplot: no global state, and no display is looked for.
    """
    try:
        with _quiet_fonts():
            from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib; install it with: pip install 'tacit[plots]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained", dpi=150)


@contextmanager
def _quiet_fonts() -> Iterator[None]:
    """Keep matplotlib from saying that it looks for fonts, as it does once on a slow machine."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
