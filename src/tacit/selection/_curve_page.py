"""Learning curves as a page for the browser, or as a section of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scipy.special import ndtri

from tacit import __version__
from tacit.report import Cell, Column, Curves, Page, Section, Series, Table, Text
from tacit.report._numerals import MINUS
from tacit.selection._differences import CONFIDENCE

if TYPE_CHECKING:
    from tacit.selection._curve import Along, LearningCurve
    from tacit.selection._measure import Measure

INTERVAL = f"{CONFIDENCE:.0%} interval"
# Half of the band of a curve, in standard errors.
WIDTH = float(ndtri(0.5 + CONFIDENCE / 2.0))
TITLES: dict[Along, tuple[str, str]] = {
    "labels": ("Labels trained on", "What do labels buy? All unlabeled rows, and ever more labels"),
    "unlabeled rows": (
        "Unlabeled rows trained on",
        "What do unlabeled rows buy? All labels, and ever more unlabeled rows",
    ),
}
NOTES: dict[Along, str] = {
    "labels": "",
    "unlabeled rows": (
        "Classifiers that learn from labels only use the unlabeled rows too, but for scaling and "
        "other preprocessing alone."
    ),
}


def curve_page(curve: LearningCurve) -> Page:
    """What more labels would buy in a sentence, then both curves.

    Parameters
    ----------
    curve : LearningCurve
        What was measured.

    Returns
    -------
    Page
        To be written with `write`.
    """
    sentence = curve.sentence()
    return Page(
        title="What would more labels buy?",
        subtitle=f"{curve.n_labels:,} labels, {curve.n_unlabeled:,} unlabeled rows",
        lead=[Text(sentence, "lead")] if sentence else [],
        sections=[curve_section(curve)],
        footer=f"Made with tacit {__version__}.",
    )


def curve_section(curve: LearningCurve) -> Section:
    """Both curves, and the forecast made of one of them.

    Parameters
    ----------
    curve : LearningCurve
        What was measured.

    Returns
    -------
    Section
        With the heading "Learning curves".
    """
    drawn = [block for along in TITLES if (block := _curves(curve, along)) is not None]
    blocks: list[Any] = [*drawn, *_forecasts(curve)]
    if drawn:
        blocks.append(Text(f"{_splits(curve)} With few labels the points jump by chance.", "note"))
    return Section("Learning curves", blocks or [Text("There were too few labels for curves.")])


def _splits(curve: LearningCurve) -> str:
    return f"Each point is the mean over {_n_splits(curve)} of the labels."


def _n_splits(curve: LearningCurve) -> str:
    n_splits = len({(loss.repeat, loss.fold) for loss in curve.losses})
    return "1 split" if n_splits == 1 else f"{n_splits:,} splits"


def _most_labels(curve: LearningCurve) -> int:
    return max(loss.n_labeled for loss in curve.losses if loss.along == "labels")


def _curves(curve: LearningCurve, along: Along) -> Curves | None:
    points = {name: curve.points(along, name) for name in curve.names}
    first = next(iter(points.values()))
    sizes = [p.n_labeled if along == "labels" else p.n_unlabeled for p in first]
    if len(sizes) < 2 or len(set(sizes)) < len(sizes):
        return None
    in_points = curve.measure.in_points
    scale = 100.0 if in_points else 1.0
    series = []
    for name, of_name in points.items():
        low = [scale * (p.loss - WIDTH * p.standard_error) for p in of_name]
        series.append(
            Series(
                name,
                [scale * p.loss for p in of_name],
                [max(0.0, end) for end in low] if in_points else low,
                [scale * (p.loss + WIDTH * p.standard_error) for p in of_name],
            )
        )
    x_label, caption = TITLES[along]
    return Curves(
        x_label,
        _y_label(curve.measure),
        sizes,
        series,
        log_x=True,
        caption=caption,
        note=NOTES[along],
        band=INTERVAL,
    )


def _y_label(measure: Measure) -> str:
    if measure.is_error:
        return "Wrong answers in 100"
    return f"{measure.title}{', in %' if measure.in_points else ''}"


def _forecasts(curve: LearningCurve) -> list[Any]:
    forecasts = curve.usual_forecast()
    if not forecasts:
        return []
    text, signed = curve.measure.text, curve.measure.signed
    n_more = forecasts[0].n_more
    columns: list[str | Column] = [
        "Classifier",
        Column("Now", hint=f"by the curve, {forecasts[0].n_labels:,} labels"),
        Column("Then", hint=f"{n_more:,} labels more"),
        Column("Change", hint="points" if curve.measure.in_points else ""),
        Column(INTERVAL, hint="of the change"),
    ]
    rows: list[list[str | float | Cell | None]] = [
        [
            f.name,
            Cell(text(f.now), value=f.now),
            Cell(text(f.then), value=f.then),
            Cell(signed(f.change).replace("-", MINUS), value=f.change),
            f"{signed(f.low)} to {signed(f.high)}".replace("-", MINUS),
        ]
        for f in forecasts
    ]
    note = (
        "A power law through the curve of each classifier, carried on. It supposes that more "
        "labels do no harm, and is a rough guide. Now is the curve's value too: the curve rests on "
        f"{_n_splits(curve)} with up to {_most_labels(curve):,} labels to learn from, so "
        "a comparison in other splits gives somewhat other numbers."
    )
    caption = f"What would {n_more:,} more labels buy?"
    return [Table(columns, rows, caption=caption, note=note)]
