"""Labels that reach a target: the potential, its curvature, the steps, and the end of a search."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from tacit.rows import NumpyRows
from tacit.solver import Coefficients
from tacit.solver import _inside as module
from tacit.solver._curvature import Factor
from tacit.solver._inside import (
    _factor,
    _look,
    _search,
    _smooth,
    _Steps,
    centred_on,
    reach_inside,
)
from tacit.solver._zonotope import Zonotope

both = pytest.mark.parametrize("n_classes", [2, 3])


def drawn(n_classes: int, distance: float = 0.0, shifted: bool = True) -> tuple[Any, Any, Any, Any]:
    """A zonotope, a target that labels reach where the distance is zero, generators, weights."""
    random = np.random.default_rng(0)
    X, w = random.normal(size=(400, 3)), random.uniform(0.5, 2.0, 400)
    functions = Coefficients(random.normal(size=(3, 3)), random.normal(size=3))
    rows = NumpyRows(X, w)
    rows.block_rows = 90
    zonotope = Zonotope(rows, functions, random.normal(size=3) if shifted else None)
    V, P = functions.values(X), random.dirichlet(np.ones(n_classes), size=400)
    labels = P[:, 1] if n_classes == 2 else P
    target = (w[:, None] * V).T @ labels
    away = random.normal(size=target.shape)
    away -= away.mean(axis=1, keepdims=True) if n_classes > 2 else 0.0
    return zonotope, target + distance * away, V, w


@both
def test_smooth_labels_are_shares_of_exponentials(n_classes: int) -> None:
    s = np.random.default_rng(0).normal(size=(5, n_classes))
    s[0] *= 1e3
    if n_classes == 2:
        value, labels = _smooth(s[:, 1])
        slopes, shares = (
            np.column_stack([np.zeros(5), s[:, 1]]),
            np.column_stack([1 - labels, labels]),
        )
    else:
        value, shares = _smooth(s)
        slopes = s
    lowest = slopes.min(axis=1, keepdims=True)
    parts = np.exp(lowest - slopes)
    np.testing.assert_allclose(shares, parts / parts.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(value, np.log(parts.sum(axis=1)) - lowest[:, 0], rtol=1e-12)


@both
@pytest.mark.parametrize("shifted", [True, False])
def test_the_residual_is_the_slope_of_the_potential_with_its_sign_changed(
    n_classes: int, shifted: bool
) -> None:
    zonotope, target, V, w = drawn(n_classes, 1.0, shifted)
    slope = 0.3 * np.random.default_rng(2).normal(size=target.shape)
    value, at = _look(zonotope, target, slope)
    s = V @ slope
    expected, labels = _smooth(s)
    assert value == pytest.approx(w @ expected + float(np.vdot(slope, target)), rel=1e-12)
    np.testing.assert_allclose(at.residual, V.T @ (w * labels.T).T - target, atol=1e-9)
    np.testing.assert_allclose(at.labeling.mass, (w * labels.T).T.sum(axis=0))
    np.testing.assert_allclose(at.labeling.total, zonotope.rows.X.T @ (w * labels.T).T, atol=1e-9)
    np.testing.assert_allclose(at.labeling.of_rows(zonotope.rows), labels, atol=1e-12)
    step = 1e-6 * np.random.default_rng(3).normal(size=slope.shape)
    change = _look(zonotope, target, slope + step)[0] - _look(zonotope, target, slope - step)[0]
    assert change == pytest.approx(-2.0 * float(np.vdot(at.residual, step)), rel=1e-5)


@both
def test_the_curvature_is_that_of_the_potential(n_classes: int) -> None:
    zonotope, target, V, w = drawn(n_classes)
    random = np.random.default_rng(2)
    slope, step = 0.3 * random.normal(size=(2, *target.shape))
    if n_classes > 2:
        step -= step.mean(axis=1, keepdims=True)
    factor = _factor(V, w, slope)
    assert factor is not None
    small = 1e-5 * step
    ahead, behind = (_look(zonotope, target, slope + sign * small)[1].residual for sign in (1, -1))
    solved = factor.solve((behind - ahead) / 2e-5)
    if n_classes > 2:
        solved -= solved.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(solved, step, rtol=1e-5, atol=1e-6)
    # Where all labels are at their bounds there is none.
    assert _factor(V, 0.0 * w, slope) is None


def test_steps_of_limited_memory_are_those_of_the_whole_matrix() -> None:
    random = np.random.default_rng(0)
    A = random.normal(size=(4, 4))
    first = A @ A.T + np.eye(4)
    steps = _Steps(Factor(first.copy(), np.zeros(4)))
    inverse = np.linalg.inv(first)
    for k in range(3):
        step, change = random.normal(size=(2, 4))
        change += 3.0 * step if k < 2 else -9.0 * step
        steps.remember(step, change)
        product = step @ change
        if product > 0.0:  # without curvature along it a step says nothing
            left = np.eye(4) - np.outer(step, change) / product
            inverse = left @ inverse @ left.T + np.outer(step, step) / product
    assert len(steps.pairs) == 2
    residual = random.normal(size=4)
    np.testing.assert_allclose(steps.direction(residual), inverse @ residual, atol=1e-10)


@both
def test_a_target_that_can_be_reached_is_reached_in_few_sweeps(n_classes: int) -> None:
    zonotope, target, V, w = drawn(n_classes)
    # A sample of the rows stands for all of them.
    reached = reach_inside(zonotope, target, V[:200], w[:200] * (w.sum() / w[:200].sum()))
    assert reached is not None
    assert np.linalg.norm(reached.residual) <= module.REACHED
    labels = reached.labeling.of_rows(zonotope.rows)
    np.testing.assert_allclose(V.T @ (w * labels.T).T, target, atol=1e-8)
    assert zonotope.n_sweeps <= {2: 9, 3: 10}[n_classes]


@both
@pytest.mark.parametrize("distance", [1e3, 1e5])
def test_a_target_outside_is_seen_to_be_there(n_classes: int, distance: float) -> None:
    zonotope, target, V, w = drawn(n_classes, distance)
    assert reach_inside(zonotope, target, V, w) is None
    assert zonotope.n_sweeps == 0
    # The rows themselves notice what a sample did not.
    inside = drawn(n_classes)[1]
    calls: list[int] = []

    def sample_says_yes(target: Any, *_: Any) -> Any:
        calls.append(1)
        return inside

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "centred_on", sample_says_yes)
        assert reach_inside(zonotope, target, V, w) is None
    assert calls == [1]
    assert 0 < zonotope.n_sweeps <= module.MOST_STEPS + 5


@both
def test_steps_that_lead_up_are_shortened_and_in_the_end_given_up(
    n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    zonotope, target, V, w = drawn(n_classes)
    factor_at = partial(_factor, V, w)
    start = np.zeros_like(target)
    slopes: list[Any] = []
    worse_until = 99

    def looked(zonotope: Zonotope, target: Any, slope: Any) -> Any:
        value, at = _look(zonotope, target, slope)
        slopes.append(slope)
        is_worse = 1 < len(slopes) <= worse_until
        return (value + 1e9, replace(at, residual=1e9 + at.residual)) if is_worse else (value, at)

    monkeypatch.setattr(module, "_look", looked)
    assert _search(zonotope, target, start, factor_at, 1e-9, newton=True) is None
    # The whole step, and parts of it down to a sixty-fourth.
    lengths = [np.linalg.norm(slope) / np.linalg.norm(slopes[1]) for slope in slopes[1:]]
    np.testing.assert_allclose(lengths, [1.0, 0.25, 0.0625, 0.015625])
    slopes.clear()
    worse_until = 3
    reached = _search(zonotope, target, start, factor_at, 1e-9, newton=True)
    assert reached is not None
    np.testing.assert_allclose(slopes[3], 0.0625 * slopes[1])


def test_centring_takes_away_what_labels_of_these_rows_cannot_approach() -> None:
    _, target, V, w = drawn(3)
    moved = centred_on(target + np.arange(3.0)[:, None], V, w)
    np.testing.assert_allclose(moved.sum(axis=1), w @ V)
    np.testing.assert_allclose(moved - target, (moved - target)[:, :1].repeat(3, axis=1), atol=1e-9)
    one = drawn(2)[1]
    assert centred_on(one, V, w) is one
