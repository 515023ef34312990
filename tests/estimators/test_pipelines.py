"""In pipelines, searches and other tools of scikit-learn."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.selection import LabeledKFold
from tests.estimators.tables import ALL, SEMI_SUPERVISED, assert_same_model, partly_labeled
from tests.optional import pd

DATA = partly_labeled()


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("estimator", ALL)
def test_a_pipeline_scales_marked_rows_with_the_others(estimator: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), estimator()).fit(DATA.X, DATA.marked)
    scaler = StandardScaler().fit(DATA.X)
    model = estimator().fit(scaler.transform(DATA.X), DATA.marked)
    assert_same_model(pipeline[-1], model)
    np.testing.assert_array_equal(pipeline.predict(DATA.X), model.predict(scaler.transform(DATA.X)))


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.usefixtures("routing")
def test_a_pipeline_transforms_rows_apart_where_transform_input_names_them(estimator: Any) -> None:
    X, y = DATA.labeled
    pipeline = Pipeline(
        [
            ("scale", StandardScaler()),
            ("classify", estimator().set_fit_request(X_unlabeled=True)),
        ],
        transform_input=["X_unlabeled"],
    ).fit(X, y, X_unlabeled=DATA.pool)
    scaler = StandardScaler().fit(X)
    model = estimator().fit(scaler.transform(X), y, scaler.transform(DATA.pool))
    assert_same_model(pipeline[-1], model)


@pytest.mark.usefixtures("routing")
def test_rows_apart_are_not_transformed_where_transform_input_does_not_name_them() -> None:
    X, y = DATA.labeled
    pipeline = make_pipeline(StandardScaler(), ICLSClassifier().set_fit_request(X_unlabeled=True))
    pipeline.fit(X, y, X_unlabeled=DATA.pool)
    model = ICLSClassifier().fit(StandardScaler().fit_transform(X), y, DATA.pool)
    assert_same_model(pipeline[-1], model)


@pytest.mark.usefixtures("routing")
def test_pipelines_that_put_out_data_frames_hand_over_the_names() -> None:
    X, y = DATA.labeled
    names = ["a", "b", "c", "d"]
    pipeline = Pipeline(
        [
            ("scale", StandardScaler()),
            ("classify", ICLSClassifier().set_fit_request(X_unlabeled=True)),
        ],
        transform_input=["X_unlabeled"],
    ).set_output(transform="pandas")
    pipeline.fit(
        pd.DataFrame(X, columns=names), y, X_unlabeled=pd.DataFrame(DATA.pool, columns=names)
    )
    assert pipeline[-1].feature_names_in_.tolist() == names
    scaler = StandardScaler().fit(X)
    model = ICLSClassifier().fit(scaler.transform(X), y, scaler.transform(DATA.pool))
    assert_same_model(pipeline[-1], model)


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.usefixtures("routing")
def test_weights_and_rows_apart_are_routed_where_they_are_requested(estimator: Any) -> None:
    X, y = DATA.labeled
    weights = np.arange(1.0, len(X) + 1)
    requesting = estimator().set_fit_request(sample_weight=True, X_unlabeled=True)
    pipeline = make_pipeline(requesting).fit(X, y, sample_weight=weights, X_unlabeled=DATA.pool)
    model = estimator().fit(X, y, DATA.pool, sample_weight=weights)
    assert_same_model(pipeline[-1], model)
    assert not np.allclose(model.coef_, estimator().fit(X, y, DATA.pool).coef_)


@pytest.mark.parametrize("name", ["sample_weight", "X_unlabeled"])
@pytest.mark.usefixtures("routing")
def test_metadata_that_was_not_requested_is_refused_or_ignored_as_asked(name: str) -> None:
    X, y = DATA.labeled
    metadata = {name: np.ones(len(X)) if name == "sample_weight" else DATA.pool}
    with pytest.raises(UnsetMetadataPassedError, match=name):
        make_pipeline(ICLSClassifier()).fit(X, y, **metadata)
    ignoring = ICLSClassifier().set_fit_request(**{name: False})
    with pytest.raises(TypeError, match=name):
        make_pipeline(ignoring).fit(X, y, **metadata)


@pytest.mark.parametrize("estimator", ALL)
def test_a_clone_has_the_parameters_and_nothing_of_the_fit(estimator: Any) -> None:
    parameters = {"unlabeled": "?"}
    if "alpha" in estimator().get_params():
        parameters["alpha"] = "loo"
    model = estimator(**parameters).fit(DATA.X, np.where(DATA.known, DATA.y.astype(str), "?"))
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]
    copy.fit(DATA.X, np.where(DATA.known, DATA.y.astype(str), "?"))
    np.testing.assert_array_equal(copy.coef_, model.coef_)


def test_a_clone_of_self_learning_has_a_base_of_its_own() -> None:
    base = ICLSClassifier(alpha=0.5)
    copy = clone(SelfLearningClassifier(base, max_iter=7))
    assert copy.max_iter == 7
    assert copy.estimator is not base
    assert copy.estimator.alpha == 0.5
    assert copy.set_params(estimator__alpha=2.0).estimator.alpha == 2.0
    assert base.alpha == 0.5


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_a_pickled_model_predicts_and_certifies_the_same(estimator: Any) -> None:
    model = estimator().fit(DATA.X, DATA.marked)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(DATA.X), model.decision_function(DATA.X))
    np.testing.assert_array_equal(copy.predict(DATA.X), model.predict(DATA.X))
    np.testing.assert_array_equal(copy.soft_labels_, model.soft_labels_)
    assert copy.certificate_ == model.certificate_
    assert str(copy.certificate_) == str(model.certificate_)
    assert copy.solution_.status is model.solution_.status
    assert copy.solution_.n_iter == model.n_iter_


def test_representations_show_only_what_differs_from_the_defaults() -> None:
    assert repr(ICLSClassifier()) == "ICLSClassifier()"
    assert repr(ICLSClassifier(alpha="loo")) == "ICLSClassifier(alpha='loo')"
    model = ProjectedLeastSquaresClassifier("euclidean", solver="lbfgsb")
    assert repr(model) == "ProjectedLeastSquaresClassifier(metric='euclidean', solver='lbfgsb')"


LARGER = partly_labeled(n_labeled=20, n_unlabeled=40)


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
    cross_val_score(Recorder(), LARGER.X, LARGER.marked, cv=LabeledKFold(5))
    assert len(Recorder.fits) == len(Recorder.tests) == 5
    pool = {tuple(row) for row in LARGER.pool}
    for trained in Recorder.fits:
        assert {tuple(row) for row in trained[trained[:, -1] == -1, :-1]} == pool
        assert (trained[:, -1] != -1).sum() == 16
    tested = np.concatenate(Recorder.tests)
    assert sorted(map(tuple, tested)) == sorted(map(tuple, LARGER.X[LARGER.known]))


@pytest.mark.parametrize("estimator", ALL)
def test_cross_validation_scores_are_the_accuracies_on_held_out_labels(estimator: Any) -> None:
    scores = cross_val_score(estimator(), LARGER.X, LARGER.marked, cv=LabeledKFold(5))
    expected = []
    for train, test in LabeledKFold(5).split(LARGER.X, LARGER.marked):
        model = estimator().fit(LARGER.X[train], LARGER.marked[train])
        expected.append(float(np.mean(model.predict(LARGER.X[test]) == LARGER.y[test])))
    np.testing.assert_allclose(scores, expected)


def squared_loss(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((model.decision_function(X) + 0.5 - y) ** 2))


def test_the_unlabeled_rows_in_training_have_a_say_in_the_scores() -> None:
    chosen = {"cv": LabeledKFold(5), "scoring": squared_loss}
    with_them = cross_val_score(ICLSClassifier(), LARGER.X, LARGER.marked, **chosen)
    without = cross_val_score(ICLSClassifier(), *LARGER.labeled, **chosen)
    supervised = cross_val_score(LeastSquaresClassifier(), LARGER.X, LARGER.marked, **chosen)
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
    search = GridSearchCV(model, grid, cv=cv, error_score="raise").fit(LARGER.X, LARGER.marked)
    n_candidates = np.prod([len(values) for values in grid.values()])
    assert len(search.cv_results_["params"]) == n_candidates
    scores = [
        cross_val_score(clone(model).set_params(**chosen), LARGER.X, LARGER.marked, cv=cv).mean()
        for chosen in search.cv_results_["params"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_score_ == pytest.approx(max(scores))
    refitted = search.best_estimator_
    if hasattr(refitted, "soft_labels_"):
        assert len(refitted.soft_labels_) == len(LARGER.pool)
    assert search.score(*LARGER.labeled) == refitted.score(*LARGER.labeled)


def test_both_solvers_get_the_same_scores() -> None:
    search = GridSearchCV(
        ICLSClassifier(), {"solver": ["interior-point", "lbfgsb"]}, cv=LabeledKFold(5)
    ).fit(LARGER.X, LARGER.marked)
    first, second = search.cv_results_["mean_test_score"]
    assert first == second


def test_a_pipeline_can_be_searched() -> None:
    pipeline = make_pipeline(StandardScaler(), ICLSClassifier())
    grid = {"iclsclassifier__alpha": [0.0, 1.0, 100.0]}
    search = GridSearchCV(pipeline, grid, cv=LabeledKFold(5)).fit(LARGER.X, LARGER.marked)
    assert search.best_params_["iclsclassifier__alpha"] in (0.0, 1.0, 100.0)
    assert len(search.best_estimator_[-1].soft_labels_) == len(LARGER.pool)


@pytest.mark.parametrize("mark", [None, np.nan, "unknown"], ids=repr)
def test_cross_validation_understands_every_mark(mark: Any) -> None:
    names = np.where(LARGER.y == 1, "yes", "no").astype(object)
    names[~LARGER.known] = mark
    chosen = mark if isinstance(mark, str) else None
    scores = cross_val_score(
        ICLSClassifier(unlabeled=chosen), LARGER.X, names, cv=LabeledKFold(5, unlabeled=chosen)
    )
    reference = cross_val_score(ICLSClassifier(), LARGER.X, LARGER.marked, cv=LabeledKFold(5))
    np.testing.assert_allclose(scores, reference)


def test_cross_val_predict_says_that_not_every_row_is_tested() -> None:
    with pytest.raises(ValueError, match="partitions"):
        cross_val_predict(ICLSClassifier(), LARGER.X, LARGER.marked, cv=LabeledKFold(5))
