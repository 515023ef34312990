"""Tables for people, as values that can be written as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tacit._files import write_text
from tacit._words import number_of
from tacit.report import Entry, Listing
from tacit.research.experiments._results import RunSummary

_LATEX = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    "±": r"$\pm$", "−": "$-$", "≤": r"$\leq$", "\u00a0": "~",
}  # fmt: skip


@dataclass(frozen=True)
class Grid(Listing):
    """A table that can be written as files; its first column holds names, the others numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    # The numbers behind it, one entry a line, for the CSV file.
    records: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def markdown(self) -> str:
        """A table of GitHub's Markdown; bold by stars, underline by an HTML tag."""
        lines = [
            f"**{self.caption}**",
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
            rf"\caption{{{_escaped(self.caption)}. {_escaped(self.note)}}}",
            r"\begin{tabular}{l" + "r" * (len(self.columns) - 1) + "}",
            r"\toprule",
            " & ".join(_escaped(name) for name in self.columns) + r" \\",
            r"\midrule",
        ]
        lines += [" & ".join(_latex(cell) for cell in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])

    def csv(self) -> str:
        """The numbers behind the table; where there are none, its entries."""
        texts = (dict(zip(self.columns, (e.text for e in row), strict=True)) for row in self.rows)
        records = self.records or tuple(texts)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(records[0] if records else self.columns)
        writer.writerows(record.values() for record in records)
        return out.getvalue()

    def write(self, folder: Path, name: str) -> None:
        """Write `name` as Markdown, LaTeX and CSV."""
        write_text(folder / f"{name}.md", self.markdown())
        write_text(folder / f"{name}.tex", self.latex())
        write_text(folder / f"{name}.csv", self.csv())


def _markdown(cell: Entry) -> str:
    text = _marked(cell.text.replace("|", r"\|"), cell, "<u>{}</u>", "**{}**")
    return text + (f"<br><sub>{cell.beside}</sub>" if cell.beside else "")


def _latex(cell: Entry) -> str:
    text = _marked(_escaped(cell.text), cell, r"\underline{{{}}}", r"\textbf{{{}}}")
    return text + (rf" {{\scriptsize [{_escaped(cell.beside)}]}}" if cell.beside else "")


def _marked(text: str, cell: Entry, underlined: str, bold: str) -> str:
    text = underlined.format(text) if cell.underline else text
    return bold.format(text) if cell.bold else text


def _escaped(text: str) -> str:
    return re.sub("|".join(map(re.escape, _LATEX)), lambda found: _LATEX[found[0]], text)


def entry_of(
    cell: RunSummary | None, was_run: bool, repeats: int, spread: bool = False, remark: str = ""
) -> Entry:
    """Error and times worse than the twin, as a table shows them; how many repeats, if not all."""
    if cell is None:
        return Entry("failed" if was_run else "–")
    text = short(cell.mean)
    if spread:
        # Spaces at which no line may end keep what belongs together on narrow screens.
        text += f"\u00a0±\u00a0{short(cell.standard_error)}"
    if cell.times_worse is not None:
        text += f" ({cell.times_worse})"
    some = ""
    if cell.n_repeats != repeats:
        some = f"{cell.n_repeats} of {number_of(repeats, 'repeat')}".replace(" ", "\u00a0")
    beside = ", ".join(filter(None, [some, remark]))
    return Entry(text, beside, bold=cell.better, underline=cell.worse)


def short(value: float, digits: int = 3) -> str:
    """Without the zero before the point, as the paper prints errors."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.{digits}f}".removeprefix("0")
