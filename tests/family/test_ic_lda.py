"""Implicitly constrained discriminant analysis: the best member of its set."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tacit.family import ICLDAClassifier, LDAClassifier
from tacit.family._gaussian import UnboundedLikelihoodError
from tacit.solver import Status
from tests.estimators.tables import PartlyLabeled, partly_labeled
from tests.family.class_moments import Parameters, textbook_lda


def member(data: PartlyLabeled, labels: np.ndarray, alpha: float = 0.0) -> Parameters:
    """Discriminant analysis with these soft labels of the unlabeled rows."""
    X, y = data.labeled
    K = y.max() + 1
    if labels.ndim == 1:
        labels = np.column_stack([1.0 - labels, labels])
    rows, shares = np.concatenate([X, data.pool]), np.concatenate([np.eye(K)[y], labels])
    return textbook_lda(rows, shares, np.ones(len(rows)), alpha)


def labeled_log_likelihood(model: Parameters, data: PartlyLabeled, alpha: float = 0.0) -> float:
    X, y = data.labeled
    own = model.log_joint(X)[np.arange(len(y)), y]
    return float(own.sum()) - model.penalty(alpha)


CASES = [(2, 4, 15, 0.0), (3, 4, 18, 0.0), (5, 3, 30, 0.0), (2, 20, 8, 0.0), (2, 20, 8, 2.0)]


@pytest.mark.parametrize(("n_classes", "n_features", "n_labeled", "alpha"), CASES)
def test_the_model_is_the_fit_to_its_soft_labels(
    n_classes: int, n_features: int, n_labeled: int, alpha: float
) -> None:
    data = partly_labeled(n_labeled, 80, n_features, n_classes)
    model = ICLDAClassifier(alpha=alpha).fit(data.X, data.marked)
    expected = member(data, model.soft_labels_, alpha)
    np.testing.assert_allclose(model.priors_, expected.priors, rtol=1e-9)
    np.testing.assert_allclose(model.means_, expected.means, atol=1e-8)
    np.testing.assert_allclose(model.covariance_, expected.covariance, atol=1e-8)
    value = labeled_log_likelihood(expected, data, alpha)
    assert model.log_likelihood_ == pytest.approx(value, rel=1e-9)
    assert model.solution_.status is Status.OPTIMAL
    assert model.solution_.is_optimal(1e-10)


@pytest.mark.parametrize(("n_classes", "n_features", "n_labeled", "alpha"), CASES)
def test_no_member_of_the_set_that_we_can_think_of_is_better(
    n_classes: int, n_features: int, n_labeled: int, alpha: float
) -> None:
    data = partly_labeled(n_labeled, 80, n_features, n_classes, seed=1)
    model = ICLDAClassifier(alpha=alpha).fit(data.X, data.marked)
    random = np.random.default_rng(0)
    truth = np.eye(n_classes)[data.y[~data.known]]
    others = [truth, 0.5 * truth + 0.5 / n_classes]
    others += [random.dirichlet(np.full(n_classes, a), size=80) for a in (0.1, 1.0, 10.0)]
    others.append(LDAClassifier(alpha=alpha or 1e-3).fit(*data.labeled).predict_proba(data.pool))
    for labels in others:
        value = labeled_log_likelihood(member(data, labels, alpha), data, alpha)
        assert value <= model.log_likelihood_ + 1e-9


def test_it_is_no_better_on_the_labeled_rows_than_the_supervised_fit() -> None:
    data = partly_labeled(n_labeled=15)
    X, y = data.labeled
    supervised = textbook_lda(X, np.eye(2)[y], np.ones(len(y)))
    model = ICLDAClassifier().fit(data.X, data.marked)
    assert model.log_likelihood_ < labeled_log_likelihood(supervised, data)


def test_with_all_labels_known_it_is_discriminant_analysis() -> None:
    data = partly_labeled(n_labeled=40, n_unlabeled=0)
    model = ICLDAClassifier().fit(data.X, data.y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(data.X, data.y)
    np.testing.assert_allclose(model.predict_proba(data.X), theirs.predict_proba(data.X), atol=1e-8)
    own = labeled_log_likelihood(textbook_lda(data.X, np.eye(2)[data.y], np.ones(40)), data)
    assert model.log_likelihood_ == pytest.approx(own)


def test_without_unlabeled_rows_and_rank_the_likelihood_is_unbounded_and_told_so() -> None:
    data = partly_labeled(n_labeled=4, n_unlabeled=0, n_features=6)
    model = ICLDAClassifier().fit(data.X, data.y)
    assert model.log_likelihood_ == np.inf
    np.testing.assert_allclose(
        model.predict_proba(data.X), LDAClassifier().fit(data.X, data.y).predict_proba(data.X)
    )


def test_few_labels_are_fractional() -> None:
    # At a solution all but about K (1 + d) labels are at a corner.
    data = partly_labeled(n_labeled=15, n_unlabeled=300)
    labels = ICLDAClassifier().fit(data.X, data.marked).soft_labels_
    assert ((labels > 1e-4) & (labels < 1.0 - 1e-4)).sum() <= 10


def test_fits_are_deterministic_and_do_not_depend_on_the_order_of_rows() -> None:
    data = partly_labeled(n_labeled=15, n_classes=3)
    first = ICLDAClassifier().fit(data.X, data.marked)
    again = ICLDAClassifier().fit(data.X, data.marked)
    np.testing.assert_array_equal(first.coef_, again.coef_)
    order = np.random.default_rng(0).permutation(len(data.X))
    shuffled = ICLDAClassifier().fit(data.X[order], data.marked[order])
    np.testing.assert_allclose(
        shuffled.predict_proba(data.X), first.predict_proba(data.X), atol=1e-3
    )


def test_classes_that_are_two_points_have_no_likelihood_to_search() -> None:
    # Had failed: the search began with a matrix that has no inverse.
    X, y = np.array([[0.0, 1.0], [1.0, 5.0]]), np.array([0, 1])
    assert ICLDAClassifier().fit(X, y).log_likelihood_ == np.inf
    with pytest.raises(UnboundedLikelihoodError, match="Set alpha > 0"):
        ICLDAClassifier().fit(X, y, X_unlabeled=X)
