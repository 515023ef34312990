"""Small drawn signs: their shape says what their colour says."""

from __future__ import annotations

from tacit.report._markup import Markup, element

_SIGNS = {
    "good": "M7 12.5l3.4 3.4L17 9",
    "neutral": "M7.5 10h9M7.5 14.2h9",
    "bad": "M12 7v6.2M12 16.6v.1",
    "unknown": "M9.4 9.6a2.7 2.7 0 1 1 4 2.4c-.9.5-1.4 1-1.4 2M12 16.9v.1",
}
# A warning stands in a triangle everywhere else too.
_OUTLINES = {"bad": "M12 1.8 23 21.4H1z"}
_CIRCLE = "M12 1.5a10.5 10.5 0 1 1 0 21 10.5 10.5 0 0 1 0-21z"

# One shape for each series of a picture, about 10 units wide around the origin.
MARKERS = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",  # circle
    "M-4-4h8v8h-8z",  # square
    "M0-5.4 5 3.8H-5z",  # triangle
    "M0-5.6 5.6 0 0 5.6-5.6 0z",  # diamond
    "M0 5.4 5-3.8H-5z",  # triangle on its head
    "M-1.6-5h3.2v3.4H5v3.2H1.6V5h-3.2V1.6H-5v-3.2h3.4z",  # cross
)


def icon(kind: str) -> Markup:
    """The sign of a verdict: a tick, an equals sign, a warning or a question mark."""
    return element(
        "svg",
        element("path", d=_OUTLINES.get(kind, _CIRCLE), class_="icon-ground"),
        element("path", d=_SIGNS[kind], class_="icon-sign"),
        viewBox="0 0 24 24",
        class_="icon",
        aria_hidden="true",
    )


def style(index: int) -> str:
    """The classes that give a series its colour and its dashes, the marker giving the shape.

    Seven colours, six shapes and four dashes: no two of the first 84 series are alike.
    """
    return f"series-{index % 7} dash-{index % 4}"


def marker(index: int, x: str, y: float) -> Markup:
    """The marker of a series at a place; `x` may be a percentage, so that it never is distorted."""
    path = element("path", d=MARKERS[index % len(MARKERS)])
    return element("svg", path, x=x, y=y, class_=f"marker series-{index % 7}")


def sample(index: int) -> Markup:
    """A short piece of the line of a series with its marker, for a legend."""
    line = element("path", d="M1 8h30", class_=f"line {style(index)}")
    return element(
        "svg",
        line,
        marker(index, "16", 8.0),
        width=32,
        height=16,
        class_="sample",
        aria_hidden="true",
    )
