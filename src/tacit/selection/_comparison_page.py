"""A comparison as a picture, and as a page for the browser: the verdict on top."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.report import (
    MINUS,
    PALETTE,
    WIDE,
    Difference,
    Entry,
    Heading,
    Listing,
    Page,
    Tone,
    draw_differences,
    new_figure,
    page_picture,
)
from tacit.selection._verdict import CONFIDENCE, Kind
from tacit.selection._wording import interval_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tacit.selection._comparison import Comparison
    from tacit.selection._verdict import MethodVerdict

INTERVAL = f"{CONFIDENCE:.0%} interval"
TONES: dict[Kind, Tone] = {
    Kind.HELPS: "good",
    Kind.NO_DIFFERENCE: "neutral",
    Kind.MAY_HURT: "bad",
    Kind.TOO_FEW: "unknown",
}
LABELS = {
    Kind.HELPS: "It helps",
    Kind.NO_DIFFERENCE: "It makes no difference",
    Kind.MAY_HURT: "It may hurt",
    Kind.TOO_FEW: "Too few labels to tell",
}


def draw_comparison(comparison: Comparison) -> Figure:
    """The verdict above one line for each method: its difference, with interval, around zero."""
    verdict = comparison.verdict
    if comparison.methods:
        figure = _draw(comparison)
    else:
        figure = new_figure(WIDE, 1.4)
        figure.text(0.02, 0.3, "\n".join(textwrap.wrap(verdict.advice, 90)))
    figure.suptitle(
        "\n".join(textwrap.wrap(verdict.sentence.replace("$", r"\$"), 80)),
        x=0.015,
        ha="left",
        fontsize=11,
        fontweight="bold",
        color=PALETTE[TONES[verdict.kind]],
    )
    return figure


def comparison_page(
    comparison: Comparison,
    subtitle: str = "",
    template: str = "comparison.html",
    more: Mapping[str, Any] | None = None,
) -> Page:
    """The verdict, the picture behind it, the numbers, and the evidence in words.

    Where more is known about the table, `template` extends the page and shows it.
    """
    rows = f"{comparison.n_labels:,} labels, {comparison.n_unlabeled:,} unlabeled rows"
    verdict, methods = comparison.verdict, comparison.methods.values()
    values = {
        "subtitle": f"{subtitle}: {rows}" if subtitle else rows,
        "tone": TONES[verdict.kind],
        "label": LABELS[verdict.kind],
        "sentence": verdict.sentence,
        "advice": verdict.advice,
        "rates": _rates(comparison),
        "picture": _picture(comparison) if methods else None,
        "interval": INTERVAL,
        "beats_only_twin": any(m.only_beats_twin for m in methods),
        "leaves_the_band": any(m.certain and _leaves(m, comparison.margin) for m in methods),
        "numbers": _numbers(comparison) if methods else None,
        "n_splits": f"{comparison.n_folds * comparison.n_repeats:,}",
        "descriptions": [(c.name, c.description) for c in comparison.contestants if c.description],
        "evidence": verdict.evidence,
    }
    return Page(template, "Is the unlabeled data worth using?", {**values, **(more or {})})


def _rates(comparison: Comparison) -> list[tuple[str, float]]:
    """Parts of wrong answers, with and without the unlabeled rows."""
    method = comparison.methods.get(comparison.verdict.method or "")
    if method is None or not comparison.measure.is_error:
        return []
    without = method.decisive.reference
    return [
        (f"Without the unlabeled rows ({without})", comparison.losses[without]),
        (f"With them ({method.name})", comparison.losses[method.name]),
    ]


def _differences(comparison: Comparison) -> list[Difference]:
    measure = comparison.measure
    scale = 100.0 if measure.in_points else 1.0
    rows = []
    for method in comparison.methods.values():
        decisive = method.decisive
        interval = interval_text(decisive, measure)
        rows.append(
            Difference(
                method.name,
                f"against {decisive.reference}",
                scale * decisive.mean,
                scale * decisive.low,
                scale * decisive.high,
                TONES[method.kind],
                f"{measure.signed(decisive.mean)} ({interval})".replace("-", MINUS),
                str(method.kind),
            )
        )
    return rows


def _unit(comparison: Comparison) -> str:
    return "wrong answers in 100" if comparison.measure.is_error else comparison.measure.name


def _draw(comparison: Comparison, width: float = WIDE) -> Figure:
    scale = 100.0 if comparison.measure.in_points else 1.0
    rows = _differences(comparison)
    return draw_differences(rows, _unit(comparison), scale * comparison.margin, width)


def _picture(comparison: Comparison) -> Any:
    told = [f"{d.label} {d.note}: {d.value}, {d.words}." for d in _differences(comparison)]
    alt = f"Differences with their {INTERVAL}s in {_unit(comparison)}; below zero is better. "
    return page_picture(lambda width: _draw(comparison, width), alt + " ".join(told))


def _leaves(method: MethodVerdict, margin: float) -> bool:
    return method.against_twin.low < -margin or method.against_twin.high > margin


def _numbers(comparison: Comparison) -> Listing:
    measure = comparison.measure
    unit = "points" if measure.in_points else ""
    columns: list[str | Heading] = [
        "Classifier",
        Heading(measure.title, "smaller is better"),
        Heading("Difference", f"from its twin, {unit}".strip(", ")),
        INTERVAL,
        Heading("p (better)", "adjusted"),
        "p (worse)",
        Heading("Disagreement", "rows labeled differently"),
        "Verdict",
    ]
    rows: list[list[str | Entry]] = []
    for contestant in comparison.contestants:
        loss = comparison.losses[contestant.name]
        method = comparison.methods.get(contestant.name)
        name = Entry(
            contestant.name,
            beside=f"twin: {contestant.twin}" if contestant.twin else "without unlabeled rows",
            mark="recommended" if contestant.name == comparison.recommended else "",
        )
        rest: list[str | Entry] = [""] * 6 if method is None else _judged(comparison, method)
        rows.append([name, Entry(measure.text(loss), value=loss), *rest])
    return Listing("All classifiers", columns, rows)


def _judged(comparison: Comparison, method: MethodVerdict) -> list[str | Entry]:
    """The columns that only semi-supervised methods have."""
    measure, decisive = comparison.measure, method.decisive
    p_values: list[str | Entry] = ["", ""]
    if not method.certain:
        better = decisive.p_better if method.only_beats_twin else method.p_adjusted
        p_values = [
            Entry("< 0.001" if p < 0.001 else f"{p:.3f}", value=p)
            for p in (better, decisive.p_worse)
        ]
    return [
        Entry(
            measure.signed(decisive.mean).replace("-", MINUS),
            beside=f"from {decisive.reference}" if method.only_beats_twin else "",
            value=decisive.mean,
        ),
        interval_text(decisive, measure).replace("-", MINUS),
        *p_values,
        "" if decisive.disagreement is None else f"{decisive.disagreement:.1%}",
        str(method.kind),
    ]
