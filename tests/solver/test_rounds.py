"""What a round is made of: the dual and its slope, Newton's step, and the rows that are near."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.rows import NumpyRows
from tacit.solver import Coefficients, Problem, solve_interior_point
from tacit.solver import _rounds as module
from tacit.solver._rounds import Outcome, Rounds, _State, _two_lowest
from tacit.solver._zonotope import Zonotope

both = pytest.mark.parametrize("n_classes", [2, 3])
N = 500


def drawn(n_classes: int, n_equalities: int = 0, sizes: Any = None, **more: Any) -> Rounds:
    random = np.random.default_rng(0)
    X, w = random.normal(size=(N, 3)), random.uniform(0.5, 2.0, N)
    functions = Coefficients(random.normal(size=(3, 3)), random.normal(size=3))
    zonotope = Zonotope(NumpyRows(X, w), functions)
    V = functions.values(X)
    P = random.dirichlet(np.ones(n_classes), size=N)
    target = (w[:, None] * V).T @ (P[:, 1] if n_classes == 2 else P)
    change = 200.0 * random.normal(size=target.shape)
    change[:n_equalities] = 0.0
    target += change - (change.mean(axis=1, keepdims=True) if n_classes > 2 else 0.0)

    def threshold(q: Any, n_near: int) -> float:
        distance = np.sort((V @ q).reshape(N, -1), axis=1)
        gaps = np.abs(distance[:, 0]) if n_classes == 2 else distance[:, 1] - distance[:, 0]
        return float(np.sort(gaps)[min(n_near, N) - 1])

    settings: dict[str, Any] = {"n_near": 60, "scale": 1e4, "sizes": sizes} | more
    return Rounds(
        zonotope=zonotope,
        target=target,
        n_equalities=n_equalities,
        threshold=threshold,
        largest=float(np.sqrt((V**2).sum(axis=1).max())),
        **settings,
    )


def dense(rounds: Rounds) -> Problem:
    rows: Any = rounds.zonotope.rows
    V = rounds.zonotope.functions.values(rows.X) * rows.weights[:, None]
    return Problem(V, rounds.target, rounds.n_equalities, sizes=rounds.sizes)


def start_of(rounds: Rounds) -> Any:
    return dense(rounds).dual(dense(rounds).uniform())


@pytest.mark.parametrize("n_equalities", [0, 1])
@pytest.mark.parametrize("sizes", [None, np.array([1.0, 2.0, 4.0])])
def test_a_point_has_the_negative_dual_and_its_slope(n_equalities: int, sizes: Any) -> None:
    for n_classes in (2, 3) if sizes is None else (3,):
        rounds = drawn(n_classes, n_equalities, sizes)
        problem, q = dense(rounds), np.random.default_rng(1).normal(size=rounds.target.shape)
        point = rounds._look_at(q, 60)
        slopes = problem.V @ q
        lowest = np.minimum(slopes, 0.0) if n_classes == 2 else slopes.min(axis=1)
        k = n_equalities
        square = float(np.vdot(q[k:], q[k:] * problem.counts))
        expected = 0.5 * square + float(np.vdot(q, rounds.target)) - lowest.sum()
        assert point.value == pytest.approx(expected, rel=1e-12)
        step = 1e-7 * np.random.default_rng(2).normal(size=q.shape)
        ahead, behind = (rounds._look_at(q + sign * step, 60).value for sign in (1.0, -1.0))
        assert ahead - behind == pytest.approx(2.0 * float(np.vdot(point.gradient, step)), rel=1e-4)
        assert 55 <= len(point.near) <= 65


@both
def test_newtons_step_solves_with_the_curvature_of_the_near_rows(n_classes: int) -> None:
    rounds = drawn(n_classes)
    point = rounds._look_at(start_of(rounds), 60)
    step = rounds._newton_step(point)
    near = point.near
    band = near.distance.max()
    density = 0.75 / band * (1.0 - (near.distance / band) ** 2) * near.weights
    moved = point.generators @ step
    change = step.copy()
    pairs = _two_lowest(point.generators @ point.q) if n_classes > 2 else None
    for i, v in enumerate(point.generators):
        if pairs is None:
            change += density[i] * moved[i] * v
        else:
            k, m = pairs[i]
            apart = density[i] * (moved[i, k] - moved[i, m]) * v
            change[:, k] += apart
            change[:, m] -= apart
    np.testing.assert_allclose(change, -point.gradient, rtol=1e-6, atol=1e-5)


def test_the_two_lowest_classes_are_told_in_their_order() -> None:
    slopes = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, -1.0], [1.0, 2.0, 3.0]])
    assert _two_lowest(slopes).tolist() == [[1, 2], [0, 2], [0, 1]]


@both
def test_rows_that_a_step_may_carry_over_are_needed(n_classes: int) -> None:
    rounds = drawn(n_classes)
    point = rounds._look_at(start_of(rounds), 60)
    least = module.LEAST_NEAR * 3 * (2 if n_classes == 3 else 1)
    assert rounds._n_needed(point, 0.0 * point.q) == least
    step = np.random.default_rng(0).normal(size=point.q.shape)
    moved = point.generators @ step
    if n_classes == 3:
        pairs = _two_lowest(point.generators @ point.q)
        moved = np.array([row[k] - row[m] for row, (k, m) in zip(moved, pairs, strict=True)])
    typical = float(np.quantile(np.abs(moved), 0.95))
    # So long that twice its typical movement reaches 40 rows.
    unit = 0.5 * (point.near.distance[39] + point.near.distance[40]) / (2.0 * typical)
    assert rounds._n_needed(point, unit * step) == 40
    assert rounds._n_needed(point, 1e6 * step) == len(point.near)


@both
def test_the_near_rows_are_solved_for_and_the_gap_is_that_of_all_rows(n_classes: int) -> None:
    rounds = drawn(n_classes)
    problem = dense(rounds)
    point = rounds._look_at(start_of(rounds), 60)
    trial = rounds._solve_near(point, 30)
    assert len(trial.near) == 30
    assert point.near.distance[29] < trial.margin < point.near.distance[30]
    rows: Any = rounds.zonotope.rows
    V = rounds.zonotope.functions.values(rows.X)
    slopes = V @ point.q
    labels = (
        np.where(slopes < 0.0, 1.0, 0.0) if n_classes == 2 else np.eye(3)[slopes.argmin(axis=1)]
    )
    for row, label in zip(trial.near.X, trial.solution.labels(), strict=True):
        labels[(row == rows.X).all(axis=1)] = label
    np.testing.assert_allclose(problem.residual(labels), trial.solution.residual, atol=1e-8)
    np.testing.assert_allclose(trial.mass, (rows.weights * labels.T).sum(axis=-1), rtol=1e-10)
    np.testing.assert_allclose(trial.total, rows.X.T @ (rows.weights * labels.T).T, atol=1e-9)
    sweep = rounds._sweep([trial.solution.dual], 60, (point.q, trial.margin))
    judged = rounds._judge(point, trial, sweep, 1e-8)
    assert judged.gap == pytest.approx(problem.gap(labels, trial.solution.dual), rel=1e-6, abs=1e-8)
    unit = max(problem.objective(labels), 1e-4 * rounds.scale)
    assert judged.relative_gap == pytest.approx(judged.gap / unit, rel=1e-6)
    assert judged.converged == (judged.relative_gap <= 1e-8)
    assert judged.previous is point.q


# Of two and of three classes, a few more than there are on any processor, whose rounding decides
# which rows are just near enough; of all rows at once one.
ROUNDS = {15: {2: 9, 3: 22}, 60: {2: 8, 3: 18}, N: {2: 1, 3: 1}}


@both
@pytest.mark.parametrize("n_equalities", [0, 1])
@pytest.mark.parametrize("n_near", [15, 60, N])
def test_rounds_end_at_the_answer(n_classes: int, n_equalities: int, n_near: int) -> None:
    rounds = drawn(n_classes, n_equalities, n_near=n_near)
    told: list[str] = []
    outcome = replace(rounds, report=told.append).run(start_of(rounds), 1e-9, 40)
    assert outcome.converged
    assert outcome.exact is not None
    theirs = solve_interior_point(dense(rounds), tol=1e-12)
    np.testing.assert_allclose(outcome.exact.solution.residual, theirs.residual, atol=1e-5)
    assert len(told) == outcome.n_rounds <= ROUNDS[n_near][n_classes]


@both
def test_a_single_round_has_an_exact_solve_and_close_enough_needs_none(n_classes: int) -> None:
    rounds = drawn(n_classes)
    q = start_of(rounds)
    once = rounds.run(q, 1e-12, 1)
    assert once.n_rounds == 1
    assert once.exact is not None
    near = rounds.run(q, 1e-12, 20, close_enough=0.5)
    assert near.exact is None or n_classes == 2
    best = solve_interior_point(dense(rounds)).dual
    assert np.linalg.norm(near.q - best) < 0.8 * np.linalg.norm(best)


def test_newtons_steps_must_shrink_or_more_rows_are_looked_at() -> None:
    for n_classes, most, shrinks in ((2, 8, 0.5), (3, 20, 1.0)):
        rounds = drawn(n_classes)
        point = rounds._look_at(start_of(rounds), 60)

        def after(length: float, on_sample: bool = False, **more: Any) -> tuple[bool, int]:
            state = _State(60, point, Outcome(point.q, point.q), last_length=1.0, **more)  # noqa: B023
            step = np.zeros_like(point.q)  # noqa: B023
            step.flat[0] = length
            rounds._check_length(state, step, on_sample)  # noqa: B023
            assert state.last_length == length
            return state.insist, state.n_near

        assert after(0.99 * shrinks) == (False, 60)
        assert after(1.01 * shrinks) == (True, 120)
        assert after(0.0) == (True, 120)
        assert after(0.1, n_newton=most - 1) == (False, 60)
        assert after(0.1, n_newton=most) == (True, 120)
        assert after(2.0, on_sample=True) == ((False, 60) if n_classes == 3 else (True, 120))


def test_the_near_rows_grow_up_to_their_limit() -> None:
    grow: Callable[..., Any] = Rounds._grow
    for most, expected in ((np.inf, [240, N]), (100.0, [100]), (30.0, [])):
        rounds = drawn(2, most_near=most)
        point = rounds._look_at(start_of(rounds), 60)
        state = _State(60, point, Outcome(point.q, point.q))
        grown = []
        while grow(rounds, state, 4):
            grown.append(state.n_near)
        assert grown == expected


@both
def test_with_all_rows_in_sight_too_few_that_are_solved_for_become_more(
    n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAFETY", 0.05)
    monkeypatch.setattr(module, "LEAST_NEAR", 1)
    outcome = drawn(n_classes, n_near=N).run(start_of(drawn(n_classes)), 1e-9, 40)
    assert outcome.converged
    assert outcome.n_rounds > 1
