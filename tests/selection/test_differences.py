"""Intervals that allow for training sets that share most of their rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tacit.selection.differences import holm, paired_difference


def test_the_variance_is_that_of_nadeau_and_bengio() -> None:
    values = np.array([0.1, -0.2, 0.05, 0.0, -0.15, 0.02])
    found = paired_difference("a", "b", values, 0.25, n_labels=30)
    error = math.sqrt((1 / 6 + 0.25) * values.var(ddof=1))
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(error)
    assert found.degrees_of_freedom == 5
    width = stats.t(5).ppf(0.95) * error
    assert (found.low, found.high) == pytest.approx((values.mean() - width, values.mean() + width))
    assert found.p_better == pytest.approx(stats.t(5).cdf(values.mean() / error))
    assert found.p_worse == pytest.approx(1.0 - found.p_better)


def test_more_shuffles_of_few_labels_give_no_more_degrees_of_freedom_than_labels() -> None:
    found = paired_difference("a", "b", np.linspace(-1, 1, 100), 0.1, n_labels=12)
    assert found.degrees_of_freedom == 11


def test_splits_that_all_agree_are_not_surer_than_the_answers_on_unlabeled_rows_allow() -> None:
    found = paired_difference("a", "b", np.full(20, -0.05), 0.1, 50, 0.2, n_unlabeled=98)
    assert found.likely_disagreement == pytest.approx(20.6 / 100)
    assert found.standard_error == pytest.approx(math.sqrt((0.206 - 0.05**2) / 50))


def test_no_difference_at_all_has_an_interval_of_zero_and_no_significance() -> None:
    found = paired_difference("a", "b", np.zeros(20), 0.1, n_labels=50)
    assert (found.low, found.high) == (0.0, 0.0)
    assert found.p_better == found.p_worse == 0.5


def test_holm_multiplies_the_smallest_most_and_keeps_the_order() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "c": 0.06, "b": 0.06}
    )
    assert holm({"a": 0.6, "b": 0.9}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}
