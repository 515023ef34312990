"""Classes that are alike in the dual are solved for as one and shared out."""

import pickle

import numpy as np
import pytest

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import Block, NumpyRows
from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver._groups import (
    GroupedRule,
    SharedRows,
    alike,
    merged,
    sizes_of,
)


def _table(seed, n_rows=6000):
    """Two classes that no feature tells apart, besides one that is easy to tell."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0.5, 2, random.integers(0, 2, size=n_rows))
    y[:3] = 0, 1, 2
    return X[:60], y[:60], X[60:]


def test_columns_that_are_close_form_groups():
    Q = np.array([[0.0, 1.0, 0.001, 5.0, 1.001], [0.0, 2.0, 0.0, 0.0, 2.0]])
    groups = alike(Q, 0.03)
    assert [members.tolist() for members in groups] == [[0, 2], [1, 4], [3]]
    assert sizes_of(groups).tolist() == [2.0, 2.0, 1.0]
    np.testing.assert_allclose(merged(Q, groups)[:, 1], Q[:, 1] + Q[:, 4])


@pytest.mark.parametrize("seed", range(6))
def test_a_column_of_size_m_is_m_equal_classes(seed):
    # With equal targets two classes share everything, so one of size two does as well.
    random = np.random.default_rng(seed)
    V = random.normal(size=(40, 3))
    T = 20.0 * random.normal(size=(3, 2))
    both = Problem(V, np.column_stack([T[:, 0], T[:, 1], T[:, 1]])).centred()
    one = Problem(V, T * [1.0, 2.0], sizes=np.array([1.0, 2.0])).centred()
    split, joined = solve_interior_point(both), solve_interior_point(one)
    assert joined.is_optimal(1e-8)
    assert joined.objective == pytest.approx(split.objective, rel=1e-7)
    np.testing.assert_allclose(joined.dual[:, 1], split.dual[:, 1], atol=1e-6 * np.sqrt(one.scale))
    P = random.dirichlet(np.ones(2), size=40)
    assert one.objective(P) - joined.objective <= one.gap(P) + 1e-9 * one.scale


def test_a_nearly_reachable_target_in_very_many_classes_is_no_obstacle():
    # Rounding had ended the interior-point method before the default tolerance.
    random = np.random.default_rng(0)
    X = random.normal(size=(1200, 8))
    scores = X @ random.normal(size=(8, 16))
    y = (scores + 2.0 * np.median(np.abs(scores)) * random.normal(size=scores.shape)).argmax(axis=1)
    y[:16] = np.arange(16)
    model = ProjectedLeastSquaresClassifier().fit(X[:100], y[:100], X_unlabeled=X[100:])
    assert model.solution_.status.is_success
    assert model.solution_.relative_gap() <= 1e-8


@pytest.mark.parametrize("estimator", [ICLSClassifier, ProjectedLeastSquaresClassifier])
@pytest.mark.parametrize("seed", range(3))
def test_alike_classes_are_solved_without_holding_all_rows(estimator, seed):
    X, y, X_u = _table(seed)
    told = []
    prior = [0.6, 0.2, 0.2]  # far from what is reachable for the first class
    model = estimator(solver="working-set", class_prior=prior)
    model._progress = lambda: told.append
    model.fit(X, y, X_unlabeled=X_u)
    dense = estimator(solver="interior-point", class_prior=prior).fit(X, y, X_unlabeled=X_u)
    assert model.solution_.status.is_success
    assert model.solution_.relative_gap() <= 1e-8
    expected = dense.decision_function(X_u)
    unit = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(model.decision_function(X_u), expected, atol=1e-6 * unit)
    if any("groups" in text for text in told) and model.solution_.status is Status.OPTIMAL:
        P = model.soft_labels_
        assert P.min() >= 0.0
        np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(P.mean(axis=0), prior, atol=1e-9)


def test_groups_are_met_in_these_tests():
    X, y, X_u = _table(0)
    told = []
    model = ProjectedLeastSquaresClassifier(solver="working-set", class_prior=[0.6, 0.2, 0.2])
    model._progress = lambda: told.append
    model.fit(X, y, X_unlabeled=X_u)
    assert any("groups" in text for text in told)
    assert isinstance(model.solution_.labeling.rule, GroupedRule)


def test_shared_rows_weigh_what_the_rule_says_and_can_travel():
    X = np.arange(12.0).reshape(6, 2)
    rule = _HalfAndHalf()
    rows = pickle.loads(pickle.dumps(SharedRows(NumpyRows(X, np.full(6, 2.0)), rule, 1, 6.0)))
    assert rows.n_rows == 6
    assert rows.n_features == 2
    total = rows.reduce(_weighted_sum, np.add)
    np.testing.assert_allclose(total, X.sum(axis=0))
    np.testing.assert_allclose(rows.map(rule), np.full((6, 2), 0.5))


class _HalfAndHalf:
    def __call__(self, X):
        return np.full((len(X), 2), 0.5)


def _weighted_sum(block: Block):
    return block.weights @ block.X
