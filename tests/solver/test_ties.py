"""Fewer labels than columns: the labeled loss alone does not decide."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tacit import ICLSClassifier
from tacit.rows import NumpyRows
from tacit.solver import Problem, Status, solve, solve_interior_point, solve_working_set
from tacit.solver import _ties as ties
from tacit.solver._method import Method
from tacit.solver._ties import _independent, _lowest, break_ties, solve_with_ties
from tests.problems import Table, generators, projected, table

SEEDS = range(20)


def _labeled_loss(data, coefficients):
    return float(np.sum((coefficients.values(data.X) - data.y) ** 2))


def _distance(constraints, a, b):
    return float(np.linalg.norm(constraints.coordinates(a) - constraints.coordinates(b)))


@pytest.mark.parametrize("seed", SEEDS)
def test_among_equal_labeled_losses_the_nearest_to_the_supervised_solution_is_taken(seed):
    data = table("fewer labels than columns", seed)
    answer, start, constraints = projected(data, "labeled")
    Z, target = generators(constraints), constraints.coordinates(start) - constraints.offset
    Z_l = constraints.basis.functions.values(data.X)
    S = Z_l.T @ Z_l
    distances = []
    for epsilon in (1e-2, 1e-4, 1e-6):
        # The metric S + epsilon A has no ties, and its answer tends to the one wanted.
        R = np.linalg.cholesky(S + epsilon * np.eye(len(S))).T
        solution = solve(Problem(Z @ R.T, R @ target), tol=1e-13)
        theta = solution.soft_labels @ Z + constraints.offset
        member = constraints.coefficients(theta)
        assert _labeled_loss(data, answer.coefficients) <= _labeled_loss(data, member) + 1e-9
        distances.append(_distance(constraints, answer.coefficients, member))
    # The distance to the limit falls with epsilon, so it is the limit.
    assert distances[2] <= 1e-3 * distances[0] + 1e-5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_does_not_depend_on_the_order_of_rows(seed):
    data = table("fewer labels than columns", seed)
    random = np.random.default_rng(seed)
    labeled, u = random.permutation(len(data.X)), random.permutation(len(data.X_u))
    shuffled = Table(data.X[labeled], data.y[labeled], data.X_u[u], data.y_u[u])
    ours = projected(data, "labeled")[0].coefficients
    theirs = projected(shuffled, "labeled")[0].coefficients
    np.testing.assert_allclose(ours.coef, theirs.coef, atol=1e-7)
    np.testing.assert_allclose(ours.intercept, theirs.intercept, atol=1e-7)


@pytest.mark.parametrize("solver", ["interior-point", "lbfgsb"])
def test_a_tie_on_a_face_is_broken_by_the_second_problem(solver):
    # The first problem wants u_0 = 1 and u_1 + u_2 = 1.5; the second then wants u_1 - u_2 = 0.2.
    first = Problem(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.array([3.0, 1.5]))
    second = Problem(np.array([[0.0], [1.0], [-1.0]]), np.array([0.2]))
    solution = solve_with_ties(first, second, Method(solver, 1e-10, 1000).dense)
    np.testing.assert_allclose(solution.soft_labels, [1.0, 0.85, 0.65], atol=1e-7)
    # What the first one has decided counts in the second one too.
    second = Problem(np.array([[0.4], [1.0], [-1.0]]), np.array([0.6]))
    solution = solve_with_ties(first, second, Method(solver, 1e-10, 1000).dense)
    np.testing.assert_allclose(solution.soft_labels, [1.0, 0.85, 0.65], atol=1e-7)


@pytest.mark.parametrize("solver", ["auto", "lbfgsb", "working-set"])
@pytest.mark.parametrize(
    ("X", "labels"),
    [
        ([[0, 0, 0], [1, 1, 0], [2, 2, 0], [1, 2, 1], [1, 1, 0]], [1.0, 1.0, 1.0]),
        # Here the row that the labeled ones do not see is the only one that is open.
        ([[1, 1], [2, 1], [0, 1], [2, 2]], [0.0, 1.0]),
        # Equalities that hold on an edge only, where multipliers grow without end.
        ([[2, 1, 2], [2, 0, 0], [0, 1, 2], [1, 2, 2], [2, 1, 2]], [0.0, 0.0, 0.0]),
        ([[1, 1, 2], [0, 2, 0], [0, 2, 0], [2, 0, 2], [0, 1, 2]], [1.0, 0.0, 1.0 / 6.0]),
        ([[2, 2, 0], [1, 2, 0], [2, 2, 0], [1, 1, 0], [2, 2, 0], [0, 2, 2]], [0.0, 1.0, 0.0, 1.0]),
        ([[1, 0, 2], [0, 0, 2], [0, 2, 2], [2, 1, 1], [0, 1, 1]], [1.0, 0.0, 1.0]),
    ],
)
def test_a_row_that_labeled_rows_see_as_rounding_only_is_tied(X, labels, solver):
    X, n = np.array(X, dtype=float), len(X) - 2
    model = ICLSClassifier(solver=solver).fit(X, [0, 1] + n * [-1])
    A = np.column_stack([np.ones(len(X)), X])
    start = np.append(model.supervised_intercept_ + 0.5, model.supervised_coef_)

    def distances(u):
        beta = np.linalg.pinv(A) @ np.concatenate([[0.0, 1.0], u])
        return [((rows @ (beta - start)) ** 2).sum() for rows in (A[:2], A)]

    found = distances(model.soft_labels_)
    np.testing.assert_allclose(model.soft_labels_, labels, atol=1e-6)
    for other in itertools.product(np.linspace(0.0, 1.0, 5), repeat=n):
        labeled, every = distances(other)
        assert labeled > found[0] - 1e-9
        assert labeled > found[0] + 1e-9 or every > found[1] - 1e-6


def test_without_ties_the_second_problem_has_no_say():
    first = Problem(np.diag([1.0, 2.0]), np.array([0.25, 5.0]))
    second = Problem(np.ones((2, 1)), np.array([-100.0]))
    solution = solve_with_ties(first, second, Method("auto", 1e-10, 100).dense)
    np.testing.assert_allclose(solution.soft_labels, [0.25, 1.0], atol=1e-9)


def _unseen_categories(seed, n_unlabeled):
    """One-hot rows of twelve categories, labels in the first four only, two shifted columns."""
    random = np.random.default_rng(seed)
    n_labeled = int(random.integers(4, 10))
    category = np.concatenate(
        [random.integers(0, 4, n_labeled), random.integers(0, 12, n_unlabeled)]
    )
    shifted = random.normal(size=(n_labeled + n_unlabeled, 2))
    shifted[n_labeled:] += 2.0 * random.normal()
    X = np.column_stack([np.eye(12)[category], shifted])
    y = random.integers(0, 2, n_labeled).astype(float)
    y[:2] = 0.0, 1.0
    return Table(X[:n_labeled], y, X[n_labeled:], np.zeros(n_unlabeled))


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_categories_without_labels_are_tied_and_the_tie_is_broken_in_sweeps_too(seed):
    # The rounds once left these ties as they fell, and the answer depended on the solver.
    data = _unseen_categories(seed, 4000)
    swept = projected(data, "labeled", "working-set")[0]
    dense = projected(data, "labeled", "interior-point")[0]
    assert swept.solution.status.is_success
    assert dense.solution.status.is_success
    values = dense.coefficients.values(data.X_u)
    np.testing.assert_allclose(swept.coefficients.values(data.X_u), values, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_no_label_speaks_of_leave_the_supervised_solution_alone(seed):
    # Their generators in the labeled metric are rounding errors, which were solved for once.
    random = np.random.default_rng(seed)
    category = np.concatenate([random.integers(1, 7, size=6), [0]])
    X = np.eye(7)[category]
    y = random.integers(0, 2, size=6).astype(float)
    y[:2] = 0.0, 1.0
    answer, _, _ = projected(Table(X[:6], y, X[6:], np.zeros(1)), "labeled")
    expected = projected(Table(X[:6], y, X[6:], np.zeros(1)), "all")[0]
    assert answer.inside == expected.inside
    np.testing.assert_allclose(
        answer.coefficients.values(X), expected.coefficients.values(X), atol=1e-9
    )


def test_ties_that_are_too_many_to_break_are_not_passed_off_as_broken(monkeypatch):
    monkeypatch.setattr(ties, "MOST_TIED", 5)
    data = _unseen_categories(2, 4000)
    assert projected(data, "labeled", "working-set")[0].solution.status is Status.STALLED
    # The default hands them to the dense method.
    ours = projected(data, "labeled")[0]
    dense = projected(data, "labeled", "interior-point")[0]
    assert ours.solution.status.is_success
    np.testing.assert_allclose(ours.coefficients.coef, dense.coefficients.coef, atol=1e-8)


def _rows_of_classes(seed, kind, n_unlabeled=4000):
    random = np.random.default_rng(seed)
    n = 6 + n_unlabeled
    if kind == "categories":
        # Labeled rows have only some of the levels, so the loss cannot tell the others apart.
        levels = random.integers(0, 6, size=(n, 2))
        levels[:6] %= 3
        X = np.hstack([np.eye(6)[levels[:, 0]], np.eye(6)[levels[:, 1]]])
    else:
        X = random.normal(size=(n, 12)) + (random.normal(size=12) if kind == "shifted" else 0.0)
        X[:6] *= 3.0 if kind == "far" else 1.0
    y = np.array([0, 1, 2, 0, 1, 2])
    return X[:6], y, X[6:]


@pytest.mark.parametrize("kind", ["plain", "shifted", "far", "categories"])
@pytest.mark.parametrize("seed", range(2))
def test_rounds_over_rows_break_ties_as_the_dense_method_does(kind, seed):
    X, y, X_u = _rows_of_classes(seed, kind)
    dense = ICLSClassifier(solver="interior-point").fit(X, y, X_unlabeled=X_u)
    swept = ICLSClassifier(solver="working-set").fit(X, y, X_unlabeled=X_u)
    expected = dense.decision_function(X_u)
    unit = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(swept.decision_function(X_u), expected, atol=1e-6 * unit)


@pytest.mark.parametrize("kind", ["plain", "far", "categories"])
def test_neither_the_order_of_rows_nor_of_classes_matters(kind):
    X, y, X_u = _rows_of_classes(3, kind, 200)
    expected = ICLSClassifier().fit(X, y, X_unlabeled=X_u).decision_function(X_u)
    other = ICLSClassifier().fit(X[::-1], 2 - y[::-1], X_unlabeled=X_u[::-1])
    unit = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(other.decision_function(X_u)[:, ::-1], expected, atol=1e-6 * unit)


@pytest.mark.parametrize("distance", [0.0, 5.0])
def test_no_other_minimiser_is_nearer_in_the_second_metric(distance):
    random = np.random.default_rng(0)
    V = random.integers(-1, 2, size=(40, 4)).astype(np.float64)
    start = V.T @ random.dirichlet(np.ones(3), size=40)
    target = start + distance * random.normal(size=(4, 3))
    first = Problem(V[:, :2], target[:2]).centred()
    second = Problem(V[:, 2:], target[2:] + 8.0 * random.normal(size=(2, 3))).centred()
    solution = solve_with_ties(first, second, solve_interior_point)
    assert solution.status.is_success
    alone = solve_interior_point(first)
    P = solution.labels()
    assert first.objective(P) == pytest.approx(alone.objective, rel=1e-7, abs=1e-9 * first.scale)
    # Minimising both with nearly all weight on the first comes close to it from below.
    weight = 1e3
    both = Problem(
        np.hstack([weight * first.V, second.V]), np.vstack([weight * first.target, second.target])
    )
    bound = solve_interior_point(both).labels()
    assert second.objective(P) >= second.objective(bound) - 1e-6 * second.scale
    assert second.objective(P) <= second.objective(bound) + 1e-3 * second.scale


def _one_of(n_classes, n_rows):
    return np.ones((n_classes, n_rows), dtype=bool)


def test_labels_are_determined_by_their_sum_where_their_directions_are_independent():
    two, three = np.array([[0.0], [1.0]]), np.eye(3)
    V = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    assert _independent(V[:2], _one_of(2, 2), two, 2.0)
    assert not _independent(V, _one_of(2, 3), two, 2.0)
    assert not _independent(V[[0, 0]], _one_of(2, 2), two, 2.0)
    assert _independent(V[:0], _one_of(2, 0), two, 2.0)
    # Of three classes two rows have four directions, in a space of as many.
    assert _independent(V[:2], _one_of(3, 2), three, 2.0)
    assert not _independent(V, _one_of(3, 3), three, 2.0)
    allowed = _one_of(3, 3)
    allowed[1:, 1] = allowed[0, 2] = allowed[2, 2] = False
    assert _independent(V, allowed, three, 2.0)  # one class for the last two
    # A generator that is rounding beside the longest determines nothing.
    assert _independent(1e-6 * V[:1], _one_of(2, 1), two, 2.0)
    assert not _independent(1e-8 * V[:1], _one_of(2, 1), two, 2.0)


@pytest.mark.parametrize("heavy", [1.0, 1e10])
def test_light_rows_beside_heavy_ones_stay_decided(heavy):
    random = np.random.default_rng(0)
    weights = np.where(np.arange(40) < 20, 1.0, heavy)[:, None]
    V = random.normal(size=(40, 3))
    V[:2, 0] = 0.0  # the first metric has no slope there
    first, second = Problem(weights * V[:, :1], np.array([40.0 * heavy])), V[:, 1:] * weights
    parts = []

    def solver(problem):
        parts.append(problem)
        return solve_interior_point(problem)

    second = Problem(second, second.T @ random.uniform(size=40))
    found = solve_with_ties(first, second, solver)
    assert parts[1].n_labels == 2
    np.testing.assert_allclose(found.labels()[2:], (V[2:, 0] > 0.0) * 1.0, atol=1e-12)


def test_classes_are_open_where_their_slope_is_the_lowest_or_nothing_is_decided():
    excess = np.array([[0.0, 1e-9, 2.0], [10.0, 0.0, np.inf], [1e-5, 2e-6, 0.0]])
    assert _lowest(excess, inside=False).tolist() == [
        [True, True, False],
        [False, True, False],
        [False, False, True],
    ]
    np.testing.assert_array_equal(_lowest(excess, inside=True), np.isfinite(excess))


def _tied(distance):
    """Two columns that decide little, two that decide the rest; the first out of reach by this."""
    random = np.random.default_rng(0)
    V = random.integers(-1, 2, size=(40, 4)).astype(np.float64)
    target = V.T @ random.uniform(size=40)
    target[:2] += distance
    return Problem(V[:, :2], target[:2]), Problem(V[:, 2:], target[2:] + 3.0)


@pytest.mark.parametrize("distance", [0.0, 40.0])
def test_the_answer_has_the_numbers_of_both_of_its_parts(distance):
    first, second = _tied(distance)
    parts = []

    def solver(problem):
        parts.append(solve_interior_point(problem))
        return parts[-1]

    found = solve_with_ties(first, second, solver)
    one, two = parts
    u = found.labels()
    assert found.n_iter == one.n_iter + two.n_iter
    assert found.infeasibility == two.infeasibility
    assert found.stationarity == max(first.kkt_residual(u), two.stationarity)
    np.testing.assert_allclose(found.residual, first.residual(u))
    if distance == 0.0:
        assert one.status is Status.INSIDE
        assert found.status is two.status
        assert (found.objective, found.scale) == (two.objective, two.scale)
        assert found.gap() == two.gap()
    else:
        assert found.status is one.status is Status.OPTIMAL
        assert found.objective == pytest.approx(first.objective(u))
        worst = max(first.relative_gap(u), two.relative_gap())
        assert found.relative_gap() == pytest.approx(worst)


@pytest.mark.parametrize("distance", [0.0, 40.0])
def test_a_face_thinner_than_rounding_leaves_what_the_first_metric_says(distance):
    first, second = _tied(distance)
    unit = np.sqrt(2.0 * first.scale)
    for part, is_met in ((0.9e-6, True), (1.1e-6, False)):
        parts = []

        def solver(problem, part=part, parts=parts):
            solution = solve_interior_point(problem)
            parts.append(solution)
            return replace(solution, infeasibility=part * unit) if len(parts) == 2 else solution

        found = solve_with_ties(first, second, solver)
        assert (found.n_iter > parts[0].n_iter) == is_met
        if not is_met:
            np.testing.assert_array_equal(found.labels(), parts[0].labels())
            assert found.status is (Status.STALLED if distance == 0.0 else Status.OPTIMAL)


def test_what_failed_in_memory_is_not_taken_for_a_broken_tie():
    data = _unseen_categories(2, 4000)
    _, start, constraints = projected(data, "labeled", "working-set")

    def fails(problem):
        return replace(solve_interior_point(problem), status=Status.STALLED)

    Z = constraints.labeled_values
    values, vectors = np.linalg.eigh(Z.T @ Z)
    flat = vectors[:, values <= 1e-9]
    steep = vectors[:, values > 1e-9] * np.sqrt(values[values > 1e-9])
    target = constraints.coordinates(start) - constraints.offset
    first = constraints.problem(steep, steep.T @ target)
    second = constraints.problem(flat, flat.T @ target)
    solution = solve_working_set(first)
    assert solution.status is Status.OPTIMAL
    assert break_ties(first, second, solution, fails).status is Status.STALLED
    in_memory = replace(solution, labeling=None)
    assert break_ties(first, second, in_memory, fails) is in_memory
    broken = break_ties(first, second, solution, solve_interior_point)
    whole = solve_with_ties(first.dense(), second.dense(), solve_interior_point)
    rows = NumpyRows(data.X_u)
    labels = broken.labeling.of_rows(rows)
    assert first.dense().objective(labels) == pytest.approx(whole.objective, rel=1e-7)
    assert second.dense().objective(labels) == pytest.approx(
        second.dense().objective(whole.labels()), rel=1e-6
    )
    moved = broken.labeling
    np.testing.assert_allclose(moved.mass, labels.sum(), rtol=1e-9)
    np.testing.assert_allclose(moved.total, data.X_u.T @ labels, atol=1e-7)
    assert broken.n_sweeps == solution.n_sweeps + 1
