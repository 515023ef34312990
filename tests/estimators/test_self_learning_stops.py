"""Why self-learning stopped without an answer: cycles and too few refits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from tacit import LeastSquaresClassifier, SelfLearningClassifier
from tacit.solver._self_learning import SelfLearningStatus
from tests.estimators.tables import partly_labeled


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
