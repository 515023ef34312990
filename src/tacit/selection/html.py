"""Pages as text, as files, and inside notebooks."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.report import Page

FRAME_HEIGHT = 640


def as_html(page: Page, path: str | Path | None) -> str | None:
    """The text of a page, or None where there is a file to write it to."""
    if path is None:
        return page.html()
    page.write(path)
    return None


def in_a_frame(page: str, title: str) -> str:
    """A page inside another one; a frame, so that the styles of neither reach the other."""
    return (
        f'<iframe title="{html.escape(title)}" srcdoc="{html.escape(page)}" width="100%" '
        f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
    )
