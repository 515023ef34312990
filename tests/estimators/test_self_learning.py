"""Self-learning: refits on its own predictions, fast for least squares and general for the rest."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tacit import LeastSquaresClassifier, SelfLearningClassifier
from tacit.estimators._self_learning import SelfLearningStatus
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


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_more_columns_than_rows_take_no_matrix_of_the_columns(
    monkeypatch: pytest.MonkeyPatch, form: Any, n_classes: int, fit_intercept: bool, weighted: bool
) -> None:
    data = partly_labeled(12, 30, 60, n_classes, noise=2.0)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, len(data.X)) if weighted else None

    def fitted() -> SelfLearningClassifier:
        model = SelfLearningClassifier(LeastSquaresClassifier(300.0, fit_intercept))
        return model.fit(form(data.X), data.marked, sample_weight=weights)

    by_columns = fitted()
    monkeypatch.setattr("tacit.estimators._self_learning.FEW_COLUMNS", 50)
    # Enough for matrices of 42 rows, and not for one of 60 columns.
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 80 * 50**2)
    by_rows = fitted()
    assert by_rows.n_iter_ >= 1
    np.testing.assert_array_equal(by_rows.soft_labels_, by_columns.soft_labels_)
    np.testing.assert_allclose(by_rows.coef_, by_columns.coef_, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(by_rows.intercept_, by_columns.intercept_, rtol=1e-6)
    assert by_rows.estimator_.rank_ == by_columns.estimator_.rank_


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
        # Decisions without probabilities of their own are calibrated.
        "default": (SelfLearningClassifier(), True, True),
        "ridge": (SelfLearningClassifier(RidgeClassifier()), True, True),
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


class NextClass(ClassifierMixin, BaseEstimator):
    """Predicts, for each row it was fitted on, the class after the one it was told."""

    def fit(self, X: Any, y: Any) -> NextClass:
        self.classes_ = np.unique(y)
        following = dict(zip(self.classes_, np.roll(self.classes_, -1), strict=True))
        self.answers_ = {tuple(row): following[label] for row, label in zip(X, y, strict=True)}
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.array([self.answers_.get(tuple(row), self.classes_[0]) for row in X])


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_cycle_is_found_and_warned_about(n_classes: int) -> None:
    data = partly_labeled(n_labeled=10, n_unlabeled=20, n_classes=n_classes)
    model = SelfLearningClassifier(NextClass(), max_iter=1000)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(data.X, data.marked)
    assert model.solution_.status is SelfLearningStatus.CYCLE
    assert model.solution_.cycle_length == n_classes
    assert model.n_iter_ == n_classes
    assert len(caught) == 1
    assert str(caught[0].message) == (
        f"SelfLearningClassifier went round in a cycle of {n_classes} labelings after "
        f"{n_classes} refits, the last of which changed 20 labels; the labels do not settle on "
        "these data and more refits would not help."
    )


def test_after_a_cycle_the_labels_are_those_that_the_last_fit_was_given() -> None:
    data = partly_labeled(n_labeled=10, n_unlabeled=20)
    with pytest.warns(ConvergenceWarning):
        model = SelfLearningClassifier(NextClass()).fit(data.X, data.marked)
    np.testing.assert_array_equal(model.predict(data.pool), 1 - model.soft_labels_)


class Corrects(NextClass):
    """Starts with all zeros and corrects one label a fit, so that it takes long but settles."""

    def predict(self, X: Any) -> np.ndarray:
        labels = {row: 1 - answer for row, answer in self.answers_.items()}
        told = np.array([labels.get(tuple(row), 0) for row in X])
        wrong = np.flatnonzero(told == 0)
        if all(tuple(row) in labels for row in X) and len(wrong):
            told[wrong[0]] = 1
        return told


def test_a_long_way_to_the_answer_is_no_cycle() -> None:
    data = partly_labeled(n_labeled=10, n_unlabeled=20)
    model = SelfLearningClassifier(Corrects()).fit(data.X, data.marked)
    assert model.solution_.status is SelfLearningStatus.FIXED_POINT
    assert model.solution_.changes == (1,) * 20 + (0,)
    assert model.n_iter_ == 21
    assert model.solution_.cycle_length == 0
    assert model.soft_labels_.tolist() == [1.0] * 20


@pytest.mark.parametrize("max_iter", [1, 4, 20])
def test_too_few_refits_are_warned_about(max_iter: int) -> None:
    data = partly_labeled(n_labeled=10, n_unlabeled=20)
    model = SelfLearningClassifier(Corrects(), max_iter=max_iter)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(data.X, data.marked)
    assert str(caught[0].message) == (
        f"SelfLearningClassifier stopped after {max_iter} refits, the last of which changed 1 "
        "labels, where 0 was wanted; raise max_iter."
    )
    assert model.solution_.status is SelfLearningStatus.MAX_ITERATIONS
    assert model.n_iter_ == max_iter
    # The labels of the last fit, not those that would come next.
    assert model.soft_labels_.sum() == max_iter - 1


@pytest.mark.parametrize("base", [LeastSquaresClassifier(), LeastSquaresClassifier(alpha=0.5)])
def test_stopped_early_the_model_is_the_fit_on_the_labels_shown(base: Any) -> None:
    data = partly_labeled(n_labeled=8, seed=1)
    model = SelfLearningClassifier(base, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model.fit(data.X, data.marked)
    X, y = data.labeled
    start = type(base)(**base.get_params()).fit(X, y).predict(data.pool)
    np.testing.assert_array_equal(model.soft_labels_, start)
    once = type(base)(**base.get_params())
    once.fit(np.concatenate([X, data.pool]), np.concatenate([y, start]))
    np.testing.assert_allclose(model.coef_, once.coef_, rtol=1e-8)


def test_the_warning_points_at_the_line_that_called_fit() -> None:
    data = partly_labeled(n_labeled=10, n_unlabeled=20)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SelfLearningClassifier(NextClass()).fit(data.X, data.marked)
    assert [warning.filename for warning in caught] == [__file__]
