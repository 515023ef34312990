"""A fit that fails leaves the estimator as it was: fitted as before, or not fitted at all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier
from tests.estimators.tables import ALL, partly_labeled

DATA = partly_labeled()
WIDER = partly_labeled(n_features=7, seed=5)

# Arguments of `fit` with more columns than the first fit had, each with something wrong.
FAILURES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "NaN in X": ((np.full_like(WIDER.X, np.nan), WIDER.marked), {}),
    "no labels": ((WIDER.X, np.full(len(WIDER.X), -1)), {}),
    "one class": ((WIDER.X, np.ones(len(WIDER.X))), {}),
    "y of the wrong length": ((WIDER.X, WIDER.marked[:5]), {}),
    "bad weights": ((WIDER.X, WIDER.marked), {"sample_weight": -1.0}),
    "columns apart": ((WIDER.X, WIDER.marked, DATA.X), {}),
    "names": ((pd.DataFrame(WIDER.X, columns=list("abcdefg")), np.ones(len(WIDER.X))), {}),
}


def fail(model: Any, case: str) -> None:
    arguments, keywords = FAILURES[case]
    with pytest.raises(ValueError):  # noqa: PT011 - the messages have tests of their own
        model.fit(*arguments, **keywords)


@pytest.mark.parametrize("case", FAILURES)
@pytest.mark.parametrize("estimator", ALL)
def test_a_model_whose_refit_fails_predicts_as_before(estimator: Any, case: str) -> None:
    # Had failed: the number of columns was that of the failed fit, so that predict refused rows.
    model = estimator().fit(DATA.X, DATA.marked)
    before = vars(model).copy()
    decisions, predictions = model.decision_function(DATA.X), model.predict(DATA.X)
    fail(model, case)
    assert set(vars(model)) == set(before)
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.decision_function(DATA.X), decisions)
    np.testing.assert_array_equal(model.predict(DATA.X), predictions)


@pytest.mark.parametrize("case", FAILURES)
@pytest.mark.parametrize("estimator", ALL)
def test_a_model_whose_first_fit_fails_is_not_fitted(estimator: Any, case: str) -> None:
    # Had failed: predict complained about a missing attribute instead.
    model = estimator()
    fail(model, case)
    assert not [name for name in vars(model) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        model.predict(DATA.X)


def test_a_bad_parameter_leaves_the_earlier_fit_in_place() -> None:
    model = LeastSquaresClassifier().fit(DATA.X, DATA.marked)
    coef = model.coef_
    model.set_params(alpha=-1)
    with pytest.raises(ValueError, match="alpha"):
        model.fit(WIDER.X, WIDER.marked)
    assert model.coef_ is coef
    assert model.n_features_in_ == 4


def test_three_classes_leave_the_earlier_fit_of_a_two_class_solver_in_place() -> None:
    model = ICLSClassifier(solver="lbfgsb").fit(DATA.X, DATA.marked)
    expected = model.predict(DATA.X)
    with pytest.raises(ValueError, match="Only binary classification"):
        model.fit(WIDER.X, np.arange(len(WIDER.X)) % 3)
    np.testing.assert_array_equal(model.predict(DATA.X), expected)


class FailsOnTheThirdFit(ClassifierMixin, BaseEstimator):
    fits = 0

    def fit(self, X: Any, y: Any) -> FailsOnTheThirdFit:
        type(self).fits += 1
        if self.fits == 3:
            raise RuntimeError("the third fit fails")
        self.fitted_ = LeastSquaresClassifier().fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.fitted_.predict(X)


def test_a_base_that_fails_half_way_leaves_self_learning_unfitted() -> None:
    FailsOnTheThirdFit.fits = 0
    model = SelfLearningClassifier(FailsOnTheThirdFit())
    with pytest.raises(RuntimeError, match="the third fit fails"):
        model.fit(DATA.X, DATA.marked)
    with pytest.raises(NotFittedError):
        model.predict(DATA.X)


def test_a_warning_leaves_the_model_fitted() -> None:
    model = ICLSClassifier(max_iter=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(DATA.X, DATA.marked)
    assert [warning.category for warning in caught] == [ConvergenceWarning]
    assert model.predict(DATA.X).shape == (len(DATA.X),)


def test_a_refit_with_another_base_keeps_nothing_of_the_first() -> None:
    # Had failed: coefficients of the first base stayed beside the second, which has none.
    model = SelfLearningClassifier(LogisticRegression()).fit(DATA.X, DATA.marked)
    assert model.coef_.shape == (1, 4)
    model.set_params(estimator=GaussianNB()).fit(DATA.X, DATA.marked)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "intercept_")
