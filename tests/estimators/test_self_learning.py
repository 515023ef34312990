"""Self-learning: refits on its own predictions, fast for least squares and general for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tacit import LeastSquaresClassifier, SelfLearningClassifier
from tacit.solver._self_learning import SelfLearningStatus
from tests.estimators.tables import PartlyLabeled, assert_same_model, partly_labeled


class PlainLeastSquares(LeastSquaresClassifier):
    """Least squares that self-learning does not know to be least squares."""


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_features", [2, 15])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("chosen", [{}, {"alpha": 2.0}, {"fit_intercept": False}], ids=repr)
def test_the_fast_path_for_least_squares_equals_the_general_one(
    n_classes: int, n_features: int, weighted: bool, chosen: dict[str, Any]
) -> None:
    refits = 0
    for seed in range(4):
        data = partly_labeled(6, 80, n_features, n_classes, seed, noise=2.0)
        weights = None
        if weighted:
            weights = np.random.default_rng(seed).uniform(0.2, 3.0, len(data.X))
        fast = SelfLearningClassifier(LeastSquaresClassifier(**chosen))
        fast.fit(data.X, data.marked, sample_weight=weights)
        general = SelfLearningClassifier(PlainLeastSquares(**chosen))
        general.fit(data.X, data.marked, sample_weight=weights)
        assert_same_model(fast, general)
        np.testing.assert_array_equal(fast.soft_labels_, general.soft_labels_)
        assert fast.solution_.changes == general.solution_.changes
        assert fast.solution_.status is general.solution_.status
        assert fast.estimator_.alpha_ == general.estimator_.alpha_
        assert fast.estimator_.rank_ == general.estimator_.rank_
        np.testing.assert_array_equal(fast.predict(data.X), general.predict(data.X))
        refits += fast.n_iter_
    assert refits > 4


BASES = {
    "least squares": LeastSquaresClassifier(),
    "logistic": LogisticRegression(),
    "ridge": RidgeClassifier(),
    "svm": LinearSVC(random_state=0),
    "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    "naive Bayes": GaussianNB(),
}


@pytest.mark.parametrize("base", BASES.values(), ids=BASES.keys())
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_the_loop_that_one_would_write_by_hand(base: Any, n_classes: int) -> None:
    data = partly_labeled(n_labeled=12, n_classes=n_classes, seed=2, noise=1.2)
    names = np.array(["a", "b", "c"])[data.y]
    X, y = data.X[data.known], names[data.known]
    by_hand = type(base)(**base.get_params()).fit(X, y)
    labels = by_hand.predict(data.pool)
    for _ in range(100):
        by_hand.fit(np.concatenate([X, data.pool]), np.concatenate([y, labels]))
        if (by_hand.predict(data.pool) == labels).all():
            break
        labels = by_hand.predict(data.pool)
    model = SelfLearningClassifier(base, unlabeled="?")
    model.fit(data.X, np.where(data.known, names, "?"))
    np.testing.assert_array_equal(model.predict(data.X), by_hand.predict(data.X))
    codes = model.soft_labels_.astype(int)
    codes = codes if n_classes == 2 else codes.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[codes], labels)


@pytest.mark.parametrize("base", BASES.values(), ids=BASES.keys())
def test_when_it_settles_the_labels_are_its_own_predictions(base: Any) -> None:
    data = partly_labeled(n_labeled=12, seed=2, noise=1.2)
    model = SelfLearningClassifier(base).fit(data.X, data.marked)
    assert model.solution_.status is SelfLearningStatus.FIXED_POINT
    assert model.solution_.changes[-1] == 0
    assert len(model.solution_.changes) == model.n_iter_ >= 1
    np.testing.assert_array_equal(model.predict(data.pool), model.soft_labels_)


def test_with_least_squares_every_refit_lowers_the_loss_so_that_it_always_settles() -> None:
    # Relabeling and refitting both minimise the squared loss of all rows, so no cycle is possible.
    longest = 0
    for seed in range(20):
        data = partly_labeled(n_labeled=6, n_unlabeled=60, n_features=2, seed=seed, noise=2.0)
        model = SelfLearningClassifier().fit(data.X, data.marked)
        assert model.solution_.status is SelfLearningStatus.FIXED_POINT
        losses = [_loss_after(n_refits, data) for n_refits in range(1, model.n_iter_ + 1)]
        assert (np.diff(losses) < 0).all()
        longest = max(longest, model.n_iter_)
    assert longest >= 4


def _loss_after(n_refits: int, data: PartlyLabeled) -> float:
    """The squared loss of the model after so many refits on the labels that it was given."""
    X, y = data.labeled
    labels = LeastSquaresClassifier().fit(X, y).predict(data.pool)
    all_X = np.concatenate([X, data.pool])
    for _ in range(n_refits):
        all_y = np.concatenate([y, labels])
        model = LeastSquaresClassifier().fit(all_X, all_y)
        labels = model.predict(data.pool)
    return float(((model.decision_function(all_X) + 0.5 - all_y) ** 2).mean())


@pytest.mark.parametrize("base", BASES.values(), ids=BASES.keys())
def test_without_unlabeled_rows_it_is_the_base_itself(base: Any) -> None:
    data = partly_labeled(n_labeled=20, n_unlabeled=20)
    model = SelfLearningClassifier(base).fit(*data.labeled)
    alone = type(base)(**base.get_params()).fit(*data.labeled)
    np.testing.assert_array_equal(model.predict(data.X), alone.predict(data.X))
    assert model.n_iter_ == 0
    assert model.solution_.status is SelfLearningStatus.EMPTY
    assert model.soft_labels_.shape == (0,)


def test_soft_labels_of_more_than_two_classes_are_indicators() -> None:
    data = partly_labeled(n_labeled=12, n_classes=3)
    model = SelfLearningClassifier().fit(data.X, data.marked)
    assert model.soft_labels_.shape == (len(data.pool), 3)
    assert set(np.unique(model.soft_labels_)) == {0.0, 1.0}
    np.testing.assert_array_equal(model.soft_labels_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.soft_labels_.argmax(axis=1), model.predict(data.pool))


def test_methods_are_those_of_the_base_before_and_after_fitting() -> None:
    data = partly_labeled(n_labeled=12)
    wanted = {
        "default": (SelfLearningClassifier(), True, False),
        "ridge": (SelfLearningClassifier(RidgeClassifier()), True, False),
        "logistic": (SelfLearningClassifier(LogisticRegression()), True, True),
        "naive Bayes": (SelfLearningClassifier(GaussianNB()), False, True),
        # Had failed before fitting: an ensemble has no length then.
        "forest": (SelfLearningClassifier(RandomForestClassifier(5, random_state=0)), False, True),
    }
    for name, (model, decides, estimates) in wanted.items():
        for _ in range(2):
            assert hasattr(model, "decision_function") is decides, name
            assert hasattr(model, "predict_proba") is estimates, name
            model.fit(data.X, data.marked)


def test_probabilities_and_decisions_are_those_of_the_last_fit() -> None:
    data = partly_labeled(n_labeled=12)
    model = SelfLearningClassifier(LogisticRegression()).fit(data.X, data.marked)
    np.testing.assert_array_equal(
        model.predict_proba(data.X), model.estimator_.predict_proba(data.X)
    )
    np.testing.assert_array_equal(
        model.decision_function(data.X), model.estimator_.decision_function(data.X)
    )
    np.testing.assert_array_equal(model.coef_, model.estimator_.coef_)
    np.testing.assert_array_equal(model.intercept_, model.estimator_.intercept_)


def test_the_base_that_was_given_is_not_fitted_itself() -> None:
    data = partly_labeled(n_labeled=12)
    for base in (LogisticRegression(), LeastSquaresClassifier()):
        model = SelfLearningClassifier(base).fit(data.X, data.marked)
        assert model.estimator_ is not base
        assert not [name for name in vars(base) if name.endswith("_")]
    assert SelfLearningClassifier().fit(data.X, data.marked).estimator is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_penalty_by_leave_one_out_is_chosen_once_on_the_labeled_rows(n_classes: int) -> None:
    data = partly_labeled(n_labeled=20, n_classes=n_classes, seed=3, noise=1.5)
    tuned = LeastSquaresClassifier(alpha="loo").fit(*data.labeled)
    model = SelfLearningClassifier(LeastSquaresClassifier(alpha="loo")).fit(data.X, data.marked)
    expected = SelfLearningClassifier(LeastSquaresClassifier(alpha=tuned.alpha_))
    expected.fit(data.X, data.marked)
    assert model.estimator_.alpha_ == tuned.alpha_ > 0.0
    np.testing.assert_array_equal(model.coef_, expected.coef_)
