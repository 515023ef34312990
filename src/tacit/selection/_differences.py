"""Paired differences over resampled splits, with an honest interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

from tacit._typing import Vector

# Each end at one in twenty: an interval beyond zero, or within the margin, is a one-sided test at
# that level.
CONFIDENCE = 0.9
# Of the squared mean; less variance than this is rounding.
ROUNDING = 1e-20


@dataclass(frozen=True)
class PairedDifference:
    """How much larger the loss of one contestant is than that of another on the same splits.

    Negative means that `name` is better than `reference`.

    Attributes
    ----------
    name, reference : str
        The contestants.
    mean : float
        Mean difference of the losses over the splits.
    standard_error : float
        By the corrected resampled t-test [1]_: training sets of different splits share most rows,
        so the variance of the mean over J splits is (1/J + n_test/n_train) s^2, not s^2/J. It is
        not taken to be less than the part of rows that both label differently
        (`likely_disagreement`) would give alone or, where that is not known, than one label more
        that comes out otherwise might. Infinite where nothing is known of the spread.
    degrees_of_freedom : int
        J - 1, but less than the number of labels: more shuffles of the same labels do not tell
        more.
    low, high : float
        The 90% interval of the difference; infinite where nothing is known of the spread.
    p_better, p_worse : float
        One-sided p-values: how probable so good (so bad) a result would be if there were no
        difference. None is less than 2^-n for n labels tested on: as many heads in a row.
    disagreement : float or None
        The part of the unlabeled rows for which the two, fitted on all labels, give different
        answers. Where the loss counts wrong rows, it differs by no more than this on these rows,
        whatever their labels are. None for losses of other things than predicted classes, unless
        the two are the same function on these rows.
    n_splits, n_labels, n_unlabeled : int
        What it rests on.
    trained_on : float
        The part of the labels that the fits of a split had: less than all of them, so that the
        two may differ more there than in the end.
    counts_rows : bool, default=True
        Whether the loss is the part of rows predicted wrong, so that `disagreement` is a bound.

    References
    ----------
    .. [1] Nadeau & Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """

    name: str
    reference: str
    mean: float
    standard_error: float
    degrees_of_freedom: int
    low: float
    high: float
    p_better: float
    p_worse: float
    disagreement: float | None
    n_splits: int
    n_labels: int
    n_unlabeled: int
    trained_on: float
    counts_rows: bool = True

    @property
    def likely_disagreement(self) -> float | None:
        """`disagreement` as it is to be expected on new rows."""
        return _likely(self.disagreement, self.n_unlabeled)

    def is_certain(self, margin: float) -> bool:
        """Whether it needs no labels to see that the difference is within the margin."""
        part = self.likely_disagreement
        if part is None or part > margin:
            return False
        # A few rows are a large part of a rare class, so other losses need the same answers.
        return self.counts_rows or self.disagreement == 0.0


def _likely(disagreement: float | None, n_unlabeled: int) -> float | None:
    """Laplace's rule of succession: no difference in ten rows does not mean none in the next."""
    if disagreement is None:
        return None
    return (disagreement * n_unlabeled + 1.0) / (n_unlabeled + 2.0)


def paired_difference(
    name: str,
    reference: str,
    differences: Vector,
    test_to_train: float,
    n_labels: int,
    disagreement: float | None = None,
    n_unlabeled: int = 0,
    *,
    tested: Sequence[int] | None = None,
    counts_rows: bool = True,
    bounded: bool = True,
) -> PairedDifference:
    """The corrected resampled t-test on paired differences.

    Parameters
    ----------
    name, reference : str
        Who is compared with whom.
    differences : ndarray of shape (J,)
        Loss of `name` minus loss of `reference`, one for each split.
    test_to_train : float
        Labeled test rows for each labeled training row.
    n_labels : int
        Labels behind all splits.
    disagreement : float, optional
        Part of unlabeled rows labeled differently, for losses of predicted classes; 0 for the
        same function, whatever the loss.
    n_unlabeled : int, default=0
        Unlabeled rows behind `disagreement`.
    tested : sequence of int, optional
        Labels of each class that were tested on at least once; by default all labels, of one class.
    counts_rows : bool, default=True
        Whether the loss is the part of rows predicted wrong.
    bounded : bool, default=True
        Whether the loss is a part of one, so that no difference is beyond 1.
    """
    n_splits = len(differences)
    mean = float(differences.mean())
    variance = float(differences.var(ddof=1)) if n_splits > 1 else math.inf
    variance = variance if variance > ROUNDING * mean**2 else 0.0
    squared = (1.0 / n_splits + test_to_train) * variance
    counts = [n_labels] if tested is None else tested
    n_tested = sum(counts) if counts_rows else _as_of_one_class(counts)
    part = _likely(disagreement, n_unlabeled)
    if part is not None and bounded:
        # One row's difference of errors is -1, 0 or 1, and not 0 in that part of the rows.
        squared = max(squared, (part - min(part, mean**2)) / n_tested)
    if bounded and (part is None or squared == 0.0):
        # By the rule of succession, the next label has one chance in n + 2 of being the first that
        # is not like the others, and may then be as far from them as a difference can be.
        squared = max(squared, (1.0 + abs(mean)) ** 2 / ((n_tested + 2.0) * n_tested))
    if squared == 0.0:
        squared = math.inf
    error = math.sqrt(squared)
    freedom = max(1, min(n_splits, n_labels) - 1)
    low, high, better, worse = _judged(mean, error, freedom)
    least = 0.5 ** sum(counts)
    return PairedDifference(
        name, reference, mean, error, freedom, low, high, max(least, better), max(least, worse),
        disagreement, n_splits, n_labels, n_unlabeled, 1.0 / (1.0 + test_to_train), counts_rows,
    )  # fmt: skip


def _as_of_one_class(counts: Sequence[int]) -> float:
    """Labels that tell as much as these do where every class counts the same, however rare.

    The variance of a mean over K classes of means over n_k rows is that of one mean over
    K^2 / sum(1/n_k) rows: all of them for classes of one size, few where one class is rare.
    """
    return len(counts) ** 2 / sum(1.0 / count for count in counts)


def _judged(mean: float, error: float, freedom: int) -> tuple[float, float, float, float]:
    width = float(stdtrit(freedom, 0.5 + CONFIDENCE / 2.0)) * error
    t = mean / error
    return mean - width, mean + width, float(stdtr(freedom, t)), float(stdtr(freedom, -t))


def holm(p_values: dict[str, float]) -> dict[str, float]:
    """p-values adjusted for having looked at all of them (Holm 1979)."""
    adjusted: dict[str, float] = {}
    largest = 0.0
    for k, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - k) * p_values[name]))
        adjusted[name] = largest
    return adjusted
