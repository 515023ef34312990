"""The solver chosen by itself gives the answer of the dense method, at every size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier

ESTIMATORS = [ICLSClassifier, ProjectedLeastSquaresClassifier]


def _table(seed):
    random = np.random.default_rng(seed)
    d, n_labeled = int(random.integers(1, 12)), int(random.integers(2, 40))
    n_unlabeled = int(10 ** random.uniform(3.5, 4.0))
    X = random.normal(size=(n_labeled, d))
    X_u = random.normal(size=(n_unlabeled, d)) + random.normal(size=d) * random.integers(0, 2)
    y = (X[:, 0] + random.normal(size=n_labeled) > 0).astype(int)
    y[:2] = 0, 1
    return X, y, X_u


def _assert_same(estimator, X, y, X_u):
    ours = estimator().fit(X, y, X_unlabeled=X_u)
    dense = estimator(solver="interior-point").fit(X, y, X_unlabeled=X_u)
    expected = dense.decision_function(X_u)
    np.testing.assert_allclose(
        ours.decision_function(X_u), expected, atol=1e-6 * (1.0 + np.abs(expected).max())
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
@settings(max_examples=settings().max_examples // 2)
@given(st.integers(min_value=0, max_value=10**6))
def test_thousands_of_rows_give_the_answer_of_the_dense_method(estimator, seed):
    _assert_same(estimator, *_table(seed))


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("seed", [732, 419])
def test_targets_next_to_the_boundary_end_no_fit(estimator, seed):
    # Curvature vanished for labels next to their bounds, and a Newton system was singular.
    _assert_same(estimator, *_table(seed))
