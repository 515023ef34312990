"""Learning curves as text, as a picture, and as a page for the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scipy.special import ndtri

from tacit._words import aligned, number_of
from tacit.report import (
    MINUS,
    WIDE,
    Entry,
    Heading,
    Listing,
    Page,
    Panel,
    Series,
    draw_curves,
    new_figure,
    page_picture,
)
from tacit.selection._verdict import CONFIDENCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tacit.selection._curve import Along, LearningCurve
    from tacit.selection._power_law import Forecast

INTERVAL = f"{CONFIDENCE:.0%} interval"
# Half of the interval at a point of a curve, in standard errors.
WIDTH = float(ndtri(0.5 + CONFIDENCE / 2.0))
TOO_FEW = "There were too few labels for curves."
# For each curve: what its axis shows, what it is about, and what should be known.
CURVES: dict[Along, tuple[str, str, str]] = {
    "labels": (
        "Labels trained on",
        "What do labels buy? All unlabeled rows, and ever more labels",
        "",
    ),
    "unlabeled rows": (
        "Unlabeled rows trained on",
        "What do unlabeled rows buy? All labels, and ever more unlabeled rows",
        "Classifiers that learn from labels only use the unlabeled rows too, but for scaling and "
        "other preprocessing alone.",
    ),
}
# What stays as it is while the other grows.
RESTS: dict[Along, Along] = {"labels": "unlabeled rows", "unlabeled rows": "labels"}


def curve_text(curve: LearningCurve) -> str:
    """The answer in a sentence, then tables: both curves, and the forecast."""
    sentence, measure = curve.sentence(), curve.measure
    blocks = [[sentence]] if sentence else []
    for along, rest in RESTS.items():
        if sizes := _sizes(curve, along):
            points = (curve.points(along, name) for name in curve.names)
            losses = ([measure.text(p.loss) for p in of_name] for of_name in points)
            lines = zip([f"{size:,}" for size in sizes], *losses, strict=True)
            title = f"{measure.name} by {along} trained on, all {rest}"
            blocks.append([title, *aligned([("", *curve.names), *lines], right=True)])
    if forecasts := curve.forecast():
        title = f"{measure.name} with {forecasts[0].n_more:,} more labels"
        head = ("", "now", "then", "change", INTERVAL)
        table = [head, *_forecast_texts(curve, forecasts)]
        blocks.append([title, *aligned(table, right=True)])
    return "\n\n".join("\n".join(block) for block in blocks)


def _forecast_texts(curve: LearningCurve, forecasts: Sequence[Forecast]) -> list[tuple[str, ...]]:
    text, signed = curve.measure.text, curve.measure.signed
    rows: list[tuple[str, ...]] = []
    for f in forecasts:
        interval = f"{signed(f.low)} to {signed(f.high)}"
        rows.append((f.name, text(f.now), text(f.then), signed(f.change), interval))
    return rows


def draw_curve(curve: LearningCurve) -> Figure:
    """Loss against labels on the left, against unlabeled rows on the right."""
    panels = [
        replace(panel, title=caption.partition("?")[0] + "?")
        for along, (_, caption, _) in CURVES.items()
        if (panel := _panel(curve, along)) is not None
    ]
    if not panels:
        figure = new_figure(WIDE, 1.0)
        figure.text(0.02, 0.5, TOO_FEW)
        return figure
    return draw_curves(panels, _y_label(curve), width=11.0 if len(panels) > 1 else WIDE)


def curve_page(curve: LearningCurve) -> Page:
    """What more labels would buy in a sentence, then both curves."""
    values = {
        "subtitle": f"{curve.n_labels:,} labels, {curve.n_unlabeled:,} unlabeled rows",
        "sentence": curve.sentence(),
        "curve": curve_values(curve),
    }
    return Page("curve.html", "What would more labels buy?", values)


def curve_values(curve: LearningCurve) -> dict[str, Any]:
    """Both curves and the forecast made of one of them, for the template's part `curves`."""
    charts = [chart for along in CURVES if (chart := _chart(curve, along)) is not None]
    return {
        "charts": charts,
        "forecast": _forecast(curve),
        "splits": _n_splits(curve),
        "too_few": TOO_FEW,
    }


def _n_splits(curve: LearningCurve) -> str:
    return number_of(len({(loss.repeat, loss.fold) for loss in curve.losses}), "split")


def _sizes(curve: LearningCurve, along: Along) -> list[int]:
    points = curve.points(along, curve.names[0])
    return [p.n_labeled if along == "labels" else p.n_unlabeled for p in points]


def _y_label(curve: LearningCurve) -> str:
    measure = curve.measure
    if measure.is_error:
        return "Wrong answers in 100"
    return f"{measure.title}{', in %' if measure.in_points else ''}"


def _panel(curve: LearningCurve, along: Along) -> Panel | None:
    sizes = _sizes(curve, along)
    if len(sizes) < 2 or len(set(sizes)) < len(sizes):
        return None
    scale = curve.measure.scale
    series = []
    for contestant in curve.contestants:
        points = curve.points(along, contestant.name)
        low = [scale * (p.loss - WIDTH * p.standard_error) for p in points]
        series.append(
            Series(
                contestant.name,
                [scale * p.loss for p in points],
                [max(0.0, end) for end in low] if curve.measure.in_points else low,
                [scale * (p.loss + WIDTH * p.standard_error) for p in points],
                dashed=contestant.twin is None,
            )
        )
    return Panel("", CURVES[along][0], sizes, series)


def _chart(curve: LearningCurve, along: Along) -> dict[str, Any] | None:
    """One curve on a page: the picture, its words, and the numbers behind it."""
    panel = _panel(curve, along)
    if panel is None:
        return None
    y_label = _y_label(curve)
    x_label, caption, note = CURVES[along]
    form = ".1f" if curve.measure.in_points else ".3g"
    rows: list[list[str | Entry]] = [
        [f"{size:,}", *(_entry(series, k, form) for series in panel.series)]
        for k, size in enumerate(panel.x)
    ]
    ends = " ".join(
        f"{series.name} goes from {series.y[0]:.3g} to {series.y[-1]:.3g}."
        for series in panel.series
    )
    alt = f"{y_label} against {x_label}, from {panel.x[0]:,} to {panel.x[-1]:,}. {ends}"
    return {
        "caption": caption,
        "note": note,
        "picture": page_picture(lambda width: draw_curves([panel], y_label, width), alt),
        "numbers": Listing(
            y_label,
            [x_label, *(series.name for series in panel.series)],
            rows,
            note=f"In small type: {INTERVAL}.",
        ),
    }


def _entry(series: Series, k: int, form: str) -> Entry:
    value, low, high = (
        f"{v:{form}}".replace("-", MINUS) for v in (series.y[k], series.low[k], series.high[k])
    )
    # After a single split there is no interval.
    return Entry(value, "" if low == "nan" else f"{low} to {high}")


def _forecast(curve: LearningCurve) -> Listing | None:
    forecasts = curve.forecast()
    if not forecasts:
        return None
    n_more = forecasts[0].n_more
    columns: list[str | Heading] = [
        "Classifier",
        Heading("Now", f"by the curve, {forecasts[0].n_labels:,} labels"),
        Heading("Then", f"{n_more:,} labels more"),
        Heading("Change", "points" if curve.measure.in_points else ""),
        Heading(INTERVAL, "of the change"),
    ]
    most = max(loss.n_labeled for loss in curve.losses if loss.protocol == "labels")
    return Listing(
        f"What would {n_more:,} more labels buy?",
        columns,
        [[text.replace("-", MINUS) if k else text for k, text in enumerate(row)]
         for row in _forecast_texts(curve, forecasts)],
        note="A power law through the curve of each classifier, carried on. It supposes that more "
        "labels do no harm, and is a rough guide. Now is the curve's value too: the curve rests on "
        f"{_n_splits(curve)} with up to {most:,} labels to learn from, so a comparison in other "
        "splits gives somewhat other numbers.",
    )  # fmt: skip
