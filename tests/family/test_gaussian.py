"""Gaussian models in whitened coordinates are those of the textbook."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from tacit.family._gaussian import (
    LabeledStatistics,
    Space,
    UnboundedLikelihoodError,
    lda_model,
    log_determinant,
    solve_within,
    supervised_lda,
    supervised_nearest_mean,
)
from tacit.rows import Moments, NumpyRows
from tests.family.class_moments import (
    classes,
    textbook_fit,
    textbook_supervised,
)

CASES = [
    {"n_classes": 2},
    {"n_classes": 4, "n_features": 5, "n_labeled": 30, "weighted": True},
    {"n_classes": 3, "alpha": 0.7},
    {"n_classes": 2, "n_features": 6, "n_labeled": 5, "alpha": 2.0, "weighted": True},
]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_supervised_discriminant_analysis_is_that_of_the_textbook(case):
    data = classes(**case)
    model, expected = supervised_lda(data.labeled, data.alpha), textbook_supervised(data)
    np.testing.assert_allclose(model.priors, expected.priors, rtol=1e-12)
    np.testing.assert_allclose(model.means, expected.means, rtol=1e-9)
    np.testing.assert_allclose(model.covariance, expected.covariance, rtol=1e-8, atol=1e-9)
    ours = softmax(model.discriminants.values(data.X_u), axis=1)
    np.testing.assert_allclose(ours, softmax(expected.log_joint(data.X_u), axis=1), atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_fit_to_soft_labels_needs_only_class_weights_and_sums(case):
    data = classes(**case)
    labels = data.labels(1)
    space, problem = data.space, data.problem("implicit")
    model, expected = lda_model(space, problem.moments(labels)), textbook_fit(data, labels)
    np.testing.assert_allclose(model.priors, expected.priors, rtol=1e-12)
    np.testing.assert_allclose(model.means, expected.means, rtol=1e-9)
    np.testing.assert_allclose(model.covariance, expected.covariance, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_constant_completes_the_penalised_log_likelihood(case):
    data = classes(**case)
    labels = data.labels(2)
    model = lda_model(data.space, data.problem("implicit").moments(labels))
    expected = textbook_fit(data, labels)
    rows = np.concatenate([data.X, data.X_u])
    shares = np.concatenate([np.eye(data.n_classes)[data.codes], labels])
    shares = shares * np.concatenate([data.weights, data.weights_u])[:, None]
    value = np.sum(shares * expected.log_joint(rows)) - expected.penalty(data.alpha)
    ours = np.sum(shares * model.discriminants.values(rows)) + model.constant
    assert ours == pytest.approx(value, rel=1e-9)


def test_the_nearest_mean_model_has_the_mean_variance_and_the_priors():
    data = classes(n_classes=3, weighted=True)
    model, expected = supervised_nearest_mean(data.labeled, 0.0), textbook_supervised(data)
    variance = expected.covariance.trace() / data.X.shape[1]
    np.testing.assert_allclose(model.covariance, variance * np.eye(data.X.shape[1]), rtol=1e-9)
    distances = ((data.X_u[:, None] - expected.means) ** 2).sum(axis=2)
    posteriors = softmax(np.log(expected.priors) - 0.5 * distances / variance, axis=1)
    ours = softmax(model.discriminants.values(data.X_u), axis=1)
    np.testing.assert_allclose(ours, posteriors, atol=1e-10)


def test_the_inverse_and_the_determinant_take_a_matrix_of_the_order_of_classes():
    v = classes(n_classes=3, n_features=6).problem("implicit").labeled
    within = np.eye(6) - (v[:, 1:] / v[:, :1]).T @ v[:, 1:]
    np.testing.assert_allclose(solve_within(v, np.eye(6)) @ within, np.eye(6), atol=1e-10)
    assert log_determinant(v) == pytest.approx(np.linalg.slogdet(within)[1])


def test_a_direction_without_spread_within_classes_is_refused_or_left_out():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 5.0], [1.0, 7.0]])
    codes = np.array([0, 0, 1, 1])
    labeled = LabeledStatistics.of(X, codes, None, 2)
    space = Space.of(labeled.total)
    v = space.sums(labeled.sums(space.mean))
    with pytest.raises(UnboundedLikelihoodError, match=r"singular.*Set alpha > 0"):
        lda_model(space, v)
    assert np.isfinite(supervised_lda(labeled, 0.0).discriminants.coef).all()


def test_columns_that_add_nothing_change_nothing():
    data = classes(n_features=3)
    both = np.concatenate([data.X, data.X_u])
    for extra in (np.full(len(both), 7.0), both[:, 0] - 2.0 * both[:, 1]):
        X = np.column_stack([both, extra])
        wide = LabeledStatistics.of(X[: len(data.X)], data.codes, data.weights, 2)
        model, plain = supervised_lda(wide, 0.0), supervised_lda(data.labeled, 0.0)
        np.testing.assert_allclose(
            np.diff(model.discriminants.values(X)),
            np.diff(plain.discriminants.values(both)),
            atol=1e-6,
        )


def test_rows_with_nan_are_refused_where_they_are_first_seen():
    moments = Moments.of(NumpyRows(np.array([[1.0, np.nan], [2.0, 3.0]])))
    with pytest.raises(ValueError, match="X_unlabeled contains NaN"):
        Space.of(moments)
