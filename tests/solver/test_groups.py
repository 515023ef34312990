"""Classes that are alike in the dual are solved for as one and shared out."""

import pickle

import numpy as np
import pytest

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import Block, NumpyRows
from tacit.solver import Coefficients, Problem, Status, solve_interior_point
from tacit.solver._groups import (
    GroupedRule,
    SharedRows,
    alike,
    merged,
    new_groups,
    sizes_of,
    split_groups,
    spread_out,
)
from tacit.solver._labeling import Labeling, SmoothRule
from tacit.solver._zonotope import Zonotope


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


def test_equal_columns_are_alike_at_any_threshold_and_a_chain_of_close_ones_is_one_group():
    Q = np.array([[0.0, 1.0, 2.0, 2.0, 9.0]])
    unit = float(np.linalg.norm(Q))
    for threshold, expected in [
        (0.0, [[0], [1], [2, 3], [4]]),
        (0.99, [[0], [1], [2, 3], [4]]),
        (1.01, [[0, 1, 2, 3], [4]]),
        (7.01, [[0, 1, 2, 3, 4]]),
    ]:
        assert [members.tolist() for members in alike(Q, threshold / unit)] == expected


def test_groups_are_suggested_once_and_neither_all_in_one_nor_each_alone():
    tried = []
    Q = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    assert new_groups(np.ones((2, 3)), tried) is None
    assert new_groups(np.eye(3), tried) is None
    assert tried == []
    groups = new_groups(Q, tried)
    assert [members.tolist() for members in groups] == [[0, 2], [1]]
    assert tried == [[[0, 2], [1]]]
    assert new_groups(Q + 1e-9, tried) is None
    assert len(tried) == 1
    # A hundredth of all of it is close, and a tenth is not.
    for apart, is_close in ((0.01, True), (0.1, False)):
        found = new_groups(Q + apart * np.linalg.norm(Q) * np.eye(3)[:2], [])
        assert (found is not None) == is_close


GROUPS = [np.array([0, 2]), np.array([1]), np.array([3, 4, 5])]


def test_a_group_has_its_column_for_each_class_and_its_classes_the_shares_of_a_rule():
    columns = np.arange(12.0).reshape(4, 3)
    whole = spread_out(columns, GROUPS)
    np.testing.assert_array_equal(whole, columns[:, [0, 1, 0, 2, 2, 2]])
    np.testing.assert_array_equal(merged(whole, GROUPS), columns * [2.0, 1.0, 3.0])
    thirds = np.array([0.5, 0.3, 0.2])
    within = _Shares(np.array([0.25, 0.75])), None, _Shares(thirds)
    labels = GroupedRule(_Shares(np.array([0.2, 0.3, 0.5])), tuple(GROUPS), within)(columns)
    np.testing.assert_allclose(labels[2], [0.05, 0.3, 0.15, *(0.5 * thirds)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missed", [0.0, 0.5])
def test_labels_are_shared_out_so_that_classes_of_a_group_miss_their_targets_alike(
    weighted, missed
):
    problem = _Shared(weighted)
    residual = missed * np.array([[1.0, -0.4, -0.6], [0.3, 0.3, -0.6], [-1.0, 0.0, 1.0]])
    left = spread_out(residual / sizes_of(GROUPS), GROUPS)
    target = problem.V.T @ problem.labels - left
    zonotope = problem.zonotope()
    found = split_groups(zonotope, target, GROUPS, problem.labeling, residual, problem.sample)
    assert found is not None
    labeling, remains = found
    np.testing.assert_allclose(remains, left, atol=1e-9 * len(problem.V))
    labels = labeling.of_rows(zonotope.rows)
    assert labels.min() >= 0.0
    np.testing.assert_allclose(merged(labels, GROUPS), problem.shares, atol=1e-12)
    np.testing.assert_allclose(problem.V.T @ labels - target, remains, atol=1e-8)
    moved = problem.weights[:, None] * labels
    np.testing.assert_allclose(labeling.mass, moved.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(labeling.total, problem.X.T @ moved, atol=1e-8)
    assert 2 <= zonotope.n_sweeps <= 7
    # Where the classes of one group cannot share what they have, there are no such labels.
    target[:, 3] += 1e3
    target[:, 4] -= 1e3
    assert (
        split_groups(zonotope, target, GROUPS, problem.labeling, residual, problem.sample) is None
    )


def test_a_group_without_any_row_of_the_sample_is_not_shared_out():
    problem = _Shared(True)
    X, V, weights = problem.sample
    target = problem.V.T @ problem.labels
    settings = problem.zonotope(), target, GROUPS, problem.labeling, np.zeros((3, 3))
    assert split_groups(*settings, (X, V, weights)) is not None
    assert split_groups(*settings, (X, V, 0.0 * weights)) is None


class _Shared:
    """Rows with smooth shares of three groups, which their classes share smoothly too."""

    def __init__(self, weighted):
        random = np.random.default_rng(0)
        n = 300
        self.X = random.normal(size=(n, 2))
        self.weights = random.uniform(0.5, 2.0, n) if weighted else np.ones(n)
        self.given = self.weights if weighted else None
        self.functions = Coefficients(random.normal(size=(2, 3)), random.normal(size=3))
        generators = self.functions.values(self.X)
        self.V = self.weights[:, None] * generators
        rule = SmoothRule(Coefficients(random.normal(size=(2, 3)), np.zeros(3)))
        self.shares = rule(self.X)
        within = [
            SmoothRule(Coefficients(0.5 * random.normal(size=(2, size)), np.zeros(size)))
            for size in (2, 3)
        ]
        self.labels = GroupedRule(rule, tuple(GROUPS), (within[0], None, within[1]))(self.X)
        moved = self.weights[:, None] * self.shares
        self.labeling = Labeling(None, rule, moved.sum(axis=0), self.X.T @ moved)
        self.sample = self.X, generators, self.weights

    def zonotope(self):
        return Zonotope(NumpyRows(self.X, self.given), self.functions)


class _Shares:
    def __init__(self, shares):
        self.shares = shares

    def __call__(self, X):
        return np.tile(self.shares, (len(X), 1))


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
    plain = SharedRows(NumpyRows(X), rule, 1, 3.0).reduce(_weighted_sum, np.add)
    np.testing.assert_allclose(plain, 0.5 * X.sum(axis=0))


class _HalfAndHalf:
    def __call__(self, X):
        return np.full((len(X), 2), 0.5)


def _weighted_sum(block: Block):
    return block.weights @ block.X
