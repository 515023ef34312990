"""Pages: one self-contained file from a template and plain values, and the tables on them."""

from __future__ import annotations

import base64
import hashlib
import html
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tacit.__about__ import __version__
from tacit._files import check_can_write, write_text
from tacit.report._figures import EXTRA, FORBIDDEN, TEMPLATES, new_figure

if TYPE_CHECKING:
    from jinja2 import Environment

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
# A number at the beginning of an entry, followed by nothing, a unit or a remark.
_LEADING = re.compile(r"([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?![\w.])", re.IGNORECASE)
# What can be sent by mail and opened on a telephone.
LARGEST = 3_000_000
FRAME_HEIGHT = 640


@dataclass(frozen=True)
class Entry:
    """What stands at one place of a table; a dash where the text is empty."""

    text: str
    beside: str = ""  # below it in small type, such as the published value
    mark: str = ""  # a word in a frame behind it, for the one entry among others
    bold: bool = False
    underline: bool = False
    value: float | None = None  # to sort by; by default the number the text begins with

    @property
    def missing(self) -> bool:
        """Whether there is nothing to show."""
        return self.text.strip() in ("", MISSING, "-", "nan")

    @property
    def number(self) -> float | None:
        """What it is sorted by, where that is a number."""
        if self.value is not None:
            return None if math.isnan(self.value) else float(self.value)
        match = _LEADING.match(self.text.strip().replace(MINUS, "-"))
        return None if match is None else float(match[1].replace(",", ""))


@dataclass(frozen=True)
class Listing:
    """A table of a page. The first column names the rows; numbers are set to the right.

    What stands beside the head of a column says what it means.
    """

    caption: str
    columns: Sequence[str | Entry]
    rows: Sequence[Sequence[str | Entry]]
    note: str = ""

    @property
    def entries(self) -> list[list[Entry]]:
        """The heads and then the rows, each entry with all it may have."""
        lines = (self.columns, *self.rows)
        return [[Entry(e) if isinstance(e, str) else e for e in line] for line in lines]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers only, apart from missing entries."""
        columns = (column[1:] for column in zip(*self.entries, strict=True))
        present = [[entry for entry in column if not entry.missing] for column in columns]
        return [bool(c) and all(entry.number is not None for entry in c) for c in present]


@dataclass(frozen=True)
class Page:
    """A template of the folder `templates`, and what it shows. Every text is escaped."""

    template: str
    title: str
    values: Mapping[str, Any]

    def html(self) -> str:
        """The whole page as one text, which refers to nothing outside and may fetch nothing."""
        template = environment().get_template(self.template)
        text = template.render(
            title=self.title, **self.values, contents=[], version=__version__, **_style_and_script()
        )
        text = FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
        size = len(text.encode())
        if size > LARGEST:
            raise ValueError(
                f"The page would have {size / 1e6:.1f} MB, more than {LARGEST / 1e6:.0f} MB; "
                "leave out figures or make them smaller, and give long tables as files."
            )
        return text

    def write(self, path: str | Path) -> Path:
        """Write the page to a file, whole or not at all, and return the file."""
        file = Path(path)
        check_can_write(file, "path")
        write_text(file, self.html())
        return file


class HtmlDisplay:
    """What can be shown as one self-contained page: as text, in a file, in a notebook."""

    def _page(self) -> Page:
        raise NotImplementedError

    @overload
    def to_html(self) -> str: ...

    @overload
    def to_html(self, path: str | Path) -> None: ...

    def to_html(self, path: str | Path | None = None) -> str | None:
        """One self-contained page with all that was found, returned or written to the file `path`.

        A file that exists is replaced. Needs the extra `plots`.
        """
        page = self._page()
        if path is None:
            return page.html()
        page.write(path)
        return None

    def _repr_html_(self) -> str | None:
        """The page, for notebooks; None, so that they show the text, where the extra is missing."""
        try:
            page = self._page()
            text = page.html()
        except ImportError:
            return None
        # A frame, so that the styles of neither page reach the other.
        return (
            f'<iframe title="{html.escape(page.title)}" srcdoc="{html.escape(text)}" width="100%" '
            f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
        )


def check_can_write_pages(with_pictures: bool = True) -> None:
    """Complain of packages that are missing before the work, not after it."""
    environment()
    if with_pictures:
        new_figure(1, 1)


@cache
def environment() -> Environment:
    """Where templates come from, and what they can use."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(f"Pages need Jinja2; install it with: {EXTRA}") from error
    made = Environment(
        loader=PackageLoader("tacit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["anchor"] = anchor
    return made


def anchor(title: str) -> str:
    """The letters and digits of a title, for links to it."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower())) or "part"


@cache
def _style_and_script() -> dict[str, Any]:
    """Both files as they stand, and a policy that lets the page run and fetch nothing else."""
    from markupsafe import Markup

    style, script = ((TEMPLATES / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    digests = [
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    policy = (
        f"default-src 'none'; style-src '{digests[0]}'; script-src '{digests[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return {"style": Markup(style), "script": Markup(script), "policy": policy}
