"""The page that `tacit compare --report` writes, put together from a comparison."""

from __future__ import annotations

import math
from typing import Any

from scipy.stats import norm

from tacit import __version__
from tacit.report import (
    Cell,
    Code,
    Column,
    Curves,
    Difference,
    Differences,
    Finding,
    Findings,
    KeyValues,
    Page,
    Rate,
    Rates,
    Section,
    Series,
    Table,
    Text,
    Verdict,
)
from tacit.report import Kind as Colour
from tacit.selection import Comparison, Kind, LearningCurve
from tacit.selection.differences import CONFIDENCE
from tacit.solver import Certificate
from tacit.tables.comparing import TableComparison
from tacit.tables.fitting import versions

INTERVAL = f"{CONFIDENCE:.0%} interval"
# Of a curve's band, in standard errors.
WIDTH = float(norm.isf(0.5 - CONFIDENCE / 2.0))
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


def report_page(found: TableComparison, command: str) -> Page:
    """The verdict on top, then the picture behind it, the table, and all that led to it.

    Parameters
    ----------
    found : TableComparison
        What `compare_table` found.
    command : str
        What was typed.

    Returns
    -------
    Page
        To be written with `write`.
    """
    table, comparison = found.table, found.comparison
    sections = []
    if comparison.methods:
        sections += [_picture(comparison), _numbers(comparison)]
    sections.append(_evidence(comparison))
    sections.append(_certificates(found.certificates))
    if found.curve is not None:
        sections.append(_curves(found.curve))
    sections += [_data(found), _repeat(found, command)]
    return Page(
        title="Is the unlabeled data worth using?",
        subtitle=(
            f"{table.name}, column {table.target.name!r}: {table.n_labeled:,} labels, "
            f"{table.n_unlabeled:,} unlabeled rows"
        ),
        lead=[_verdict(comparison)],
        sections=sections,
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
    twin = method.against_twin.reference
    return Rates(
        [
            Rate(f"Without the unlabeled rows ({twin})", comparison.losses[twin]),
            Rate(f"With them ({method.name})", comparison.losses[method.name]),
        ],
        caption="Each dot is one row in a hundred; a filled one is predicted wrong.",
    )


def _picture(comparison: Comparison) -> Section:
    measure = comparison.measure
    scale = 100.0 if measure.in_points else 1.0
    rows = [
        Difference(
            method.name,
            scale * method.against_twin.mean,
            scale * method.against_twin.low,
            scale * method.against_twin.high,
            note=f"against {method.against_twin.reference}",
            kind=COLOURS[method.kind],
            words=str(method.kind),
        )
        for method in comparison.methods.values()
        if math.isfinite(method.against_twin.mean)
    ]
    unit = "wrong answers in 100" if measure.is_error else measure.name
    picture = Differences(
        rows,
        unit=unit,
        caption="What the unlabeled rows change",
        note=(
            "Each method against the same classifier without the unlabeled rows. The mark is the "
            "difference that was measured, the line its "
            f"{INTERVAL}: where the truth may well be. The shaded band counts as no difference."
        ),
        margin=scale * comparison.margin,
    )
    return Section("The picture", [picture])


def _numbers(comparison: Comparison) -> Section:
    measure = comparison.measure
    unit = "points" if measure.in_points else ""
    columns: list[str | Column] = [
        "Classifier",
        Column(measure.name.capitalize(), hint="smaller is better"),
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
        is_best = contestant.name == comparison.recommended
        name = Cell(
            contestant.name,
            beside=f"twin: {contestant.twin}" if contestant.twin else "supervised",
            bold=is_best,
        )
        first = [name, Cell(measure.text(loss), value=loss)]
        if method is None:
            rows.append([*first, "", "", "", "", "", ""])
            continue
        twin = method.against_twin
        rows.append(
            [
                *first,
                Cell(measure.signed(twin.mean), value=twin.mean),
                f"{measure.signed(twin.low)} to {measure.signed(twin.high)}",
                Cell(_p(method.p_adjusted), value=method.p_adjusted),
                Cell(_p(twin.p_worse), value=twin.p_worse),
                "" if twin.disagreement is None else f"{twin.disagreement:.1%}",
                str(method.kind),
            ]
        )
    note = (
        f"{comparison.n_repeats} times {comparison.n_folds} folds of the labeled rows. Intervals "
        "and p-values are those of the corrected resampled t-test (Nadeau and Bengio 2003), which "
        "allows for splits that share training rows; p for better is adjusted for the number of "
        "methods (Holm). The recommended classifier is bold."
    )
    return Section("The numbers", [Table(columns, rows, caption="All classifiers", note=note)])


def _evidence(comparison: Comparison) -> Section:
    return Section("The evidence in words", [Text(list(comparison.verdict.evidence), "points")])


def _certificates(certificates: dict[str, Certificate]) -> Section:
    intro = Text(
        "Nobody knows the labels of the unlabeled rows. These sentences hold whatever they are. "
        "They are about the squared loss on the rows of this table, not about errors on new rows."
    )
    findings = [
        Finding(name, _colour(certificate), _in_short(certificate), _one_line(certificate))
        for name, certificate in certificates.items()
    ]
    return Section("What holds for any labels", [intro, Findings(findings)])


def _colour(certificate: Certificate) -> Colour:
    if certificate.worst_change == certificate.best_change == 0.0:
        return "neutral"
    return "good" if certificate.worst_change <= 0.0 else "unknown"


def _in_short(certificate: Certificate) -> str:
    if certificate.worst_change == certificate.best_change == 0.0:
        return "changes nothing"
    return "cannot get worse" if certificate.worst_change <= 0.0 else "can get worse"


def _one_line(certificate: Certificate) -> str:
    return " ".join(str(certificate).split("\n"))


def _curves(curve: LearningCurve) -> Section:
    blocks: list[Any] = []
    titles = {
        "labels": ("Labels trained on", "What more labels buy, with all unlabeled rows"),
        "unlabeled rows": ("Unlabeled rows trained on", "What more unlabeled rows buy"),
    }
    scale = 100.0 if curve.measure.in_points else 1.0
    unit = ", in 100" if curve.measure.in_points else ""
    for along, (x_label, caption) in titles.items():
        points = {name: curve.points(along, name) for name in curve.names}  # type: ignore[arg-type]
        first = next(iter(points.values()))
        sizes = [p.n_labeled if along == "labels" else p.n_unlabeled for p in first]
        if len(sizes) < 2 or len(set(sizes)) < len(sizes):
            continue
        series = [
            Series(
                name,
                [scale * p.loss for p in of_name],
                [scale * max(0.0, p.loss - WIDTH * p.standard_error) for p in of_name],
                [scale * (p.loss + WIDTH * p.standard_error) for p in of_name],
            )
            for name, of_name in points.items()
        ]
        y_label = f"{curve.measure.name.capitalize()}{unit}"
        blocks.append(
            Curves(x_label, y_label, sizes, series, log_x=True, caption=caption, band=INTERVAL)
        )
    forecasts = curve.forecast(min(20, 2 * curve.n_labels))
    if forecasts:
        text, signed = curve.measure.text, curve.measure.signed
        told = [
            f"{f.n_more} more labels would take {f.name} from {text(f.now)} to about "
            f"{text(f.then)} ({INTERVAL} of the change: {signed(f.low)} to {signed(f.high)})."
            for f in forecasts
        ]
        blocks += [Text("By the course of these curves:"), Text(told, "points")]
    return Section("Learning curves", blocks or [Text("There were too few labels for curves.")])


def _data(found: TableComparison) -> Section:
    table = found.table
    counts = ", ".join(f"{name!s}: {count:,}" for name, count in table.target.counts.items())
    facts = KeyValues(
        [
            ("Table", table.name),
            ("Rows in the file", f"{table.n_rows_in_file:,}"),
            ("Labels", f"{table.n_labeled:,} ({counts})"),
            ("Unlabeled rows used", f"{table.n_unlabeled:,}"),
            ("Numbers made of the columns", f"{len(found.feature_names):,}"),
        ]
    )
    columns = Table(
        ["Column", "Kind", "Missing", "Different values", "Note"],
        [[c.name, c.kind, f"{c.n_missing:,}", f"{c.n_values:,}", c.note] for c in table.columns],
        caption="The columns",
    )
    how = Text(
        "Categories became one column for each value, dates became year, month, day and seconds, "
        "free text and names with very many values became a few numbers for the words or letters "
        "in them. Missing numbers were replaced by the median, with a column that says where. All "
        "numbers were scaled to unit variance. Each of these steps was learned on the training "
        "rows of each split only, never from labels."
    )
    blocks: list[Any] = [facts, columns, how]
    if table.notes:
        blocks.append(Text(list(table.notes), "points"))
    return Section("What was done to the data", blocks)


def _repeat(found: TableComparison, command: str) -> Section:
    target = found.table.target
    python = (
        "from tacit.tables import read_table\n"
        "from tacit.tables.comparing import compare_table\n\n"
        f"table = read_table({found.table.name!r}, {target.name!r}, {target.mark!r})\n"
        "print(compare_table(table).comparison)\n"
    )
    packages = ", ".join(f"{name} {number}" for name, number in versions().items())
    return Section(
        "How to repeat this",
        [
            Code(command, "In the terminal"),
            Code(python, "In Python"),
            Text(f"With {packages}.", "note"),
        ],
    )


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
