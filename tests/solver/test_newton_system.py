"""What the interior-point method is made of: its system, its steps, and where it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit._typing import Mask
from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver import _interior_point as module
from tacit.solver._interior_point import LONGEST, _Iterate, _Newton, _reach_of, _Setting, _start
from tests.solver.known_answers import manufactured


def drawn(seed: int, distance: float = 1.0, n_equalities: int = 0, n_columns: int = 4) -> Problem:
    random = np.random.default_rng(seed)
    V = random.normal(size=(60, 5))
    reachable = V.T @ random.dirichlet(np.full(n_columns, 0.3), size=60)
    target = reachable + distance * np.sqrt(60) * random.normal(size=reachable.shape)
    target[:n_equalities] = reachable[:n_equalities]
    return Problem(V, target, n_equalities).centred()


def some_allowed(seed: int) -> Mask:
    """One class for some rows, up to four for others."""
    allowed = np.random.default_rng(seed).uniform(size=(60, 4)) < 0.5
    allowed[:, 1] |= ~allowed.any(axis=1)
    return np.asarray(allowed)


KINDS: dict[str, Callable[[int], Problem]] = {
    "interval": lambda seed: manufactured(400, 12, seed).problem,
    "held": lambda seed: Problem(*_held(seed), n_equalities=2),
    "simplex": drawn,
    "simplex, held": lambda seed: drawn(seed, n_equalities=1),
    "reachable": lambda seed: drawn(seed, 0.0),
    "allowed": lambda seed: replace(drawn(seed), allowed=some_allowed(seed)).centred(),
    "sizes": lambda seed: replace(drawn(seed), sizes=np.array([1.0, 2.0, 1.0, 3.0])).centred(),
}


def _held(seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    V = random.normal(size=(60, 5))
    target = V.T @ random.uniform(size=60)
    target[2:] += 10.0 * random.normal(size=3)
    return V, target


kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
def test_a_step_meets_the_optimality_conditions_but_for_what_is_not_linear(kind: str) -> None:
    random = np.random.default_rng(1)
    setting = _Setting(KINDS[kind](0))
    problem, is_interval = setting.problem, setting.problem.target.ndim == 1
    at = _start(setting)
    p = setting.masked(random.uniform(0.1, 1.0, size=at.p.shape))
    p = p / p.sum(axis=0)
    y = random.uniform(0.1, 1.0, size=at.y.shape)
    if setting.mask is not None:
        p, y = (np.where(setting.mask > 0.0, part, 1.0) for part in (p, y))
    sums = 0.0 if is_interval else random.normal(size=p.shape[1])
    q = random.normal(size=at.q.shape)
    q -= 0.0 if is_interval else q.mean(axis=1, keepdims=True)
    at = _Iterate(p, y, sums, q)
    products = setting.masked(random.uniform(size=p.shape))
    step = _Newton(setting, at).step(products)
    after = at.after(step, 1.0, 1.0)
    # 1. The products of weights and multipliers are those asked for, to first order.
    np.testing.assert_allclose(setting.masked(p * step.y + y * step.p + p * y), products, atol=1e-9)
    # 2. Weights of a row keep their sum.
    np.testing.assert_allclose(setting.masked(step.p).sum(axis=0), 0.0, atol=1e-10)
    # 3. Slopes are the multipliers, of weights and of their sums.
    slopes = problem.V @ after.q
    if is_interval:
        np.testing.assert_allclose(slopes, after.y[1] - after.y[0], atol=1e-8)
    else:
        apart = setting.slopes(slopes) - after.y - after.sums
        np.testing.assert_allclose(setting.masked(apart), 0.0, atol=1e-8)
    # 4. The dual is the residual over the sizes, and equalities hold.
    labels = setting.label_set.labels(setting.spread(setting.masked(after.p)))
    residual, k = problem.residual(labels), problem.n_equalities
    np.testing.assert_allclose(residual[k:], after.q[k:] * problem.counts, atol=1e-8)
    np.testing.assert_allclose(residual[:k], 0.0, atol=1e-8)


@kinds
def test_the_start_is_strictly_inside_and_its_slopes_are_its_multipliers(kind: str) -> None:
    setting = _Setting(KINDS[kind](0))
    at = _start(setting)
    assert min(at.p.min(), at.y.min()) > 0.0
    np.testing.assert_allclose(setting.labels(at), setting.problem.uniform())
    apart = setting.slopes(setting.problem.V @ at.q) - at.y - at.sums
    reference = apart[:1] if setting.problem.target.ndim == 1 else 0.0
    np.testing.assert_allclose(setting.masked(apart - reference), 0.0, atol=1e-12)


def test_a_step_goes_so_far_that_nothing_becomes_negative() -> None:
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert _reach_of(value, np.array([[-4.0, 2.0], [-3.0, 0.0]])) == 0.25
    assert _reach_of(value, -0.1 * value) == LONGEST
    assert _reach_of(value, 0.0 * value) == LONGEST
    assert _reach_of(value, value) == LONGEST
    assert module.STEP_TO_BOUNDARY * LONGEST == 1.0


# One or two more than the sums over six problems are: a step that is a little worse shows there.
@pytest.mark.parametrize(
    ("kind", "finished", "alone"),
    [
        ("interval", 51, 64),
        ("held", 14, 44),
        ("simplex", 36, 49),
        ("simplex, held", 43, 63),
        ("reachable", 13, 27),
        ("allowed", 25, 43),
        ("sizes", 37, 51),
    ],
)
def test_iterations_are_few_with_exact_last_steps_and_without(
    kind: str, finished: int, alone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def total(tol: float) -> int:
        solutions = [solve_interior_point(KINDS[kind](seed), tol=tol) for seed in range(6)]
        assert all(solution.is_optimal(tol) for solution in solutions)
        return sum(solution.n_iter for solution in solutions)

    assert total(1e-10) <= finished
    monkeypatch.setattr(module, "REFINE_BELOW", 0.0)
    assert total(1e-7) <= alone


def test_where_only_rounding_is_left_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(3):
        solution = solve_interior_point(KINDS["interval"](seed), tol=1e-17)
        assert solution.status is Status.STALLED
        assert solution.n_iter < 40
        assert solution.is_optimal(1e-12)
    monkeypatch.setattr(module, "descend_faces", lambda *arguments: None)
    for kind in ("interval", "simplex"):
        # The last digits are taken as long as they come, and no longer.
        solution = solve_interior_point(KINDS[kind](0), tol=1e-8)
        assert solution.status.is_success
        assert solution.n_iter <= 17
        assert solution.relative_gap() < 1e-11


def test_where_the_system_cannot_be_factored_the_best_labels_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def broken(*arguments: Any) -> _Newton:
        calls.append(1)
        if len(calls) > 3:
            raise np.linalg.LinAlgError
        return _Newton(*arguments)

    monkeypatch.setattr(module, "_Newton", broken)
    monkeypatch.setattr(module, "descend_faces", lambda *arguments: None)
    problem = KINDS["interval"](0)
    solution = solve_interior_point(problem)
    assert solution.status is Status.STALLED
    assert solution.n_iter == 3
    assert solution.gap() < problem.gap(problem.uniform())
