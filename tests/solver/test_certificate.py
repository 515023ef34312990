"""What the rows themselves say about every labeling, and what is kept of a promise."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tacit.rows import NumpyRows
from tacit.solver import certify

LABELS = np.array([0, 0, 1, 2, 1])  # of five unlabeled rows, so that all with their shares are few


@pytest.mark.parametrize("seed", range(10))
def test_whatever_the_prices_no_labeling_with_the_shares_is_worse_than_the_bound(seed: int) -> None:
    random = np.random.default_rng(seed)
    before, after = random.normal(size=(2, 2, 3))
    X, Y = random.normal(size=(4, 2)), np.eye(3)[[0, 1, 2, 0]]
    X_u = random.normal(size=(5, 2))
    shares = np.bincount(LABELS) / 5
    certificate = certify(
        lambda rows: rows @ before,
        lambda rows: rows @ after,
        X,
        Y,
        None,
        NumpyRows(X_u),
        guaranteed_improvement=np.inf,
        class_prior=tuple(shares),
        prices=random.normal(size=3),
    )
    promised = certificate.guaranteed_improvement
    assert promised is not None
    rows = np.concatenate([X, X_u])
    changes = []
    for labels in product(range(3), repeat=5):
        if sorted(labels) == sorted(LABELS):
            full = np.concatenate([Y, np.eye(3)[list(labels)]])
            squares = (rows @ after - full) ** 2 - (rows @ before - full) ** 2
            changes.append(0.5 * squares.sum() / 9)
    assert max(changes) <= -promised + 1e-12
    assert -promised <= certificate.worst_change + 1e-12


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("growth", [1e-7, 1.0])
def test_a_negative_promise_is_rounding_or_the_start_is_kept(growth: float, is_exact: bool) -> None:
    certificate = certify(
        lambda rows: rows[:, 0],
        lambda rows: (1.0 + growth) * rows[:, 0],
        np.array([[0.5], [1.0]]),
        np.array([0.0, 1.0]),
        None,
        NumpyRows(np.array([[0.7]])),
        supervised_in_set=False,
        guaranteed_improvement=np.inf,
    )
    assert certificate.guaranteed_improvement == -certificate.worst_change < 0.0
    kept = certificate.or_supervised(is_exact=is_exact)
    assert kept.guaranteed_improvement == 0.0
    is_rounding = is_exact and growth < 1.0
    assert kept.kept_start is not is_rounding
    assert kept.worst_change == (certificate.worst_change if is_rounding else 0.0)
    for promised in (None, 0.0, 0.3):
        as_it_is = replace(certificate, guaranteed_improvement=promised)
        assert as_it_is.or_supervised(is_exact=is_exact) is as_it_is
