"""What repeats can tell, and what so few of them cannot."""

import numpy as np
from scipy.stats import wilcoxon

from tacit.research.experiments import Results, Run
from tacit.research.experiments._results import (
    LEAST_REPEATS,
    LEVEL,
    what_counts,
)


def compared(one, other):
    runs = [
        Run("d", "rule", name, 10, 50, repeat, "error", float(value), 0.1, "ok")
        for name, values in (("a", one), ("b", other))
        for repeat, value in enumerate(values)
    ]
    return Results.of(runs).direction("d", "rule", "a", "error", 50, other="b")


def test_the_least_number_of_repeats_is_the_first_that_can_be_significant():
    least, fewer = (
        wilcoxon(np.arange(1.0, n + 1)).pvalue for n in (LEAST_REPEATS, LEAST_REPEATS - 1)
    )
    assert least < LEVEL <= fewer


def test_fewer_repeats_tell_nothing_even_where_they_agree():
    lower = np.zeros(LEAST_REPEATS)
    assert compared(lower, lower + 0.1) == -1
    assert compared(lower + 0.1, lower) == 1
    assert compared(lower[1:], lower[1:] + 0.1) == 0


def test_repeats_without_a_difference_or_with_a_failed_fit_do_not_count():
    lower, higher = np.zeros(LEAST_REPEATS), np.full(LEAST_REPEATS, 0.1)
    for value in (0.0, np.nan):
        higher[0] = value
        assert compared(lower, higher) == 0


def test_the_least_number_needs_one_sign_throughout_and_more_need_not():
    other = np.zeros(LEAST_REPEATS + 1)
    mixed = np.append(np.arange(2.0, LEAST_REPEATS + 2), -1.0)
    assert compared(mixed[1:], other[1:]) == 0
    assert compared(mixed, other) == 1
    assert "same sign in every one" in what_counts(LEAST_REPEATS)
    assert what_counts(LEAST_REPEATS + 1) == ""


def test_only_repeats_that_both_have_are_compared():
    assert compared(np.zeros(LEAST_REPEATS + 2), np.ones(LEAST_REPEATS)) == -1
    assert compared(np.zeros(LEAST_REPEATS + 2), np.ones(LEAST_REPEATS - 1)) == 0
