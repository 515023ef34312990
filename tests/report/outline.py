"""A page read back: its elements with their attributes and the text inside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "link", "meta"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def all(self, tag: str = "", class_: str = "") -> list[Element]:
        """Every element below this one with this tag and class, in order."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if (not tag or child.tag == tag) and (not class_ or class_ in child.classes):
                    found.append(child)
                found += child.all(tag, class_)
        return found

    def one(self, tag: str = "", class_: str = "") -> Element:
        found = self.all(tag, class_)
        assert len(found) == 1, f"{len(found)} elements {tag}.{class_}"
        return found[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"an attribute twice in {tag}: {names}"
        made = Element(tag, dict(attrs))
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(text: str) -> Element:
    """The elements of a page or of a part of one; every tag must be closed in its place."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"never closed: {[e.tag for e in reader.open[1:]]}"
    return reader.open[0]
