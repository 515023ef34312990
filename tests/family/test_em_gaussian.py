"""Gaussian classes by expectation maximisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from tacit.family import (
    EMLDAClassifier,
    EMNearestMeanClassifier,
    LDAClassifier,
    NearestMeanClassifier,
)
from tacit.family._gaussian import UnboundedLikelihoodError
from tests.estimators.tables import PartlyLabeled, partly_labeled

GAUSSIAN_EM: tuple[Any, ...] = (EMLDAClassifier, EMNearestMeanClassifier)


def log_joint(model: Any, X: np.ndarray) -> np.ndarray:
    covariance = getattr(model, "covariance_", None)
    if covariance is None:
        covariance = model.variance_ * np.eye(X.shape[1])
    densities = [multivariate_normal(mean, covariance).logpdf(X) for mean in model.means_]
    return np.log(model.priors_) + np.array(densities).T


@pytest.mark.parametrize("weight", [1.0, 0.2])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", GAUSSIAN_EM)
def test_the_log_likelihood_that_is_told_is_that_of_the_parameters(
    estimator: Any, n_classes: int, weight: float
) -> None:
    data = partly_labeled(n_labeled=15, n_classes=n_classes)
    model = estimator(unlabeled_weight=weight).fit(data.X, data.marked)
    X, y = data.labeled
    value = log_joint(model, X)[np.arange(len(y)), y].sum()
    value += weight * logsumexp(log_joint(model, data.pool), axis=1).sum()
    assert model.log_likelihoods_[-1] == pytest.approx(value, rel=1e-9)
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()
    assert model.n_iter_ == len(model.log_likelihoods_)


@pytest.mark.parametrize("estimator", GAUSSIAN_EM)
def test_its_likelihood_is_above_that_of_the_supervised_twin(estimator: Any) -> None:
    data = partly_labeled(n_labeled=15)
    twin = {EMLDAClassifier: LDAClassifier, EMNearestMeanClassifier: NearestMeanClassifier}
    supervised = twin[estimator]().fit(*data.labeled)
    X, y = data.labeled
    start = log_joint(supervised, X)[np.arange(len(y)), y].sum()
    start += logsumexp(log_joint(supervised, data.pool), axis=1).sum()
    assert estimator().fit(data.X, data.marked).log_likelihoods_[0] > start


@pytest.mark.parametrize("estimator", GAUSSIAN_EM)
def test_the_weight_leads_from_the_twin_to_the_full_model(estimator: Any) -> None:
    data = partly_labeled(n_labeled=15)
    fits = [estimator(unlabeled_weight=w).fit(data.X, data.marked) for w in (0.0, 1e-9, 0.5, 1.0)]
    none, tiny, half, full = (model.predict_proba(data.X)[:, 1] for model in fits)
    np.testing.assert_allclose(tiny, none, atol=1e-6)
    assert fits[0].n_iter_ == 0
    assert fits[1].n_iter_ > 0
    assert np.abs(half - none).max() > 1e-3
    assert np.abs(half - full).max() > 1e-3


@pytest.mark.parametrize("estimator", GAUSSIAN_EM)
def test_soft_labels_are_the_probabilities_of_the_model(estimator: Any) -> None:
    data = partly_labeled(n_labeled=15)
    model = estimator().fit(data.X, data.marked)
    np.testing.assert_allclose(model.soft_labels_, model.predict_proba(data.pool)[:, 1])


@pytest.mark.parametrize("estimator", GAUSSIAN_EM)
def test_clusters_are_found_with_one_label_each(estimator: Any) -> None:
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.array([[0.0, 0.0], [6.0, 6.0]])[y] + random.normal(size=(200, 2))
    data = PartlyLabeled(X, y, np.arange(200) < 2)
    model = estimator(alpha=0.1).fit(data.X, data.marked)
    assert model.score(X, y) == 1.0


def test_more_features_than_labels_are_no_obstacle_to_discriminant_analysis() -> None:
    data = partly_labeled(n_labeled=6, n_unlabeled=200, n_features=12)
    model = EMLDAClassifier().fit(data.X, data.marked)
    assert np.isfinite(model.log_likelihoods_).all()
    assert (np.diff(model.log_likelihoods_) >= -1e-8).all()
    assert np.linalg.eigvalsh(model.covariance_).min() > 0


def test_units_that_differ_by_ten_powers_of_ten_do_not_matter() -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=160, n_classes=4)
    units = np.array([1e-5, 1.0, 1e5, 1.0])
    plain = EMLDAClassifier().fit(data.X, data.marked)
    model = EMLDAClassifier().fit(data.X * units, data.marked)
    assert model.n_iter_ == plain.n_iter_
    # The volumes of the units cancel, so that the densities are the same.
    np.testing.assert_allclose(model.log_likelihoods_, plain.log_likelihoods_, rtol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_label_a_class_is_enough_for_the_nearest_mean(n_classes: int) -> None:
    # The twin has no variance there, and the error that it raises had been that of EM too.
    random = np.random.default_rng(0)
    y = np.arange(90 * n_classes) % n_classes
    X = random.normal(size=(len(y), 2)) + 5.0 * np.eye(3, 2)[y]
    partly = np.where(np.arange(len(y)) < n_classes, y, -1)
    model = EMNearestMeanClassifier().fit(X, partly)
    assert model.score(X, y) > 0.98
    assert model.variance_ == pytest.approx(1.0, rel=0.1)
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()


def test_without_unlabeled_rows_that_count_one_label_a_class_still_has_no_variance() -> None:
    X, partly = np.random.default_rng(0).normal(size=(20, 3)), np.repeat([0, 1, -1], [1, 1, 18])
    with pytest.raises(UnboundedLikelihoodError, match="Set alpha > 0"):
        EMNearestMeanClassifier().fit(X[:2], partly[:2])
    with pytest.raises(UnboundedLikelihoodError, match="Set alpha > 0"):
        EMNearestMeanClassifier(unlabeled_weight=0.0).fit(X, partly)
