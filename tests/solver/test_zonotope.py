"""What a sweep tells of a zonotope, against the same from all of its generators in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import CsrRows, NumpyRows
from tacit.solver import Coefficients
from tacit.solver._zonotope import NearRows, Zonotope

N = 300


def drawn(n_classes: int, kind: str) -> tuple[Zonotope, Any, Any]:
    """A zonotope in blocks, its rows and their weights; rows occur twice, some weigh nothing."""
    random = np.random.default_rng(n_classes)
    X = np.repeat(random.normal(size=(N // 2, 3)), 2, axis=0)
    X[random.random(X.shape) < 0.3] = 0.0
    weights = random.integers(0, 3, N).astype(float) if kind == "weights" else None
    functions = Coefficients(random.normal(size=(3, 2)), random.normal(size=2))
    rows: Any = CsrRows(sparse.csr_array(X)) if kind == "sparse" else NumpyRows(X, weights)
    rows.block_rows = 70
    shift = random.normal(size=3) if kind == "shifted" else None
    return Zonotope(rows, functions, shift), X, np.ones(N) if weights is None else weights


def slopes_of(V: Any, q: Any) -> Any:
    """The slope of each class, a column each: of two classes 0 and s."""
    s = V @ q
    return np.column_stack([np.zeros(len(s)), s]) if s.ndim == 1 else s


@pytest.mark.parametrize("kind", ["plain", "weights", "shifted", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sums_and_near_rows_are_those_of_all_generators(n_classes: int, kind: str) -> None:
    zonotope, X, w = drawn(n_classes, kind)
    random = np.random.default_rng(5)
    shape = (2,) if n_classes == 2 else (2, n_classes)
    q, other, previous = random.normal(size=(3, *shape))
    margin, threshold, limit = 0.3, 0.4, 20
    sweep = zonotope.sweep([q, other], threshold, limit, (previous, margin))

    V = zonotope.functions.values(X)
    slopes, before = slopes_of(V, q), slopes_of(V, previous)
    minima = [w @ slopes_of(V, each).min(axis=1) for each in (q, other)]
    np.testing.assert_allclose(sweep.minima, minima, rtol=1e-10)
    # Of equals the first class, and for two classes the first where s is zero.
    labels = np.eye(n_classes)[slopes.argmin(axis=1)]
    own = labels[:, 1] if n_classes == 2 else labels
    np.testing.assert_allclose(sweep.reached, V.T @ (w * own.T).T, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(sweep.mass, w @ own, rtol=1e-10)
    np.testing.assert_allclose(sweep.total, X.T @ (w * own.T).T, rtol=1e-10, atol=1e-9)
    is_open = before - before.min(axis=1, keepdims=True) <= margin
    lowest = np.where(is_open, slopes, np.inf).min(axis=1)
    assert sweep.crossed == pytest.approx(w @ (lowest - slopes.min(axis=1)), rel=1e-10)

    ordered = np.sort(slopes, axis=1)
    distance = ordered[:, 1] - ordered[:, 0]
    near = np.flatnonzero(distance <= threshold)
    near = near[np.argsort(distance[near], kind="stable")]
    distinct = list(dict.fromkeys(map(tuple, X[near].tolist())))[:limit]
    assert len(sweep.near) == limit == len(distinct)
    for k, row in enumerate(distinct):
        same = (np.array(row) == X).all(axis=1)
        at = int(np.flatnonzero((np.array(row) == sweep.near.X).all(axis=1))[0])
        assert abs(at - k) <= 1  # up to rounding of the distance
        assert sweep.near.weights[at] == w[same].sum()
        assert sweep.near.distance[at] == pytest.approx(distance[same][0], abs=1e-10)
        np.testing.assert_allclose(sweep.near.counted[at], (w[same] * own[same].T).sum(axis=-1))
    assert zonotope.n_sweeps == 1
    without = zonotope.sweep([q], threshold, limit)
    assert without.crossed == 0.0
    np.testing.assert_allclose(without.reached, sweep.reached)
    assert zonotope.n_sweeps == 2


@pytest.mark.parametrize("kind", ["plain", "shifted"])
def test_generators_are_functions_of_rows_times_weights(kind: str) -> None:
    zonotope, X, _ = drawn(2, kind)
    V = zonotope.functions.values(X)
    weights = np.linspace(0.0, 1.0, N)
    np.testing.assert_allclose(zonotope.generators(X, None), V, atol=1e-12)
    np.testing.assert_allclose(zonotope.generators(X, weights), weights[:, None] * V, atol=1e-12)
    moved = X if zonotope.shift is None else X - zonotope.shift
    coef, intercept = zonotope.direction(np.array([1.0, -2.0]))
    np.testing.assert_allclose(moved @ coef + intercept, V @ [1.0, -2.0], atol=1e-12)


def test_equal_rows_are_put_together_and_others_are_not() -> None:
    X = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [3.0, 1.0]])
    near = NearRows(X, np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.5, 0.5, 0.5, 0.1]), np.ones(4))
    assert near.nearest(2).X.tolist() == [[3.0, 1.0], [1.0, 0.0]]
    once = near.distinct()
    assert sorted(once.weights.tolist()) == [2.0, 5.0, 8.0]
    assert sorted(once.counted.tolist()) == [1.0, 1.0, 2.0]
    assert once.distance[once.weights == 5.0].tolist() == [0.5]
    both = NearRows.together((near, near.nearest(1)), 2)
    assert both.weights.tolist()[0] == 16.0
    assert both.distance.tolist() == [0.1, 0.5]
    lone = near.nearest(1)
    assert lone.distinct() is lone
