"""Learning curves as values, as text, as pictures, and as a page for the browser."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtri

from tacit._typing import AnyArray, Matrix
from tacit._words import aligned, number_of
from tacit.report import (
    MINUS,
    WIDE,
    Entry,
    Heading,
    HtmlDisplay,
    Listing,
    Page,
    Panel,
    Series,
    draw_curves,
    new_figure,
    page_picture,
)
from tacit.selection._contestants import Contestant
from tacit.selection._evaluate import Run
from tacit.selection._labeled_table import as_frame
from tacit.selection._measure import Measure
from tacit.selection._power_law import REACH, Forecast, forecast
from tacit.selection._verdict import CONFIDENCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Along = Literal["labels", "unlabeled rows"]
# What somebody might label in an afternoon.
USUAL_MORE = 20
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


@dataclass(frozen=True)
class CurvePoint:
    """The mean loss of one contestant at one size, over the splits."""

    along: Along
    name: str
    n_labeled: int  # Rows trained on; the mean over splits, rounded
    n_unlabeled: int
    loss: float
    standard_error: float  # Corrected for splits that share training rows (Nadeau & Bengio 2003)


@dataclass(frozen=True, repr=False)
class LearningCurve(HtmlDisplay):
    """Loss against the number of labels and against the number of unlabeled rows.

    Attributes
    ----------
    losses : tuple of Run
        Every loss that was measured; `protocol` is the curve that it is a point of.
    contestants : tuple of Contestant
        Who took part.
    measure : Measure
        What was measured.
    label_counts : dict
        Labels of each class.
    n_unlabeled : int
        Rows without label.
    test_to_train : float
        Labeled test rows for each labeled training row of the largest training sets.
    """

    losses: tuple[Run, ...]
    contestants: tuple[Contestant, ...]
    measure: Measure
    label_counts: Mapping[Any, int]
    n_unlabeled: int
    test_to_train: float

    @property
    def n_labels(self) -> int:
        """Labels of all classes."""
        return sum(self.label_counts.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The contestants' names, supervised first."""
        return tuple(contestant.name for contestant in self.contestants)

    def points(self, along: Along, name: str) -> list[CurvePoint]:
        """One curve, by ascending size.

        Parameters
        ----------
        along : {"labels", "unlabeled rows"}
            Which curve.
        name : str
            Whose.

        Returns
        -------
        list of CurvePoint
            One for each size.
        """
        sizes, losses = self._matrix(along, name)
        inflation = 1.0 / len(losses) + self.test_to_train
        spread = losses.std(axis=0, ddof=1) if len(losses) > 1 else np.full(len(sizes), np.nan)
        errors = np.sqrt(inflation) * spread
        columns = (*sizes.T.tolist(), losses.mean(axis=0).tolist(), errors.tolist())
        return [CurvePoint(along, name, *numbers) for numbers in zip(*columns, strict=True)]

    def forecast(self, n_more: int | None = None) -> tuple[Forecast, ...]:
        """What more labels would buy, by a power law through each curve.

        Parameters
        ----------
        n_more : int, optional
            Labels to add, at most three times as many as there are; by default 20, or fewer where
            that is too many.

        Returns
        -------
        tuple of Forecast
            One for each contestant; empty where fewer than three sizes were measured, or where the
            loss can be negative.
        """
        most = int((REACH - 1.0) * self.n_labels)
        n_more = min(USUAL_MORE, most) if n_more is None else n_more
        if not isinstance(n_more, numbers.Integral) or not 1 <= n_more <= most:
            raise ValueError(
                f"n_more is {n_more!r}; it must be a whole number from 1 to {most}, three times "
                "the labels there are. Farther out a curve through a few sizes says nothing."
            )
        forecasts = []
        for name in self.names:
            sizes, losses = self._matrix("labels", name)
            if len(sizes) < 3 or (losses < 0.0).any():
                return ()
            x = sizes[:, 0].astype(np.float64)
            forecasts.append(forecast(name, x, losses, self.n_labels, n_more, self.test_to_train))
        return tuple(forecasts)

    def sentence(self) -> str:
        """What more labels would buy for the classifier that is best now; empty if unknown."""
        forecasts = self.forecast()
        if not forecasts:
            return ""
        # Of those that look alike the first, which needs no unlabeled rows.
        best = min(forecasts, key=lambda f: round(f.now, 3))
        text, signed = self.measure.text, self.measure.signed
        return (
            f"{best.n_more:,} more labels would take the {self.measure.name} of {best.name}, the "
            f"lowest now, from {text(best.now)} to about {text(best.then)} (90% interval of the "
            f"change: {signed(best.low)} to {signed(best.high)})."
        )

    def rows(self) -> list[dict[str, Any]]:
        """The table of `frame()` as plain dictionaries."""
        curves = (self.points(along, name) for along in CURVES for name in self.names)
        return [vars(point) for curve in curves for point in curve]

    def frame(self) -> Any:
        """The points of all curves, as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            The fields of CurvePoint.
        """
        return as_frame(self.rows())

    def plot(self) -> Figure:
        """Both curves side by side.

        Returns
        -------
        matplotlib.figure.Figure
            Needs the extra `plots`.
        """
        panels = [
            replace(panel, title=caption.partition("?")[0] + "?")
            for along, (_, caption, _) in CURVES.items()
            if (panel := _panel(self, along)) is not None
        ]
        if not panels:
            figure = new_figure(WIDE, 1.0)
            figure.text(0.02, 0.5, TOO_FEW)
            return figure
        return draw_curves(panels, _y_label(self), width=11.0 if len(panels) > 1 else WIDE)

    def _page(self) -> Page:
        values = {
            "subtitle": f"{self.n_labels:,} labels, {self.n_unlabeled:,} unlabeled rows",
            "sentence": self.sentence(),
            "curve": curve_values(self),
        }
        return Page("curve.html", "What would more labels buy?", values)

    def __repr__(self) -> str:
        return f"LearningCurve({self.n_labels:,} labels, {self.n_unlabeled:,} unlabeled rows)"

    def __str__(self) -> str:
        """What 20 more labels would buy, then tables: both curves, and the forecast."""
        sentence, measure = self.sentence(), self.measure
        blocks = [[sentence]] if sentence else []
        for along, rest in RESTS.items():
            if sizes := _sizes(self, along):
                points = (self.points(along, name) for name in self.names)
                losses = ([measure.text(p.loss) for p in of_name] for of_name in points)
                lines = zip([f"{size:,}" for size in sizes], *losses, strict=True)
                title = f"{measure.name} by {along} trained on, all {rest}"
                blocks.append([title, *aligned([("", *self.names), *lines], right=True)])
        if forecasts := self.forecast():
            title = f"{measure.name} with {forecasts[0].n_more:,} more labels"
            head = ("", "now", "then", "change", INTERVAL)
            table = [head, *_forecast_texts(self, forecasts)]
            blocks.append([title, *aligned(table, right=True)])
        return "\n\n".join("\n".join(block) for block in blocks)

    def _matrix(self, along: Along, name: str) -> tuple[AnyArray, Matrix]:
        """Labeled and unlabeled rows of each size, and losses of the splits (rows) at the sizes."""
        runs = [run for run in self.losses if (run.protocol, run.classifier) == (along, name)]
        n_splits = len({(run.repeat, run.fold) for run in runs})
        found = np.array([(run.n_labeled, run.n_unlabeled, run.value) for run in runs])
        found = found.reshape(max(1, n_splits), -1, 3)
        return found[:, :, :2].mean(axis=0).round().astype(np.intp), found[:, :, 2]


def _forecast_texts(curve: LearningCurve, forecasts: Sequence[Forecast]) -> list[tuple[str, ...]]:
    text, signed = curve.measure.text, curve.measure.signed
    rows: list[tuple[str, ...]] = []
    for f in forecasts:
        interval = f"{signed(f.low)} to {signed(f.high)}"
        rows.append((f.name, text(f.now), text(f.then), signed(f.change), interval))
    return rows


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
