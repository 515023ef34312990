"""Moment-constrained classifiers: their identities on partly labeled tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.family import (
    LDAClassifier,
    MCLDAClassifier,
    MCNearestMeanClassifier,
    NearestMeanClassifier,
)
from tests.estimators.tables import partly_labeled

CONSTRAINED: tuple[Any, ...] = (MCLDAClassifier, MCNearestMeanClassifier)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("estimator", CONSTRAINED)
def test_class_means_average_to_the_mean_of_all_rows(estimator: Any, n_classes: int) -> None:
    data = partly_labeled(n_labeled=30, n_classes=n_classes)
    model = estimator().fit(data.X, data.marked)
    np.testing.assert_allclose(model.priors_ @ model.means_, data.X.mean(axis=0), atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("n_labeled", [30, 6])
def test_covariance_within_and_between_add_up_to_that_of_all_rows(
    n_classes: int, n_labeled: int
) -> None:
    data = partly_labeled(n_labeled=n_labeled, n_features=8, n_classes=n_classes, n_unlabeled=80)
    model = MCLDAClassifier().fit(data.X, data.marked)
    offsets = model.means_ - data.X.mean(axis=0)
    between = offsets.T @ (model.priors_[:, None] * offsets)
    total = np.cov(data.X.T, bias=True)
    np.testing.assert_allclose(model.covariance_ + between, total, atol=1e-9)


def test_priors_and_variance_stay_those_of_the_labeled_rows() -> None:
    data = partly_labeled(n_labeled=11)
    lda, mclda = LDAClassifier(), MCLDAClassifier()
    np.testing.assert_allclose(
        mclda.fit(data.X, data.marked).priors_, lda.fit(*data.labeled).priors_
    )
    twin = NearestMeanClassifier().fit(*data.labeled)
    model = MCNearestMeanClassifier().fit(data.X, data.marked)
    np.testing.assert_allclose(model.priors_, twin.priors_)
    assert model.variance_ == pytest.approx(twin.variance_)
    np.testing.assert_allclose(np.diff(model.means_, axis=0), np.diff(twin.means_, axis=0))


def test_an_invertible_map_of_the_features_changes_no_probability() -> None:
    data = partly_labeled(n_labeled=20)
    mapping = np.random.default_rng(0).normal(size=(4, 4)) + 2.0 * np.eye(4)
    plain = MCLDAClassifier().fit(data.X, data.marked)
    mapped = MCLDAClassifier().fit(data.X @ mapping - 3.0, data.marked)
    np.testing.assert_allclose(
        mapped.predict_proba(data.X @ mapping - 3.0), plain.predict_proba(data.X), atol=1e-8
    )


@pytest.mark.parametrize("estimator", CONSTRAINED)
def test_soft_labels_are_the_probabilities_of_the_model(estimator: Any) -> None:
    data = partly_labeled(n_labeled=15, n_classes=3)
    model = estimator().fit(data.X, data.marked)
    np.testing.assert_allclose(model.soft_labels_, model.predict_proba(data.pool))


def test_one_row_a_class_has_no_variance_and_needs_a_penalty() -> None:
    data = partly_labeled(n_labeled=2)
    with pytest.raises(ValueError, match="Set alpha > 0"):
        MCNearestMeanClassifier().fit(data.X, data.marked)
    model = MCNearestMeanClassifier(alpha=1.0).fit(data.X, data.marked)
    assert model.variance_ == pytest.approx(0.5)  # alpha d / (L d)


@pytest.mark.parametrize("estimator", CONSTRAINED)
def test_a_closed_form_takes_one_iteration(estimator: Any) -> None:
    data = partly_labeled(n_labeled=15)
    assert estimator().fit(data.X, data.marked).n_iter_ == 1


def test_with_the_same_spread_in_all_directions_few_labels_still_decide() -> None:
    # The means differ at right angles to all other spread, so that a pseudo-inverse has nothing.
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = random.normal(size=(200, 6))
    X[:, 0] += 6.0 * y
    X = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * 10.0
    model = MCLDAClassifier().fit(X, np.where(np.arange(200) < 4, y, -1))
    assert model.score(X, y) > 0.7
    assert np.abs(model.coef_).max() > 1e-3
