"""The one place that knows matplotlib: empty figures, their colours, and figures inside pages.

An inlined SVG of matplotlib has 20 kB, prints, needs no JavaScript, and takes its colours and its
font from the style sheet of the page; scripts of Vega-Altair would add 0.9 MB to every page.
"""

from __future__ import annotations

import hashlib
import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EXTRA = "pip install 'tacit[plots]'"
TEMPLATES = files("tacit.report") / "templates"
# The colours of the style sheet for light screens and paper, by name.
PALETTE: dict[str, str] = dict(
    re.findall(
        r"--([\w-]+): (#[0-9a-f]{6})", (TEMPLATES / "page.css").read_text("utf-8").partition("}")[0]
    )
)
COLOURS = (PALETTE["ink"], *(PALETTE[f"series-{k}"] for k in range(1, 7)))
# In inches: what fits beside the contents of a page, and what fits on a telephone.
WIDE, NARROW = 8.0, 3.75
_VARIABLES = {colour: f"var(--{name})" for name, colour in PALETTE.items()}
_VARIABLES["#000000"] = _VARIABLES[PALETTE["ink"]]
# Parts of a style that the page decides, or that a browser does by itself.
_LEFT_OUT = frozenset({"font-family", "stroke-linejoin"})
_LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")
# Characters that neither HTML nor XML allows.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches; without pyplot, which has global state and needs a display."""
    try:
        with _quiet_fonts():
            from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"Drawing needs matplotlib; install it with: {EXTRA}") from error
    return Figure(figsize=(width, height), layout="constrained", dpi=150)


def set_log_heights(axes: Axes) -> None:
    """A logarithmic axis with heights enough to read its scale, written as people do."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    # Within less than a decade there may be a single one of 1, 2 and 5, or none.
    few = MaxNLocator(6, steps=[1, 2, 5, 10])
    axes.yaxis.set_major_locator(few if high < 10 * low else LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axes.yaxis.set_minor_locator(NullLocator())


def shortened(text: str, most: int = 28) -> str:
    """A name as a figure shows it: not too long, on one line, and never read as mathematics."""
    plain = FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))
    if len(plain) > most:
        plain = plain[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
    return plain.replace("$", r"\$")


def save_figure(figure: Figure, target: Path | io.StringIO) -> None:
    """Write a figure in the format of the suffix; an SVG keeps its words as words, and no date."""
    from matplotlib import rc_context

    is_svg = not isinstance(target, Path) or target.suffix == ".svg"
    options: dict[str, Any] = {"format": "svg", "metadata": {"Date": None}} if is_svg else {}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "tacit"}), warnings.catch_warnings():
        # Letters that the font lacks are drawn by the reader's browser.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(target, **options)


@dataclass(frozen=True)
class Picture:
    """SVG elements of a page: one for every screen, or one for wide and one for narrow screens."""

    alt: str
    drawings: tuple[str, ...]


def page_picture(draw: Callable[[float], Figure], alt: str) -> Picture:
    """The figure that `draw` makes for a width in inches, for wide and for narrow screens."""
    return Picture(alt, tuple(inlined(svg_text(draw(width)), alt) for width in (WIDE, NARROW)))


def svg_text(figure: Figure) -> str:
    """A figure as the text of an SVG file."""
    out = io.StringIO()
    save_figure(figure, out)
    return out.getvalue()


def inlined(svg: str, alt: str) -> str:
    """An SVG of matplotlib as an element of a page, in the page's colours and font.

    Its parts named stop-0, stop-1 ... are those of which the script of the page tells the numbers.
    """
    root = ElementTree.fromstring(svg)
    names = f"p{hashlib.sha256(svg.encode()).hexdigest()[:8]}-"
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))
    for element in root.iter():
        _adapt(element, names, used)
    width, height = root.get("viewBox", "").split()[2:]
    # A point of print is four thirds of a pixel.
    root.attrib |= {
        "width": f"{float(width) * 4 / 3:.0f}",
        "height": f"{float(height) * 4 / 3:.0f}",
        "fill": _VARIABLES["#000000"],
        "role": "img",
        "aria-label": alt,
    }
    return ElementTree.tostring(root, encoding="unicode")


def _adapt(element: ElementTree.Element, names: str, used: set[str]) -> None:
    """Write one element without namespaces and styles, which the policy of a page forbids."""
    element.tag = element.tag.rpartition("}")[2]
    attributes = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    for part in attributes.pop("style", "").split(";"):
        key, value = (text.strip() for text in part.partition(":")[::2])
        if key == "font":
            # Before matplotlib 3.11: perhaps a style, perhaps a weight, and the size.
            attributes["font-size"] = re.findall(r"[\d.]+px", value)[0]
            attributes["font-weight"] = "bold" if re.match(r"bold|[6-9]00", value) else "normal"
        elif key and key not in _LEFT_OUT:
            attributes[key] = _VARIABLES.get(value, value)
    name = attributes.pop("id", "")
    if name in used:
        attributes["id"] = names + name
    elif name.startswith("stop-"):
        attributes["class"] = "stop"
    for key, value in attributes.items():
        if key in ("href", "clip-path"):
            attributes[key] = value.replace("#", f"#{names}")
        elif key in ("d", "x", "y", "transform", "points"):
            attributes[key] = _LONG_NUMBER.sub(r"\1", " ".join(value.split()))
    element.attrib.clear()
    element.attrib.update(attributes)
    element.tail = None
    if element.text is not None and not element.text.strip() and element.tag != "tspan":
        element.text = None


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
