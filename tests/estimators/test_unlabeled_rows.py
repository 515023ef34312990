"""Unlabeled rows among the others, in a table of their own, or both."""

from __future__ import annotations

from typing import Any

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
from tests.estimators.tables import (
    ALL,
    IMPLICIT,
    SEMI_SUPERVISED,
    assert_same_model,
    partly_labeled,
    regression_values,
)
from tests.optional import pd

DATA = partly_labeled()


def split_pool() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X and y with half of the unlabeled rows still in them, and the other half."""
    pool = np.flatnonzero(~DATA.known)
    away = np.zeros(len(DATA.X), dtype=bool)
    away[pool[1::2]] = True
    return DATA.X[~away], DATA.marked[~away], DATA.X[away]


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_marked_rows_and_rows_apart_give_the_same_model(
    estimator: Any, fit_intercept: bool
) -> None:
    parameters = estimator().get_params()
    chosen = {"fit_intercept": fit_intercept} if "fit_intercept" in parameters else {}
    marked = estimator(**chosen).fit(DATA.X, DATA.marked)
    apart = estimator(**chosen).fit(*DATA.labeled, DATA.pool)
    X, y, rest = split_pool()
    both = estimator(**chosen).fit(X, y, rest)
    assert_same_model(marked, apart)
    assert_same_model(both, apart)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_soft_labels_list_marked_rows_in_order_and_then_the_rows_apart(estimator: Any) -> None:
    X, y, rest = split_pool()
    model = estimator().fit(X, y, rest)
    assert model.soft_labels_.shape == (len(DATA.pool),)
    same_order = estimator().fit(*DATA.labeled, np.concatenate([X[y == -1], rest]))
    # Only the few fractional labels need to agree to less than rounding.
    np.testing.assert_allclose(model.soft_labels_, same_order.soft_labels_, atol=1e-6)
    assert 0 < model.soft_labels_.sum() < len(model.soft_labels_)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_least_squares_on_the_soft_labels_gives_the_model_back(estimator: Any) -> None:
    X, y, rest = split_pool()
    model = estimator().fit(X, y, rest)
    rows = np.concatenate([X[y != -1], X[y == -1], rest])
    values = np.concatenate([y[y != -1], model.soft_labels_])
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(rows)), rows]), values)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], atol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], beta[0] - 0.5, atol=1e-9)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_soft_labels_lie_between_zero_and_one_and_few_are_fractional(estimator: Any) -> None:
    model = estimator().fit(DATA.X, DATA.marked)
    assert model.soft_labels_.min() >= 0.0
    assert model.soft_labels_.max() <= 1.0
    fractional = (model.soft_labels_ > 1e-9) & (model.soft_labels_ < 1 - 1e-9)
    assert fractional.sum() <= DATA.X.shape[1] + 1


@pytest.mark.parametrize("estimator", ALL)
def test_the_order_of_the_rows_does_not_matter(estimator: Any) -> None:
    order = np.random.default_rng(1).permutation(len(DATA.X))
    model = estimator().fit(DATA.X[order], DATA.marked[order])
    assert_same_model(model, estimator().fit(DATA.X, DATA.marked))


@pytest.mark.parametrize("estimator", ALL)
def test_inputs_are_not_changed_by_fitting(estimator: Any) -> None:
    X, y, rest = split_pool()
    weights = np.ones(len(X))
    copies = [array.copy() for array in (X, y, rest, weights)]
    estimator().fit(X, y, rest, sample_weight=weights)
    for array, copy in zip((X, y, rest, weights), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_an_empty_table_apart_is_the_same_as_none(estimator: Any) -> None:
    empty = np.zeros((0, DATA.X.shape[1]))
    model = estimator().fit(DATA.X, DATA.marked, empty)
    assert_same_model(model, estimator().fit(DATA.X, DATA.marked))
    assert len(estimator().fit(*DATA.labeled, empty).soft_labels_) == 0


@pytest.mark.parametrize("estimator", ALL)
def test_lists_single_precision_and_integers_are_read_as_numbers(estimator: Any) -> None:
    rounded = np.round(4 * DATA.X)
    reference = estimator().fit(rounded, DATA.marked)
    for X in (rounded.astype(np.float32), rounded.astype(np.int16), rounded.tolist()):
        model = estimator().fit(X, DATA.marked)
        assert_same_model(model, reference)
        assert model.coef_.dtype == np.float64


def test_the_supervised_start_of_a_model_is_the_least_squares_fit() -> None:
    from tacit import LeastSquaresClassifier

    start = LeastSquaresClassifier().fit(*DATA.labeled)
    for estimator in IMPLICIT:
        model = estimator().fit(DATA.X, DATA.marked)
        np.testing.assert_array_equal(model.supervised_coef_, start.coef_)
        np.testing.assert_array_equal(model.supervised_intercept_, start.intercept_)
        assert not np.allclose(model.coef_, start.coef_)


def test_the_decision_is_the_regression_value_minus_one_half() -> None:
    model = ProjectedLeastSquaresClassifier().fit(DATA.X, DATA.marked)
    values = regression_values(model.coef_, model.intercept_, DATA.X)
    np.testing.assert_allclose(model.decision_function(DATA.X), values - 0.5)
    # The mean of the fitted values is the mean of the labels, soft labels included.
    labels = np.concatenate([DATA.y[DATA.known], model.soft_labels_])
    np.testing.assert_allclose(values.mean(), labels.mean())


class TestFeatureNames:
    names = ("height", "width", "depth", "age")

    def frame(self, X: np.ndarray, names: tuple[str, ...] = names) -> pd.DataFrame:
        return pd.DataFrame(X, columns=list(names))

    @pytest.mark.parametrize("estimator", ALL)
    def test_data_frames_give_the_same_model_and_leave_their_names(self, estimator: Any) -> None:
        X, y, rest = split_pool()
        model = estimator().fit(self.frame(X), y, self.frame(rest))
        assert model.feature_names_in_.tolist() == list(self.names)
        assert model.n_features_in_ == 4
        assert_same_model(model, estimator().fit(X, y, rest))
        np.testing.assert_array_equal(
            model.predict(self.frame(DATA.X)), estimator().fit(X, y, rest).predict(DATA.X)
        )

    @pytest.mark.parametrize("estimator", ALL)
    @pytest.mark.parametrize(
        "names",
        [("width", "height", "depth", "age"), ("height", "width", "depth", "sex")],
        ids=repr,
    )
    def test_other_names_or_another_order_apart_are_refused(
        self, estimator: Any, names: tuple[str, ...]
    ) -> None:
        X, y, rest = split_pool()
        with pytest.raises(ValueError, match=r"X_unlabeled cannot be used: The feature names"):
            estimator().fit(self.frame(X), y, self.frame(rest, names))

    def test_rows_apart_without_names_are_taken_with_a_warning(self) -> None:
        X, y, rest = split_pool()
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model = ICLSClassifier().fit(self.frame(X), y, rest)
        assert_same_model(model, ICLSClassifier().fit(X, y, rest))

    def test_a_refit_without_names_forgets_them(self) -> None:
        model = ICLSClassifier().fit(self.frame(DATA.X), DATA.marked)
        model.fit(DATA.X, DATA.marked)
        assert not hasattr(model, "feature_names_in_")


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
