"""Rows with unknown labels are never scored."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)

ESTIMATORS = [
    LeastSquaresClassifier(),
    ICLSClassifier(),
    ProjectedLeastSquaresClassifier(),
    SelfLearningClassifier(),
    SelfLearningClassifier(LogisticRegression()),
]


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 3))
    y = (X[:, 0] + 0.5 * random.normal(size=120) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("mark", [-1, None, np.nan])
def test_marked_rows_are_left_out_of_the_score(estimator, mark, data):
    X, y = data
    marked = y.astype(object)
    marked[30:] = mark
    if mark is np.nan or mark == -1:
        marked = marked.astype(float)
    model = estimator.fit(X, marked)
    assert model.score(X, marked) == pytest.approx(np.mean(model.predict(X[:30]) == y[:30]))
    weights = np.arange(120.0)
    expected = np.average(model.predict(X[:30]) == y[:30], weights=weights[:30])
    assert model.score(X, marked, sample_weight=weights) == pytest.approx(expected)


def test_cross_validation_without_a_special_splitter_scores_labeled_rows_only(data):
    X, y = data
    y = np.where(np.arange(120) % 2 == 0, y, -1)
    scores = cross_val_score(ICLSClassifier(), X, y, cv=4)
    assert scores.min() > 0.6  # each unlabeled row counted as an error would halve it


def test_nothing_to_score_is_an_error(data):
    X, y = data
    model = ICLSClassifier().fit(X, y)
    with pytest.raises(ValueError, match="nothing to score"):
        model.score(X, np.full(120, -1))
