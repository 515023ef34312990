"""The page: sections of blocks in one file that refers to no other."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from tacit._files import check_can_write, write_text
from tacit.report._markup import Block, Ids, Markup, element, joined

# What can be sent by mail and opened on a telephone.
LARGEST = 3_000_000
# A page that is read from top to bottom needs no list of contents.
_SECTIONS_WITH_CONTENTS = 3


@dataclass(frozen=True)
class Section:
    """A heading with blocks below it.

    Attributes
    ----------
    title : str
        The heading.
    blocks : sequence of Block
        What stands below it.
    level : int
        2 for a section of the page, 3 for a part of the section before it, and so on to 6.
    collapsed : bool
        Whether only the heading shows until somebody asks for more. On paper all is shown.
    name : str
        The anchor of the section; by default made of its title.
    """

    title: str
    blocks: Sequence[Block]
    level: int = 2
    collapsed: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise ValueError("title of a section was empty; give it a heading.")
        if not 2 <= self.level <= 6:
            raise ValueError(f"level of {self.title!r} was {self.level}; it must be 2 to 6.")


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    title : str
        The heading of the page.
    sections : sequence of Section
        Its sections.
    lead : sequence of Block
        What stands above all sections, such as the verdict.
    subtitle : str
        A line below the title: of what, when.
    footer : str
        A line at the end: made with what.
    language : str
        The language of the texts given, as HTML names it. The few words of the page itself, such
        as "Contents", are English.
    """

    title: str
    sections: Sequence[Section] = ()
    lead: Sequence[Block] = ()
    subtitle: str = ""
    footer: str = ""
    language: str = "en"

    def __post_init__(self) -> None:
        level = 1
        for section in self.sections:
            if section.level > level + 1:
                raise ValueError(
                    f"level of the section {section.title!r} was {section.level} below a heading "
                    f"of level {level}; headings may not skip a level, so use {level + 1}."
                )
            level = section.level

    def html(self) -> str:
        """The whole page as one text.

        Returns
        -------
        str
            HTML without references to anything outside, and with a policy that forbids the browser
            to fetch anything.

        Raises
        ------
        ValueError
            If it is larger than 3 MB.
        """
        head = element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=_policy()),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("title", self.title),
            # Without this, a browser asks the server for a picture of its own.
            element("link", rel="icon", href="data:,"),
            element("style", _packaged("page.css")),
        )
        body = self._body()
        page = joined(Markup("<!doctype html>\n"), element("html", head, body, lang=self.language))
        size = len(page.encode())
        if size > LARGEST:
            raise ValueError(
                f"The page would have {size / 1e6:.1f} MB, more than {LARGEST / 1e6:.0f} MB; "
                "leave out figures or make them smaller, and give long tables as files."
            )
        return page + "\n"

    def write(self, path: str | Path) -> Path:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file; one that exists is replaced.

        Returns
        -------
        Path
            The file.
        """
        file = Path(path)
        check_can_write(file, "path")
        write_text(file, self.html())
        return file

    def _body(self) -> Markup:
        ids = Ids()
        main, status = ids.new("content"), ids.new("status")
        names = [ids.new(section.name or section.title) for section in self.sections]
        top = [element("h1", self.title)]
        if self.subtitle:
            top.append(element("p", self.subtitle, class_="subtitle"))
        lead = element("div", *(block.markup(ids) for block in self.lead), class_="opening")
        sections = element(
            "div", *(_section(s, n, ids) for s, n in zip(self.sections, names, strict=True))
        )
        # The contents come after the lead, so that on a narrow screen the answer is on top.
        contents = self._contents(names)
        content = element(
            "main",
            lead,
            contents,
            sections,
            id=main,
            tabindex="-1",
            class_="with-contents" if contents else None,
        )
        return element(
            "body",
            element("a", "Skip to the content", href=f"#{main}", class_="skip"),
            element("header", *top),
            content,
            element("footer", element("p", self.footer)) if self.footer else "",
            element("div", id=status, role="status", class_="unseen"),
            element("script", _packaged("page.js")),
        )

    def _contents(self, names: Sequence[str]) -> Markup:
        links = [
            element("li", element("a", section.title, href=f"#{name}"))
            for section, name in zip(self.sections, names, strict=True)
            if section.level == 2
        ]
        if len(links) < _SECTIONS_WITH_CONTENTS:
            return Markup()
        return element("nav", element("ul", *links, role="list"), aria_label="Contents")


def _section(section: Section, name: str, ids: Ids) -> Markup:
    heading = element(f"h{section.level}", section.title)
    blocks = joined(*(block.markup(ids) for block in section.blocks))
    if section.collapsed:
        content = element("details", element("summary", heading), blocks, class_="folded")
    else:
        content = joined(heading, blocks)
    return element("section", content, id=name, class_=f"level-{section.level}")


@cache
def _packaged(name: str) -> Markup:
    """A file of this package, as it stands: neither a script nor a style may be escaped."""
    return Markup(files("tacit.report").joinpath(name).read_text(encoding="utf-8"))


@cache
def _policy() -> str:
    """Nothing may be fetched, and only the script and the style of the page itself may run."""
    script, style = (_digest(_packaged(name)) for name in ("page.js", "page.css"))
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
