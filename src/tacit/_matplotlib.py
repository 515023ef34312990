"""The one place that imports matplotlib, and the colours of all figures."""

from __future__ import annotations

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
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib; install it with: pip install 'tacit[plots]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained", dpi=150)
