"""Intervals that allow for training sets that share most of their rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tacit._typing import Vector
from tacit.selection._verdict import holm, paired_difference


def test_the_variance_is_that_of_nadeau_and_bengio() -> None:
    values = np.array([0.1, -0.2, 0.05, 0.0, -0.15, 0.02])
    found = paired_difference("a", "b", values, 0.25, n_labels=30)
    error = math.sqrt((1 / 6 + 0.25) * values.var(ddof=1))
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(error)
    width = stats.t(5).ppf(0.95) * error
    assert (found.low, found.high) == pytest.approx((values.mean() - width, values.mean() + width))
    assert found.p_better == pytest.approx(stats.t(5).cdf(values.mean() / error))
    assert found.p_worse == pytest.approx(1.0 - found.p_better)


def test_more_shuffles_of_few_labels_give_no_more_degrees_of_freedom_than_labels() -> None:
    found = paired_difference("a", "b", np.linspace(-1, 1, 100), 0.1, n_labels=12)
    assert found.high - found.mean == pytest.approx(stats.t(11).ppf(0.95) * found.standard_error)


def test_splits_that_all_agree_are_not_surer_than_the_answers_on_unlabeled_rows_allow() -> None:
    found = paired_difference("a", "b", np.full(20, -0.05), 0.1, 50, 0.2, n_unlabeled=98)
    assert found.likely_disagreement == pytest.approx(20.6 / 100)
    assert found.standard_error == pytest.approx(math.sqrt((0.206 - 0.05**2) / 50))


def test_splits_that_all_agree_prove_little_with_few_labels_and_more_with_many() -> None:
    few, many = (
        paired_difference("a", "b", np.zeros(20), 0.1, n_labels=n, tested=(n // 2, n // 2))
        for n in (4, 1000)
    )
    assert few.standard_error == pytest.approx(math.sqrt(1 / 24))
    assert many.standard_error == pytest.approx(0.001, rel=0.01)
    for found in (few, many):
        assert found.low < 0.0 < found.high
        assert found.p_better == found.p_worse == 0.5


@pytest.mark.parametrize("disagreement", [None, 0.02, 0.2, 1.0])
@pytest.mark.parametrize("mean", [-1.0, -0.5, -0.1])
def test_four_labels_that_all_agree_are_not_proof(mean: float, disagreement: float | None) -> None:
    found = paired_difference("a", "b", np.full(10, mean), 1.0, 4, disagreement, n_unlabeled=300)
    assert found.low < mean < found.high
    assert found.p_better >= 1 / 16


def test_where_every_class_counts_the_same_a_rare_one_decides_how_much_the_labels_tell() -> None:
    def error(counts: tuple[int, int], counts_rows: bool) -> float:
        found = paired_difference(
            "a", "b", np.zeros(20), 0.1, 100, 0.2, 98, tested=counts, counts_rows=counts_rows
        )
        return found.standard_error

    assert error((50, 50), False) == pytest.approx(error((50, 50), True))
    assert error((5, 95), True) == pytest.approx(error((50, 50), True))
    recalls = math.sqrt(0.206 * (1 / 5 + 1 / 95)) / 2
    assert error((5, 95), False) == pytest.approx(recalls)


@pytest.mark.parametrize("values", [np.zeros(20), np.full(20, -3.0), np.array([-3.0])])
def test_without_spread_or_bound_nothing_is_known(values: Vector) -> None:
    found = paired_difference("a", "b", values, 0.1, 50, bounded=False)
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert found.p_better == found.p_worse == 0.5


def test_a_few_other_answers_are_certain_to_be_few_errors_but_not_little_of_a_rare_class() -> None:
    def is_certain(disagreement: float, counts_rows: bool) -> bool:
        found = paired_difference(
            "a", "b", np.zeros(9), 0.1, 50, disagreement, 1000, counts_rows=counts_rows
        )
        return found.is_certain(0.02)

    assert is_certain(0.01, True)
    assert not is_certain(0.01, False)
    assert is_certain(0.0, False)


def test_holm_multiplies_the_smallest_most_and_keeps_the_order() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "c": 0.06, "b": 0.06}
    )
    assert holm({"a": 0.6, "b": 0.9}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}
