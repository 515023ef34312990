"""Labels near the values of a start that lead back to it, where directions are many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.rows import NumpyRows
from tacit.rows._moments import random_sample
from tacit.solver import Coefficients, Status
from tacit.solver._least_squares import fit_supervised
from tacit.solver._nearest_labels import ROWS_EACH, already_inside


def _start(n_labeled: int, times: float = 1.0, twins: bool = False) -> tuple[Any, Coefficients]:
    """Four thousand rows, and a ridge regression whose values on some of them are no labels."""
    random = np.random.default_rng(0)
    X = random.standard_normal((4000 + n_labeled, 130))
    if twins:
        X[:, 1] = X[:, 0]
    y = (X[:n_labeled, :5].sum(axis=1) > 0.0).astype(float)
    start, _ = fit_supervised(X[4000:], y, None, 50.0, True)
    middle = start.intercept - 0.5
    return X[:4000], Coefficients(times * start.coef, 0.5 + times * middle)


@pytest.mark.parametrize("twins", [False, True])
def test_labels_that_lead_back_are_found_by_a_sample_first(twins: bool) -> None:
    X, start = _start(600, twins=twins)
    values = start.values(X)
    assert values.min() < 0.0
    assert values.max() > 1.0
    found = already_inside(NumpyRows(X), start, fit_intercept=True)
    assert found is not None
    assert found.inside
    assert found.solution.status is Status.INSIDE
    labeling = found.solution.labeling
    assert labeling is not None
    labels = labeling.of_rows(NumpyRows(X))
    assert labels.min() >= 0.0
    assert labels.max() <= 1.0
    both = np.column_stack([np.ones(4000), X])
    np.testing.assert_allclose(both.T @ labels, both.T @ values, atol=1e-6)


def test_a_start_far_outside_is_seen_on_a_sample() -> None:
    X, start = _start(600, times=20.0)
    assert already_inside(NumpyRows(X), start, fit_intercept=True) is None


def test_rows_of_which_a_sample_weighs_nothing_are_left_to_others() -> None:
    X, start = _start(600)
    drawn = random_sample(NumpyRows(X), ROWS_EACH * (X.shape[1] + 1), seed=0).index
    values = start.values(X)
    values[drawn] = 0.0
    weights = np.zeros(4000)
    weights[values.argmax()] = 1.0
    assert values.max() > 1.0
    assert already_inside(NumpyRows(X, weights), start, fit_intercept=True) is None
