"""Rounds over the rows must end at the answer of the dense method, on easy and on hard data."""

import numpy as np
import pytest

from benchmarks.instances import HARD, gaussian
from tacit import ICLSClassifier
from tacit.rows import Moments, NumpyRows
from tacit.solver import (
    Basis,
    Coefficients,
    ConstraintSet,
    LabeledRows,
    Method,
    project,
)
from tacit.solver._least_squares import fit_least_squares
from tacit.solver._zonotope import Zonotope
from tests.estimators.sources import CountedRows
from tests.problems import Table, generators, projected

METRICS = ("labeled", "all")
INSTANCES = (gaussian, *HARD)


def _table(make, n_unlabeled=4000, d=10):
    instance = make(d + 5, n_unlabeled, d)
    return Table(instance.X, instance.y, instance.X_unlabeled, np.zeros(n_unlabeled))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("make", INSTANCES, ids=lambda make: make.__name__)
def test_the_answer_is_that_of_the_dense_method(make, metric):
    data = _table(make)
    ours = projected(data, metric, "working-set")[0]
    dense, _, _ = projected(data, metric, "interior-point")
    assert ours.solution.status.is_success
    assert ours.solution.is_optimal(1e-8)
    assert ours.inside == dense.inside
    values = dense.coefficients.values(data.X_u)
    unit = np.abs(values).max()
    np.testing.assert_allclose(ours.coefficients.values(data.X_u), values, atol=1e-8 * unit)


# In the metric of the labeled rows and in that of all rows, one more than there are; more where
# rounding decides, which differs between processors.
SWEEPS = {
    "gaussian": (3, 3),
    "heavy_tails": (4, 3),
    "correlated": (3, 3),
    "one_hot": (7, 7),
    # One category a row: two solves in a row, both of targets on the boundary of the set.
    "one_column_of_categories": (36, 20),
    "unbalanced": (3, 3),
    "outliers": (4, 3),
    "feasible": (12, 12),
    "nearly_feasible": (19, 19),
    "fewer_labels_than_columns": (4, 3),
}


@pytest.mark.parametrize("make", INSTANCES, ids=lambda make: make.__name__)
def test_few_sweeps_suffice(make):
    for metric, most in zip(METRICS, SWEEPS[make.__name__], strict=True):
        solution = projected(_table(make), metric, "working-set")[0].solution
        assert solution.n_sweeps <= most


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("make", INSTANCES, ids=lambda make: make.__name__)
def test_the_rule_gives_labels_that_lead_to_the_coefficients(make, metric):
    data = _table(make)
    answer, start, constraints = projected(data, metric, "working-set")
    rows = NumpyRows(data.X_u)
    u = answer.solution.labeling.of_rows(rows)
    assert u.shape == (len(data.X_u),)
    assert ((u >= 0.0) & (u <= 1.0)).all()
    theta = constraints.offset + u @ generators(constraints)
    expected = start if answer.inside else answer.coefficients
    unit = np.abs(start.values(data.X_u)).max()
    difference = constraints.coefficients(theta).values(data.X_u) - expected.values(data.X_u)
    assert np.abs(difference).max() <= 1e-7 * unit


def test_rows_that_are_equal_share_their_label():
    random = np.random.default_rng(0)
    distinct = random.normal(size=(40, 3))
    X_u = distinct[random.integers(0, 40, size=5000)]
    X = random.normal(size=(8, 3)) * 3
    data = Table(X, (X[:, 0] > 0).astype(float), X_u, np.zeros(5000))
    answer = projected(data, "all", "working-set")[0]
    dense = projected(data, "all", "interior-point")[0]
    np.testing.assert_allclose(answer.coefficients.coef, dense.coefficients.coef, atol=1e-9)
    u = answer.solution.labeling.of_rows(NumpyRows(X_u))
    for row in distinct[:10]:
        assert len(np.unique(u[(X_u == row).all(axis=1)])) <= 1


def test_the_answer_does_not_depend_on_the_blocks():
    data = _table(gaussian)
    whole = projected(data, "labeled", "working-set")[0].coefficients
    order = np.random.default_rng(0).permutation(len(data.X_u))
    shuffled = Table(data.X, data.y, data.X_u[order], data.y_u)
    other = projected(shuffled, "labeled", "working-set")[0].coefficients
    np.testing.assert_allclose(other.coef, whole.coef, atol=1e-10)


def test_a_mean_far_from_zero_costs_no_accuracy():
    data = _table(gaussian)
    far = Table(data.X + 1e6, data.y, data.X_u + 1e6, data.y_u)
    near = projected(data, "labeled", "working-set")[0].coefficients
    moved = projected(far, "labeled", "working-set")[0].coefficients
    np.testing.assert_allclose(moved.coef, near.coef, atol=1e-7)


@pytest.mark.parametrize("make", INSTANCES, ids=lambda make: make.__name__)
def test_a_single_round_gives_labels_with_an_honest_gap(make):
    data = _table(make)
    moments = Moments.of(NumpyRows(data.X))
    basis = Basis.of(moments)
    start = fit_least_squares(basis, data.X, data.y, None)
    constraints = ConstraintSet.of(LabeledRows(data.X, data.y, None), moments, NumpyRows(data.X_u))
    answer = project(constraints, start, "all", basis.rank, Method("working-set", 1e-8, 1))
    solution = answer.solution
    best = projected(data, "all", "interior-point")[0].solution
    assert solution.status.is_success == solution.is_optimal(1e-8)
    rounding = 1e-9 * solution.scale
    assert solution.objective - best.objective <= solution.gap() + rounding


def test_a_sweep_tells_what_it_says():
    random = np.random.default_rng(1)
    X, weights = random.normal(size=(500, 3)), random.uniform(size=500)
    functions = Coefficients(random.normal(size=(3, 2)), random.normal(size=2))
    rows = NumpyRows(X, weights)
    rows.block_rows = 70
    zonotope = Zonotope(rows, functions)
    V = functions.values(X) * weights[:, None]
    q, previous = random.normal(size=2), random.normal(size=2)
    sweep = zonotope.sweep([q, previous], threshold=0.2, limit=1000, previous=(previous, 0.1))
    s, before = functions.values(X) @ q, functions.values(X) @ previous
    minima = [np.minimum(V @ vector, 0.0).sum() for vector in (q, previous)]
    np.testing.assert_allclose(sweep.minima, minima)
    np.testing.assert_allclose(sweep.reached, V[s < 0].sum(axis=0))
    np.testing.assert_allclose(sweep.total, weights[s < 0] @ X[s < 0])
    assert len(sweep.near) == (np.abs(s) <= 0.2).sum()
    assert (np.diff(sweep.near.distance) >= 0).all()
    crossed = (np.abs(before) > 0.1) & ((s < 0) != (before < 0))
    np.testing.assert_allclose(sweep.crossed, (weights * np.abs(s))[crossed].sum())
    assert zonotope.n_sweeps == 1


def test_near_rows_beyond_the_limit_are_the_nearest():
    random = np.random.default_rng(1)
    X = random.normal(size=(1000, 2))
    rows = NumpyRows(X)
    rows.block_rows = 90
    q = np.array([1.0, -0.5])
    near = Zonotope(rows, Coefficients(np.eye(2), np.zeros(2))).sweep([q], np.inf, 50).near
    np.testing.assert_allclose(near.distance, np.sort(np.abs(X @ q))[:50])


def test_negative_zeros_are_zeros():
    # Rows with -0.0 once missed their fractional labels.
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(4024, 10)) * 2)
    y = random.integers(0, 2, size=24).astype(float)
    y[:2] = 0.0, 1.0
    data = Table(X[:24], y, X[24:], np.zeros(4000))
    answer, _, constraints = projected(data, "all", "working-set")
    u = answer.solution.labeling.of_rows(NumpyRows(data.X_u))
    theta = constraints.offset + u @ generators(constraints)
    np.testing.assert_allclose(
        constraints.coefficients(theta).coef, answer.coefficients.coef, atol=1e-10
    )


def test_a_sample_without_weight_is_no_sample():
    random = np.random.default_rng(0)
    X = random.normal(size=(5010, 3))
    y = np.concatenate([random.integers(0, 2, size=10), np.full(5000, -1)])
    y[:2] = 0, 1
    weights = np.where(np.arange(5010) < 13, 1.0, 0.0)
    ours = ICLSClassifier().fit(X, y, sample_weight=weights)
    few = ICLSClassifier().fit(X[:13], y[:13])
    np.testing.assert_allclose(ours.coef_, few.coef_, atol=1e-9)


def test_the_sweeps_of_both_solves_are_counted_where_ties_are_broken():
    data = _table(HARD[-1], n_unlabeled=20_000)
    rows = CountedRows(NumpyRows(data.X_u))
    model = ICLSClassifier().fit(data.X, data.y, X_unlabeled=rows)
    # One more for the moments and one for the certificate.
    assert rows.n_sweeps == model.solution_.n_sweeps + 2
