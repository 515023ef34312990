"""The measures of a problem, for either set of labels, and what it refuses."""

import itertools

import numpy as np
import pytest

from tacit.solver import Problem, Solution, Status, solve
from tests.solver.known_answers import manufactured


def _problem(n_classes, n_equalities=0, allowed=None, seed=0):
    """Labels in the interval for two classes, on the simplex for more."""
    random = np.random.default_rng(seed)
    shape = (3,) if n_classes == 2 else (3, n_classes)
    V, target = random.normal(size=(30, 3)), 4.0 * random.normal(size=shape)
    return Problem(V, target, n_equalities, allowed).centred()


def _labels(problem, seed=0):
    random = np.random.default_rng(seed)
    if problem.target.ndim == 1:
        return random.uniform(size=problem.n_labels)
    weights = random.exponential(size=(problem.n_labels, problem.n_classes))
    if problem.allowed is not None:
        weights *= problem.allowed
    return weights / weights.sum(axis=1, keepdims=True)


def _dual_objective(problem, q):
    k = problem.n_equalities
    slopes = problem.V @ q
    lowest = np.minimum(slopes, 0.0) if q.ndim == 1 else slopes.min(axis=1)
    return -0.5 * np.vdot(q[k:], q[k:]) - np.vdot(q, problem.target) + lowest.sum()


either = pytest.mark.parametrize("n_classes", [2, 4])


@either
def test_the_scale_is_the_mean_objective_over_all_labelings(n_classes):
    whole = _problem(n_classes)
    problem = Problem(whole.V[:6], whole.target)
    vertices = [0.0, 1.0] if n_classes == 2 else np.eye(n_classes)
    labelings = itertools.product(vertices, repeat=6)
    mean = np.mean([problem.objective(np.array(u)) for u in labelings])
    np.testing.assert_allclose(problem.scale, mean)


@pytest.mark.parametrize("sizes", [None, np.array([1.0, 3.0, 2.0])])
def test_the_scale_counts_only_what_is_allowed_and_each_class_by_its_size(sizes):
    random = np.random.default_rng(0)
    allowed = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1]], dtype=bool)
    V, target = random.normal(size=(4, 2)), 4.0 * random.normal(size=(2, 3))
    for mask in (None, allowed):
        problem = Problem(V, target, 1, mask, sizes)
        open_ = np.ones((4, 3), dtype=bool) if mask is None else mask
        labelings = itertools.product(*(np.eye(3)[row] for row in open_))
        mean = np.mean([problem.objective(np.array(P)) for P in labelings])
        assert problem.scale == pytest.approx(mean, rel=1e-12)


@either
def test_the_relative_gap_is_the_gap_over_the_objective_or_over_what_is_lost_to_rounding(n_classes):
    problem = _problem(n_classes, 1)
    u, q = _labels(problem), np.ones(problem.target.shape)
    judged = problem.judge(u, q)
    assert problem.relative_gap(u, q) == judged.relative_gap
    assert judged.objective > 1e-4 * judged.scale
    held = np.abs(problem.residual(u)[:1])
    missed = np.finfo(float).eps * (np.linalg.norm(problem.V) + np.linalg.norm(problem.target[:1]))
    doubt = (held + missed).sum()
    assert judged.rounding == pytest.approx(doubt, rel=1e-12)
    assert judged.relative_gap == pytest.approx((judged.gap + doubt) / judged.objective, rel=1e-12)
    # What rounding misses counts where equalities seem to hold to the last digit.
    nothing = Problem(np.eye(2), np.array([0.5, 3.0]), 1)
    far = nothing.judge(np.array([0.5, 1.0]), np.array([1e12, -2.0]))
    assert far.rounding == pytest.approx(1e12 * np.finfo(float).eps * (np.sqrt(2.0) + 0.5))


@either
@pytest.mark.parametrize("n_equalities", [0, 1])
def test_the_gap_is_the_difference_of_primal_and_dual_objective(n_classes, n_equalities):
    problem = _problem(n_classes, n_equalities)
    u = _labels(problem)
    q = np.random.default_rng(3).normal(size=problem.target.shape)
    expected = problem.objective(u) - _dual_objective(problem, q)
    assert problem.gap(u, q) == pytest.approx(expected, rel=1e-12)
    own = problem.objective(u) - _dual_objective(problem, problem.dual(u))
    assert problem.gap(u) == pytest.approx(own, rel=1e-12)
    held = np.linalg.norm(problem.residual(u)[:n_equalities])
    assert problem.judge(u).infeasibility == pytest.approx(held)


def test_classes_that_are_not_allowed_do_not_enter_the_gap():
    allowed = np.random.default_rng(5).uniform(size=(30, 4)) < 0.6
    allowed[np.arange(30), np.arange(30) % 4] = True
    problem = _problem(4, allowed=allowed)
    P = _labels(problem)
    slopes = np.where(allowed, problem.V @ problem.residual(P), np.inf)
    lowest = slopes.min(axis=1, keepdims=True)
    expected = (P[allowed] * (slopes - lowest)[allowed]).sum()
    assert problem.gap(P) == pytest.approx(expected, rel=1e-12)


@either
def test_half_the_squared_distance_to_the_optimum_is_at_most_the_gap(n_classes):
    problem = _problem(n_classes)
    best = solve(problem, tol=1e-12).residual
    for seed in range(50):
        u = _labels(problem, seed)
        assert 0.5 * np.sum((problem.residual(u) - best) ** 2) <= problem.gap(u) + 1e-12


@either
def test_the_kkt_residual_is_zero_at_the_optimum_only(n_classes):
    problem = _problem(n_classes)
    assert problem.kkt_residual(solve(problem, tol=1e-12).labels()) < 1e-10
    assert problem.kkt_residual(problem.uniform()) > 1e-3


def test_the_simplex_of_two_classes_has_twice_the_measures_of_the_interval():
    interval = _problem(2)
    target = np.column_stack([interval.V.sum(axis=0) - interval.target, interval.target])
    simplex = Problem(interval.V, target)
    u = _labels(interval)
    P = np.column_stack([1.0 - u, u])
    assert simplex.scale == pytest.approx(2.0 * interval.scale, rel=1e-12)
    assert simplex.objective(P) == pytest.approx(2.0 * interval.objective(u), rel=1e-12)
    assert simplex.gap(P) == pytest.approx(2.0 * interval.gap(u), rel=1e-12)


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


def test_the_centred_target_has_the_sum_that_labels_have():
    random = np.random.default_rng(2)
    V, target = random.normal(size=(20, 3)), random.normal(size=(3, 4))
    for sizes in (None, np.array([1.0, 2.0, 1.0, 5.0])):
        centred = Problem(V, target, sizes=sizes).centred()
        np.testing.assert_allclose(centred.target.sum(axis=1), V.sum(axis=0))
        # A column of several classes takes their part of what is moved.
        moved = centred.target - target
        counts = np.ones(4) if sizes is None else sizes
        np.testing.assert_allclose(moved / counts, np.tile(moved[:, :1], 4))


@either
def test_the_unit_counts_equalities_and_the_scale_does_not(n_classes):
    whole = _problem(n_classes)
    held = Problem(whole.V, whole.target, n_equalities=2)
    assert held.unit == whole.unit == pytest.approx(np.sqrt(2.0 * whole.scale))
    assert held.scale == pytest.approx(Problem(whole.V[:, 2:], whole.target[2:]).scale)


@either
def test_all_columns_may_be_equalities(n_classes):
    whole = _problem(n_classes)
    held = Problem(whole.V, whole.target, n_equalities=3)
    assert held.objective(_labels(held)) == held.scale == 0.0


def test_is_optimal_judges_the_gap_and_not_the_status():
    sample = manufactured(40, 4)
    centre = np.full(40, 0.5)
    claimed = Solution.of(sample.problem, centre, status=Status.OPTIMAL, solver="none", n_iter=0)
    assert not claimed.is_optimal()
    assert claimed.gap() > 0
    assert claimed.kkt_residual() > 0


def test_labels_that_are_not_numbers_are_never_called_optimal():
    # A gap of NaN once was clipped to zero, and the solver reported success.
    sample = manufactured(40, 4)
    broken = Solution.of(
        sample.problem, np.full(40, np.nan), status=Status.OPTIMAL, solver="none", n_iter=0
    )
    assert not broken.is_optimal()


def test_where_there_is_nothing_to_decide_the_kkt_residual_is_zero():
    nothing = Problem(np.zeros((3, 2)), np.zeros(2))
    assert nothing.scale == nothing.kkt_residual(np.ones(3)) == 0.0
    none = Problem(np.zeros((0, 2)), np.ones(2))
    assert none.kkt_residual(np.zeros(0)) == 0.0


_V = np.zeros((3, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((_V, np.zeros(3)), r"V must be \(U, r\) and target \(r,\) or \(r, K\)"),
        ((_V, np.zeros((3, 2))), r"V must be \(U, r\) and target \(r,\) or \(r, K\)"),
        ((_V, np.zeros((2, 1, 1))), r"V must be \(U, r\) and target"),
        ((_V, np.zeros(2), 4), "n_equalities is 4; it must lie between 0 and"),
        ((_V, np.zeros(2), 0, np.ones(3, bool)), "allowed is for labels on the simplex"),
        ((_V, np.zeros((2, 3)), 0, np.ones((2, 3), bool)), r"it must be \(3, 3\)"),
        ((_V, np.zeros((2, 3)), 0, np.zeros((3, 3), bool)), "allowed leaves a row without"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Problem(*arguments)
