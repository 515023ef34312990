"""The paper's recipe beside the interior-point method, and how it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver import _lbfgsb as module
from tacit.solver._active_set import Candidate
from tacit.solver._lbfgsb import solve_lbfgsb
from tests.solver.known_answers import manufactured


def held(seed: int, n_equalities: int = 2) -> Problem:
    """Equalities that labels can meet, and a target that they cannot."""
    random = np.random.default_rng(seed)
    V = random.normal(size=(20, 5))
    target = V.T @ random.uniform(size=20)
    target[n_equalities:] += 8.0 * random.normal(size=5 - n_equalities)
    return Problem(V, target, n_equalities)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_it_finds_the_answer_that_a_problem_was_made_from(seed: int, unit: float) -> None:
    sample = manufactured(80, 6, seed)
    problem = replace(
        sample.problem, V=unit * sample.problem.V, target=unit * sample.problem.target
    )
    solution = solve_lbfgsb(problem)
    assert sample.soft_labels is not None
    assert solution.status is Status.OPTIMAL
    assert solution.solver == "lbfgsb"
    assert solution.is_optimal(1e-8)
    assert 1 <= solution.n_iter <= 100
    np.testing.assert_allclose(solution.labels(), sample.soft_labels, atol=1e-5)
    np.testing.assert_allclose(solution.residual, unit * sample.residual, atol=1e-5 * unit)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_equalities", [1, 2])
def test_equalities_hold_and_their_multipliers_prove_it(seed: int, n_equalities: int) -> None:
    problem = held(seed, n_equalities)
    ours, theirs = solve_lbfgsb(problem), solve_interior_point(problem)
    assert ours.status is theirs.status
    assert ours.is_optimal(1e-8)
    assert ours.infeasibility <= 1e-8 * problem.unit
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-7, abs=1e-12)
    np.testing.assert_allclose(ours.dual, theirs.dual, rtol=1e-3, atol=1e-3)


def test_without_exact_steps_rounds_bring_the_equalities_ever_nearer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_exactly", lambda problem, now, tol: now)
    monkeypatch.setattr(module, "RESTARTS", 1)
    problem = held(0)
    problem = replace(problem, V=problem.V / problem.unit, target=problem.target / problem.unit)
    missed, n_iter = [], []
    for rounds in (1, 2, 3):
        monkeypatch.setattr(module, "EQUALITY_ROUNDS", rounds)
        solution = solve_lbfgsb(problem, tol=1e-15)
        assert solution.status is Status.STALLED
        missed.append(solution.infeasibility)
        n_iter.append(solution.n_iter)
    assert missed[0] <= 1e-2
    assert missed[1] <= 1e-3 * missed[0]
    assert missed[2] <= max(1e-2 * missed[1], 1e-10)
    assert n_iter[0] < n_iter[1] <= n_iter[2]
    best = solve_interior_point(problem)
    assert solution.objective == pytest.approx(best.objective, rel=1e-6)
    np.testing.assert_allclose(solution.dual, best.dual, atol=1e-4)


def test_a_target_that_can_be_reached_is(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    V = random.normal(size=(60, 5))
    labels = random.uniform(0.2, 0.8, size=60)
    for k in (0, 1):
        solution = solve_lbfgsb(Problem(V, V.T @ labels, k))
        assert solution.status is Status.INSIDE
        assert solution.n_iter <= 15
        assert 0.0 <= solution.labels().min() <= solution.labels().max() <= 1.0
        np.testing.assert_allclose(solution.residual, 0.0, atol=1e-9)


def test_of_many_rows_too_labels_that_are_near_enough_reach_their_target() -> None:
    random = np.random.default_rng(0)
    V = random.normal(size=(700, 5))
    labels = random.uniform(0.2, 0.8, size=700)
    solution = solve_lbfgsb(Problem(V, V.T @ labels), tol=1e-2)
    assert solution.status is Status.INSIDE


def test_no_more_iterations_are_taken_than_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_exactly", lambda problem, now, tol: now)
    for problem in (manufactured(300, 12).problem, held(0)):
        for most in (1, 3):
            solution = solve_lbfgsb(problem, max_iter=most)
            assert solution.status is Status.MAX_ITERATIONS
            assert solution.n_iter == most


def test_it_stops_as_soon_as_the_gap_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_exactly", lambda problem, now, tol: now)
    problem = manufactured(300, 12).problem
    n_iter = []
    for tol in (1e-1, 1e-3, 1e-6):
        solution = solve_lbfgsb(problem, tol)
        assert solution.status is Status.OPTIMAL
        assert solution.relative_gap() <= tol
        n_iter.append(solution.n_iter)
    assert n_iter[0] < n_iter[1] < n_iter[2] <= 1000
    assert solve_lbfgsb(problem, 1e-1).relative_gap() > 1e-6


def test_where_a_line_search_gives_up_it_starts_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_exactly", lambda problem, now, tol: now)
    minimize: Any = scipy.optimize.minimize
    runs = []

    def impatient(objective: Any, u: Any, options: dict[str, Any], **more: Any) -> Any:
        runs.append(options["maxiter"])
        assert options["maxfun"] == 10 * options["maxiter"]
        assert options["maxcor"] == module.MEMORY
        return minimize(objective, u, options=options | {"maxiter": 25}, **more)

    monkeypatch.setattr(module, "minimize", impatient)
    problem = manufactured(80, 6).problem
    solution = solve_lbfgsb(problem, tol=1e-4, max_iter=1000)
    assert solution.status is Status.OPTIMAL
    assert runs == list(range(1000, 1000 - 25 * len(runs), -25))
    assert 1 < len(runs) <= module.RESTARTS
    # But no more often than that, and then what has been found is told.
    runs.clear()
    solution = solve_lbfgsb(problem, tol=1e-16, max_iter=100_000)
    assert solution.status is Status.STALLED
    assert len(runs) == module.RESTARTS + 1
    assert solution.is_optimal(1e-4)


def test_the_last_steps_are_exact_where_labels_are_near_enough() -> None:
    sample = manufactured(80, 6)
    assert sample.soft_labels is not None
    random = np.random.default_rng(0)
    inner = sample.soft_labels % 1.0 > 0.0
    near = sample.soft_labels + 1e-4 * inner * random.normal(size=80)
    found = module._exactly(sample.problem, Candidate(near), 1e-10)
    np.testing.assert_allclose(found.labels, sample.soft_labels, atol=1e-9)
    far = Candidate(random.uniform(size=80))
    assert module._badness(sample.problem, far) == sample.problem.relative_gap(far.labels)
    # No answer is worse than what is there already.
    for now in (far, Candidate(near)):
        found = module._exactly(sample.problem, now, 1e-10)
        assert module._badness(sample.problem, found) <= module._badness(sample.problem, now)


def test_without_rows_there_is_nothing_to_choose() -> None:
    assert solve_lbfgsb(Problem(np.zeros((0, 2)), np.zeros(2))).status is Status.EMPTY
