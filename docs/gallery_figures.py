"""Show the figures that methods such as `Comparison.plot()` return in the gallery.

They are made without pyplot, which is where sphinx-gallery looks by default.
"""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that are new among the names of an example, and return their RST."""
    paths = []
    for value in list(block_vars["example_globals"].values()):
        if not isinstance(value, Figure) or hasattr(value, "_seen_by_gallery"):
            continue
        value._seen_by_gallery = True  # a later block still has the name
        # Those of pyplot have a manager, as long as the next scraper has not closed them.
        if value.canvas.manager is None:
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=120)
            paths.append(path)
    return figure_rst(paths, gallery_conf["src_dir"])
