"""Learning curves as values."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacit._typing import Matrix
from tacit.report import HtmlDisplay
from tacit.selection._contestants import Contestant
from tacit.selection._evaluate import Run
from tacit.selection._labeled_table import as_frame
from tacit.selection._measure import Measure
from tacit.selection._power_law import REACH, Forecast, forecast

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tacit.report import Page

Along = Literal["labels", "unlabeled rows"]
# What somebody might label in an afternoon.
USUAL_MORE = 20


@dataclass(frozen=True)
class CurvePoint:
    """The mean loss of one contestant at one size, over the splits.

    Attributes
    ----------
    along : {"labels", "unlabeled rows"}
        The curve.
    name : str
        The contestant.
    n_labeled, n_unlabeled : int
        Rows trained on; the mean over splits, rounded.
    loss : float
        Mean over the splits.
    standard_error : float
        Corrected for splits that share training rows (Nadeau & Bengio 2003).
    """

    along: Along
    name: str
    n_labeled: int
    n_unlabeled: int
    loss: float
    standard_error: float


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
        if not sizes:
            return []
        inflation = 1.0 / len(losses) + self.test_to_train
        spread = losses.std(axis=0, ddof=1) if len(losses) > 1 else np.full(len(sizes), np.nan)
        return [
            CurvePoint(along, name, labeled, unlabeled, float(mean), float(error))
            for (labeled, unlabeled), mean, error in zip(
                sizes, losses.mean(axis=0), np.sqrt(inflation) * spread, strict=True
            )
        ]

    def forecast(self, n_more: int = 20) -> tuple[Forecast, ...]:
        """What more labels would buy, by a power law through each curve.

        Parameters
        ----------
        n_more : int, default=20
            Labels to add; at most three times as many as there are.

        Returns
        -------
        tuple of Forecast
            One for each contestant; empty where fewer than three sizes were measured, or where the
            loss can be negative.
        """
        most = int((REACH - 1.0) * self.n_labels)
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
            n_labeled = np.array([size[0] for size in sizes], dtype=np.float64)
            forecasts.append(
                forecast(name, n_labeled, losses, self.n_labels, n_more, self.test_to_train)
            )
        return tuple(forecasts)

    def usual_forecast(self) -> tuple[Forecast, ...]:
        """`forecast` for 20 more labels, or fewer where there are too few to say so much."""
        return self.forecast(min(USUAL_MORE, int((REACH - 1.0) * self.n_labels)))

    def sentence(self) -> str:
        """What more labels would buy for the classifier that is best now; empty if unknown."""
        forecasts = self.usual_forecast()
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
        alongs: tuple[Along, ...] = ("labels", "unlabeled rows")
        return [
            vars(p) for along in alongs for name in self.names for p in self.points(along, name)
        ]

    def frame(self) -> Any:
        """The points of all curves, as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            The fields of CurvePoint.
        """
        return as_frame(self.rows(), tuple(CurvePoint.__dataclass_fields__))

    def plot(self) -> Figure:
        """Both curves side by side.

        Returns
        -------
        matplotlib.figure.Figure
            Needs the extra `plots`.
        """
        from tacit.selection._curve_page import draw_curve

        return draw_curve(self)

    def _page(self) -> Page:
        from tacit.selection._curve_page import curve_page

        return curve_page(self)

    def __repr__(self) -> str:
        return f"LearningCurve({self.n_labels:,} labels, {self.n_unlabeled:,} unlabeled rows)"

    def __str__(self) -> str:
        """What 20 more labels would buy, and the tables behind it."""
        from tacit.selection._curve_page import curve_text

        return curve_text(self)

    def _matrix(self, along: Along, name: str) -> tuple[list[tuple[int, int]], Matrix]:
        """Sizes, and the losses of the splits (rows) at the sizes (columns)."""
        by_split: dict[tuple[int, int], list[Run]] = {}
        for loss in self.losses:
            if loss.protocol == along and loss.classifier == name:
                by_split.setdefault((loss.repeat, loss.fold), []).append(loss)
        if not by_split:
            return [], np.zeros((0, 0))
        splits = list(by_split.values())
        sizes = [
            (
                round(float(np.mean([point.n_labeled for point in column]))),
                round(float(np.mean([point.n_unlabeled for point in column]))),
            )
            for column in zip(*splits, strict=True)
        ]
        return sizes, np.array([[point.value for point in split] for split in splits])
