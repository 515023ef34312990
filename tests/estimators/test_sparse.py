"""Sparse features give the model that the same numbers give as an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tests.estimators.tables import ALL, SEMI_SUPERVISED, assert_same_model, partly_labeled

DATA = partly_labeled(n_labeled=10, n_unlabeled=50, n_features=5)
X = np.where(np.abs(DATA.X) > 0.8, DATA.X, 0.0)
MARKED, KNOWN = DATA.marked, DATA.known


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
@pytest.mark.parametrize("estimator", ALL)
def test_sparse_rows_give_the_model_of_dense_ones(estimator: Any, form: Any) -> None:
    dense = estimator().fit(X, MARKED)
    sparse = estimator().fit(form(X), MARKED)
    assert_same_model(sparse, dense)
    np.testing.assert_array_equal(sparse.predict(form(X)), dense.predict(X))
    np.testing.assert_allclose(
        sparse.decision_function(form(X)), dense.decision_function(X), atol=1e-9
    )
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(X))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.5, "loo"])
@pytest.mark.parametrize("estimator", sorted(set(ALL) - {SelfLearningClassifier}, key=repr))
def test_penalty_intercept_and_weights_work_on_sparse_rows(
    estimator: Any, alpha: Any, fit_intercept: bool
) -> None:
    weights = np.linspace(0.5, 2.0, len(X))
    chosen = {"alpha": alpha, "fit_intercept": fit_intercept}
    dense = estimator(**chosen).fit(X, MARKED, sample_weight=weights)
    sparse = estimator(**chosen).fit(sp.csr_array(X), MARKED, sample_weight=weights)
    assert_same_model(sparse, dense)
    assert sparse.alpha_ == pytest.approx(dense.alpha_)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_sparse_and_dense_rows_can_be_mixed(estimator: Any) -> None:
    dense = estimator().fit(X, MARKED)
    labeled, labels, pool = X[KNOWN], DATA.y[KNOWN], X[~KNOWN]
    for rows, apart in (
        (labeled, sp.csr_array(pool)),
        (sp.csr_array(labeled), pool),
        (sp.csr_array(labeled), sp.csr_array(pool)),
    ):
        assert_same_model(estimator().fit(rows, labels, apart), dense)
    some = MARKED.copy()
    some[~KNOWN] = -1
    both = estimator().fit(sp.csr_array(X[:40]), some[:40], X[40:][~KNOWN[40:]])
    assert_same_model(both, estimator().fit(X[:40], some[:40], X[40:][~KNOWN[40:]]))


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_the_certificate_of_sparse_rows_is_that_of_dense_ones(estimator: Any) -> None:
    dense = estimator().fit(X, MARKED).certificate_
    sparse = estimator().fit(sp.csr_array(X), MARKED).certificate_
    assert sparse.worst_change == pytest.approx(dense.worst_change, abs=1e-9)
    assert sparse.best_change == pytest.approx(dense.best_change, abs=1e-9)
    assert sparse.n_unlabeled == dense.n_unlabeled == (~KNOWN).sum()


def test_self_learning_hands_sparse_rows_to_its_base() -> None:
    dense = SelfLearningClassifier(LogisticRegression()).fit(X, MARKED)
    sparse = SelfLearningClassifier(LogisticRegression()).fit(sp.csr_array(X), MARKED)
    np.testing.assert_array_equal(sparse.soft_labels_, dense.soft_labels_)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-3)
    with pytest.raises(TypeError, match=r"Sparse data was passed.*dense data is required"):
        SelfLearningClassifier(GaussianNB()).fit(sp.csr_array(X), MARKED)


@pytest.mark.parametrize("estimator", ALL)
def test_values_that_are_not_finite_are_refused_in_sparse_rows_too(estimator: Any) -> None:
    spoiled = X.copy()
    spoiled[0, 0] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        estimator().fit(sp.csr_array(spoiled), MARKED)
    with pytest.raises(ValueError, match="X_unlabeled cannot be used: Input X contains NaN"):
        estimator().fit(X, MARKED, sp.csr_array(spoiled))


def test_sparse_rows_are_not_changed_by_fitting() -> None:
    rows = sp.csr_array(X)
    ICLSClassifier().fit(rows, MARKED)
    LeastSquaresClassifier(alpha="loo").fit(rows, MARKED)
    np.testing.assert_array_equal(rows.toarray(), X)
