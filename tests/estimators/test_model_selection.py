"""Cross-validation and grid search on partly labeled data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.selection import LabeledKFold
from tests.estimators.tables import ALL, partly_labeled

DATA = partly_labeled(n_labeled=20, n_unlabeled=40)


class Recorder(LeastSquaresClassifier):
    """Least squares that remembers what it was fitted and tested on."""

    fits: list[np.ndarray] = []  # noqa: RUF012 - shared by the clones on purpose
    tests: list[np.ndarray] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None) -> Recorder:
        self.fits.append(np.column_stack([X, y]))
        super().fit(X, y, X_unlabeled, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        self.tests.append(X)
        return super().predict(X)


def test_cross_validation_tests_labeled_rows_and_trains_on_every_unlabeled_one() -> None:
    Recorder.fits.clear()
    Recorder.tests.clear()
    cross_val_score(Recorder(), DATA.X, DATA.marked, cv=LabeledKFold(5))
    assert len(Recorder.fits) == len(Recorder.tests) == 5
    pool = {tuple(row) for row in DATA.pool}
    for trained in Recorder.fits:
        assert {tuple(row) for row in trained[trained[:, -1] == -1, :-1]} == pool
        assert (trained[:, -1] != -1).sum() == 16
    tested = np.concatenate(Recorder.tests)
    assert sorted(map(tuple, tested)) == sorted(map(tuple, DATA.X[DATA.known]))


@pytest.mark.parametrize("estimator", ALL)
def test_cross_validation_scores_are_the_accuracies_on_held_out_labels(estimator: Any) -> None:
    scores = cross_val_score(estimator(), DATA.X, DATA.marked, cv=LabeledKFold(5))
    expected = []
    for train, test in LabeledKFold(5).split(DATA.X, DATA.marked):
        model = estimator().fit(DATA.X[train], DATA.marked[train])
        expected.append(float(np.mean(model.predict(DATA.X[test]) == DATA.y[test])))
    np.testing.assert_allclose(scores, expected)


def squared_loss(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((model.decision_function(X) + 0.5 - y) ** 2))


def test_the_unlabeled_rows_in_training_have_a_say_in_the_scores() -> None:
    chosen = {"cv": LabeledKFold(5), "scoring": squared_loss}
    with_them = cross_val_score(ICLSClassifier(), DATA.X, DATA.marked, **chosen)
    without = cross_val_score(ICLSClassifier(), *DATA.labeled, **chosen)
    supervised = cross_val_score(LeastSquaresClassifier(), DATA.X, DATA.marked, **chosen)
    np.testing.assert_allclose(without, supervised)
    assert not np.allclose(with_them, supervised)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (LeastSquaresClassifier(), {"alpha": [0.0, 0.1, 10.0, "loo"]}),
        (ICLSClassifier(), {"alpha": [0.0, 1.0], "solver": ["interior-point", "lbfgsb"]}),
        (
            ProjectedLeastSquaresClassifier(),
            {"metric": ["all", "labeled", "euclidean"], "alpha": [0.0, 1.0]},
        ),
        (SelfLearningClassifier(LeastSquaresClassifier()), {"estimator__alpha": [0.0, 1.0]}),
    ],
    ids=repr,
)
def test_grid_search_finds_the_best_mean_score_and_refits_on_all_rows(
    model: Any, grid: dict[str, list[Any]]
) -> None:
    cv = LabeledKFold(5)
    search = GridSearchCV(model, grid, cv=cv, error_score="raise").fit(DATA.X, DATA.marked)
    n_candidates = np.prod([len(values) for values in grid.values()])
    assert len(search.cv_results_["params"]) == n_candidates
    scores = [
        cross_val_score(clone(model).set_params(**chosen), DATA.X, DATA.marked, cv=cv).mean()
        for chosen in search.cv_results_["params"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_score_ == pytest.approx(max(scores))
    refitted = search.best_estimator_
    if hasattr(refitted, "soft_labels_"):
        assert len(refitted.soft_labels_) == len(DATA.pool)
    assert search.score(*DATA.labeled) == refitted.score(*DATA.labeled)


def test_both_solvers_get_the_same_scores() -> None:
    search = GridSearchCV(
        ICLSClassifier(), {"solver": ["interior-point", "lbfgsb"]}, cv=LabeledKFold(5)
    ).fit(DATA.X, DATA.marked)
    first, second = search.cv_results_["mean_test_score"]
    assert first == second


def test_a_pipeline_can_be_searched() -> None:
    pipeline = make_pipeline(StandardScaler(), ICLSClassifier())
    grid = {"iclsclassifier__alpha": [0.0, 1.0, 100.0]}
    search = GridSearchCV(pipeline, grid, cv=LabeledKFold(5)).fit(DATA.X, DATA.marked)
    assert search.best_params_["iclsclassifier__alpha"] in (0.0, 1.0, 100.0)
    assert len(search.best_estimator_[-1].soft_labels_) == len(DATA.pool)


@pytest.mark.parametrize("mark", [None, np.nan, "unknown"], ids=repr)
def test_cross_validation_understands_every_mark(mark: Any) -> None:
    names = np.where(DATA.y == 1, "yes", "no").astype(object)
    names[~DATA.known] = mark
    chosen = mark if isinstance(mark, str) else None
    scores = cross_val_score(
        ICLSClassifier(unlabeled=chosen), DATA.X, names, cv=LabeledKFold(5, unlabeled=chosen)
    )
    reference = cross_val_score(ICLSClassifier(), DATA.X, DATA.marked, cv=LabeledKFold(5))
    np.testing.assert_allclose(scores, reference)


def test_cross_val_predict_says_that_not_every_row_is_tested() -> None:
    with pytest.raises(ValueError, match="partitions"):
        cross_val_predict(ICLSClassifier(), DATA.X, DATA.marked, cv=LabeledKFold(5))
