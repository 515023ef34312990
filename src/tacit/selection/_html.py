"""Pages as text, as files, and inside notebooks."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from tacit.report import Page

FRAME_HEIGHT = 640


class ShownAsPage:
    """What can be shown as one self-contained page: as text, in a file, in a notebook."""

    def _page(self) -> Page:
        raise NotImplementedError

    @overload
    def to_html(self) -> str: ...

    @overload
    def to_html(self, path: str | Path) -> None: ...

    def to_html(self, path: str | Path | None = None) -> str | None:
        """One self-contained page with all that was found.

        Parameters
        ----------
        path : str or path, optional
            The file to write; one that exists is replaced. By default the page is returned.

        Returns
        -------
        str or None
            The page, or None where it was written.
        """
        page = self._page()
        if path is None:
            return page.html()
        page.write(path)
        return None

    def _repr_html_(self) -> str:
        """The page, for notebooks."""
        page = self._page()
        return _in_a_frame(page.html(), page.title)


def _in_a_frame(page: str, title: str) -> str:
    """A page inside another one; a frame, so that the styles of neither reach the other."""
    return (
        f'<iframe title="{html.escape(title)}" srcdoc="{html.escape(page)}" width="100%" '
        f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
    )
