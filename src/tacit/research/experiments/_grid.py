"""A table for people, as a value that can be written as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit._files import write_text
from tacit.report import Entry

_LATEX = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    "±": r"$\pm$", "−": "$-$", "≤": r"$\leq$", "\u00a0": "~",
}  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """A table."""

    title: str  # What it shows
    columns: tuple[str, ...]  # Headings. The first column holds names, the others numbers
    rows: tuple[tuple[Entry, ...], ...]  # Entries
    note: str = ""  # How to read it
    # The numbers behind it, one entry a line, for the CSV file.
    records: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def markdown(self) -> str:
        """A table of GitHub's Markdown; bold by stars, underline by an HTML tag."""
        lines = [
            f"**{self.title}**",
            "",
            "| " + " | ".join(self.columns) + " |",
            "|---" + "|---:" * (len(self.columns) - 1) + "|",
        ]
        lines += ["| " + " | ".join(map(_markdown, row)) + " |" for row in self.rows]
        return "\n".join([*lines, "", self.note, ""])

    def latex(self) -> str:
        """A `table` environment that needs the package booktabs."""
        lines = [
            r"\begin{table}",
            rf"\caption{{{_escaped(self.title)}. {_escaped(self.note)}}}",
            r"\begin{tabular}{l" + "r" * (len(self.columns) - 1) + "}",
            r"\toprule",
            " & ".join(_escaped(name) for name in self.columns) + r" \\",
            r"\midrule",
        ]
        lines += [" & ".join(_latex(cell) for cell in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])

    def csv(self) -> str:
        """The numbers behind the table; where there are none, its entries."""
        records = self.records or tuple(
            dict(zip(self.columns, (cell.text for cell in row), strict=True)) for row in self.rows
        )
        if not records:
            return ",".join(self.columns) + "\n"
        out = io.StringIO()
        writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue()

    def write(self, folder: Path, name: str) -> None:
        """Write `name` as Markdown, LaTeX and CSV."""
        forms = {".md": self.markdown(), ".tex": self.latex(), ".csv": self.csv()}
        for suffix, text in forms.items():
            write_text(folder / f"{name}{suffix}", text)


def _markdown(cell: Entry) -> str:
    text = cell.text.replace("|", r"\|")
    if cell.underline:
        text = f"<u>{text}</u>"
    if cell.bold:
        text = f"**{text}**"
    return text + (f"<br><sub>{cell.beside}</sub>" if cell.beside else "")


def _latex(cell: Entry) -> str:
    text = _escaped(cell.text)
    if cell.underline:
        text = rf"\underline{{{text}}}"
    if cell.bold:
        text = rf"\textbf{{{text}}}"
    return text + (rf" {{\scriptsize [{_escaped(cell.beside)}]}}" if cell.beside else "")


def _escaped(text: str) -> str:
    return re.sub("|".join(map(re.escape, _LATEX)), lambda found: _LATEX[found[0]], text)
