"""Whether repeats tell two classifiers apart, and how few of them cannot tell anything."""

from __future__ import annotations

import numpy as np

from tacit._words import number_of
from tacit.research.experiments._measures import ERROR
from tacit.research.experiments._results import ROUNDING, Results

# Of Wilcoxon's signed rank test, for bold and underline.
LEVEL = 0.01


def least_p_value(n_repeats: int) -> float:
    """The smallest p-value that the test can give: that of `n_repeats` differences of one sign.

    All 2^n patterns of signs are equally likely where the classifiers are equal, and two of them,
    all above and all below, are the most extreme.
    """
    return min(1.0, 2.0 / 2.0**n_repeats)


# 8: with 7 repeats the smallest p-value is 2 / 128.
LEAST_REPEATS = next(n for n in range(1, 100) if least_p_value(n) < LEVEL)


def direction(
    results: Results, dataset: str, protocol: str, first: str, second: str, n_unlabeled: int
) -> int:
    """Which of two classifiers has the lower error.

    Over the repeats in which both ended, by Wilcoxon's signed rank test, two-sided.

    Returns
    -------
    int
        -1 where the error of `first` is significantly below that of `second`, 1 where it is
        above, 0 where the repeats do not tell them apart.
    """
    one = results.values(dataset, protocol, first, ERROR, n_unlabeled)
    other = results.values(dataset, protocol, second, ERROR, n_unlabeled)
    if len(one) != len(other):
        return 0
    difference = one - other
    difference = difference[np.abs(difference) > ROUNDING]  # NaN, where a fit failed, is not
    # Some versions of SciPy approximate p-values among ties, and then come below the smallest.
    if len(difference) < LEAST_REPEATS:
        return 0
    if results.p_value(dataset, protocol, first, second, n_unlabeled) >= LEVEL:
        return 0
    return int(np.sign(difference.mean()))


def what_counts(n_repeats: int) -> str:
    """A sentence on what that many repeats can show; empty where there are more than enough."""
    if n_repeats < LEAST_REPEATS:
        return (
            f"With {number_of(n_repeats, 'repeat')}"
            " no difference can be significant: that takes at least "
            f"{LEAST_REPEATS}."
        )
    # With one small difference of the other sign the p-value is twice the smallest.
    if 2 * least_p_value(n_repeats) >= LEVEL:
        return (
            f"With {number_of(n_repeats, 'repeat')}"
            " that takes a difference of the same sign in every one of "
            "them."
        )
    return ""
