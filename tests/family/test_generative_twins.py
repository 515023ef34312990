"""The supervised Gaussian classifiers against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

from tacit.family import LDAClassifier, MCLDAClassifier, NearestMeanClassifier
from tests.estimators.tables import partly_labeled


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_discriminant_analysis_is_that_of_scikit_learns_least_squares_solver(
    n_classes: int,
) -> None:
    data = partly_labeled(n_labeled=40, n_classes=n_classes)
    model = LDAClassifier().fit(data.X, data.marked)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True).fit(*data.labeled)
    np.testing.assert_allclose(model.predict_proba(data.X), theirs.predict_proba(data.X), atol=1e-9)
    np.testing.assert_allclose(model.covariance_, theirs.covariance_, atol=1e-10)
    np.testing.assert_allclose(model.means_, theirs.means_, atol=1e-10)
    np.testing.assert_allclose(model.priors_, theirs.priors_)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_with_equal_priors_the_nearest_mean_wins(n_classes: int) -> None:
    data = partly_labeled(n_labeled=20, n_classes=n_classes)
    model = NearestMeanClassifier().fit(data.X, data.marked)
    np.testing.assert_allclose(model.priors_, 1.0 / n_classes)
    theirs = NearestCentroid().fit(*data.labeled)
    np.testing.assert_array_equal(model.predict(data.X), theirs.predict(data.X))


def test_the_variance_is_the_mean_squared_distance_to_the_class_mean() -> None:
    data = partly_labeled(n_labeled=20)
    X, y = data.labeled
    model = NearestMeanClassifier().fit(X, y)
    distances = ((X - model.means_[y]) ** 2).sum(axis=1)
    assert model.variance_ == pytest.approx(distances.mean() / X.shape[1])


def test_a_penalty_adds_to_the_scatter() -> None:
    data = partly_labeled(n_labeled=20)
    plain, ridge = LDAClassifier().fit(*data.labeled), LDAClassifier(alpha=3.0).fit(*data.labeled)
    np.testing.assert_allclose(ridge.covariance_, plain.covariance_ + 3.0 / 20 * np.eye(4))
    round_, more = NearestMeanClassifier(), NearestMeanClassifier(alpha=3.0)
    gain = more.fit(*data.labeled).variance_ - round_.fit(*data.labeled).variance_
    assert gain == pytest.approx(3.0 / 20)


def test_a_vanishing_penalty_leads_to_the_fit_without() -> None:
    data = partly_labeled(n_labeled=20)
    plain, ridge = LDAClassifier().fit(*data.labeled), LDAClassifier(alpha=1e-9).fit(*data.labeled)
    np.testing.assert_allclose(ridge.predict_proba(data.X), plain.predict_proba(data.X), atol=1e-7)


def test_fewer_labels_than_features_leave_out_what_is_not_determined() -> None:
    data = partly_labeled(n_labeled=6, n_features=10)
    model = LDAClassifier().fit(*data.labeled)
    assert np.isfinite(model.coef_).all()
    assert np.linalg.matrix_rank(model.covariance_, tol=1e-8) == 4  # L - K


def test_one_row_a_class_has_no_variance_and_needs_a_penalty() -> None:
    X, y = [[0.0, 1.0], [2.0, 3.0]], [0, 1]
    with pytest.raises(ValueError, match="Set alpha > 0"):
        NearestMeanClassifier().fit(X, y)
    assert NearestMeanClassifier(alpha=0.5).fit(X, y).predict(X).tolist() == [0, 1]


@pytest.mark.parametrize("n_each", [2, 3])
def test_few_labels_of_iris_give_the_decisions_of_scikit_learn(n_each: int) -> None:
    X, y = load_iris(return_X_y=True)
    few = np.concatenate([np.arange(n_each) + first for first in (0, 50, 100)])
    model = LDAClassifier().fit(X[few], y[few])
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X[few], y[few])
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert model.score(X, y) > 0.8


def _clean(n_labeled: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = random.normal(size=(300, 20)) + 2.0 * y[:, None]
    return X, y, np.where(np.arange(300) < n_labeled, y, -1)


@pytest.mark.parametrize("n_labeled", [6, 10, 21])
def test_the_pseudo_inverse_is_that_in_the_coordinates_of_the_features(n_labeled: int) -> None:
    X, _, marked = _clean(n_labeled)
    model = LDAClassifier().fit(X, marked)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X[:n_labeled], marked[:n_labeled])
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-7 * size)


@pytest.mark.parametrize("n_labeled", [2, 6, 10, 21])
@pytest.mark.parametrize("estimator", [LDAClassifier, MCLDAClassifier])
def test_clean_classes_are_told_apart_with_few_labels(estimator: Any, n_labeled: int) -> None:
    X, y, marked = _clean(n_labeled)
    model = estimator().fit(X, marked)
    assert model.score(X, y) > 0.75
    assert np.abs(model.coef_).max() > 1e-3


def test_one_row_a_class_is_judged_by_the_distance_to_it() -> None:
    X, y = load_iris(return_X_y=True)
    few = [0, 50, 100]
    nearest = NearestMeanClassifier(alpha=1.0).fit(X[few], y[few])
    model = LDAClassifier().fit(X[few], y[few])
    slopes, expected = np.diff(model.coef_, axis=0), np.diff(nearest.coef_, axis=0)
    scale = slopes[0, 0] / expected[0, 0]
    np.testing.assert_allclose(slopes, scale * expected, rtol=1e-6)
    assert scale > 1.0
    assert model.predict(X[few]).tolist() == [0, 1, 2]
