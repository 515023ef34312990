"""Parameters out of range are refused in `fit`, with what they were and what is allowed."""

from __future__ import annotations

import re
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
from tests.estimators.tables import IMPLICIT, partly_labeled

DATA = partly_labeled()
KERNEL: tuple[Any, ...] = (KernelLeastSquaresClassifier, KernelICLSClassifier)
PENALISED: tuple[Any, ...] = (
    *IMPLICIT,
    *KERNEL,
    LeastSquaresClassifier,
    SoftSelfLearningClassifier,
    USMClassifier,
)
ITERATED: tuple[Any, ...] = (*IMPLICIT, KernelICLSClassifier, SoftSelfLearningClassifier)

# By parameter: who has it, what is allowed in the words of the error, and what is not.
REFUSED: list[tuple[str, tuple[Any, ...], str, list[Any]]] = [
    (
        "alpha",
        PENALISED,
        r"a float in the range \[0.0, inf\) or a str among {'loo'}",
        [-1, -1e-9, np.nan, np.inf, "ridge", None, [1.0], True],
    ),
    (
        "tol",
        ITERATED,
        r"a float in the range \(0.0, 1.0\)",
        [0, -1e-8, 1, 2.0, np.nan, "small", None],
    ),
    (
        "max_iter",
        (*ITERATED, SelfLearningClassifier),
        r"an int in the range \[1, inf\)",
        [0, -5, 2.5, "many", None, True],
    ),
    ("fit_intercept", PENALISED, r"an instance of 'bool' or .*", ["x", None, 3, 1]),
    (
        "solver",
        (*IMPLICIT, KernelICLSClassifier),
        r"a str among {.*'auto'.*}",
        ["simplex", "Interior-Point", None, 3],
    ),
    ("solver", (KernelICLSClassifier,), r"a str among {.*'auto'.*}", ["working-set"]),
    (
        "metric",
        (ProjectedLeastSquaresClassifier, KernelICLSClassifier),
        r"a str among {.*'all'.*}",
        ["unlabeled", "ALL", None, 3],
    ),
    ("metric", (KernelICLSClassifier,), r"a str among {.*'all'.*}", ["euclidean"]),
    ("verbose", IMPLICIT, r"an int in the range \[0, inf\), .*", [-1, "much"]),
    ("kernel", KERNEL, r"a str among {.*'rbf'.*} or a callable", ["laplace", None]),
    (
        "gamma",
        KERNEL,
        r"a float in the range \(0.0, inf\) or None",
        [0.0, -1.0, np.inf, "scale", True],
    ),
    ("degree", KERNEL, r"a float in the range \(0.0, inf\)", [-1, 0, "three"]),
    ("coef0", KERNEL, r"a float in the range \(-inf, inf\)", [np.inf, np.nan, None]),
    (
        "estimator",
        (SelfLearningClassifier,),
        r"an object implementing 'fit' and 'predict' or None",
        ["logistic"],
    ),
]


@pytest.mark.parametrize(
    ("estimator", "name", "value", "allowed"),
    [
        pytest.param(estimator, name, value, allowed, id=f"{estimator.__name__}-{name}-{value!r}")
        for name, estimators, allowed, values in REFUSED
        for estimator in estimators
        for value in values
    ],
)
def test_a_bad_parameter_is_named_with_what_it_was_and_what_is_allowed(
    estimator: Any, name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(ValueError, match=rf"^The '{name}' parameter of ") as caught:
        estimator(**{name: value}).fit(DATA.X, DATA.marked)
    expected = rf"{estimator.__name__} must be {allowed}\. Got {re.escape(repr(value))} instead\.$"
    assert re.search(expected, str(caught.value))


def test_a_base_must_be_an_instance_of_a_classifier() -> None:
    with pytest.raises(TypeError, match="instead of a class"):
        SelfLearningClassifier(LeastSquaresClassifier).fit(DATA.X, DATA.marked)
    # Had failed: the predictions of a regression were taken for positions of classes.
    with pytest.raises(
        ValueError, match=r"estimator is a LinearRegression, which predicted .*; it must be a class"
    ):
        SelfLearningClassifier(LinearRegression()).fit(DATA.X, DATA.marked)


def test_a_bad_parameter_of_a_base_is_named() -> None:
    with pytest.raises(ValueError, match="'alpha' parameter of LeastSquaresClassifier"):
        SelfLearningClassifier(LeastSquaresClassifier(-1.0)).fit(DATA.X, DATA.marked)


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
