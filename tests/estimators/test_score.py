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


def test_self_learning_with_a_penalty_of_its_own_choice_is_certified_too(data):
    X, y = data
    y = np.where(np.arange(120) % 4 == 0, y, -1)
    model = SelfLearningClassifier(LeastSquaresClassifier(alpha="loo")).fit(X, y)
    start = LeastSquaresClassifier(alpha="loo").fit(X, y)
    rows, known = X[y == -1], y != -1
    after, before = model.decision_function(rows), start.decision_function(rows)
    worst = np.where(after > before, 0.0, 1.0)
    labels = np.concatenate([y[known], worst])
    every = np.vstack([X[known], rows])
    change = np.mean((model.decision_function(every) + 0.5 - labels) ** 2)
    change -= np.mean((start.decision_function(every) + 0.5 - labels) ** 2)
    assert model.certificate_.worst_change == pytest.approx(change)


def test_a_table_elsewhere_cannot_be_scored_where_rows_are_marked(data, tmp_path):
    X, y = data
    model = ICLSClassifier().fit(X, y)
    with pytest.raises(TypeError, match="leave these rows out"):
        model.score(tmp_path / "rows.parquet", np.where(y == 1, 1, -1))
