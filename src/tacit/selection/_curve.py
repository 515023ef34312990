"""Learning curves: what more labels would buy, and what more unlabeled rows."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacit._typing import AnyArray, Index, Matrix
from tacit.report import HtmlDisplay
from tacit.selection._compare import read_or_default
from tacit.selection._contestants import Contestant, Estimators
from tacit.selection._evaluate import Progress, Run, Split, evaluate_all, runs_of
from tacit.selection._labeled_table import LabeledTable, as_frame, read_table
from tacit.selection._measure import Measure, check_classes, loss_of, read_measure
from tacit.selection._power_law import REACH, Forecast, forecast
from tacit.selection._splitters import plan_splits, read_seed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tacit.report import Page

Along = Literal["labels", "unlabeled rows"]
CURVES: tuple[Along, ...] = ("labels", "unlabeled rows")
# What somebody might label in an afternoon.
USUAL_MORE = 20
N_SIZES = 5


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
        return [
            vars(p) for along in CURVES for name in self.names for p in self.points(along, name)
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

    def _matrix(self, along: Along, name: str) -> tuple[AnyArray, Matrix]:
        """Labeled and unlabeled rows of each size, and losses of the splits (rows) at the sizes."""
        runs = [run for run in self.losses if (run.protocol, run.classifier) == (along, name)]
        n_splits = len({(run.repeat, run.fold) for run in runs})
        found = np.array([(run.n_labeled, run.n_unlabeled, run.value) for run in runs])
        found = found.reshape(max(1, n_splits), -1, 3)
        return found[:, :, :2].mean(axis=0).round().astype(np.intp), found[:, :, 2]


def learning_curve(
    X: Any,
    y: Any,
    estimators: Estimators | None = None,
    *,
    n_labeled: Sequence[int] | None = None,
    n_unlabeled: Sequence[int] | None = None,
    cv: Any = 5,
    n_repeats: int = 2,
    scoring: Any = "accuracy",
    n_jobs: int | None = None,
    X_unlabeled: Any = None,
    random_state: Any = 0,
    unlabeled: Any = -1,
    on_progress: Progress | None = None,
) -> LearningCurve:
    """Loss against the number of labels, and against the number of unlabeled rows.

    As in `compare`, labels are held back in folds, every contestant gets the same rows, and rows
    without label are never scored. Smaller training sets are parts of larger ones.

    Parameters
    ----------
    X, y, estimators, scoring, n_jobs, X_unlabeled, random_state, unlabeled, on_progress
        As in `compare`.
    n_labeled : sequence of int, optional
        Numbers of labels to train on, with all unlabeled rows; by default five, from a few of each
        class to all that a fold leaves. An empty sequence leaves this curve out.
    n_unlabeled : sequence of int, optional
        Numbers of unlabeled rows to train on, with all labels that a fold leaves; by default none,
        and four more up to all. An empty sequence leaves this curve out.
    cv : int or splitter, default=5
        Folds; fewer where a class has fewer labels.
    n_repeats : int, default=2
        How often the labels are shuffled and split anew; not used where `cv` is a splitter.

    Returns
    -------
    LearningCurve
        With `frame()`, `plot()`, `to_html()` and `forecast(n_more)`; print it.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.selection import learning_curve
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(0, 2, 300)
    >>> X = random.normal(size=(300, 5)) + 0.7 * (2 * y - 1)[:, None]
    >>> y[60:] = -1  # 60 labels, 240 unlabeled rows
    >>> curve = learning_curve(X, y, n_labeled=[12, 24, 48], n_unlabeled=[], n_repeats=1)
    >>> [point.n_labeled for point in curve.points("labels", "ridge")]
    [12, 24, 48]
    """
    measure = read_measure(scoring)
    table = read_table(X, y, X_unlabeled, unlabeled)
    check_classes(measure, len(table.classes))
    contestants = read_or_default(estimators, table)
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        cv = min(int(cv), len(table.labeled))
    seed = read_seed(random_state)
    splits = plan_splits(table, cv, n_repeats, seed)
    if not splits:
        rare = [name for name, count in table.label_counts.items() if count < 2]
        raise ValueError(
            f"y has a single label of the class {rare[0]!r}; a learning curve needs at least two "
            "of each class, one to learn from and one to test on."
        )
    plan = _plan(table, splits, n_labeled, n_unlabeled, seed)
    # Where both curves have all rows they share a point, which is measured once.
    unique = {_rows_of(split): split for _, split in plan}
    judge = partial(loss_of, measure=measure)
    tasks = [(judge, split) for split in unique.values()]
    found = evaluate_all(table, contestants, tasks, str(seed), n_jobs, on_progress)
    outcomes = dict(zip(unique, found, strict=True))
    losses = tuple(
        run
        for along, split in plan
        for run in runs_of(table, split, outcomes[_rows_of(split)], measure.name, along)
    )
    return LearningCurve(
        losses,
        contestants,
        measure,
        table.label_counts,
        len(table.unlabeled),
        float(np.mean([len(split.test) / len(split.labeled) for split in splits])),
    )


def _plan(
    table: LabeledTable,
    splits: Sequence[Split],
    n_labeled: Sequence[int] | None,
    n_unlabeled: Sequence[int] | None,
    seed: int,
) -> list[tuple[Along, Split]]:
    smallest = min(len(split.labeled) for split in splits)
    n_classes, all_unlabeled = len(table.classes), len(table.unlabeled)
    labeled = _read_sizes("n_labeled", n_labeled, n_classes, smallest)
    if labeled is None:
        labeled = _geometric(max(2 * n_classes, smallest // 8), smallest, N_SIZES)
    unlabeled = _read_sizes("n_unlabeled", n_unlabeled, 0, all_unlabeled)
    if unlabeled is None:
        unlabeled = [0, *_geometric(max(10, all_unlabeled // 64), all_unlabeled, N_SIZES - 1)]
    if not labeled and not unlabeled:
        raise ValueError(
            "n_labeled and n_unlabeled are both empty, so there is no curve to measure; give sizes "
            "for one of them, or leave it out for the usual ones."
        )
    plan: list[tuple[Along, Split]] = []
    for split in splits:
        random = np.random.default_rng([split.repeat, split.fold, seed])
        ordered = _prefixes_with_all_classes(split.labeled, table.y, random)
        shuffled = random.permutation(table.unlabeled)
        for size in labeled:
            plan.append(("labels", replace(split, labeled=np.sort(ordered[:size]))))
        for size in unlabeled:
            plan.append(("unlabeled rows", replace(split, unlabeled=np.sort(shuffled[:size]))))
    return plan


def _rows_of(split: Split) -> tuple[int, ...]:
    return (split.repeat, split.fold, len(split.labeled), len(split.unlabeled))


def _geometric(first: int, last: int, n_sizes: int) -> list[int]:
    return sorted({round(size) for size in np.geomspace(min(first, last), last, n_sizes)})


def _read_sizes(name: str, sizes: Any, least: int, most: int) -> list[int] | None:
    """The sizes given, ascending; None where none are."""
    if sizes is None:
        return None
    if isinstance(sizes, str) or np.ndim(sizes) != 1:
        example = f"[{sizes}]" if isinstance(sizes, numbers.Number) else "[10, 20, 40]"
        raise ValueError(
            f"{name} is {sizes!r}; it must be a list of whole numbers, such as {example}, or None."
        )
    for size in sizes:
        is_number = isinstance(size, numbers.Real) and not isinstance(size, bool)
        if not is_number or size % 1 != 0 or not least <= size <= most:
            raise ValueError(
                f"{name} has {size!r}; each must be a whole number from {least} to {most:,}, the "
                "rows that every split leaves to train on."
            )
    return sorted({int(size) for size in sizes})


def _prefixes_with_all_classes(rows: Index, y: AnyArray, random: np.random.Generator) -> Index:
    """The rows in a random order in which every beginning has the classes in proportion."""
    rows = random.permutation(rows)
    place = np.empty(len(rows))
    for label in np.unique(y[rows]):
        own = np.flatnonzero(y[rows] == label)
        place[own] = (np.arange(len(own)) + random.uniform(size=len(own))) / len(own)
        place[own[0]] = -1.0  # one of each class comes first
    return np.asarray(rows[np.argsort(place, kind="stable")])
