"""The penalty chosen by leave-one-out, against the slow way and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
)
from tacit.solver._least_squares import LOO_GRID
from tests.estimators.tables import partly_labeled


def grid(X: np.ndarray, weights: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """The documented penalties: 41 from 1e-6 to 1e4 of a centred column's mean squared length."""
    centred = X - np.average(X, axis=0, weights=weights) if fit_intercept else X
    unit = (weights[:, None] * centred**2).sum() / X.shape[1]
    return np.asarray(np.logspace(-6, 4, 41) * unit)


def brute_force_errors(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, fit_intercept: bool
) -> np.ndarray:
    """The weighted squared error of every penalty, one refit for each row that is left out."""
    errors = []
    for alpha in grid(X, weights, fit_intercept):
        total = 0.0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            beta, constant = ridge(X[rest], y[rest], weights[rest], alpha, fit_intercept)
            total += weights[i] * float(((X[i] @ beta + constant - y[i]) ** 2).sum())
        errors.append(total)
    return np.array(errors)


def ridge(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, alpha: float, fit_intercept: bool
) -> tuple[np.ndarray, Any]:
    mean_X = np.average(X, axis=0, weights=weights) if fit_intercept else np.zeros(X.shape[1])
    mean_y = np.average(y, axis=0, weights=weights) if fit_intercept else 0.0
    Z, t = X - mean_X, y - mean_y
    weighted = weights[:, None] * Z
    beta = np.linalg.solve(weighted.T @ Z + alpha * np.eye(X.shape[1]), weighted.T @ t)
    return beta, mean_y - mean_X @ beta


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_features", [3, 15])
def test_the_penalty_is_the_one_that_refitting_without_each_row_would_choose(
    fit_intercept: bool, weighted: bool, n_classes: int, n_features: int
) -> None:
    data = partly_labeled(n_labeled=16, n_features=n_features, n_classes=n_classes, seed=4)
    X, y = data.labeled
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    targets = np.eye(n_classes)[y]
    targets = targets[:, 1] if n_classes == 2 else targets
    errors = brute_force_errors(X, targets, weights, fit_intercept)
    model = LeastSquaresClassifier(alpha="loo", fit_intercept=fit_intercept)
    model.fit(X, y, sample_weight=weights if weighted else None)
    best = int(errors.argmin())
    assert 0 < best < 40
    np.testing.assert_allclose(model.alpha_, grid(X, weights, fit_intercept)[best], rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_penalty_is_the_one_of_scikit_learn_on_the_same_grid(
    fit_intercept: bool, seed: int
) -> None:
    X, y = partly_labeled(n_labeled=25, n_features=8, seed=seed).labeled
    alphas = grid(X, np.ones(len(X)), fit_intercept)
    theirs = RidgeCV(alphas=alphas, fit_intercept=fit_intercept).fit(X, y)
    model = LeastSquaresClassifier(alpha="loo", fit_intercept=fit_intercept).fit(X, y)
    assert model.alpha_ == pytest.approx(theirs.alpha_, rel=1e-12)
    np.testing.assert_allclose(model.coef_[0], theirs.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_[0] + 0.5, theirs.intercept_, rtol=1e-6)


def test_the_grid_has_41_values_a_quarter_of_a_decade_apart() -> None:
    assert len(LOO_GRID) == 41
    np.testing.assert_allclose(np.diff(np.log10(LOO_GRID)), 0.25)


def test_the_chosen_penalty_follows_the_units_of_the_features() -> None:
    X, y = partly_labeled(n_labeled=25, n_features=8).labeled
    model = LeastSquaresClassifier(alpha="loo").fit(X, y)
    scaled = LeastSquaresClassifier(alpha="loo").fit(1e3 * X, y)
    assert scaled.alpha_ == pytest.approx(1e6 * model.alpha_)
    np.testing.assert_allclose(
        scaled.decision_function(1e3 * X), model.decision_function(X), atol=1e-9
    )


def test_the_chosen_penalty_does_not_depend_on_where_zero_is() -> None:
    X, y = partly_labeled(n_labeled=25, n_features=8).labeled
    model = LeastSquaresClassifier(alpha="loo").fit(X, y)
    moved = LeastSquaresClassifier(alpha="loo").fit(X + 1e5, y)
    assert moved.alpha_ == pytest.approx(model.alpha_)


@pytest.mark.parametrize("estimator", [ICLSClassifier, ProjectedLeastSquaresClassifier])
def test_the_choice_is_made_on_the_labeled_rows_alone(estimator: Any) -> None:
    data = partly_labeled(n_labeled=14, n_features=8)
    supervised = LeastSquaresClassifier(alpha="loo").fit(*data.labeled)
    model = estimator(alpha="loo").fit(data.X, data.marked)
    assert model.alpha_ == supervised.alpha_ > 0
    np.testing.assert_array_equal(model.supervised_coef_, supervised.coef_)
    fixed = estimator(alpha=model.alpha_).fit(data.X, data.marked)
    np.testing.assert_array_equal(model.coef_, fixed.coef_)


def test_constant_features_leave_nothing_to_penalise() -> None:
    X = np.ones((10, 3))
    y = np.arange(10) % 2
    model = LeastSquaresClassifier(alpha="loo").fit(X, y)
    assert model.alpha_ == 0.0
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-12)


def test_two_labeled_rows_are_enough() -> None:
    X = np.array([[0.0, 1.0], [1.0, 3.0]])
    model = LeastSquaresClassifier(alpha="loo").fit(X, [0, 1])
    assert np.isfinite(model.alpha_)
    assert model.predict(X).tolist() == [0, 1]
