"""The plain blocks: texts, lists of findings, facts, code and pictures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tacit.report._icons import icon
from tacit.report._markup import Ids, Markup, element, joined

Kind = Literal["good", "neutral", "bad", "unknown"]
KINDS: tuple[Kind, ...] = ("good", "neutral", "bad", "unknown")
_TAGS = {"code": "code", "strong": "strong", "emphasis": "em"}
_PNG = b"\x89PNG\r\n\x1a\n"


def check_kind(kind: str, where: str) -> None:
    """Refuse a kind that there is no colour and sign for."""
    if kind not in KINDS:
        raise ValueError(f"{where} was {kind!r}; it must be one of {', '.join(KINDS)}.")


@dataclass(frozen=True)
class Styled:
    """A few words set apart within a paragraph.

    Attributes
    ----------
    text : str
        The words.
    style : {"code", "strong", "emphasis"}
        How they are set.
    """

    text: str
    style: Literal["code", "strong", "emphasis"] = "code"

    def __post_init__(self) -> None:
        if self.style not in _TAGS:
            raise ValueError(f"style was {self.style!r}; it must be one of {', '.join(_TAGS)}.")


Paragraph = str | Sequence[str | Styled]


def paragraph_content(paragraph: Paragraph) -> Markup:
    """The content of a paragraph: words, some of which are set apart."""
    pieces = [paragraph] if isinstance(paragraph, str) else paragraph
    return joined(
        *(
            piece if isinstance(piece, str) else element(_TAGS[piece.style], piece.text)
            for piece in pieces
        )
    )


@dataclass(frozen=True)
class Text:
    """Paragraphs.

    Attributes
    ----------
    paragraphs : str or sequence of paragraphs
        A paragraph is a text, or a sequence of texts and Styled words. One text is one paragraph.
    style : {"plain", "lead", "note", "points"}
        Ordinary, large, small, or as the points of a list.
    """

    paragraphs: str | Sequence[Paragraph]
    style: Literal["plain", "lead", "note", "points"] = "plain"

    def __post_init__(self) -> None:
        if self.style not in ("plain", "lead", "note", "points"):
            raise ValueError(
                f"style was {self.style!r}; it must be one of plain, lead, note, points."
            )

    def markup(self, ids: Ids) -> Markup:
        """`p` elements, or one `ul`."""
        given = [self.paragraphs] if isinstance(self.paragraphs, str) else self.paragraphs
        contents = [paragraph_content(paragraph) for paragraph in given]
        if self.style == "points":
            return element("ul", *(element("li", c) for c in contents), class_="points")
        kind = None if self.style == "plain" else self.style
        return joined(*(element("p", content, class_=kind) for content in contents))


@dataclass(frozen=True)
class KeyValues:
    """Names with their values, such as what was done to the data.

    Attributes
    ----------
    pairs : sequence of (str, paragraph)
        Name and value.
    """

    pairs: Sequence[tuple[str, Paragraph]]

    def markup(self, ids: Ids) -> Markup:
        """A `dl` element."""
        return element(
            "dl",
            *(
                element("div", element("dt", name), element("dd", paragraph_content(value)))
                for name, value in self.pairs
            ),
        )


@dataclass(frozen=True)
class Code:
    """Something to type or to copy.

    Attributes
    ----------
    text : str
        The code.
    label : str
        What it is, such as "In the terminal".
    """

    text: str
    label: str = ""

    def markup(self, ids: Ids) -> Markup:
        """A `pre` element that can be reached by the keyboard, since it may scroll."""
        name = self.label or "Code"
        block = element(
            "pre", element("code", self.text), tabindex="0", role="region", aria_label=name
        )
        caption = element("figcaption", element("span", self.label), class_="code-label")
        return element("figure", caption, block, class_="code")


@dataclass(frozen=True)
class Finding:
    """A claim, whether it holds, and what shows it.

    Attributes
    ----------
    claim : str
        A sentence.
    kind : {"good", "neutral", "bad", "unknown"}
        How it came out.
    verdict : str
        The same in one or two words.
    evidence : paragraph
        One or two sentences with numbers.
    """

    claim: str
    kind: Kind
    verdict: str
    evidence: Paragraph = ""

    def __post_init__(self) -> None:
        check_kind(self.kind, "kind")


@dataclass(frozen=True)
class Findings:
    """A list of claims with their verdicts.

    Attributes
    ----------
    rows : sequence of Finding
        The claims.
    """

    rows: Sequence[Finding]

    def markup(self, ids: Ids) -> Markup:
        """A `ul` element."""
        return element("ul", *map(_finding, self.rows), class_="findings", role="list")


@dataclass(frozen=True)
class Figure:
    """A picture that is part of the page.

    Attributes
    ----------
    png : bytes, str or path
        The picture, or the file that holds it.
    alt : str
        What it shows, for those who do not see it.
    caption : str
        What is written below.
    """

    png: bytes | str | Path
    alt: str
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.alt:
            raise ValueError("alt was empty; say in a sentence what the picture shows.")

    def markup(self, ids: Ids) -> Markup:
        """A `figure` element with the picture inside it."""
        content = self.png if isinstance(self.png, bytes) else Path(self.png).read_bytes()
        if not content.startswith(_PNG):
            given = "bytes" if isinstance(self.png, bytes) else str(self.png)
            raise ValueError(f"png was {given}, which is not a PNG picture; save it as PNG.")
        source = "data:image/png;base64," + base64.b64encode(content).decode()
        parts = [element("img", src=source, alt=self.alt)]
        if self.caption:
            parts.append(element("figcaption", self.caption, class_="note"))
        return element("figure", *parts, class_="image")


def _finding(row: Finding) -> Markup:
    head = joined(element("strong", row.claim), " ", element("span", row.verdict, class_="chip"))
    content = [element("p", head)]
    if row.evidence:
        content.append(element("p", paragraph_content(row.evidence), class_="evidence"))
    return element("li", icon(row.kind), element("div", *content), class_=row.kind)
