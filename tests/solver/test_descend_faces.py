"""The walk over faces, on its own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from tacit._typing import Mask, Vector
from tacit.solver import Problem, solve_interior_point
from tacit.solver import _active_set as module
from tacit.solver._active_set import Candidate, descend_faces, reach, unit_of_multipliers
from tacit.solver._curvature import Curvature
from tests.solver.known_answers import equality


def _box(seed: int, n_labels: int, rank: int) -> Problem:
    random = np.random.default_rng(seed)
    V = random.normal(size=(n_labels, rank))
    return Problem(V, random.normal(0.5, 0.8, size=n_labels) @ V + random.normal(size=rank))


def _settled(problem: Problem, start: Vector, free: Mask, tol: float) -> Vector:
    found = descend_faces(problem, Candidate(start), np.stack([free, free]), tol)
    assert found is not None
    return found.labels


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("n_labels", "rank"), [(6, 9), (12, 8), (40, 5)])
def test_it_finds_the_answer_from_any_start(seed, n_labels, rank):
    problem = _box(seed, n_labels, rank)
    start = np.random.default_rng(seed + 100).random(n_labels)
    known = lsq_linear(problem.V.T, problem.target, (0.0, 1.0), method="bvls", tol=1e-14).x
    for free in (np.ones(n_labels, dtype=bool), np.zeros(n_labels, dtype=bool), start < 0.5):
        u = _settled(problem, start, free, 1e-10)
        assert problem.relative_gap(u) <= 1e-10
        assert 0.0 <= u.min() <= u.max() <= 1.0
        np.testing.assert_allclose(problem.residual(u), problem.residual(known), atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_equal_rows_and_labels_at_a_bound_without_any_pull_do_not_make_it_go_in_circles(seed):
    random = np.random.default_rng(seed)
    V = np.repeat(random.integers(0, 2, size=(4, 6)).astype(np.float64), 3, axis=0)
    off = random.normal(size=6)
    off -= V.T @ np.linalg.lstsq(V.T, off, rcond=None)[0]
    # The target's foot is a corner: bounds hold, but nothing pulls at them.
    problem = Problem(V, V.T @ np.repeat([0.0, 1.0, 1.0, 0.0], 3) + off)
    u = _settled(problem, random.random(12), np.ones(12, dtype=bool), 1e-12)
    np.testing.assert_allclose(problem.residual(u), -off, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_it_agrees_with_the_interior_point_method_where_classes_are_not_allowed(seed):
    random = np.random.default_rng(seed)
    V, K = random.normal(size=(15, 4)), 3
    allowed = random.random((15, K)) < 0.7
    allowed[:, 0] |= ~allowed.any(axis=1)
    problem = Problem(V, random.normal(size=(4, K)), allowed=allowed).centred()
    candidate = descend_faces(problem, Candidate(problem.uniform()), allowed.T, 1e-12)
    assert candidate is not None
    found = candidate.labels
    assert not found[~allowed].any()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-14)
    known = solve_interior_point(problem)
    np.testing.assert_allclose(problem.residual(found), known.residual, atol=1e-6)


def test_it_says_none_where_there_are_too_many_labels_to_solve_for(monkeypatch):
    problem = _box(0, 40, 5)
    monkeypatch.setattr(module, "MANY_FREE", 20)
    assert (
        descend_faces(problem, Candidate(np.full(40, 0.5)), np.ones((2, 40), dtype=bool), 1e-8)
        is None
    )


@pytest.mark.parametrize("n_columns", [2, 4])
def test_a_face_has_twice_as_many_directions_as_unknowns_at_the_most(n_columns, monkeypatch):
    monkeypatch.setattr(module, "MANY_FREE", 0)
    random = np.random.default_rng(0)
    target = random.normal(size=3) if n_columns == 2 else random.normal(size=(3, n_columns))
    problem = Problem(random.normal(size=(20, 3)), target).centred()
    P = problem.label_set.weights(problem.uniform())
    free = np.zeros(P.shape, dtype=bool)
    # Of each row one class moves beside the largest, which is the first.
    most = 2 * 3 * (n_columns - 1)
    free[1].flat[: min(most, 20)] = True
    assert module._step_to_lowest(problem, P, free, None) is not None
    free[1:].flat[: most + 1] = True
    assert (module._step_to_lowest(problem, P, free, None) is None) == (free.sum() > most)


def test_it_says_none_where_no_labels_are_good_enough():
    problem = _box(0, 12, 8)
    assert (
        descend_faces(problem, Candidate(np.full(12, 0.5)), np.ones((2, 12), dtype=bool), -1.0)
        is None
    )


def test_equalities_hold_at_the_end():
    known = equality()
    start = Candidate(np.array([0.2, 0.6, 0.4]), np.zeros(2))
    # Of an objective of zero a gap of rounding alone is some 1e-12.
    found = descend_faces(known.problem, start, np.ones((2, 3), dtype=bool), 1e-10)
    assert found is not None
    np.testing.assert_allclose(known.problem.residual(found.labels), known.residual, atol=1e-14)
    assert known.problem.judge(found.labels, found.q).badness <= 1e-10


def test_multipliers_that_all_vanish_are_not_compared_with_each_other():
    V, q = np.eye(3), np.array([0.0, 0.0, 2.0])
    assert unit_of_multipliers(V, q, np.array([[0.0] * 3, [1e-15] * 3])) == pytest.approx(0.02)
    assert unit_of_multipliers(V, q, np.array([[0.0] * 3, [0.7] * 3])) == pytest.approx(0.7)


def test_an_answer_that_needs_no_walk_is_the_same_with_and_without_it(monkeypatch):
    problem = _box(1, 200, 6)
    first = solve_interior_point(problem).labels()
    monkeypatch.setattr("tacit.solver._interior_point.descend_faces", lambda *_: None)
    np.testing.assert_array_equal(first, solve_interior_point(problem).labels())


def _held(seed: int, n_columns: int, sizes: Vector | None = None) -> Problem:
    """Two equalities that are one, and a target whose other columns are out of reach."""
    random = np.random.default_rng(seed)
    V = random.normal(size=(30, 5))
    V[:, 1] = 2.0 * V[:, 0]
    labels = random.dirichlet(np.ones(n_columns), size=30)
    target = V.T @ (labels[:, 1] if n_columns == 2 else labels)
    target[2:] += 6.0 * random.normal(size=target[2:].shape)
    return Problem(V, target, 2, sizes=sizes).centred()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["interval", "simplex", "sizes"])
def test_equalities_are_met_and_have_their_multipliers(seed: int, kind: str) -> None:
    sizes = np.array([1.0, 4.0, 2.0]) if kind == "sizes" else None
    problem = _held(seed, 2 if kind == "interval" else 3, sizes)
    everything = np.ones((problem.n_classes, problem.n_labels), dtype=bool)
    found = descend_faces(problem, Candidate(problem.uniform()), everything, 1e-10)
    assert found is not None
    judged = problem.judge(found.labels, found.q)
    assert judged.relative_gap <= 1e-10
    assert judged.infeasibility <= 1e-10
    theirs = solve_interior_point(problem)
    assert problem.objective(found.labels) == pytest.approx(theirs.objective, rel=1e-8)


def test_as_many_faces_are_visited_as_are_granted() -> None:
    problem = _box(1, 40, 5)
    start = Candidate(np.full(40, 0.5))
    enough = [
        descend_faces(problem, start, np.ones((2, 40), dtype=bool), 1e-10, n) is not None
        for n in range(40)
    ]
    assert enough == 10 * [False] + 30 * [True]


@pytest.mark.parametrize("n_columns", [2, 3])
def test_labels_near_a_target_that_can_be_reached_are_moved_onto_it(n_columns: int) -> None:
    random = np.random.default_rng(0)
    V = random.normal(size=(30, 5))
    labels = random.dirichlet(np.full(n_columns, 5.0), size=30)
    own = labels[:, 1] if n_columns == 2 else labels
    problem = Problem(V, V.T @ own)
    curvature = Curvature(V, n_columns, None, n_columns == 2)
    near = 0.99 * own + 0.01 * problem.uniform()
    found = reach(problem, curvature, near)
    assert found is not None
    assert problem.is_reached(found.labels)
    assert np.abs(found.labels - own).max() < 0.02
    far = Problem(V, 100.0 * (V.T @ own))
    assert reach(far.centred(), curvature, near) is None
