"""What is measured, against computations by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tacit.research.experiments import complete_table
from tacit.research.experiments._measures import (
    ERROR,
    LABELED_LOSS,
    MEASURES,
    TEST_LOSS,
    TRAINING_LOSS,
    squared_losses,
)
from tacit.research.experiments._measures import measure as measure_fit
from tacit.selection._evaluate import Fit, Split
from tests.research.experiments.tables import three_classes, two_classes

ROWS = Split(np.arange(20), np.arange(20, 35), np.arange(35, 60))


def measure(model, table, split):
    rows = np.concatenate([split.labeled, split.unlabeled])
    return measure_fit(Fit(model, [], table.X[rows], table.X[split.test], 0.0, set()), table, split)


def fitted(estimator, table):
    rows = np.concatenate([ROWS.labeled, ROWS.unlabeled])
    y = table.y[rows].copy()
    y[len(ROWS.labeled) :] = -1
    return estimator.fit(table.X[rows], y)


def supervised(estimator, table):
    return estimator.fit(table.X[ROWS.labeled], table.y[ROWS.labeled])


def test_the_measures_of_a_line_are_those_computed_by_hand():
    # f(x) = x, so that the threshold is at x = 1/2.
    model = LeastSquaresClassifier().fit(np.array([[0.0], [1.0]]), np.array([0, 1]))
    X = np.array([[0.0], [1.0], [0.2], [0.9], [0.4], [0.7], [2.0]])
    table = complete_table("line", X, np.array([0, 1, 0, 0, 1, 1, 1]))
    split = Split(np.array([0, 1]), np.array([2, 3]), np.array([4, 5, 6]))
    found = measure(model, table, split)
    assert tuple(found) == MEASURES
    np.testing.assert_array_equal(found[ERROR], [1, 0, 0])
    np.testing.assert_allclose(found[TEST_LOSS], [0.36, 0.09, 1.0])
    np.testing.assert_allclose(found[LABELED_LOSS], [0.0, 0.0], atol=1e-20)
    np.testing.assert_allclose(found[TRAINING_LOSS], [0.0, 0.0, 0.04, 0.81], atol=1e-20)


@pytest.mark.parametrize(
    "make",
    [
        ICLSClassifier,
        SelfLearningClassifier,
        lambda: make_pipeline(StandardScaler(), ICLSClassifier()),
        lambda: make_pipeline(StandardScaler(), SelfLearningClassifier()),
        lambda: SelfLearningClassifier(LeastSquaresClassifier(alpha="loo")),
        lambda: SelfLearningClassifier(make_pipeline(StandardScaler(), LeastSquaresClassifier())),
    ],
)
def test_regression_values_are_found_in_pipelines_and_self_learning(make):
    table = two_classes()
    model = fitted(make(), table)
    values = model.decision_function(table.X) + 0.5
    found = measure(model, table, ROWS)
    np.testing.assert_allclose(found[TEST_LOSS], ((values - table.y) ** 2)[ROWS.test])
    np.testing.assert_allclose(found[LABELED_LOSS], ((values - table.y) ** 2)[ROWS.labeled])
    assert len(found[TRAINING_LOSS]) == 35
    errors = model.predict(table.X[ROWS.test]) != table.y[ROWS.test]
    np.testing.assert_array_equal(found[ERROR], errors)
    assert 0 < errors.sum() < len(errors)


def test_probabilities_are_values_too():
    table = two_classes()
    model = supervised(LogisticRegression(), table)
    expected = (model.predict_proba(table.X)[:, 1] - table.y) ** 2
    np.testing.assert_allclose(squared_losses(model, table.X, table.y), expected)
    in_self_learning = fitted(SelfLearningClassifier(GaussianNB()), table)
    expected = (in_self_learning.predict_proba(table.X)[:, 1] - table.y) ** 2
    np.testing.assert_allclose(measure(in_self_learning, table, ROWS)[TEST_LOSS], expected[35:])


@pytest.mark.parametrize("make", [LeastSquaresClassifier, LogisticRegression])
def test_the_loss_of_three_classes_is_half_the_squared_distance_to_the_indicator(make):
    table = three_classes()
    model = supervised(make(), table)
    if make is LogisticRegression:
        values = model.predict_proba(table.X)
    else:
        values = model.decision_function(table.X) + 0.5
    expected = np.zeros(len(table.y))
    for i, own in enumerate(table.y):
        for k in range(3):
            expected[i] += 0.5 * (values[i, k] - (1.0 if k == own else 0.0)) ** 2
    np.testing.assert_allclose(squared_losses(model, table.X, table.y), expected)


def test_two_classes_in_the_form_of_many_have_the_loss_of_two():
    table = two_classes()
    model = supervised(LeastSquaresClassifier(), table)
    f = model.decision_function(table.X) + 0.5
    values = np.column_stack([1 - f, f])
    indicators = np.column_stack([table.y == 0, table.y == 1])
    expected = 0.5 * ((values - indicators) ** 2).sum(axis=1)
    np.testing.assert_allclose(squared_losses(model, table.X, table.y), expected)


@pytest.mark.parametrize("make", [SVC, lambda: make_pipeline(StandardScaler(), SVC())])
def test_a_classifier_without_probabilities_has_an_error_only(make):
    table = two_classes()
    model = supervised(make(), table)
    assert tuple(measure(model, table, ROWS)) == (ERROR,)
    assert squared_losses(model, table.X, table.y) is None


# Classifiers that answer in ways of their own.


class Answering(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose answers are handed out by a function."""

    def __init__(self, answer=lambda model, X: model.predict(X), named=True):
        self.answer, self.named = answer, named

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        if self.named:
            self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.answer(self.model_, X)


class Probable(Answering):
    """It has probabilities too, in a form of its own."""

    def predict_proba(self, X):
        probabilities = self.model_.predict_proba(X)
        return probabilities[:, :1] if self.named == "but one" else probabilities


@pytest.mark.parametrize(
    "answer",
    [
        lambda model, X: model.predict(X).reshape(-1, 1),
        lambda model, X: model.predict(X).tolist(),
        lambda model, X: model.predict(X).astype(float),
        lambda model, X: model.predict(X).astype(bool),
    ],
)
def test_the_same_answers_in_another_form_have_the_same_error(answer):
    table = two_classes()
    expected = measure(supervised(GaussianNB(), table), table, ROWS)[ERROR]
    found = measure(supervised(Answering(answer), table), table, ROWS)[ERROR]
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)
    assert 0 < expected.mean() < 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda model, X: model.predict_proba(X),
            r"predict gave an array of the shape \(25, 2\) for 25",
        ),
        (
            lambda model, X: model.predict(X)[:1],
            r"predict gave an array of the shape \(1,\) for 25 rows",
        ),
        (lambda model, X: 0, r"predict gave an array of the shape \(\) for 25 rows"),
        (
            lambda model, X: model.predict_proba(X)[:, 1],
            r"predict answered 0\.\d+, which is none of the classes .*\(0, 1\)",
        ),
        (
            lambda model, X: model.predict(X).astype(str),
            "predict answered '[01]', which is none of",
        ),
        (lambda model, X: np.full(len(X), np.nan), "predict answered nan, which is none of"),
    ],
)
def test_answers_that_are_not_one_class_a_row_are_refused_and_not_measured(answer, message):
    table = two_classes()
    with pytest.raises(ValueError, match=message):
        measure(supervised(Answering(answer), table), table, ROWS)


def test_probabilities_of_nobody_knows_what_are_left_out_and_the_error_is_there():
    table = two_classes()
    model = supervised(Probable(named=False), table)
    found = measure(model, table, ROWS)
    assert tuple(found) == (ERROR,)
    np.testing.assert_array_equal(found[ERROR], model.predict(table.X[35:]) != table.y[35:])
    assert tuple(measure(supervised(Probable(), table), table, ROWS)) == MEASURES


def test_probabilities_of_another_shape_are_refused_and_not_stretched():
    table = two_classes()
    with pytest.raises(ValueError, match=r"predict_proba gave an array of shape \(25, 1\) for 25"):
        measure(supervised(Probable(named="but one"), table), table, ROWS)
