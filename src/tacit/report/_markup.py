"""Elements of HTML and SVG, escaped by construction."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Protocol

# Elements that have no content and no end tag.
_VOID = frozenset({"br", "hr", "img", "link", "meta"})
# Characters that HTML does not allow, save tab and line ends.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


class Markup(str):
    """Text that is HTML already. Any other text is escaped where it meets this one."""

    __slots__ = ()


Attribute = str | float | bool | None


def escaped(text: str) -> Markup:
    """`text` as HTML that shows exactly this text; characters that HTML forbids show as one mark.

    Parameters
    ----------
    text : str
        Anything. Markup is returned as it is.
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text), quote=True))


def joined(*parts: str) -> Markup:
    """The parts one after another, escaped where they are plain text."""
    return Markup("".join(map(escaped, parts)))


def element(name: str, /, *children: str, **attributes: Attribute) -> Markup:
    """An element with its attributes and content.

    Parameters
    ----------
    name : str
        The tag.
    *children : str
        Content; plain text is escaped.
    **attributes : str, float, bool or None
        An underscore stands for a hyphen, and one at the end is dropped (`class_`). None and False
        leave the attribute out; True writes its name alone. Numbers are written with at most three
        decimals.
    """
    tag = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{tag}>")
    return Markup(f"<{tag}>{joined(*children)}</{name}>")


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {written}"
    text = value if isinstance(value, str) else number(float(value))
    return f' {written}="{escaped(text)}"'


def number(value: float) -> str:
    """A number for an attribute: at most three decimals, none that are not needed."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Ids:
    """Hands out identifiers, each once on a page."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def new(self, wish: str) -> str:
        """An identifier made of the letters and digits of `wish`, with a number where it is taken.

        Parameters
        ----------
        wish : str
            A name or a title.
        """
        plain = unicodedata.normalize("NFKD", wish).encode("ascii", "ignore").decode()
        stem = "-".join(re.findall(r"[a-z0-9]+", plain.lower())) or "part"
        name, count = stem, 1
        while name in self._given:
            count += 1
            name = f"{stem}-{count}"
        self._given.add(name)
        return name


class Block(Protocol):
    """Anything that a section can hold."""

    def markup(self, ids: Ids) -> Markup:
        """The block as HTML; identifiers come from `ids`, so that none is used twice."""
        ...
