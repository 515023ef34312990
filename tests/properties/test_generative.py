"""What must hold for generative classifiers on any data."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.family import (
    EMLDAClassifier,
    EMNaiveBayesClassifier,
    EMNearestMeanClassifier,
    ICLDAClassifier,
    LDAClassifier,
    MCLDAClassifier,
    MCNearestMeanClassifier,
    MCPLDAClassifier,
    NearestMeanClassifier,
)
from tests.family.class_moments import Parameters


class Table(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    X_u: np.ndarray
    weights: np.ndarray
    n_classes: int


@st.composite
def tables(draw, counts=False, most_classes=6):
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    K = draw(st.integers(2, most_classes))
    d = int(random.integers(1, 7))
    L, U = int(random.integers(K * (d + 2), 3 * K * (d + 2))), int(random.integers(1, 60))
    y, hidden = np.arange(L) % K, random.integers(0, K, U)
    centres = draw(st.sampled_from([0.0, 0.5, 2.0])) * random.normal(size=(K, d))
    heavy = draw(st.booleans())
    noise = random.standard_t(3, size=(L + U, d)) if heavy else random.normal(size=(L + U, d))
    X = centres[np.concatenate([y, hidden])] + noise
    if counts:
        X = random.poisson(np.exp(np.clip(X, -3.0, 3.0))).astype(float)
    weights = np.ones(L + U)
    if draw(st.booleans()):
        weights = random.uniform(0.1, 3.0, size=L + U)
    return Table(X[:L], y, X[L:], weights, K)


def fitted(estimator, data, **chosen):
    X = np.concatenate([data.X, data.X_u])
    y = np.concatenate([data.y, np.full(len(data.X_u), -1)])
    return estimator(**chosen).fit(X, y, sample_weight=data.weights)


weights = st.sampled_from([1.0, 1.0, 0.5, 0.01])


def assert_rises(history):
    # To rounding: the sums have as many terms as there are rows.
    rounding = 1e-10 * (1.0 + np.abs(history).max())
    assert np.isfinite(history).all()
    assert len(history) < 2 or np.diff(history).min() >= -rounding


@pytest.mark.parametrize("estimator", [EMLDAClassifier, EMNearestMeanClassifier])
@given(tables(), weights, st.sampled_from([0.0, 0.0, 1.0]))
def test_the_likelihood_of_gaussian_classes_never_falls(estimator, data, weight, alpha):
    model = fitted(estimator, data, unlabeled_weight=weight, alpha=alpha)
    assert_rises(model.log_likelihoods_)


@given(tables(counts=True), weights, st.sampled_from([1.0, 0.01]))
def test_the_posterior_probability_of_naive_bayes_never_falls(data, weight, alpha):
    model = fitted(EMNaiveBayesClassifier, data, unlabeled_weight=weight, alpha=alpha)
    assert_rises(model.log_likelihoods_)


def mean_and_covariance(data):
    X = np.concatenate([data.X, data.X_u])
    mean = data.weights @ X / data.weights.sum()
    covariance = (data.weights[:, None] * (X - mean)).T @ (X - mean) / data.weights.sum()
    return mean, covariance


@given(tables())
def test_constrained_discriminant_analysis_has_the_moments_of_all_rows(data):
    model = fitted(MCLDAClassifier, data)
    mean, covariance = mean_and_covariance(data)
    np.testing.assert_allclose(model.priors_ @ model.means_, mean, atol=1e-8)
    offsets = model.means_ - mean
    total = model.covariance_ + offsets.T @ (model.priors_[:, None] * offsets)
    np.testing.assert_allclose(total, covariance, atol=1e-8 * (1.0 + np.abs(covariance).max()))
    assert np.linalg.eigvalsh(model.covariance_).min() > 0.0


@given(tables())
def test_constrained_nearest_means_average_to_the_mean_of_all_rows(data):
    model = fitted(MCNearestMeanClassifier, data)
    np.testing.assert_allclose(
        model.priors_ @ model.means_, mean_and_covariance(data)[0], atol=1e-9
    )


@settings(max_examples=settings().max_examples // 2)
@given(tables(), st.sampled_from([0.0, 0.0, 1.0]))
def test_no_labeling_makes_the_pessimistic_model_worse_than_its_twin(data, alpha):
    model = fitted(MCPLDAClassifier, data, alpha=alpha)
    twin = fitted(LDAClassifier, data, alpha=alpha)
    ours = Parameters(model.priors_, model.means_, model.covariance_)
    theirs = Parameters(twin.priors_, twin.means_, twin.covariance_)
    L = len(data.X)
    gain = (ours.log_joint(data.X) - theirs.log_joint(data.X))[np.arange(L), data.y]
    worst = (ours.log_joint(data.X_u) - theirs.log_joint(data.X_u)).min(axis=1)
    total = data.weights[:L] @ gain + data.weights[L:] @ worst
    total -= ours.penalty(alpha) - theirs.penalty(alpha)
    assert total >= -1e-7
    assert model.guaranteed_gain_ == pytest.approx(total, rel=1e-6, abs=1e-6)


@settings(max_examples=settings().max_examples // 2)
@given(tables(most_classes=4), st.integers(0, 10**6))
def test_nearby_labelings_do_not_raise_the_labeled_likelihood(data, seed):
    model = fitted(ICLDAClassifier, data)
    random = np.random.default_rng(seed)
    labels = model.solution_.soft_labels
    other = random.dirichlet(np.full(data.n_classes, 0.3), size=len(labels))
    X = np.concatenate([data.X, data.X_u])
    for step in (1e-3, 1e-2):
        shares = np.concatenate([np.eye(data.n_classes)[data.y], labels + step * (other - labels)])
        value = labeled_likelihood(X, shares * data.weights[:, None], data)
        # Stationary: to first order nothing is gained, and a local maximum bends down or is flat.
        assert value <= model.log_likelihood_ + 1e-6 + 10.0 * step**2 * len(labels)


def labeled_likelihood(X, shares, data):
    counts = shares.sum(axis=0)
    means = shares.T @ X / counts[:, None]
    offsets = X[:, None] - means
    covariance = np.einsum("nk,nki,nkj->ij", shares, offsets, offsets) / counts.sum()
    model = Parameters(counts / counts.sum(), means, covariance)
    L = len(data.X)
    return float(data.weights[:L] @ model.log_joint(data.X)[np.arange(L), data.y])


def posteriors(estimator, data, rows):
    # Close enough to the fixed point that where the iteration stops does not show.
    chosen = {"tol": 1e-12} if estimator.__name__.startswith("EM") else {}
    return fitted(estimator, data, **chosen).predict_proba(rows)


AFFINE = [LDAClassifier, EMLDAClassifier, MCLDAClassifier, MCPLDAClassifier]
SHIFTED = [NearestMeanClassifier, EMNearestMeanClassifier, MCNearestMeanClassifier]


@pytest.mark.parametrize("estimator", [*AFFINE, *SHIFTED])
@settings(max_examples=settings().max_examples // 3)
@given(tables(most_classes=3), st.integers(0, 10**6))
def test_a_map_of_the_features_does_not_matter(estimator, data, seed):
    random = np.random.default_rng(seed)
    d = data.X.shape[1]
    mapping = np.linalg.qr(random.normal(size=(d, d)))[0]
    if estimator in AFFINE:
        mapping = mapping @ np.diag(random.uniform(0.3, 3.0, size=d))
    shift = random.normal(size=d)
    mapped = data._replace(X=data.X @ mapping + shift, X_u=data.X_u @ mapping + shift)
    np.testing.assert_allclose(
        posteriors(estimator, mapped, mapped.X), posteriors(estimator, data, data.X), atol=1e-3
    )


@pytest.mark.parametrize("estimator", [*AFFINE, *SHIFTED])
@settings(max_examples=settings().max_examples // 3)
@given(tables(), st.integers(0, 10**6))
def test_names_of_classes_and_the_order_of_rows_do_not_matter(estimator, data, seed):
    random = np.random.default_rng(seed)
    names, order = random.permutation(data.n_classes), random.permutation(len(data.X_u))
    L = len(data.X)
    renamed = data._replace(
        y=names[data.y],
        X_u=data.X_u[order],
        weights=np.concatenate([data.weights[:L], data.weights[L:][order]]),
    )
    np.testing.assert_allclose(
        posteriors(estimator, renamed, data.X)[:, names],
        posteriors(estimator, data, data.X),
        atol=1e-3,
    )
