"""Expectation maximisation: what it maximises, that it rises, and when it stops."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp

from tacit.family import EMStatus
from tacit.family._em import expectation, maximise_expectation, scaled
from tacit.family._em_naive_bayes import multinomial_model
from tacit.family._gaussian import (
    LabeledStatistics,
    Space,
    lda_model,
    nearest_mean_model,
    supervised_lda,
    supervised_nearest_mean,
)
from tacit.family._generative import soft_labels
from tacit.rows import CsrRows, NumpyRows
from tacit.rows._sweep import add_each
from tacit.solver._basis import Coefficients
from tests.family.class_moments import Parameters, classes


def fit(data, weight=1.0, spherical=False, **chosen):
    labeled = data.labeled
    rows = NumpyRows(data.X_u, data.weights_u)
    everything = labeled.total + scaled(
        LabeledStatistics.of(data.X_u, np.zeros(len(data.X_u)), data.weights_u, 1).total, weight
    )
    space = Space.of(everything, data.alpha)
    if spherical:
        start = supervised_nearest_mean(labeled, data.alpha)
        maximise = lambda v: nearest_mean_model(v, everything, data.alpha)  # noqa: E731
    else:
        start = supervised_lda(labeled, data.alpha)
        maximise = lambda v: lda_model(space, space.sums(v))  # noqa: E731
    sums = labeled.sums(everything.mean)
    return maximise_expectation(rows, everything.mean, sums, start, maximise, weight, **chosen)


CASES = [
    {"n_classes": 2},
    {"n_classes": 3, "n_features": 4, "weighted": True, "seed": 1},
    {"n_classes": 2, "n_features": 6, "n_labeled": 4, "alpha": 1.0, "seed": 2},
]


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("spherical", [False, True])
def test_it_reports_the_penalised_log_likelihood_of_what_was_observed(case, weight, spherical):
    data = classes(**case)
    model, result = fit(data, weight, spherical)
    densities = Parameters(model.priors, model.means, model.covariance)
    known = densities.log_joint(data.X)[np.arange(len(data.X)), data.codes]
    unknown = logsumexp(densities.log_joint(data.X_u), axis=1)
    value = data.weights @ known + weight * (data.weights_u @ unknown)
    value -= densities.penalty(data.alpha)
    assert result.log_likelihoods[-1] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("spherical", [False, True])
def test_the_answer_does_not_change_under_another_iteration(case, spherical):
    data = classes(**case)
    model, result = fit(data, 1.0, spherical, tol=1e-13)
    assert result.status is EMStatus.CONVERGED
    assert result.n_iter >= 3
    again, _ = fit(data, 1.0, spherical, tol=1e-15, max_iter=5000)
    np.testing.assert_allclose(model.means, again.means, atol=1e-4)


def test_no_weight_and_no_rows_leave_the_start():
    data = classes()
    start = supervised_lda(data.labeled, 0.0)
    for _, result in (fit(data, weight=0.0), fit(classes(n_unlabeled=0))):
        assert result.status is EMStatus.EMPTY
        assert result.status.is_success
        assert result.n_iter == 0
        assert result.gap == 0.0
    model, _ = fit(data, weight=0.0)
    np.testing.assert_array_equal(model.discriminants.coef, start.discriminants.coef)


def test_too_few_iterations_are_told():
    _, result = fit(classes(seed=3), max_iter=3, tol=1e-12)
    assert result.status is EMStatus.MAX_ITERATIONS
    assert not result.status.is_success
    assert result.n_iter == 3
    assert result.gap > 1e-12


def test_the_gap_foretells_what_is_left_to_gain():
    data = classes(seed=5, n_features=2)
    _, final = fit(data, tol=1e-14)
    for tol in (1e-4, 1e-6):
        _, early = fit(data, tol=tol)
        left = (final.log_likelihoods[-1] - early.log_likelihoods[-1]) / final.total_weight
        assert early.n_iter < final.n_iter
        assert 0.0 < left < 3.0 * tol


def test_an_expectation_is_the_sum_over_its_blocks_sparse_or_dense():
    random = np.random.default_rng(0)
    X = random.poisson(0.5, size=(50, 4)).astype(float)
    weights = random.uniform(size=50)
    discriminants = Coefficients(random.normal(size=(4, 3)), np.zeros(3))
    kernel = partial(expectation, discriminants, np.arange(4.0))
    whole, likelihood = NumpyRows(X, weights).reduce(kernel, add_each)
    shares = soft_labels(discriminants, X) * weights[:, None]
    expected = np.column_stack([shares.sum(axis=0), shares.T @ (X - np.arange(4.0))])
    np.testing.assert_allclose(whole, expected)
    assert likelihood == pytest.approx(weights @ logsumexp(discriminants.values(X), axis=1))
    in_blocks = NumpyRows(X, weights)
    in_blocks.block_rows = 7
    for rows in (in_blocks, CsrRows(sparse.csr_array(X), weights)):
        parts, own = rows.reduce(kernel, add_each)
        np.testing.assert_allclose(parts, whole, atol=1e-12)
        assert own == pytest.approx(likelihood)


def test_two_classes_have_one_column_of_responsibilities_and_no_rows_have_none():
    two = partial(soft_labels, Coefficients(np.ones((3, 2)), np.array([0.0, 2.0])))
    assert two(np.zeros((5, 3))).shape == (5,)
    np.testing.assert_allclose(two(np.zeros((1, 3))), 1.0 / (1.0 + np.exp(-2.0)))
    assert two(np.zeros((0, 3))).shape == (0,)
    three = Coefficients(np.ones((3, 3)), np.zeros(3))
    assert soft_labels(three, np.zeros((5, 3))).shape == (5, 3)


def test_smoothed_probabilities_of_words_are_the_mode_of_their_posterior():
    v = np.array([[2.0, 3.0, 0.0, 1.0], [4.0, 0.0, 5.0, 5.0]])
    model = multinomial_model(v, alpha=0.5)
    np.testing.assert_allclose(np.exp(model.discriminants.intercept), [1 / 3, 2 / 3])
    expected = (v[:, 1:] + 0.5) / (v[:, 1:] + 0.5).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(model.discriminants.coef.T), expected)

    def posterior(probabilities):
        return np.sum((v[:, 1:] + 0.5) * np.log(probabilities))

    random = np.random.default_rng(0)
    for _ in range(20):
        other = random.dirichlet(np.ones(3), size=2)
        assert posterior(other) <= posterior(expected)


def test_a_likelihood_that_is_no_number_ends_the_iteration():
    data = classes()
    space = Space.of(data.everything)
    start = supervised_lda(data.labeled, 0.0)
    with pytest.raises(ValueError, match=r"log-likelihood is inf after 1 iterations.*Standardise"):
        maximise_expectation(
            NumpyRows(data.X_u, data.weights_u),
            space.mean,
            data.labeled.sums(space.mean),
            start,
            lambda v: replace(lda_model(space, space.sums(v)), constant=np.inf),
        )
