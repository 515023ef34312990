"""The interior-point method on the simplex."""

import numpy as np
import pytest

from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver._curvature import Curvature


def _problem(seed, n_classes=None, n_equalities=0, distance=1.0, whole_numbers=False):
    random = np.random.default_rng(seed)
    K = int(random.integers(2, 7)) if n_classes is None else n_classes
    r, U = int(random.integers(n_equalities + 1, 8)), int(random.integers(3, 90))
    V = random.integers(-1, 2, size=(U, r)) if whole_numbers else random.normal(size=(U, r))
    reachable = V.T @ random.dirichlet(np.full(K, 0.3), size=U)
    target = reachable + distance * np.sqrt(U) * random.normal(size=(r, K))
    target[:n_equalities] = reachable[:n_equalities]
    return Problem(V.astype(np.float64), target, n_equalities).centred()


def _by_clarabel(problem):
    """The optimal objective, by another solver."""
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    U, r, K, k = problem.n_labels, problem.rank, problem.n_classes, problem.n_equalities
    soft = np.ones((r, K))
    soft[:k] = 0.0
    quadratic = sparse.block_diag([sparse.csc_array((U * K, U * K)), sparse.diags(soft.ravel())])
    residual = sparse.hstack([sparse.kron(problem.V.T, sparse.eye(K)), -sparse.eye(r * K)])
    no_residual = sparse.csc_array((U, r * K))
    sums = sparse.hstack([sparse.kron(sparse.eye(U), np.ones((1, K))), no_residual])
    held = sparse.hstack([sparse.csc_array((k * K, U * K)), sparse.eye(k * K, r * K)])
    bounds = sparse.hstack([-sparse.eye(U * K), sparse.csc_array((U * K, r * K))])
    parts = [residual, sums, held, bounds] if k else [residual, sums, bounds]
    right = np.concatenate([problem.target.ravel(), np.ones(U), np.zeros(k * K + U * K)])
    cones = [clarabel.ZeroConeT(r * K + U + k * K), clarabel.NonnegativeConeT(U * K)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(quadratic),
        np.zeros(U * K + r * K),
        sparse.csc_matrix(sparse.vstack(parts)),
        right,
        cones,
        settings,
    )
    Z = np.array(solver.solve().x)[U * K :].reshape(r, K)[k:]
    return 0.5 * float(np.vdot(Z, Z))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_equalities", [0, 1])
@pytest.mark.parametrize("distance", [0.0, 0.1, 1.0, 30.0])
def test_it_finds_the_objective_of_another_solver(seed, n_equalities, distance):
    problem = _problem(seed, None, n_equalities, distance)
    solution = solve_interior_point(problem)
    assert solution.status in (Status.OPTIMAL, Status.INSIDE)
    assert solution.is_optimal(1e-8)
    other = _by_clarabel(problem)
    assert solution.objective == pytest.approx(other, rel=1e-6, abs=1e-7 * problem.scale)


@pytest.mark.parametrize("seed", range(10))
def test_labels_are_on_the_simplex_and_few_are_fractional(seed):
    problem = _problem(seed)
    solution = solve_interior_point(problem)
    P = solution.labels()
    assert P.min() >= 0.0
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    # Two classes with the same column of the dual share many rows: which has how much is open.
    Q = solution.dual
    apart = np.linalg.norm(Q[:, :, None] - Q[:, None, :], axis=0) + np.eye(problem.n_classes)
    if solution.status is Status.OPTIMAL and apart.min() > 1e-6 * np.linalg.norm(Q):
        n_free = int((P > 1e-9).sum()) - problem.n_labels
        assert n_free <= problem.rank * (problem.n_classes - 1)
        assert solution.relative_gap() <= 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_two_classes_give_the_answer_of_the_box_problem(seed):
    problem = _problem(seed, n_classes=2, distance=[0.1, 1.0][seed % 2])
    ours = solve_interior_point(problem)
    box = solve_interior_point(Problem(problem.V, problem.target[:, 1]))
    unit = np.sqrt(2.0 * problem.scale)
    assert ours.status is box.status
    np.testing.assert_allclose(ours.residual[:, 1], box.residual, atol=1e-10 * unit)
    np.testing.assert_allclose(ours.residual[:, 0], -box.residual, atol=1e-10 * unit)


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_equal_numbers_are_no_obstacle(seed):
    solution = solve_interior_point(_problem(seed, whole_numbers=True))
    assert solution.is_optimal(1e-8)


def test_classes_that_are_not_allowed_stay_at_zero():
    problem = _problem(4, n_classes=4)
    allowed = np.random.default_rng(0).uniform(size=(problem.n_labels, 4)) < 0.6
    allowed[:, 1] |= ~allowed.any(axis=1)
    restricted = Problem(problem.V, problem.target, 0, allowed)
    solution = solve_interior_point(restricted)
    assert solution.is_optimal(1e-8)
    assert (solution.labels()[~allowed] == 0.0).all()
    assert solution.objective >= solve_interior_point(problem).objective - 1e-9


def test_no_rows_leave_nothing_to_choose():
    solution = solve_interior_point(Problem(np.zeros((0, 2)), np.zeros((2, 3))))
    assert solution.status is Status.EMPTY
    assert solution.labels().shape == (0, 3)


def test_generators_of_zeros_count_as_inside():
    solution = solve_interior_point(Problem(np.zeros((5, 2)), np.zeros((2, 3))))
    assert solution.status is Status.INSIDE


def test_too_few_iterations_are_admitted():
    solution = solve_interior_point(_problem(3, n_classes=5), max_iter=1)
    assert solution.status is Status.MAX_ITERATIONS
    assert not solution.is_optimal()


def test_the_curvature_is_that_of_each_row_added_up():
    random = np.random.default_rng(0)
    V, W = random.normal(size=(12, 3)), random.exponential(size=(4, 12))
    W[2, :5] = 0.0
    expected = np.zeros((12, 12))
    for v, w in zip(V, W.T, strict=True):
        expected += np.kron(np.diag(w) - np.outer(w, w) / w.sum(), np.outer(v, v))
    for allowed in (None, W.T > 0.0):
        upper = Curvature(V, 4, allowed).at(W)
        np.testing.assert_allclose(np.triu(upper), np.triu(expected), atol=1e-12)
