"""Contrastive pessimistic likelihood: its guarantee for every labeling."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.family import LDAClassifier, MCPLDAClassifier
from tacit.solver import Status
from tests.estimators.tables import PartlyLabeled, partly_labeled
from tests.family.class_moments import Parameters, textbook_lda

CASES = [(2, 4, 15, 0.0), (3, 4, 18, 0.0), (5, 3, 30, 0.0), (2, 20, 8, 2.0)]


def gains(model: MCPLDAClassifier, data: PartlyLabeled, alpha: float) -> np.ndarray:
    """The gain in log-likelihood over the supervised model: labeled rows, then rows by class."""
    X, y = data.labeled
    ours = Parameters(model.priors_, model.means_, model.covariance_)
    theirs = textbook_lda(X, np.eye(y.max() + 1)[y], np.ones(len(y)), alpha)
    known = (ours.log_joint(X) - theirs.log_joint(X))[np.arange(len(y)), y].sum()
    known -= ours.penalty(alpha) - theirs.penalty(alpha)
    unknown = ours.log_joint(data.pool) - theirs.log_joint(data.pool)
    return np.array([known, unknown], dtype=object)


@pytest.mark.parametrize(("n_classes", "n_features", "n_labeled", "alpha"), CASES)
def test_the_worst_labeling_gains_exactly_what_is_guaranteed(
    n_classes: int, n_features: int, n_labeled: int, alpha: float
) -> None:
    data = partly_labeled(n_labeled, 80, n_features, n_classes)
    model = MCPLDAClassifier(alpha=alpha).fit(data.X, data.marked)
    known, unknown = gains(model, data, alpha)
    worst = known + unknown.min(axis=1).sum()
    assert model.guaranteed_gain_ == pytest.approx(worst, rel=1e-7, abs=1e-7)
    assert model.guaranteed_gain_ > 0.0


@pytest.mark.parametrize(("n_classes", "n_features", "n_labeled", "alpha"), CASES)
def test_no_other_model_guarantees_more(
    n_classes: int, n_features: int, n_labeled: int, alpha: float
) -> None:
    data = partly_labeled(n_labeled, 80, n_features, n_classes)
    model = MCPLDAClassifier(alpha=alpha).fit(data.X, data.marked)
    random = np.random.default_rng(0)
    for size in (0.01, 0.1, 0.5):
        other = MCPLDAClassifier()
        other.priors_ = model.priors_ * np.exp(size * random.normal(size=n_classes))
        other.priors_ = other.priors_ / other.priors_.sum()
        other.means_ = model.means_ + size * random.normal(size=model.means_.shape)
        other.covariance_ = model.covariance_ * np.exp(size * random.normal())
        known, unknown = gains(other, data, alpha)
        assert known + unknown.min(axis=1).sum() < model.guaranteed_gain_


@pytest.mark.parametrize(("n_classes", "n_features", "n_labeled", "alpha"), CASES)
def test_the_gap_is_met_and_every_labeling_gains(
    n_classes: int, n_features: int, n_labeled: int, alpha: float
) -> None:
    data = partly_labeled(n_labeled, 80, n_features, n_classes, seed=2)
    model = MCPLDAClassifier(alpha=alpha).fit(data.X, data.marked)
    solution = model.solution_
    assert solution.status is Status.OPTIMAL
    assert solution.is_optimal(1e-10)
    known, unknown = gains(model, data, alpha)
    random = np.random.default_rng(0)
    truth = data.y[~data.known]
    for labels in (truth, *(random.integers(0, n_classes, 80) for _ in range(5))):
        gain = known + unknown[np.arange(80), labels].sum()
        assert gain >= model.guaranteed_gain_ - 1e-7


def test_the_worst_labels_are_the_soft_labels() -> None:
    # Where the model and the supervised one differ in a row, its label is the one that gains less.
    data = partly_labeled(n_labeled=15, n_unlabeled=100)
    model = MCPLDAClassifier().fit(data.X, data.marked)
    _, unknown = gains(model, data, 0.0)
    clear = np.abs(unknown[:, 1] - unknown[:, 0]) > 1e-3
    assert clear.sum() > 50
    np.testing.assert_allclose(model.soft_labels_[clear], unknown[clear].argmin(axis=1), atol=1e-4)


def test_labels_that_do_not_determine_the_covariance_need_a_penalty() -> None:
    data = partly_labeled(n_labeled=8, n_unlabeled=80, n_features=20)
    with pytest.raises(ValueError, match="Set alpha > 0"):
        MCPLDAClassifier().fit(data.X, data.marked)
    assert MCPLDAClassifier(alpha=0.1).fit(data.X, data.marked).guaranteed_gain_ > 0.0


def test_without_unlabeled_rows_nothing_is_gained() -> None:
    data = partly_labeled(n_labeled=4, n_unlabeled=0, n_features=6)
    model = MCPLDAClassifier().fit(data.X, data.y)
    assert model.guaranteed_gain_ == 0.0
    assert model.solution_.status is Status.EMPTY
    np.testing.assert_allclose(
        model.predict_proba(data.X), LDAClassifier().fit(data.X, data.y).predict_proba(data.X)
    )


@pytest.mark.filterwarnings("ignore:MCPLDAClassifier stopped")
@pytest.mark.parametrize("seed", [50, 314])
def test_weights_beside_which_other_rows_are_rounding_leave_a_fit(seed: int) -> None:
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(15, 8)), np.r_[0, 1, 2, random.integers(0, 3, 2), np.full(10, -1)]
    X[1] = X[0]
    weights = random.uniform(0.5, 2.0, 15)
    weights[6:][random.random(9) < 0.3] = 1e12
    model = MCPLDAClassifier().fit(X, y, sample_weight=weights)
    assert np.isfinite(model.decision_function(X)).all()
