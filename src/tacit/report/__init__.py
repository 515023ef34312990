"""One self-contained HTML page from plain values.

A page is a title and sections of blocks: a verdict, texts, tables, curves. Blocks are values; they
know nothing of estimators, experiments or files. `Page.html()` is the whole page as one text that
needs neither network nor other files, and it reads without JavaScript, on paper, and by a screen
reader.
"""

from tacit.report._blocks import Code, Figure, Finding, Findings, KeyValues, Kind, Styled, Text
from tacit.report._curves import Curves, Series
from tacit.report._differences import Difference, Differences
from tacit.report._markup import Block, Ids, Markup
from tacit.report._page import Page, Section
from tacit.report._table import Cell, Column, Table
from tacit.report._verdict import Rate, Rates, Verdict

__all__ = [
    "Block",
    "Cell",
    "Code",
    "Column",
    "Curves",
    "Difference",
    "Differences",
    "Figure",
    "Finding",
    "Findings",
    "Ids",
    "KeyValues",
    "Kind",
    "Markup",
    "Page",
    "Rate",
    "Rates",
    "Section",
    "Series",
    "Styled",
    "Table",
    "Text",
    "Verdict",
]
