"""Soft labels as numbers and as rules, in whatever blocks their rows come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import NumpyRows
from tacit.solver import Coefficients
from tacit.solver._labeling import Labeling, LowestRule, SmoothRule, WithinRule

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 3))
TWO = Coefficients(np.array([1.0, -2.0, 0.5]), np.asarray(0.1))
FOUR = Coefficients(RANDOM.normal(size=(3, 4)), RANDOM.normal(size=4))


def nearest_rows(direction: Coefficients, n: int) -> tuple[Any, float]:
    """The rows between classes, and how far the farthest of them is."""
    s = direction.values(X)
    ordered = np.sort(s.reshape(50, -1), axis=1)
    distance = np.abs(s) if s.ndim == 1 else ordered[:, 1] - ordered[:, 0]
    order = np.argsort(distance)[:n]
    return order, float(distance[order[-1]])


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("direction", [TWO, FOUR], ids=["two classes", "four"])
def test_a_label_is_the_lowest_slope_but_for_near_rows(form: Any, direction: Any) -> None:
    s = direction.values(X)
    expected = (s < 0.0) * 1.0 if s.ndim == 1 else np.eye(4)[s.argmin(axis=1)]
    order, margin = nearest_rows(direction, 6)
    own = RANDOM.uniform(0.1, 0.9, size=expected[order].shape)
    rule = LowestRule(direction, margin, X[order], own)
    labels = rule(form(X))
    assert labels.dtype == np.float64
    assert rule._reach >= margin * (1.0 + 1e-6)
    np.testing.assert_array_equal(labels[order], own)
    rest = np.setdiff1d(np.arange(50), order)
    np.testing.assert_array_equal(labels[rest], expected[rest])
    # Beyond the margin nothing is looked up, and without near rows nothing at all.
    closer = LowestRule(direction, 0.5 * nearest_rows(direction, 1)[1], X[order], own)
    np.testing.assert_array_equal(closer(form(X)), expected)
    none = LowestRule(direction, margin, X[:0], own[:0])
    np.testing.assert_array_equal(none(form(X)), expected)


def test_rounding_as_it_differs_with_blocks_does_not_lose_a_near_row() -> None:
    direction = Coefficients(np.array([1e6, 1.0]), np.asarray(-3e6))
    near = np.array([[3.0, -1e-7], [1.0, 0.0]])
    rule = LowestRule(direction, 0.0, near, np.array([0.25, 0.5]))
    # The terms of the first row add up to six million, of which the last digits are rounding.
    assert rule._reach == pytest.approx(6e6 * 1e-12, rel=1e-6)
    assert rule(near).tolist() == [0.25, 1.0]


def test_zeros_of_either_sign_are_the_same_row() -> None:
    rule = LowestRule(TWO, 10.0, np.zeros((1, 3)), np.array([0.25]))
    assert rule(np.array([[-0.0, 0.0, -0.0]])).tolist() == [0.25]
    assert rule(np.array([[-0.0, 0.0, -1e-300]])).tolist() == [0.0]


def test_a_smooth_label_has_the_odds_of_its_slopes() -> None:
    s = TWO.values(X)
    np.testing.assert_allclose(SmoothRule(TWO)(X), 1.0 / (1.0 + np.exp(s)))
    odds = np.exp(-FOUR.values(X))
    np.testing.assert_allclose(SmoothRule(FOUR)(X), odds / odds.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [1, 4])
def test_a_labeling_of_values_has_their_sums_whatever_the_blocks(
    n_classes: int, weighted: bool
) -> None:
    weights = RANDOM.uniform(0.5, 2.0, 50) if weighted else None
    rows = NumpyRows(X, weights)
    rows.block_rows = 7
    values = RANDOM.uniform(size=(50, n_classes))
    values = values[:, 0] if n_classes == 1 else values
    labeling = Labeling.of_values(rows, values)
    moved = values if weights is None else (values.T * weights).T
    np.testing.assert_allclose(labeling.mass, moved.sum(axis=0))
    np.testing.assert_allclose(labeling.total, X.T @ moved)
    assert labeling.rule is None
    assert labeling.of_rows(rows) is values


def test_a_rule_is_applied_to_the_rows_it_is_asked_for() -> None:
    labeling = Labeling(None, SmoothRule(FOUR), np.zeros(4), np.zeros((3, 4)))
    np.testing.assert_allclose(labeling.of_rows(NumpyRows(X[:9])), SmoothRule(FOUR)(X[:9]))


def test_labels_of_some_classes_are_zero_for_the_others() -> None:
    kept = np.array([0, 2, 3, 5])
    values = RANDOM.uniform(size=(50, 4))
    some = Labeling(values, SmoothRule(FOUR), np.arange(4.0), RANDOM.uniform(size=(3, 4)))
    whole = some.within(kept, 6)
    assert whole.values is not None
    assert whole.rule is not None
    pairs: list[Any] = [
        (whole.values, values),
        (whole.mass, some.mass),
        (whole.total, some.total),
        (whole.rule(X), SmoothRule(FOUR)(X)),
        (WithinRule(SmoothRule(FOUR), kept, 6)(X), SmoothRule(FOUR)(X)),
    ]
    for found, given in pairs:
        assert found.shape == (*given.shape[:-1], 6)
        np.testing.assert_array_equal(found[..., kept], given)
        np.testing.assert_array_equal(found[..., [1, 4]], 0.0)
    nothing = Labeling(None, None, np.zeros(4), np.zeros((3, 4))).within(kept, 6)
    assert nothing.values is None
    assert nothing.rule is None
