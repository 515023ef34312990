"""What holds for every generative classifier: marks, labels, weights, probabilities."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from tacit.family import (
    EMLDAClassifier,
    MCPLDAClassifier,
)
from tacit.selection import LabeledKFold
from tests.estimators.tables import assert_same_model
from tests.family.generative_models import (
    ALL,
    EM,
    GAUSSIAN,
    SEARCHES,
    SEMI_SUPERVISED,
    SUPERVISED,
    TWINS,
    table,
)
from tests.optional import pd

DATA = table()


def fitted(estimator: Any, n_classes: int = 2, **chosen: Any) -> Any:
    data = table(n_classes)
    return estimator(**chosen).fit(data.X, data.marked)


@pytest.mark.parametrize("mark", [-1, None, float("nan"), "NA"], ids=repr)
@pytest.mark.parametrize("estimator", ALL)
def test_marks_and_rows_of_their_own_are_the_same(estimator: Any, mark: Any) -> None:
    y = DATA.y.astype(object)
    y[~DATA.known] = pd.NA if mark == "NA" else mark
    marked = estimator().fit(DATA.X, y)
    apart = estimator().fit(*DATA.labeled, DATA.pool)
    assert_same_model(marked, apart)
    assert marked.classes_.tolist() == [0, 1]
    if estimator in SEMI_SUPERVISED:
        np.testing.assert_allclose(marked.soft_labels_, apart.soft_labels_, atol=1e-6)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_marked_rows_come_before_those_of_their_own(estimator: Any) -> None:
    half = np.flatnonzero(~DATA.known)[:20]
    rest = np.flatnonzero(~DATA.known)[20:]
    use = np.sort(np.concatenate([np.flatnonzero(DATA.known), half]))
    model = estimator().fit(DATA.X[use], DATA.marked[use], DATA.X[rest])
    whole = estimator().fit(DATA.X, DATA.marked)
    assert_same_model(model, whole)
    np.testing.assert_allclose(model.soft_labels_, whole.soft_labels_, atol=1e-6)


@pytest.mark.parametrize("estimator", ALL)
def test_strings_are_labels(estimator: Any) -> None:
    names = np.where(DATA.known, np.where(DATA.y == 1, "yes", "no"), "?")
    model = estimator(unlabeled="?").fit(DATA.X, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert_same_model(model, fitted(estimator))
    assert set(model.predict(DATA.X)) == {"no", "yes"}


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_without_unlabeled_rows_it_is_the_supervised_twin(estimator: Any, n_classes: int) -> None:
    data = table(n_classes, n_labeled=30)
    model, twin = estimator().fit(*data.labeled), TWINS[estimator]().fit(*data.labeled)
    np.testing.assert_allclose(
        model.predict_proba(data.X), twin.predict_proba(data.X), rtol=1e-7, atol=1e-9
    )
    assert len(model.soft_labels_) == 0
    if hasattr(model, "solution_"):
        assert model.n_iter_ == 0
        assert model.solution_.status.is_success


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_unlabeled_rows_make_a_difference(estimator: Any, n_classes: int) -> None:
    data = table(n_classes, n_labeled=30)
    model, twin = estimator().fit(data.X, data.marked), TWINS[estimator]().fit(*data.labeled)
    assert np.abs(model.predict_proba(data.X) - twin.predict_proba(data.X)).max() > 1e-3


@pytest.mark.parametrize("estimator", SUPERVISED)
def test_the_twins_ignore_unlabeled_rows_wherever_they_are(estimator: Any) -> None:
    alone = estimator().fit(*DATA.labeled)
    for model in (estimator().fit(DATA.X, DATA.marked), estimator().fit(*DATA.labeled, DATA.pool)):
        np.testing.assert_array_equal(model.coef_, alone.coef_)
        np.testing.assert_array_equal(model.intercept_, alone.intercept_)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("estimator", ALL)
def test_probabilities_decisions_and_predictions_agree(estimator: Any, n_classes: int) -> None:
    model, X = fitted(estimator, n_classes), table(n_classes).X
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), probabilities)
    decision = model.decision_function(X)
    if n_classes == 2:
        odds = np.log(probabilities[:, 1]) - np.log(probabilities[:, 0])
        np.testing.assert_allclose(decision, odds, atol=1e-6)
    else:
        gaps = np.diff(decision), np.diff(np.log(probabilities))
        np.testing.assert_allclose(*gaps, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_soft_labels_have_one_column_for_two_classes(estimator: Any, n_classes: int) -> None:
    data = table(n_classes)
    labels = fitted(estimator, n_classes).soft_labels_
    U = len(data.pool)
    assert labels.shape == ((U,) if n_classes == 2 else (U, n_classes))
    assert ((labels >= 0.0) & (labels <= 1.0)).all()
    if n_classes > 2:
        np.testing.assert_allclose(labels.sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("estimator", ALL)
def test_a_whole_weight_is_as_many_rows(estimator: Any) -> None:
    weights = np.random.default_rng(0).integers(0, 3, len(DATA.X))
    weights[DATA.known] += 1
    repeated = np.repeat(np.arange(len(DATA.X)), weights)
    model = estimator().fit(DATA.X, DATA.marked, sample_weight=weights)
    same = estimator().fit(DATA.X[repeated], DATA.marked[repeated])
    np.testing.assert_allclose(
        model.predict_proba(DATA.X), same.predict_proba(DATA.X), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("estimator", ALL)
def test_sparse_rows_are_rows(estimator: Any) -> None:
    rows = sparse.csr_array(DATA.X)
    model = estimator().fit(rows, DATA.marked)
    np.testing.assert_allclose(
        model.predict_proba(rows), fitted(estimator).predict_proba(DATA.X), atol=1e-6
    )


@pytest.mark.parametrize("estimator", ALL)
def test_score_leaves_unlabeled_rows_out(estimator: Any) -> None:
    model = fitted(estimator)
    assert model.score(DATA.X, DATA.marked) == model.score(*DATA.labeled)


@pytest.mark.parametrize("estimator", ALL)
def test_a_failed_fit_leaves_the_model_as_it_was(estimator: Any) -> None:
    model = fitted(estimator)
    before = model.predict_proba(DATA.X)
    with pytest.raises(ValueError, match="only one class"):
        model.fit(DATA.X, np.zeros(len(DATA.X)))
    np.testing.assert_array_equal(model.predict_proba(DATA.X), before)
    with pytest.raises(NotFittedError):
        estimator().predict_proba(DATA.X)


@pytest.mark.parametrize("estimator", ALL)
def test_models_survive_pickling_and_cloning(estimator: Any) -> None:
    model = fitted(estimator)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(DATA.X), model.predict_proba(DATA.X))
    assert_same_model(clone(model).fit(DATA.X, DATA.marked), model, rtol=0, atol=0)


@pytest.mark.parametrize("estimator", ALL)
def test_it_works_in_a_pipeline_and_a_grid_search_on_labeled_rows(estimator: Any) -> None:
    pipeline = make_pipeline(MinMaxScaler(), estimator())
    name = pipeline.steps[-1][0]
    search = GridSearchCV(pipeline, {f"{name}__alpha": [0.5, 2.0]}, cv=LabeledKFold(3))
    search.fit(DATA.X, DATA.marked)
    assert search.best_score_ > 0.5


@pytest.mark.parametrize("estimator", [*EM, *SEARCHES])
def test_too_few_iterations_are_warned_about_where_fit_was_called(estimator: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = estimator(max_iter=1).fit(DATA.X, DATA.marked)
    assert [(w.category, w.filename) for w in caught] == [(ConvergenceWarning, __file__)]
    message = str(caught[0].message)
    assert message.startswith(f"{estimator.__name__} stopped")
    assert "above the tolerance tol=1e-" in message
    assert "raise max_iter (now 1)" in message
    assert not model.solution_.status.is_success
    assert model.n_iter_ >= 1
    assert np.isfinite(model.predict_proba(DATA.X)).all()


@pytest.mark.parametrize("estimator", SEARCHES)
def test_a_search_over_single_labels_needs_rows_in_memory(estimator: Any) -> None:
    array = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match=f"{estimator.__name__} finds a label for every single row"):
        estimator().fit(*DATA.labeled, array.from_array(DATA.pool, chunks=10))


@pytest.mark.parametrize("estimator", GAUSSIAN)
def test_units_and_a_distant_zero_do_not_matter(estimator: Any) -> None:
    scale, shift = np.array([1e3, 1.0, 1e-3, 1.0]), np.array([0.0, 1e4, 1.0, -1e3])
    if "NearestMean" in estimator.__name__:
        scale = np.full(4, 1e-3)  # one for all features: it knows of no covariance
    moved = estimator().fit(DATA.X * scale + shift, DATA.marked)
    np.testing.assert_allclose(
        moved.predict_proba(DATA.X * scale + shift),
        fitted(estimator).predict_proba(DATA.X),
        atol=1e-4,
    )


def test_a_covariance_without_spread_names_the_way_out() -> None:
    X = np.array([[0.0, 0.1], [1.0, 0.2], [0.0, 0.3], [0.0, 0.4], [1.0, 0.5], [1.0, 0.6]])
    with pytest.raises(ValueError, match=r"likelihood has no maximum\. Set alpha > 0"):
        EMLDAClassifier().fit(X, [0, 1, -1, -1, -1, -1])
    model = EMLDAClassifier(alpha=0.1).fit(X, [0, 1, -1, -1, -1, -1])
    assert model.predict(X).tolist() == [0, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("estimator", ALL)
def test_probabilities_too_small_for_a_number_have_a_logarithm(
    estimator: Any, n_classes: int
) -> None:
    model, X = fitted(estimator, n_classes), 1e5 * table(n_classes).X
    logarithms = model.predict_log_proba(X)
    assert np.isfinite(logarithms).all()
    assert logarithms.min() < -1000.0
    np.testing.assert_allclose(np.exp(logarithms), model.predict_proba(X), atol=1e-12)


def test_rows_far_away_are_named_as_a_reason_for_a_singular_covariance() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(20, 2)), np.arange(20) % 2
    X[:, 0] += 3.0 * y
    with pytest.raises(ValueError, match="farther away"):
        MCPLDAClassifier().fit(X, y, X_unlabeled=1e6 + random.normal(size=(20, 2)))
