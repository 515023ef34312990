"""What must not matter."""

import numpy as np
import pytest
from hypothesis import assume, given

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import Moments, NumpyRows
from tacit.solver import Basis
from tests.properties.strategies import seeds, tables

ESTIMATORS = [LeastSquaresClassifier, ICLSClassifier, ProjectedLeastSquaresClassifier]


def _decisions(estimator, X, y, X_u):
    model = estimator().fit(X, y.astype(int), X_unlabeled=X_u)
    return model.decision_function(np.vstack([X, X_u]))


def _assert_close(a, b, atol=1e-6):
    np.testing.assert_allclose(a, b, atol=atol * (1.0 + np.abs(b).max()))


def _has_full_rank(X):
    """By the rule of the package, which cuts a direction that an outlier drowns."""
    return Basis.of(Moments.of(NumpyRows(X))).rank == X.shape[1] + 1


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(tables(), seeds)
def test_the_order_of_rows_does_not_matter(estimator, data, seed):
    random = np.random.default_rng(seed)
    labeled, unlabeled = random.permutation(len(data.X)), random.permutation(len(data.X_u))
    expected = _decisions(estimator, data.X, data.y, data.X_u)
    order = np.concatenate([labeled, len(data.X) + unlabeled])
    ours = _decisions(estimator, data.X[labeled], data.y[labeled], data.X_u[unlabeled])
    _assert_close(ours, expected[order])


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(tables())
def test_swapping_the_classes_flips_the_decision(estimator, data):
    expected = _decisions(estimator, data.X, data.y, data.X_u)
    _assert_close(-_decisions(estimator, data.X, 1 - data.y, data.X_u), expected)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(tables(regular=True), seeds)
def test_an_invertible_map_of_the_features_does_not_matter(estimator, data, seed):
    random = np.random.default_rng(seed)
    d = data.X.shape[1]
    left, right = (np.linalg.qr(random.normal(size=(d, d)))[0] for _ in range(2))
    mapping = left @ np.diag(random.uniform(0.5, 2.0, size=d)) @ right
    shift = random.normal(size=d)
    X, X_u = data.X @ mapping + shift, data.X_u @ mapping + shift
    # Where rank is missing, the shortest coefficients among equals do depend on the map.
    assume(all(_has_full_rank(rows) for rows in (data.X, X)))
    expected = _decisions(estimator, data.X, data.y, data.X_u)
    _assert_close(_decisions(estimator, X, data.y, X_u), expected, atol=1e-5)
