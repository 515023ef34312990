"""Parameters out of range are refused in `fit`, with what they were and what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from tacit import (
    ICLSClassifier,
    KernelICLSClassifier,
    KernelLeastSquaresClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.family import SoftSelfLearningClassifier, USMClassifier
from tests.estimators.tables import IMPLICIT, SEMI_SUPERVISED, partly_labeled

DATA = partly_labeled()


def refused(model: Any, message: str, error: type[Exception] = ValueError) -> None:
    with pytest.raises(error, match=message):
        model.fit(DATA.X, DATA.marked)


@pytest.mark.parametrize("alpha", [-1, -1e-9, np.nan, np.inf, "ridge", None, [1.0], True], ids=repr)
@pytest.mark.parametrize("estimator", [LeastSquaresClassifier, *IMPLICIT])
def test_alpha_must_be_a_finite_number_that_is_not_negative_or_loo(
    estimator: Any, alpha: Any
) -> None:
    refused(estimator(alpha=alpha), r'alpha is .*; it must be a finite number .* or "loo"')
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the match was just checked
        estimator(alpha=alpha).fit(DATA.X, DATA.marked)
    assert f"alpha is {alpha!r};" in str(caught.value)


@pytest.mark.parametrize("tol", [0, -1e-8, 1, 2.0, np.nan, "small", None], ids=repr)
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_tol_must_lie_between_zero_and_one(estimator: Any, tol: Any) -> None:
    refused(
        estimator(tol=tol),
        rf"tol is {tol!r}; it must be a number between 0 and 1, the relative duality gap",
    )


@pytest.mark.parametrize("max_iter", [0, -5, 2.5, "many", None], ids=repr)
@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_max_iter_must_be_a_positive_integer(estimator: Any, max_iter: Any) -> None:
    refused(
        estimator(max_iter=max_iter), rf"max_iter is {max_iter!r}; it must be a positive integer"
    )


@pytest.mark.parametrize("estimator", [*IMPLICIT, SoftSelfLearningClassifier])
def test_a_truth_value_is_no_number_of_iterations(estimator: Any) -> None:
    refused(estimator(max_iter=True), r"max_iter is True; it must be a positive integer")


@pytest.mark.parametrize("fit_intercept", ["x", None, 3, 1], ids=repr)
@pytest.mark.parametrize(
    "estimator",
    [
        *IMPLICIT,
        LeastSquaresClassifier,
        SoftSelfLearningClassifier,
        USMClassifier,
        KernelLeastSquaresClassifier,
        KernelICLSClassifier,
    ],
)
def test_fit_intercept_must_be_a_truth_value(estimator: Any, fit_intercept: Any) -> None:
    refused(
        estimator(fit_intercept=fit_intercept),
        rf"fit_intercept is {fit_intercept!r}; it must be True, .* or False",
    )


@pytest.mark.parametrize("solver", ["simplex", "Interior-Point", None, 3], ids=repr)
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_an_unknown_solver_is_answered_with_the_known_ones(estimator: Any, solver: Any) -> None:
    refused(
        estimator(solver=solver),
        rf"solver is {solver!r}; it must be one of \['auto', 'interior-point', 'lbfgsb'",
    )


@pytest.mark.parametrize("metric", ["unlabeled", "ALL", None, 3], ids=repr)
def test_an_unknown_metric_is_answered_with_the_known_ones(metric: Any) -> None:
    refused(
        ProjectedLeastSquaresClassifier(metric=metric),
        rf"metric is {metric!r}; it must be one of \['all', 'labeled', 'euclidean'\]",
    )


def test_a_base_must_be_an_instance_of_an_estimator() -> None:
    refused(SelfLearningClassifier("logistic"), "Cannot clone object .*logistic", TypeError)
    refused(SelfLearningClassifier(LeastSquaresClassifier), "instead of a class", TypeError)


def test_a_base_that_predicts_other_things_than_classes_is_refused() -> None:
    # Had failed: the predictions of a regression were taken for positions of classes.
    refused(
        SelfLearningClassifier(LinearRegression()),
        r"estimator is a LinearRegression, which predicted .*, none of the classes in y; it must",
    )


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_parameters_are_stored_as_given_and_looked_at_only_in_fit(estimator: Any) -> None:
    model = estimator(alpha=-3, solver="none", tol=5, max_iter=-1)
    assert model.get_params()["alpha"] == -3
    assert model.set_params(alpha=0.0, solver="auto", tol=1e-6, max_iter=50) is model
    assert model.fit(DATA.X, DATA.marked).solution_.is_optimal(1e-6)


def test_numpy_numbers_are_numbers() -> None:
    chosen: dict[str, Any] = {
        "alpha": np.float32(0.5),
        "max_iter": np.int32(100),
        "fit_intercept": np.bool_(True),
    }
    model = ICLSClassifier(**chosen).fit(DATA.X, DATA.marked)
    plain = ICLSClassifier(alpha=0.5).fit(DATA.X, DATA.marked)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert model.alpha_ == 0.5
