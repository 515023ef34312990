"""Supervised least squares against NumPy and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier

from tacit import LeastSquaresClassifier
from tests.estimators.tables import PartlyLabeled, partly_labeled

TABLES = [partly_labeled(n_labeled=30, n_unlabeled=10, seed=seed) for seed in range(3)]
ALPHAS = [0.0, 1e-3, 1.0, 50.0]


def with_intercept(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(X)), X])


@pytest.mark.parametrize("data", TABLES)
def test_coefficients_are_those_of_numpy(data: PartlyLabeled) -> None:
    X, y = data.labeled
    model = LeastSquaresClassifier().fit(X, y)
    beta = np.linalg.lstsq(with_intercept(X), y)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], beta[0] - 0.5, rtol=1e-10, atol=1e-12)
    assert model.rank_ == 5
    assert model.alpha_ == 0.0
    plain = LeastSquaresClassifier(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(plain.coef_[0], np.linalg.lstsq(X, y)[0], rtol=1e-10, atol=1e-12)
    assert plain.intercept_.tolist() == [-0.5]
    assert plain.rank_ == 4


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_a_penalty_means_what_it_means_to_scikit_learn(
    alpha: float, fit_intercept: bool, weighted: bool
) -> None:
    for data in TABLES:
        X, y = data.labeled
        weights = np.random.default_rng(0).uniform(0.1, 5.0, len(y)) if weighted else None
        model = LeastSquaresClassifier(alpha=alpha, fit_intercept=fit_intercept)
        model.fit(X, y, sample_weight=weights)
        ridge = Ridge(alpha=alpha, fit_intercept=fit_intercept, solver="svd")
        ridge.fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(model.coef_[0], ridge.coef_, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(model.intercept_[0] + 0.5, ridge.intercept_, rtol=1e-8)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_predictions_are_those_of_the_ridge_classifier(alpha: float, n_classes: int) -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=200, n_classes=n_classes, seed=n_classes)
    model = LeastSquaresClassifier(alpha=alpha).fit(*data.labeled)
    theirs = RidgeClassifier(alpha=alpha, solver="svd").fit(*data.labeled)
    # Theirs regresses on -1 and 1, so that its coefficients are twice as long.
    their_coef = np.atleast_2d(theirs.coef_)
    np.testing.assert_allclose(2.0 * model.coef_, their_coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(2.0 * model.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(model.predict(data.X), theirs.predict(data.X))
    assert model.decision_function(data.X).shape == theirs.decision_function(data.X).shape


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_more_than_two_classes_are_one_regression_a_class_and_the_largest_wins(
    alpha: float,
) -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=60, n_classes=4)
    X, y = data.labeled
    model = LeastSquaresClassifier(alpha=alpha).fit(X, y)
    assert model.coef_.shape == (4, 4)
    assert model.intercept_.shape == (4,)
    for label in range(4):
        one = LeastSquaresClassifier(alpha=alpha).fit(X, y == label)
        np.testing.assert_allclose(model.coef_[label], one.coef_[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(model.intercept_[label], one.intercept_[0], atol=1e-12)
        np.testing.assert_allclose(
            model.decision_function(data.X)[:, label], one.decision_function(data.X), atol=1e-12
        )
    decisions = model.decision_function(data.X)
    np.testing.assert_array_equal(model.predict(data.X), decisions.argmax(axis=1))
    # With an intercept the values of all classes add up to one in every row.
    np.testing.assert_allclose((decisions + 0.5).sum(axis=1), 1.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_gradient_of_the_penalised_loss_is_zero_and_the_intercept_is_free(
    fit_intercept: bool, weighted: bool
) -> None:
    data = TABLES[0]
    X, y = data.labeled
    weights = np.linspace(0.5, 3.0, len(y)) if weighted else np.ones(len(y))
    model = LeastSquaresClassifier(alpha=3.0, fit_intercept=fit_intercept)
    model.fit(X, y, sample_weight=weights)
    residual = weights * (model.decision_function(X) + 0.5 - y)
    np.testing.assert_allclose(X.T @ residual + 3.0 * model.coef_[0], 0.0, atol=1e-10)
    if fit_intercept:
        assert residual.sum() == pytest.approx(0.0, abs=1e-10)


def test_a_huge_penalty_leaves_only_the_share_of_the_second_class() -> None:
    X, y = TABLES[0].labeled
    y = (np.arange(len(y)) < 6).astype(int)
    model = LeastSquaresClassifier(alpha=1e12).fit(X, y)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, 0.2 - 0.5, atol=1e-9)


def test_the_score_is_the_accuracy() -> None:
    data = TABLES[0]
    model = LeastSquaresClassifier().fit(*data.labeled)
    assert model.score(data.X, data.y) == np.mean(model.predict(data.X) == data.y)


def test_an_estimator_can_be_fitted_again_on_other_data() -> None:
    first, second = TABLES[:2]
    model: Any = LeastSquaresClassifier().fit(*first.labeled).fit(*second.labeled)
    fresh = LeastSquaresClassifier().fit(*second.labeled)
    np.testing.assert_array_equal(model.coef_, fresh.coef_)
