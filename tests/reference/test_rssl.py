"""The answers of the R reference implementation on fixed problems."""

import json

import numpy as np
import pytest

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tests.shared_data import RSSL

pytestmark = pytest.mark.skipif(
    not RSSL, reason="no reference answers: set TACIT_SHARED to the folder with reference/rssl"
)


@pytest.fixture(params=RSSL, ids=lambda path: path.stem)
def problem(request):
    loaded = json.loads(request.param.read_text())
    names = ("X", "y", "X_unlabeled", "X_test")
    return {name: np.array(loaded[name]) for name in names} | {"results": loaded["results"]}


def _fit(estimator, problem):
    return estimator.fit(problem["X"], problem["y"], X_unlabeled=problem["X_unlabeled"])


METHODS = {
    "least_squares": LeastSquaresClassifier,
    "icls_qp": ICLSClassifier,
    "projected_semisupervised_qp": ProjectedLeastSquaresClassifier,
    "projected_euclidean_qp": lambda: ProjectedLeastSquaresClassifier(metric="euclidean"),
}


@pytest.mark.parametrize("name", METHODS)
def test_coefficients_equal_the_reference(problem, name):
    model = _fit(METHODS[name](), problem)
    theta = np.ravel(problem["results"][name]["theta"])
    ours = np.concatenate([model.intercept_ + 0.5, model.coef_[0]])
    np.testing.assert_allclose(ours, theta, atol=1e-6, rtol=0)


def test_ridge_coefficients_equal_the_reference_at_its_penalty_times_the_labels(problem):
    model = _fit(LeastSquaresClassifier(alpha=0.1 * len(problem["y"])), problem)
    theta = np.ravel(problem["results"]["least_squares_ridge"]["theta"])
    ours = np.concatenate([model.intercept_ + 0.5, model.coef_[0]])
    np.testing.assert_allclose(ours, theta, atol=1e-6, rtol=0)


def test_lbfgsb_finds_the_reference_coefficients_too(problem):
    model = _fit(ICLSClassifier(solver="lbfgsb"), problem)
    theta = np.ravel(problem["results"]["icls_qp"]["theta"])
    ours = np.concatenate([model.intercept_ + 0.5, model.coef_[0]])
    np.testing.assert_allclose(ours, theta, atol=1e-6, rtol=0)


def test_self_learning_predicts_what_the_reference_predicts(problem):
    model = _fit(SelfLearningClassifier(), problem)
    expected = np.ravel(problem["results"]["self_learning_ls"]["predict"])
    np.testing.assert_array_equal(model.predict(problem["X_test"]), expected)


def test_soft_labels_give_the_reference_its_own_labeled_loss_or_less(problem):
    # L-BFGS-B in the reference stops early; ours is never worse on what both minimise.
    model = _fit(ICLSClassifier(), problem)
    theta = np.ravel(problem["results"]["icls_lbfgs"]["theta"])
    X, y = problem["X"], problem["y"]
    ours = np.sum((model.decision_function(X) + 0.5 - y) ** 2)
    theirs = np.sum((theta[0] + X @ theta[1:] - y) ** 2)
    # Theirs may leave the constraint set by its own tolerance.
    assert ours <= theirs + 1e-3
