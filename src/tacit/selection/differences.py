"""Paired differences over resampled splits, with an honest interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

from tacit._typing import Vector

# Each end at one in twenty: an interval beyond zero, or within the margin, is a one-sided test at
# that level.
CONFIDENCE = 0.9


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
        so the variance of the mean over J splits is (1/J + n_test/n_train) s^2, not s^2/J. Where
        the part of rows that both label differently is known, it is not taken to be less than
        that part alone (`likely_disagreement`) would give.
    degrees_of_freedom : int
        J - 1, but less than the number of labels: more shuffles of the same labels do not tell
        more.
    low, high : float
        The 90% interval of the difference.
    p_better, p_worse : float
        One-sided p-values: how probable so good (so bad) a result would be if there were no
        difference.
    disagreement : float or None
        The part of the unlabeled rows for which the two, fitted on all labels, give different
        answers. Whatever the labels are, the errors on these rows differ by no more than this.
    n_splits, n_labels, n_unlabeled : int
        What it rests on.

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

    @property
    def likely_disagreement(self) -> float | None:
        """`disagreement` as it is to be expected on new rows."""
        return _likely(self.disagreement, self.n_unlabeled)


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
        Part of unlabeled rows labeled differently, for losses that count wrong rows.
    n_unlabeled : int, default=0
        Unlabeled rows behind `disagreement`.
    """
    n_splits = len(differences)
    mean = float(differences.mean())
    variance = float(differences.var(ddof=1)) if n_splits > 1 else math.nan
    squared = (1.0 / n_splits + test_to_train) * variance
    part = _likely(disagreement, n_unlabeled)
    if part is not None:
        # One row's difference of errors is -1, 0 or 1, and not 0 in that part of the rows.
        squared = max(squared, (part - min(part, mean**2)) / n_labels)
    error = math.sqrt(squared)
    freedom = max(1, min(n_splits, n_labels) - 1)
    low, high, better, worse = _judged(mean, error, freedom)
    return PairedDifference(
        name, reference, mean, error, freedom, low, high, better, worse, disagreement, n_splits,
        n_labels, n_unlabeled,
    )  # fmt: skip


def _judged(mean: float, error: float, freedom: int) -> tuple[float, float, float, float]:
    if error == 0.0:
        p_better = 0.5 if mean == 0.0 else float(mean > 0.0)
        return mean, mean, p_better, 1.0 - p_better
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
