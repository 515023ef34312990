"""Moment constraints: identities, invariance, and what happens without rank."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.family._gaussian import (
    constrained_lda,
    constrained_nearest_mean,
    supervised_lda,
    supervised_nearest_mean,
)
from tests.family.class_moments import classes

CASES = [
    {"n_classes": 2},
    {"n_classes": 4, "n_features": 5, "n_labeled": 30, "weighted": True, "seed": 1},
    {"n_classes": 3, "alpha": 0.7, "seed": 2},
    {"n_classes": 2, "n_features": 8, "n_labeled": 5, "seed": 3},
]


def total(model):
    """Mean and covariance of all rows, according to the model."""
    mean = model.priors @ model.means
    offsets = model.means - mean
    return mean, model.covariance + offsets.T @ (model.priors[:, None] * offsets)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_discriminant_analysis_has_the_mean_and_the_covariance_of_all_rows(case):
    data = classes(**case)
    everything = data.everything
    mean, covariance = total(constrained_lda(data.labeled, everything, data.alpha))
    expected = everything.scatter + data.alpha * np.eye(len(mean))
    np.testing.assert_allclose(mean, everything.mean, atol=1e-9)
    np.testing.assert_allclose(covariance, expected / everything.weight, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_nearest_means_average_to_the_mean_of_all_rows(case):
    data = classes(**case)
    everything = data.everything
    model = constrained_nearest_mean(data.labeled, everything, data.alpha)
    np.testing.assert_allclose(model.priors @ model.means, everything.mean, atol=1e-10)
    supervised = supervised_nearest_mean(data.labeled, data.alpha)
    np.testing.assert_allclose(model.covariance, supervised.covariance)
    moves = model.means - supervised.means
    np.testing.assert_allclose(moves, np.tile(moves[0], (len(moves), 1)), atol=1e-10)


def test_the_moved_means_have_the_highest_labeled_likelihood_of_all_that_average_so():
    data = classes(n_classes=3, seed=4)
    model = constrained_nearest_mean(data.labeled, data.everything, 0.0)

    def loss(means):
        return float(((data.X - means[data.codes]) ** 2).sum())

    random = np.random.default_rng(0)
    for _ in range(20):
        others = model.means + 0.1 * random.normal(size=model.means.shape)
        others = others - model.priors @ others + data.everything.mean
        assert loss(model.means) < loss(others)


def test_the_map_of_the_labeled_rows_is_the_root_with_positive_eigenvalues():
    data = classes(n_classes=2, n_features=4, n_labeled=20, seed=5)
    model = constrained_lda(data.labeled, data.everything, 0.0)
    own, everything = data.labeled.total, data.everything
    ratio = (everything.scatter / everything.weight) @ np.linalg.inv(own.scatter / own.weight)
    eigenvalues, vectors = np.linalg.eig(ratio)
    root = np.real(vectors @ np.diag(np.sqrt(eigenvalues)) @ np.linalg.inv(vectors))
    supervised = supervised_lda(data.labeled, 0.0)
    means = (supervised.means - own.mean) @ root.T + everything.mean
    np.testing.assert_allclose(model.means, means, atol=1e-8)
    np.testing.assert_allclose(model.covariance, root @ supervised.covariance @ root.T, atol=1e-8)


def test_without_unlabeled_rows_nothing_moves():
    data = classes(n_classes=3, n_unlabeled=0, seed=6)
    for constrained, supervised in (
        (constrained_lda, supervised_lda),
        (constrained_nearest_mean, supervised_nearest_mean),
    ):
        ours, theirs = (
            constrained(data.labeled, data.everything, 0.0),
            supervised(data.labeled, 0.0),
        )
        np.testing.assert_allclose(ours.means, theirs.means, atol=1e-9)
        np.testing.assert_allclose(ours.covariance, theirs.covariance, atol=1e-8)
