"""The judge of the soak notices what it is there to notice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tests.soak.judge import (
    HAS_EXTENDED_PRECISION,
    assert_certificate_is_true,
    assert_projection_is_exact,
    change_over_all_labelings,
    linear_values,
)
from tests.soak.problems import Recipe, fit

pytestmark = pytest.mark.skipif(
    not HAS_EXTENDED_PRECISION, reason="this machine has no numbers longer than double precision"
)

PLAIN = Recipe(
    seed=7,
    n_features=4,
    n_classes=2,
    n_labeled=12,
    n_unlabeled=40,
    exponent=0,
    is_mixed=False,
    condition=0,
    shift=0.0,
    columns="normal",
    has_twins=False,
    has_constant=False,
    has_equal_rows=False,
    weights="none",
    is_single=False,
    container="C order",
    is_apart=True,
    fit_intercept=True,
    alpha=0.0,
)
METRICS: dict[str, Any] = {"labeled": ICLSClassifier, "all": ProjectedLeastSquaresClassifier}


@pytest.fixture(params=METRICS)
def metric(request: Any) -> str:
    return str(request.param)


@pytest.fixture(params=[2, 3])
def recipe(request: Any) -> Recipe:
    return replace(PLAIN, n_classes=request.param)


def test_an_exact_fit_passes(metric: str, recipe: Recipe) -> None:
    model = fit(METRICS[metric](), recipe)
    assert assert_projection_is_exact(model, recipe.table, metric) < 1e-8
    assert not model.certificate_.supervised_in_set


def test_coefficients_that_the_soft_labels_do_not_lead_to_are_noticed(
    metric: str, recipe: Recipe
) -> None:
    model = fit(METRICS[metric](), recipe)
    model.coef_ = model.coef_ + 1e-4
    with pytest.raises(AssertionError, match="lead elsewhere"):
        assert_projection_is_exact(model, recipe.table, metric)


def test_labels_that_are_not_the_best_are_noticed(metric: str, recipe: Recipe) -> None:
    model, other = fit(METRICS[metric](), recipe), METRICS[metric]()
    table = recipe.table
    # Another member of the set: that of the labels with a few moved to the middle.
    labels = np.asarray(model.soft_labels_).reshape(recipe.n_unlabeled, -1).copy()
    labels[:3] = 0.5 if recipe.n_classes == 2 else 1.0 / recipe.n_classes
    design = np.column_stack([np.ones(len(table.X)), table.X])
    known: Any = table.y[: table.n_labeled]
    known = np.eye(recipe.n_classes)[known] if recipe.n_classes > 2 else known[:, None]
    beta = np.linalg.lstsq(design, np.vstack([known, labels]), rcond=None)[0]
    vars(other).update(vars(model))
    other.coef_, other.intercept_, other.soft_labels_ = beta[1:].T, beta[0] - 0.5, labels
    with pytest.raises(AssertionError, match="relative gap"):
        assert_projection_is_exact(other, table, metric)


@pytest.mark.parametrize(
    "change",
    [
        {"worst_change": -0.5},
        {"best_change": -100.0},
        {"labeled_change": 1.0},
        {"guaranteed_improvement": 0.5},
        {"guaranteed_improvement": -1e-9},
        {"worst_change": float("nan")},
    ],
    ids=str,
)
def test_a_certificate_that_is_not_true_is_noticed(
    change: dict[str, float], recipe: Recipe
) -> None:
    model = fit(ProjectedLeastSquaresClassifier(), recipe)
    X = recipe.table.X
    exact = change_over_all_labelings(
        linear_values(model.supervised_coef_, model.supervised_intercept_, X),
        linear_values(model.coef_, model.intercept_, X),
        recipe.table,
    )
    assert_certificate_is_true(model.certificate_, exact, 0.0)
    with pytest.raises(AssertionError):
        assert_certificate_is_true(replace(model.certificate_, **change), exact, 0.0)
