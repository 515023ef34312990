"""The least-squares family beside the R reference implementation on fixed problems."""

import json

import numpy as np
import pytest

from tacit.estimators._kernel import KernelLeastSquaresClassifier
from tacit.estimators._kernel_icls import KernelICLSClassifier
from tacit.family._soft_self_learning import SoftSelfLearningClassifier
from tacit.family._usm import USMClassifier
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


def _scaled(problem, *names):
    """Tables in units of the standard deviation of the first ones, as the reference has them."""
    rows = np.vstack([problem[name] for name in names])
    mean, deviation = rows.mean(axis=0), rows.std(axis=0, ddof=1)
    return {n: (problem[n] - mean) / deviation for n in ("X", "X_unlabeled", "X_test")}


def test_the_updated_second_moment_decides_as_the_reference(problem):
    model = _fit(USMClassifier(), problem)
    expected = np.ravel(problem["results"]["usm"]["decision"])
    ours = model.decision_function(problem["X_test"]) + 0.5
    np.testing.assert_allclose(ours, expected, atol=1e-6, rtol=0)


def test_the_objective_of_soft_self_learning_is_never_above_the_reference(problem):
    model = _fit(SoftSelfLearningClassifier(), problem)
    theta = np.ravel(problem["results"]["em_ls_label"]["theta"])

    def objective(intercept, coef):
        values = intercept + problem["X_unlabeled"] @ coef
        labeled = intercept + problem["X"] @ coef - problem["y"]
        outside = values - np.clip(values, 0.0, 1.0)
        return float(labeled @ labeled + outside @ outside)

    ours = objective(model.intercept_[0] + 0.5, model.coef_[0])
    assert ours <= objective(theta[0], theta[1:]) * (1 + 1e-12)
    np.testing.assert_allclose(model.coef_[0], theta[1:], atol=1e-6, rtol=0)
    expected = np.ravel(problem["results"]["em_ls_label"]["responsibilities"])
    np.testing.assert_allclose(model.soft_labels_, expected, atol=1e-6, rtol=0)


def _kernel_least_squares(problem, tables, **options):
    alpha = 0.01 * len(problem["y"])  # its penalty is on the mean loss
    return KernelLeastSquaresClassifier("rbf", alpha, gamma=0.5, **options).fit(
        tables["X"], problem["y"]
    )


def test_kernel_least_squares_without_a_constant_gives_the_reference(problem):
    # The reference fits y less its mean and adds that mean, where a fitted constant belongs. By
    # linearity this is a combination of the fits of y and of 1 - y.
    tables = _scaled(problem, "X")
    model = _kernel_least_squares(problem, tables, fit_intercept=False)
    ours = model.decision_function(tables["X_test"]) + 0.5
    swapped = problem | {"y": 1 - problem["y"]}
    other = _kernel_least_squares(swapped, tables, fit_intercept=False)
    others = other.decision_function(tables["X_test"]) + 0.5
    mean = problem["y"].mean()
    expected = np.ravel(problem["results"]["kernel_ls_rbf"]["decision"])
    np.testing.assert_allclose((1 - mean) * ours - mean * others + mean, expected, atol=1e-6)


def test_a_fitted_constant_has_a_smaller_penalised_loss_than_the_mean(problem):
    tables = _scaled(problem, "X")
    model = _kernel_least_squares(problem, tables)
    K = np.exp(-0.5 * ((tables["X"][:, None] - tables["X"][None]) ** 2).sum(axis=2))

    def objective(dual, constant):
        residual = K @ dual + constant - problem["y"]
        return float(residual @ residual + 0.01 * len(dual) * dual @ K @ dual)

    theirs = np.ravel(problem["results"]["kernel_ls_rbf"]["theta"])
    ours = objective(model.dual_coef_[0], model.intercept_[0] + 0.5)
    assert ours <= objective(theirs, problem["y"].mean()) + 1e-12


@pytest.mark.parametrize("metric", ["labeled", "all"])
def test_kernel_icls_predicts_much_as_the_reference_where_that_is_sane(problem, metric):
    expected = np.ravel(problem["results"]["kernel_icls_rbf"]["decision"])
    tables = _scaled(problem, "X", "X_unlabeled")
    model = KernelICLSClassifier("rbf", metric, alpha=0.01 * len(problem["y"]), gamma=0.5)
    model.fit(tables["X"], problem["y"], X_unlabeled=tables["X_unlabeled"])
    ours = model.decision_function(tables["X_test"]) + 0.5
    assert np.abs(ours).max() < 3.0
    if problem["X"].shape[1] == 2:
        # Without the penalty in its joint fit the reference interpolates, and runs away.
        assert np.abs(expected).max() > 3.0
    else:
        assert np.mean((ours > 0.5) == (expected > 0.5)) >= 0.9
        np.testing.assert_allclose(ours, expected, atol=0.15)
