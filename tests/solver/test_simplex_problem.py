"""The problem of several classes: its measures and what it refuses."""

import numpy as np
import pytest

from tacit.solver import Problem


def _problem(n_equalities=0, allowed=None, seed=0, n_classes=4):
    random = np.random.default_rng(seed)
    V = random.normal(size=(30, 3))
    target = random.normal(size=(3, n_classes))
    return Problem(V, target, n_equalities, allowed).centred()


def _labels(problem, seed=0):
    random = np.random.default_rng(seed)
    weights = random.exponential(size=(problem.n_labels, problem.n_classes))
    if problem.allowed is not None:
        weights *= problem.allowed
    return weights / weights.sum(axis=1, keepdims=True)


def test_the_gap_is_the_difference_of_primal_and_dual_objective():
    problem = _problem()
    P = _labels(problem)
    Z = problem.residual(P)
    slopes = problem.V @ Z
    dual = -0.5 * np.vdot(Z, Z) - np.vdot(Z, problem.target) + slopes.min(axis=1).sum()
    assert problem.gap(P) == pytest.approx(problem.objective(P) - dual, rel=1e-12)
    by_rows = (P * (slopes - slopes.min(axis=1, keepdims=True))).sum()
    assert problem.gap(P) == pytest.approx(by_rows, rel=1e-12)


def test_with_equalities_the_gap_takes_a_dual_matrix_of_its_own():
    problem = _problem(n_equalities=1)
    P = _labels(problem)
    Q = np.random.default_rng(3).normal(size=problem.target.shape)
    lowest = (problem.V @ Q).min(axis=1).sum()
    dual = -0.5 * np.vdot(Q[1:], Q[1:]) - np.vdot(Q, problem.target) + lowest
    assert problem.gap(P, Q) == pytest.approx(problem.objective(P) - dual, rel=1e-12)
    assert problem.infeasibility(P) == pytest.approx(np.linalg.norm(problem.residual(P)[0]))


def test_the_scale_is_the_mean_of_the_objective_over_labelings():
    problem = _problem()
    random = np.random.default_rng(1)
    draws = np.eye(4)[random.integers(0, 4, size=(4000, problem.n_labels))]
    objectives = [problem.objective(P) for P in draws]
    assert problem.scale == pytest.approx(np.mean(objectives), rel=0.05)


def test_two_classes_have_twice_the_measures_of_the_box_problem():
    problem = _problem(n_classes=2)
    box = Problem(problem.V, problem.target[:, 1])
    P = _labels(problem)
    assert problem.scale == pytest.approx(2.0 * box.scale, rel=1e-12)
    assert problem.objective(P) == pytest.approx(2.0 * box.objective(P[:, 1]), rel=1e-12)
    assert problem.gap(P) == pytest.approx(2.0 * box.gap(P[:, 1]), rel=1e-12)


def test_centring_changes_the_objective_by_a_constant():
    random = np.random.default_rng(2)
    raw = Problem(random.normal(size=(20, 3)), random.normal(size=(3, 3)))
    centred = raw.centred()
    differences = [
        raw.objective(_labels(raw, seed)) - centred.objective(_labels(raw, seed))
        for seed in range(5)
    ]
    assert differences[0] > 0.0
    np.testing.assert_allclose(differences, differences[0], rtol=1e-10)


def test_classes_that_are_not_allowed_do_not_enter_the_gap():
    allowed = np.random.default_rng(5).uniform(size=(30, 4)) < 0.6
    allowed[np.arange(30), np.arange(30) % 4] = True
    problem = _problem(allowed=allowed)
    P = _labels(problem)
    slopes = np.where(allowed, problem.V @ problem.residual(P), np.inf)
    lowest = slopes.min(axis=1, keepdims=True)
    expected = (P[allowed] * (slopes - lowest)[allowed]).sum()
    assert problem.gap(P) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((3, 2)), np.zeros((3, 2))), r"V must be \(U, r\) and target \(r,\) or \(r, K\)"),
        ((np.zeros((3, 2)), np.zeros((2, 1, 1))), r"V must be \(U, r\) and target"),
        (
            (np.zeros((3, 2)), np.zeros(2), 0, np.ones(3, bool)),
            "allowed is for labels on the simplex",
        ),
        ((np.zeros((3, 2)), np.zeros((2, 3)), 3), "n_equalities is 3; it must lie between 0 and"),
        (
            (np.zeros((3, 2)), np.zeros((2, 3)), 0, np.ones((2, 3), dtype=bool)),
            r"allowed has shape \(2, 3\); it must be \(3, 3\)",
        ),
        (
            (np.zeros((3, 2)), np.zeros((2, 3)), 0, np.zeros((3, 3), dtype=bool)),
            "allowed leaves a row without any class",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Problem(*arguments)
