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
from tacit._files import write_text
from tacit._words import listed, number_of
from tacit.research.paper._findings import Finding
from tacit.research.paper._published import CITATION
from tacit.research.paper._reproduce import FITTED, NEED_DATA, PARTS, Reproduction, Section

_MARKS = {True: ("yes", "✓"), False: ("no", "✗"), None: ("open", "?")}
_LEGEND = """<dl class="legend">
<dt>supervised</dt><dd>least squares on the labeled rows alone</dd>
<dt>self-learning</dt><dd>fitted again and again on its own predictions for the unlabeled rows</dd>
<dt>ICLS</dt><dd>the paper's method: of all fits for some labeling of the unlabeled rows,
the one with the smallest loss on the labeled rows</dd>
<dt>projected</dt><dd>of the same fits, the one nearest to supervised (Krijthe &amp; Loog 2017)</dd>
<dt>oracle</dt><dd>sees all labels: what could be had at best</dd>
</dl>"""
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


def _body(reproduction: Reproduction, command: str) -> Iterator[str]:
    yield "<h1>Implicitly constrained semi-supervised least squares, reproduced</h1>"
    yield f'<p class="lead">{html.escape(summary_in_words(reproduction))}</p>'
    yield f"<p>{html.escape(_what_was_done(reproduction))}</p>"
    yield f"<p>The paper: {html.escape(CITATION)}</p>"
    if NEED_DATA & {section.name for section in reproduction.sections}:
        yield _LEGEND
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
    yield f"<p>{' '.join(_how_it_went(reproduction))}</p>"
    versions = (
        f"Tacit {__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, "
        f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    yield f'<p class="note">{versions}.</p></section>'


def _how_it_went(reproduction: Reproduction) -> Iterator[str]:
    """Time, where the numbers are, and on what they depend."""
    names = [section.name for section in reproduction.sections]
    fitted = [name for name in names if name in FITTED]
    earlier = ", without what an earlier run into the same folder had already done"
    yield f"It took {duration(reproduction.seconds)} on this machine{earlier if fitted else ''}."
    if fitted:
        yield (
            f"The numbers behind {listed(fitted)} are in <code>runs/runs.parquet</code>, one row a "
            "run. Draws are seeded by a hash of dataset, protocol, labels and repeat, so they do "
            "not depend on the machine or the number of processes. Where decision values lie on "
            "the border, as some do on SPECT, the rounding of the processor decides, and a mean "
            "error may differ in the third decimal."
        )
    if "theorem" in names:
        yield (
            "The random problems of Theorem 1 have a fixed seed, and the counts are in "
            "<code>theorem.csv</code>."
        )


def _what_was_done(reproduction: Reproduction) -> str:
    effort = reproduction.effort
    validation = f"cross-validation with {number_of(effort.table_repeats, 'repeat')}"
    done = {
        "table2": validation,
        "regularised": validation,
        "figure2": f"learning curves with {number_of(effort.figure_repeats, 'repeat')}",
        "theorem": f"the theorem on {effort.n_problems:,} random problems",
    }
    names = [section.name for section in reproduction.sections]
    computed = list(dict.fromkeys(text for name, text in done.items() if name in names))
    text = f"Computed with Tacit {__version__}"
    text += f": {', '.join(computed)}" if computed else ""
    if reproduction.datasets:
        text += f", on {', '.join(reproduction.datasets)}"
    text += ". Every number and every verdict on this page comes from that computation"
    if FITTED & set(names):
        text += "; fits that an earlier call had left in the same folder were not made again"
    text += "."
    left_out = [part for part in PARTS if part not in names]
    if left_out:
        text += f" Not asked for: {', '.join(left_out)}."
    return text


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
