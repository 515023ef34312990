"""A comparison as a page for the browser: the verdict on top, then what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit import __version__
from tacit.report import (
    Block,
    Cell,
    Column,
    Difference,
    Differences,
    KeyValues,
    Page,
    Rate,
    Rates,
    Section,
    Table,
    Text,
    Verdict,
)
from tacit.report import Kind as Colour
from tacit.report._numerals import MINUS
from tacit.selection._differences import CONFIDENCE
from tacit.selection._verdict import Kind
from tacit.selection._wording import interval_text

if TYPE_CHECKING:
    from tacit.selection._comparison import Comparison
    from tacit.selection._verdict import MethodVerdict

INTERVAL = f"{CONFIDENCE:.0%} interval"
COLOURS: dict[Kind, Colour] = {
    Kind.HELPS: "good",
    Kind.NO_DIFFERENCE: "neutral",
    Kind.MAY_HURT: "bad",
    Kind.TOO_FEW: "unknown",
}
WORDS = {
    Kind.HELPS: "It helps",
    Kind.NO_DIFFERENCE: "It makes no difference",
    Kind.MAY_HURT: "It may hurt",
    Kind.TOO_FEW: "Too few labels to tell",
}


def comparison_page(
    comparison: Comparison, subtitle: str = "", more: Sequence[Section] = ()
) -> Page:
    """The verdict, the picture behind it, the numbers, and the evidence in words.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    subtitle : str
        On what; by default, on how many rows.
    more : sequence of Section
        What follows the evidence, where more is known about the table.

    Returns
    -------
    Page
        To be written with `write`.
    """
    rows = f"{comparison.n_labels:,} labels, {comparison.n_unlabeled:,} unlabeled rows"
    sections = []
    if comparison.methods:
        sections += [_picture(comparison), _numbers(comparison)]
    evidence = Text(list(comparison.verdict.evidence), "points")
    return Page(
        title="Is the unlabeled data worth using?",
        subtitle=f"{subtitle}: {rows}" if subtitle else rows,
        lead=[_verdict(comparison)],
        sections=[*sections, Section("The evidence in words", [evidence]), *more],
        footer=f"Made with tacit {__version__}.",
    )


def _verdict(comparison: Comparison) -> Verdict:
    verdict = comparison.verdict
    return Verdict(
        COLOURS[verdict.kind],
        verdict.sentence,
        verdict.advice,
        WORDS[verdict.kind],
        _rates(comparison),
    )


def _rates(comparison: Comparison) -> Rates | None:
    """Wrong answers in a hundred, with and without the unlabeled rows."""
    method = comparison.methods.get(comparison.verdict.method or "")
    if method is None or not comparison.measure.is_error:
        return None
    without = method.decisive.reference
    caption = "Each mark is one row in a hundred; a filled one was predicted wrong in tests."
    if method.kind is Kind.TOO_FEW:
        caption += " The difference may be due to chance."
    return Rates(
        [
            Rate(f"Without the unlabeled rows ({without})", comparison.losses[without]),
            Rate(f"With them ({method.name})", comparison.losses[method.name]),
        ],
        caption=caption,
    )


def _picture(comparison: Comparison) -> Section:
    measure = comparison.measure
    scale = 100.0 if measure.in_points else 1.0
    methods = comparison.methods.values()
    rows = [
        Difference(
            method.name,
            scale * method.decisive.mean,
            scale * method.decisive.low,
            scale * method.decisive.high,
            note=f"against {method.decisive.reference}",
            kind=COLOURS[method.kind],
            words=str(method.kind),
        )
        for method in methods
    ]
    note = (
        "Each method against the same classifier without the unlabeled rows. The mark is the "
        f"difference that was measured, the line its {INTERVAL}: where the truth may well be. The "
        "shaded band counts as no difference."
    )
    if any(m.only_beats_twin for m in methods):
        note += (
            " A method that beats that one, but not the best classifier without the unlabeled "
            "rows, is shown against the best."
        )
    if any(m.certain and _leaves_the_band(m, comparison.margin) for m in methods):
        note += (
            " A method whose line leaves the band makes no difference where it gives nearly every "
            "unlabeled row the same answer as without them."
        )
    picture = Differences(
        rows,
        unit="wrong answers in 100" if measure.is_error else measure.name,
        caption="What the unlabeled rows change",
        note=note,
        margin=scale * comparison.margin,
    )
    return Section("The picture", [picture])


def _leaves_the_band(method: MethodVerdict, margin: float) -> bool:
    return method.against_twin.low < -margin or method.against_twin.high > margin


def _numbers(comparison: Comparison) -> Section:
    measure = comparison.measure
    unit = "points" if measure.in_points else ""
    columns: list[str | Column] = [
        "Classifier",
        Column(measure.title, hint="smaller is better"),
        Column("Difference", hint=f"from its twin, {unit}".strip(", ")),
        Column(INTERVAL),
        Column("p (better)", hint="adjusted"),
        Column("p (worse)"),
        Column("Disagreement", hint="rows labeled differently"),
        Column("Verdict"),
    ]
    rows: list[list[Any]] = []
    for contestant in comparison.contestants:
        loss = comparison.losses[contestant.name]
        method = comparison.methods.get(contestant.name)
        name = Cell(
            contestant.name,
            beside=f"twin: {contestant.twin}" if contestant.twin else "without unlabeled rows",
            mark="recommended" if contestant.name == comparison.recommended else "",
        )
        first = [name, Cell(measure.text(loss), value=loss)]
        if method is None:
            rows.append([*first, "", "", "", "", "", ""])
            continue
        decisive = method.decisive
        rows.append(
            [
                *first,
                Cell(
                    measure.signed(decisive.mean).replace("-", MINUS),
                    value=decisive.mean,
                    beside=f"from {decisive.reference}" if method.only_beats_twin else "",
                ),
                interval_text(decisive, measure).replace("-", MINUS),
                *_p_values(method),
                "" if decisive.disagreement is None else f"{decisive.disagreement:.1%}",
                str(method.kind),
            ]
        )
    n_splits = comparison.n_folds * comparison.n_repeats
    note = (
        "A twin is the same classifier without the unlabeled rows. "
        f"The numbers are means over {n_splits:,} splits of the labels. Intervals "
        "and p-values are those of the corrected resampled t-test (Nadeau and Bengio 2003), which "
        "allows for splits that share training rows; p for better is adjusted for the number of "
        "methods (Holm). Where method and twin give nearly all rows the same answer there is "
        "nothing to test."
    )
    if any(m.only_beats_twin for m in comparison.methods.values()):
        note += (
            " Where a method beats its twin but not the best classifier without the unlabeled "
            "rows, its difference is from that one, as it says, and p for better is not adjusted."
        )
    blocks: list[Block] = [Table(columns, rows, caption="All classifiers", note=note)]
    described = [(c.name, c.description) for c in comparison.contestants if c.description]
    if described:
        blocks.append(KeyValues(described))
    return Section("The numbers", blocks)


def _p_values(method: MethodVerdict) -> list[Any]:
    if method.certain:
        return ["", ""]
    better = method.decisive.p_better if method.only_beats_twin else method.p_adjusted
    return [Cell(_p(p), value=p) for p in (better, method.decisive.p_worse)]


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
