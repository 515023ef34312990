"""One self-contained HTML page from a template and plain values, and the pictures on it.

A page is a Jinja2 template of the folder `templates`, which anyone can edit, and values: texts,
tables, pictures. It knows nothing of estimators, experiments or files. `Page.html()` is the whole
page as one text that needs neither network nor other files; it reads without JavaScript, on paper,
and by a screen reader. Pictures are matplotlib's, drawn once for pages, notebooks and files.
"""

from tacit.report._drawing import (
    WIDE,
    Difference,
    Panel,
    Series,
    Tone,
    add_legend,
    draw_curves,
    draw_differences,
    draw_panel,
    page_picture,
)
from tacit.report._figures import (
    COLOURS,
    PALETTE,
    Picture,
    inlined,
    new_figure,
    save_figure,
    set_log_heights,
)
from tacit.report._page import HtmlDisplay, Page, check_can_write_pages
from tacit.report._tables import MINUS, Entry, Heading, Listing

__all__ = [
    "COLOURS",
    "MINUS",
    "PALETTE",
    "WIDE",
    "Difference",
    "Entry",
    "Heading",
    "HtmlDisplay",
    "Listing",
    "Page",
    "Panel",
    "Picture",
    "Series",
    "Tone",
    "add_legend",
    "check_can_write_pages",
    "draw_curves",
    "draw_differences",
    "draw_panel",
    "inlined",
    "new_figure",
    "page_picture",
    "save_figure",
    "set_log_heights",
]
