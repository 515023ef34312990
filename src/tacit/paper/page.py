"""The page that shows everything beside the paper."""

from __future__ import annotations

import base64
import html
import platform
from collections.abc import Iterator
from pathlib import Path

import numpy
import scipy
import sklearn

from tacit import __version__
from tacit.experiments.files import write_text
from tacit.paper.findings import Finding
from tacit.paper.published import CITATION
from tacit.paper.reproduce import Reproduction, Section

_MARKS = {True: ("yes", "✓"), False: ("no", "✗"), None: ("open", "?")}
_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def write_page(reproduction: Reproduction, command: str) -> Path:
    """Write `index.html`, one file without references to others.

    Parameters
    ----------
    reproduction : Reproduction
        What came out.
    command : str
        What a reader types to get the same.

    Returns
    -------
    Path
        The page.
    """
    body = "\n".join(_body(reproduction, command))
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>The paper, reproduced with Tacit</title>\n"
        f"<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
    file = reproduction.out / "index.html"
    write_text(file, page)
    return file


def summary_in_words(reproduction: Reproduction) -> str:
    """One or two sentences: how many findings agree, and which do not."""
    findings = reproduction.findings
    counts = {holds: sum(f.holds is holds for f in findings) for holds in (True, False, None)}
    text = f"{counts[True]} of {len(findings)} statements hold"
    if counts[False]:
        text += f", {counts[False]} do not"
    if counts[None]:
        text += f", and {counts[None]} cannot be told from so few repeats"
    if reproduction.missing:
        names = ", ".join(reproduction.missing)
        text += f". Left out for want of data: {names}"
    return text + "."


def _body(reproduction: Reproduction, command: str) -> Iterator[str]:
    effort = reproduction.effort
    yield "<h1>Implicitly constrained semi-supervised least squares, reproduced</h1>"
    yield f'<p class="lead">{html.escape(summary_in_words(reproduction))}</p>'
    yield (
        f"<p>Every table and figure of {html.escape(CITATION)} was computed anew with Tacit "
        f"{__version__}: {effort.table_repeats} repeats of cross-validation, "
        f"{effort.figure_repeats} of the learning curves, {effort.n_problems:,} random problems "
        "for the theorem. What is said below each heading is computed from the numbers of this "
        "run, not written by hand.</p>"
    )
    yield '<nav aria-label="Contents"><ul>'
    for section in reproduction.sections:
        yield f'<li><a href="#{section.name}">{html.escape(section.title)}</a></li>'
    yield "</ul></nav>"
    for section in reproduction.sections:
        yield from _section(section, reproduction.out)
    if reproduction.missing:
        yield '<section id="missing"><h2>Datasets that were not found</h2>'
        for name, reason in reproduction.missing.items():
            yield f"<h3>{html.escape(name)}</h3><pre>{html.escape(reason)}</pre>"
        yield "</section>"
    yield '<section id="again"><h2>How to run it again</h2>'
    yield f"<pre>{html.escape(command)}</pre>"
    yield (
        f"<p>It took {duration(reproduction.seconds)} on this machine, without what an earlier "
        "run into the same folder had already done. All numbers are in <code>runs/runs.parquet"
        "</code>, one row a run. Draws are seeded by a hash of dataset, protocol, labels and "
        "repeat, so they do not depend on the machine or the number of processes.</p>"
    )
    versions = (
        f"Tacit {__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, "
        f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    yield f'<p class="note">{versions}.</p></section>'


def _section(section: Section, out: Path) -> Iterator[str]:
    yield f'<section id="{section.name}"><h2>{html.escape(section.title)}</h2>'
    if section.findings:
        yield '<ul class="findings">'
        yield from map(_finding, section.findings)
        yield "</ul>"
    for paragraph in section.words:
        for part in paragraph.splitlines():
            yield f"<p>{html.escape(part)}</p>"
    for name, caption in section.figures:
        image = base64.b64encode((out / f"{name}.png").read_bytes()).decode()
        text = html.escape(caption)
        yield (
            f'<figure><img src="data:image/png;base64,{image}" alt="{text}">'
            f"<figcaption>{text}</figcaption></figure>"
        )
    for grid in section.grids:
        yield grid.html()
    yield "</section>"


def _finding(finding: Finding) -> str:
    kind, mark = _MARKS[finding.holds]
    return (
        f'<li class="{kind}"><span class="mark" aria-hidden="true">{mark}</span>'
        f"<div><strong>{html.escape(finding.claim)}</strong> "
        f'<span class="verdict">{finding.verdict}</span><br>{html.escape(finding.evidence)}'
        "</div></li>"
    )


def duration(seconds: float) -> str:
    """Minutes and seconds, for people."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
