"""The page that shows everything beside the paper."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy
import scipy
import sklearn

from tacit import __version__
from tacit._words import listed, number_of
from tacit.report import Listing, Page, Picture, Tone, inlined
from tacit.research.paper._plans import Effort
from tacit.research.paper._published import CITATION
from tacit.research.paper._reproduce import FITTED, NEED_DATA, PARTS, Reproduction, Section

# By whether a finding holds.
_TONES: dict[bool | None, Tone] = {True: "good", False: "bad", None: "unknown"}


def write_page(reproduction: Reproduction, command: str) -> Path:
    """Write `index.html`, one file without references to others; `command` gives the same."""
    names = {section.name for section in reproduction.sections}
    fitted = [section.name for section in reproduction.sections if section.name in FITTED]
    values = {
        "summary": summary_in_words(reproduction),
        "computed": _computed(reproduction.effort, names),
        "datasets": reproduction.datasets,
        "left_out": [part for part in PARTS if part not in names],
        "citation": CITATION,
        "explain_names": bool(NEED_DATA & names),
        "parts_of_paper": [_part(s, reproduction.out) for s in reproduction.sections],
        "missing": reproduction.missing,
        "command": command,
        "duration": duration(reproduction.seconds),
        "fitted": listed(fitted) if fitted else "",
        "theorem": "theorem" in names,
        "versions": f"Tacit {__version__}, Python {platform.python_version()}, "
        f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}",
    }
    title = "Implicitly constrained semi-supervised least squares, reproduced"
    return Page("paper.html", title, values).write(reproduction.out / "index.html")


def _part(section: Section, out: Path) -> dict[str, Any]:
    """A section as plain values."""
    return {
        "name": section.name,
        "title": section.title,
        "findings": [
            {
                "claim": f.claim,
                "tone": _TONES[f.holds],
                "verdict": f.verdict,
                "evidence": f.evidence,
            }
            for f in section.findings
        ],
        "paragraphs": [line for words in section.words for line in words.splitlines()],
        "pictures": [
            Picture(alt, (inlined((out / f"{name}.svg").read_text(encoding="utf-8"), alt),))
            for name, alt in section.figures
        ],
        "tables": [
            Listing(grid.title, grid.columns, grid.rows, grid.note) for grid in section.grids
        ],
    }


def summary_in_words(reproduction: Reproduction) -> str:
    """One or two sentences: how many findings agree, and which do not."""
    text = _verdict([finding.holds for finding in reproduction.findings])
    if reproduction.missing:
        names = ", ".join(reproduction.missing)
        text += f". Left out for want of data: {names}"
    return text + "."


def _verdict(holds: list[bool | None]) -> str:
    yes, no, unknown = (holds.count(answer) for answer in (True, False, None))
    if not holds:
        return "No statement of the paper was put to the test"
    if unknown == len(holds):
        which = "The one statement" if unknown == 1 else f"None of {unknown} statements"
        return f"{which} can{'not' if unknown == 1 else ''} be told from so few repeats"
    text = f"{yes} of {number_of(len(holds), 'statement')} hold{'s' if yes == 1 else ''}"
    if no:
        text += f", {no} do{'es' if no == 1 else ''} not"
    if unknown:
        text += f", and {unknown} cannot be told from so few repeats"
    return text


def _computed(effort: Effort, names: set[str]) -> list[str]:
    """What was computed, and how much of it."""
    validation = f"cross-validation with {number_of(effort.table_repeats, 'repeat')}"
    done = {
        "table2": validation,
        "regularised": validation,
        "figure2": f"learning curves with {number_of(effort.figure_repeats, 'repeat')}",
        "theorem": f"the theorem on {effort.n_problems:,} random problems",
    }
    return list(dict.fromkeys(text for name, text in done.items() if name in names))


def duration(seconds: float) -> str:
    """Minutes and seconds, for people."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
