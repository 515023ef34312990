"""Naive Bayes by expectation maximisation on counts of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from tacit.family import EMNaiveBayesClassifier


def documents(n: int = 300, n_words: int = 60, n_classes: int = 3, seed: int = 0) -> Any:
    """Documents of about seven words, and the topic of each."""
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(n_words, 0.3), size=n_classes)
    y = np.arange(n) % n_classes
    lengths = random.poisson(6, size=n) + 1
    X = np.stack(
        [random.multinomial(length, topics[k]) for length, k in zip(lengths, y, strict=True)]
    )
    return sparse.csr_array(X.astype(float)), y


def marked(y: np.ndarray, n_labeled: int) -> np.ndarray:
    return np.where(np.arange(len(y)) < n_labeled, y, -1)


def test_without_weight_it_is_multinomial_naive_bayes_of_scikit_learn() -> None:
    X, y = documents()
    for alpha in (1.0, 0.1):
        model = EMNaiveBayesClassifier(alpha=alpha, unlabeled_weight=0.0).fit(X, marked(y, 12))
        twin = MultinomialNB(alpha=alpha).fit(X[:12], y[:12])
        np.testing.assert_allclose(model.feature_log_prob_, twin.feature_log_prob_, rtol=1e-12)
        np.testing.assert_allclose(model.class_log_prior_, twin.class_log_prior_, rtol=1e-12)
        assert model.n_iter_ == 0


def test_unlabeled_documents_teach_words_that_no_label_has_seen() -> None:
    gains = []
    for seed in range(5):
        X, y = documents(seed=seed)
        model = EMNaiveBayesClassifier(alpha=0.1).fit(X, marked(y, 6))
        twin = MultinomialNB(alpha=0.1).fit(X[:6], y[:6])
        gains.append(model.score(X[6:], y[6:]) - twin.score(X[6:], y[6:]))
    assert np.mean(gains) > 0.05


def test_at_the_answer_the_parameters_are_those_of_its_own_responsibilities() -> None:
    X, y = documents(n_classes=4)
    weight = 0.4
    model = EMNaiveBayesClassifier(unlabeled_weight=weight, tol=1e-12).fit(X, marked(y, 20))
    refit = MultinomialNB()
    rows, labels, weights = [X[:20]], [y[:20]], [np.ones(20)]
    for k in range(4):
        rows.append(X[20:])
        labels.append(np.full(X.shape[0] - 20, k))
        weights.append(weight * model.soft_labels_[:, k])
    refit.fit(sparse.vstack(rows), np.concatenate(labels), np.concatenate(weights))
    np.testing.assert_allclose(refit.feature_log_prob_, model.feature_log_prob_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X[20:]), model.soft_labels_, atol=1e-9)


def test_the_log_likelihood_that_is_told_is_that_of_the_parameters() -> None:
    X, y = documents(n_classes=2)
    model = EMNaiveBayesClassifier(unlabeled_weight=0.5).fit(X, marked(y, 10))
    joint = X @ model.feature_log_prob_.T + model.class_log_prior_
    value = joint[np.arange(10), y[:10]].sum()
    value += 0.5 * np.logaddexp(joint[10:, 0], joint[10:, 1]).sum()
    value += model.feature_log_prob_.sum()
    assert model.log_likelihoods_[-1] == pytest.approx(value, rel=1e-10)
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()


def test_sparse_and_dense_counts_give_the_same_model() -> None:
    X, y = documents()
    first = EMNaiveBayesClassifier().fit(X, marked(y, 12))
    second = EMNaiveBayesClassifier().fit(X.toarray(), marked(y, 12))
    np.testing.assert_allclose(first.feature_log_prob_, second.feature_log_prob_, rtol=1e-8)


@pytest.mark.parametrize("place", ["labeled", "marked", "apart"])
def test_negative_counts_are_refused_wherever_they_are(place: str) -> None:
    X, y = documents()
    dense, partly = X.toarray(), marked(y, 12)
    extra = np.ones((2, X.shape[1]))
    {"labeled": dense, "marked": dense, "apart": extra}[place][
        {"labeled": 0, "marked": 50, "apart": 1}[place], 3
    ] = -1.0
    with pytest.raises(
        ValueError, match="Negative values in data passed to EMNaiveBayesClassifier"
    ):
        EMNaiveBayesClassifier().fit(dense, partly, extra)


def test_negative_counts_on_a_cluster_are_refused() -> None:
    array = pytest.importorskip("dask.array")
    X, y = documents()
    pool = X[12:].toarray()
    pool[100, 0] = -2.0
    with pytest.raises(ValueError, match="X_unlabeled has negative numbers"):
        EMNaiveBayesClassifier().fit(X[:12], y[:12], array.from_array(pool, chunks=50))
