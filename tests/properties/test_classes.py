"""What must hold for three to six classes, on any data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.solver import Problem, solve_interior_point
from tests.problems import KINDS, Table, generators, projected, table, table_of_classes
from tests.properties.strategies import resolution, seeds

ESTIMATORS = [ICLSClassifier, ProjectedLeastSquaresClassifier]
METRICS = ["labeled", "all", "euclidean"]
classes = st.integers(min_value=3, max_value=6)
kinds = st.sampled_from(KINDS)
alphas = st.sampled_from([0.0, 0.0, 0.1, 10.0])
# The euclidean metric is decided by the smallest unit alone where units differ widely.
well_posed = st.tuples(kinds, st.sampled_from(METRICS)).filter(
    lambda pair: pair != ("mixed scales", "euclidean")
)


def _labels(random, n, n_classes, soft):
    if soft:
        return random.dirichlet(np.full(n_classes, 0.5), size=n)
    return np.eye(n_classes)[random.integers(0, n_classes, size=n)]


def _loss(coefficients, X, Y):
    return 0.5 * float(np.mean(((coefficients.values(X) - Y) ** 2).sum(axis=1)))


@given(kinds, seeds, classes, alphas, st.booleans(), st.booleans())
def test_the_loss_on_all_rows_never_rises_whatever_the_labels(
    kind, seed, n_classes, alpha, soft, intercept
):
    data = table_of_classes(kind, seed, n_classes)
    answer, start, _ = projected(data, "all", alpha=alpha, fit_intercept=intercept)
    random = np.random.default_rng(seed)
    X = np.vstack([data.X, data.X_u])
    guaranteed = (0.5 * answer.squared_distance - answer.solution.gap()) / len(X)
    rounding = 1e-8 + 4.0 * resolution(data)
    for _ in range(5):
        Y = np.vstack([data.y, _labels(random, len(data.X_u), n_classes, soft)])
        before, after = _loss(start, X, Y), _loss(answer.coefficients, X, Y)
        assert after - before <= -guaranteed + rounding * (1.0 + before)


@given(kinds, seeds, classes, alphas)
def test_the_worst_labeling_of_the_certificate_is_covered_by_the_guarantee(
    kind, seed, n_classes, alpha
):
    data = table_of_classes(kind, seed, n_classes)
    model = ProjectedLeastSquaresClassifier(alpha=alpha, penalty="start")
    model.fit(data.X, data.y.argmax(axis=1), X_unlabeled=data.X_u)
    certificate = model.certificate_
    assert certificate.guaranteed_improvement >= 0.0
    rounding = (1e-8 + 4.0 * resolution(data)) * (1.0 + abs(certificate.best_change))
    assert certificate.worst_change <= -certificate.guaranteed_improvement + rounding


@given(well_posed, seeds, classes)
def test_every_problem_is_solved_to_the_default_tolerance(pair, seed, n_classes):
    kind, metric = pair
    answer = projected(table_of_classes(kind, seed, n_classes), metric)[0]
    assert answer.solution.status.is_success
    assert answer.solution.is_optimal(1e-8)


@given(kinds, seeds, classes, st.sampled_from(["soft", "hard", "near"]))
def test_the_labeled_loss_is_never_above_that_of_another_member_of_the_set(
    kind, seed, n_classes, how
):
    data = table_of_classes(kind, seed, n_classes)
    answer, _, constraints = projected(data, "labeled")
    random = np.random.default_rng(seed)
    P = _labels(random, len(data.X_u), n_classes, how == "soft")
    if how == "near":
        P = 0.999 * answer.solution.soft_labels + 0.001 * P
    member = constraints.coefficients(constraints.offset + generators(constraints).T @ P)
    ours, theirs = (_loss(c, data.X, data.y) for c in (answer.coefficients, member))
    assert ours <= theirs + 1e-8 * (1.0 + theirs)


@given(seeds, classes, st.sampled_from([0.0, 0.1, 1.0, 10.0]))
def test_the_gap_bounds_the_distance_to_the_optimum(seed, n_classes, distance):
    random = np.random.default_rng(seed)
    U, r = int(random.integers(1, 60)), int(random.integers(1, 7))
    V = random.normal(size=(U, r))
    target = V.T @ _labels(random, U, n_classes, True)
    target += distance * np.sqrt(U) * random.normal(size=(r, n_classes))
    problem = Problem(V, target).centred()
    best = solve_interior_point(problem)
    P = _labels(random, U, n_classes, True)
    rounding = 1e-9 * problem.scale
    assert problem.objective(P) - best.objective <= problem.gap(P) + rounding
    apart = problem.residual(P) - best.residual
    assert 0.5 * np.vdot(apart, apart) <= problem.gap(P) + best.gap() + rounding


@pytest.mark.parametrize("estimator", ESTIMATORS)
@settings(max_examples=settings().max_examples // 2)
@given(kinds, seeds, classes)
def test_neither_the_order_of_classes_nor_of_rows_matters(estimator, kind, seed, n_classes):
    data = table_of_classes(kind, seed, n_classes)
    random = np.random.default_rng(seed)
    names = random.permutation(n_classes)
    labeled, unlabeled = random.permutation(len(data.X)), random.permutation(len(data.X_u))
    X = np.vstack([data.X, data.X_u])
    y = data.y.argmax(axis=1)
    expected = estimator().fit(data.X, y, X_unlabeled=data.X_u).decision_function(X)
    other = estimator().fit(data.X[labeled], names[y][labeled], X_unlabeled=data.X_u[unlabeled])
    np.testing.assert_allclose(
        other.decision_function(X)[:, names], expected, atol=1e-6 * (1.0 + np.abs(expected).max())
    )


@given(kinds, seeds, st.sampled_from(METRICS), alphas)
def test_two_classes_as_indicators_give_the_binary_answer(kind, seed, metric, alpha):
    data = table(kind, seed)
    if kind.endswith("scale") or kind.endswith("scales"):
        metric = "all" if metric == "euclidean" else metric
    both = Table(
        data.X,
        np.column_stack([1.0 - data.y, data.y]),
        data.X_u,
        np.column_stack([1.0 - data.y_u, data.y_u]),
    )
    X = np.vstack([data.X, data.X_u])
    binary = projected(data, metric, alpha=alpha, tol=1e-10)[0]
    ours = projected(both, metric, alpha=alpha, tol=1e-10)[0]
    values = binary.coefficients.values(X)
    unit = 1.0 + np.abs(values).max()
    # Where a gap is left, it says how far apart the two may be.
    left = np.sqrt(binary.solution.gap() + ours.solution.gap())
    np.testing.assert_allclose(
        ours.coefficients.values(X)[:, 1],
        values,
        atol=(1e-8 + 4.0 * resolution(data)) * unit + (0 if left < 1e-8 else 1e-6),
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
@settings(max_examples=settings().max_examples // 8)
@given(st.integers(min_value=0, max_value=10**6), classes)
def test_thousands_of_rows_give_the_answer_of_the_dense_method(estimator, seed, n_classes):
    random = np.random.default_rng(seed)
    d, n_labeled = int(random.integers(1, 8)), int(random.integers(n_classes, 40))
    X = random.normal(size=(n_labeled, d))
    X_u = random.normal(size=(4000, d)) + random.normal(size=d) * random.integers(0, 2)
    y = (
        X @ random.normal(size=(d, n_classes)) + random.normal(size=(n_labeled, n_classes))
    ).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    ours = estimator(solver="working-set").fit(X, y, X_unlabeled=X_u)
    dense = estimator(solver="interior-point").fit(X, y, X_unlabeled=X_u)
    expected = dense.decision_function(X_u)
    np.testing.assert_allclose(
        ours.decision_function(X_u), expected, atol=1e-6 * (1.0 + np.abs(expected).max())
    )
