"""Learning curves as values, as text, as pictures, and as a page for the browser."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from tacit import report
from tacit._typing import AnyArray, Matrix
from tacit._words import aligned, number_of
from tacit.report import MINUS, WIDE, Entry, HtmlDisplay, Listing, Page, Panel, Series, new_figure
from tacit.selection._contestants import Contestant
from tacit.selection._evaluate import Run
from tacit.selection._labeled_table import as_frame
from tacit.selection._measure import Measure
from tacit.selection._power_law import REACH, Forecast, forecast
from tacit.selection._splitters import Along
from tacit.selection._verdict import CONFIDENCE, INTERVAL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What somebody might label in an afternoon.
USUAL_MORE = 20
# Half of the interval at a point of a curve, in standard errors.
WIDTH = float(ndtri(0.5 + CONFIDENCE / 2.0))
TOO_FEW = "There were too few labels for curves."
# For each curve: what its axis shows, and what it is about.
CURVES: dict[Along, tuple[str, str]] = {
    "labels": ("Labels trained on", "What do labels buy? All unlabeled rows, and ever more labels"),
    "unlabeled rows": (
        "Unlabeled rows trained on",
        "What do unlabeled rows buy? All labels, and ever more unlabeled rows",
    ),
}


@dataclass(frozen=True)
class CurvePoint:
    """The mean loss of one contestant at one size, over the splits."""

    along: Along
    name: str
    n_labeled: int  # Rows trained on; the mean over splits, rounded
    n_unlabeled: int
    loss: float
    standard_error: float  # Corrected for splits that share training rows (Nadeau & Bengio 2003)

    @property
    def size(self) -> int:
        """What grows along the curve."""
        return self.n_labeled if self.along == "labels" else self.n_unlabeled


@dataclass(frozen=True, repr=False)
class LearningCurve(HtmlDisplay):
    """Loss against the number of labels and against the number of unlabeled rows."""

    #: Every loss that was measured; `protocol` is the curve that it is a point of.
    losses: tuple[Run, ...]
    contestants: tuple[Contestant, ...]  #: Who took part.
    measure: Measure  #: What was measured.
    label_counts: Mapping[Any, int]  #: Labels of each class.
    n_unlabeled: int  #: Rows without label.
    test_to_train: float  #: Labeled test rows for each labeled row of the largest training sets.

    @property
    def n_labels(self) -> int:
        """Labels of all classes."""
        return sum(self.label_counts.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The contestants' names, supervised first."""
        return tuple(contestant.name for contestant in self.contestants)

    def points(self, along: Along, name: str) -> list[CurvePoint]:
        """The curve of one contestant along "labels" or "unlabeled rows", by ascending size."""
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
            One for each contestant; none after fewer than three sizes, or for negative losses.
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

    def frame(self) -> Any:
        """The points of all curves, as a pandas DataFrame with the fields of CurvePoint."""
        curves = (self.points(along, name) for along in CURVES for name in self.names)
        return as_frame([vars(point) for curve in curves for point in curve])

    def plot(self) -> Figure:
        """Both curves side by side, as a figure of matplotlib."""
        panels = [panel for along in CURVES if (panel := _panel(self, along)) is not None]
        if not panels:
            figure = new_figure(WIDE, 1.0)
            figure.text(0.02, 0.5, TOO_FEW)
            return figure
        return report.draw_curves(panels, _y_label(self), width=11.0 if len(panels) > 1 else WIDE)

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
        for along in CURVES:
            rest = "unlabeled rows" if along == "labels" else "labels"
            curves = [self.points(along, name) for name in self.names]
            lines = [
                (f"{points[0].size:,}", *(measure.text(point.loss) for point in points))
                for points in zip(*curves, strict=True)
            ]
            if lines:
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
    text, sign = curve.measure.text, curve.measure.signed
    return [
        (f.name, text(f.now), text(f.then), sign(f.change), f"{sign(f.low)} to {sign(f.high)}")
        for f in forecasts
    ]


def curve_values(curve: LearningCurve) -> dict[str, Any]:
    """Both curves and the forecast made of one of them, for the template's part `curves`."""
    n_splits = len({(loss.repeat, loss.fold) for loss in curve.losses})
    return {
        "charts": [chart for along in CURVES if (chart := _chart(curve, along)) is not None],
        "forecast": _forecast(curve),
        "splits": number_of(n_splits, "split"),
        "interval": INTERVAL,
        "too_few": TOO_FEW,
    }


def _y_label(curve: LearningCurve) -> str:
    measure = curve.measure
    if measure.is_error:
        return "Wrong answers in 100"
    return f"{measure.title}{', in %' if measure.in_points else ''}"


def _panel(curve: LearningCurve, along: Along) -> Panel | None:
    scale, sizes, series = curve.measure.scale, [], []
    for contestant in curve.contestants:
        points = curve.points(along, contestant.name)
        sizes = [point.size for point in points]
        loss = scale * np.array([point.loss for point in points])
        width = scale * WIDTH * np.array([point.standard_error for point in points])
        low = np.maximum(0.0, loss - width) if curve.measure.in_points else loss - width
        curves = loss.tolist(), low.tolist(), (loss + width).tolist()
        series.append(Series(contestant.name, *curves, dashed=contestant.twin is None))
    if len(sizes) < 2:
        return None
    x_label, caption = CURVES[along]
    return Panel(caption.partition("?")[0] + "?", x_label, sizes, series)


def _chart(curve: LearningCurve, along: Along) -> dict[str, Any] | None:
    """One curve on a page: the picture, its words, and the numbers behind it."""
    panel = _panel(curve, along)
    if panel is None:
        return None
    y_label, names = _y_label(curve), [series.name for series in panel.series]
    form = ".1f" if curve.measure.in_points else ".3g"
    rows: list[list[str | Entry]] = [
        [f"{size:,}", *(_entry(series, k, form) for series in panel.series)]
        for k, size in enumerate(panel.x)
    ]
    ends = " ".join(f"{s.name} goes from {s.y[0]:.3g} to {s.y[-1]:.3g}." for s in panel.series)
    alt = f"{y_label} against {panel.x_label}, from {panel.x[0]:,} to {panel.x[-1]:,}. {ends}"
    untitled = replace(panel, title="")
    return {
        "along": along,
        "caption": CURVES[along][1],
        "picture": report.page_picture(
            lambda width: report.draw_curves([untitled], y_label, width), alt
        ),
        "numbers": Listing(y_label, [panel.x_label, *names], rows),
    }


def _entry(series: Series, k: int, form: str) -> Entry:
    value, low, high = (
        f"{v:{form}}".replace("-", MINUS) for v in (series.y[k], series.low[k], series.high[k])
    )
    # After a single split there is no interval.
    return Entry(value, "" if low == "nan" else f"{low} to {high}")


def _forecast(curve: LearningCurve) -> dict[str, Any] | None:
    forecasts = curve.forecast()
    if not forecasts:
        return None
    n_more = forecasts[0].n_more
    columns: list[str | Entry] = [
        "Classifier",
        Entry("Now", f"by the curve, {forecasts[0].n_labels:,} labels"),
        Entry("Then", f"{n_more:,} labels more"),
        Entry("Change", "points" if curve.measure.in_points else ""),
        Entry(INTERVAL, "of the change"),
    ]
    rows = [
        [name, *(text.replace("-", MINUS) for text in texts)]
        for name, *texts in _forecast_texts(curve, forecasts)
    ]
    most = max(loss.n_labeled for loss in curve.losses if loss.protocol == "labels")
    caption = f"What would {n_more:,} more labels buy?"
    return {"numbers": Listing(caption, columns, rows), "most": f"{most:,}"}
