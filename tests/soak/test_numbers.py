"""Every public estimator on tables of every kind: an answer that holds, an error or a warning.

`make test` tries a few dozen tables an estimator, the same every time; `make soak` tries more than
20,000 new ones and prints how many there were, the worst gap and the slowest fit.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import tacit
import tacit.family
from tests.soak.judge import (
    HAS_EXTENDED_PRECISION,
    Long,
    Values,
    assert_certificate_is_true,
    assert_projection_is_exact,
    change_over_all_labelings,
    linear_values,
)
from tests.soak.problems import Recipe, fit, recipes
from tests.soak.tally import TALLY, examples

pytestmark = pytest.mark.skipif(
    not HAS_EXTENDED_PRECISION, reason="this machine has no numbers longer than double precision"
)

# Seconds of processor time that a fit of a few hundred rows may take.
PATIENCE = 20.0
# The part of a loss that kernels of double precision may move a value by.
KERNEL_ROUNDING = 1e-7

Make = Callable[[Recipe], Any]

PROJECTED: dict[str, tuple[str, Make]] = {
    "ICLS": (
        "labeled",
        lambda r: tacit.ICLSClassifier(alpha=r.alpha, fit_intercept=r.fit_intercept),
    ),
    "projected": (
        "all",
        lambda r: tacit.ProjectedLeastSquaresClassifier(
            alpha=r.alpha, fit_intercept=r.fit_intercept
        ),
    ),
    "penalty at the start": (
        "all",
        lambda r: tacit.ProjectedLeastSquaresClassifier(alpha=r.alpha, penalty="start"),
    ),
}
# Classifiers with the squared loss and a certificate, but without a set that they project onto.
CERTIFIED: dict[str, Make] = {
    "self-learning": lambda r: tacit.SelfLearningClassifier(),
    "soft self-learning": lambda r: tacit.family.SoftSelfLearningClassifier(),
    "USM": lambda r: tacit.family.USMClassifier(),
}
KERNELS: dict[str, Make] = {
    "rbf": lambda r: tacit.KernelICLSClassifier(alpha=r.alpha or 1e-3),
    "rbf, all": lambda r: tacit.KernelICLSClassifier(metric="all", alpha=r.alpha or 1e-3),
    "linear, all": lambda r: tacit.KernelICLSClassifier("linear", "all", alpha=r.alpha or 1e-3),
}
OTHERS: dict[str, Make] = {
    "least squares": lambda r: tacit.LeastSquaresClassifier(r.alpha, r.fit_intercept),
    "least squares, loo": lambda r: tacit.LeastSquaresClassifier("loo"),
    "kernel least squares": lambda r: tacit.KernelLeastSquaresClassifier(alpha="loo"),
    "logistic": lambda r: tacit.TunedLogisticRegression(),
    "LDA": lambda r: tacit.family.LDAClassifier(alpha=r.alpha),
    "nearest mean": lambda r: tacit.family.NearestMeanClassifier(),
    "EM LDA": lambda r: tacit.family.EMLDAClassifier(alpha=r.alpha),
    "EM nearest mean": lambda r: tacit.family.EMNearestMeanClassifier(),
    "EM naive Bayes": lambda r: tacit.family.EMNaiveBayesClassifier(),
    "MC LDA": lambda r: tacit.family.MCLDAClassifier(alpha=r.alpha),
    "MC nearest mean": lambda r: tacit.family.MCNearestMeanClassifier(),
    "IC LDA": lambda r: tacit.family.ICLDAClassifier(alpha=r.alpha),
    "MCP LDA": lambda r: tacit.family.MCPLDAClassifier(alpha=r.alpha),
    "S3VM": lambda r: tacit.family.S3VMClassifier(),
    "S4VM": lambda r: tacit.family.S4VMClassifier(random_state=0),
}


def fitted(model: Any, recipe: Recipe) -> tuple[Any, list[str]]:
    """The model and its warnings; None where it is an error that says what to do.

    Warnings must be ours, meant for people: one of NumPy is a number that went wrong unseen.
    """
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit(model, recipe)
        except ValueError as error:
            if isinstance(error, np.linalg.LinAlgError) or not str(error).endswith("."):
                raise AssertionError(f"no sentence that says what to do: {error!r}") from error
            TALLY.count(recipe, time.process_time() - start, 0.0)
            return None, []
    seconds = time.process_time() - start
    for warning in caught:
        is_ours = issubclass(warning.category, ConvergenceWarning | UserWarning)
        assert is_ours, f"{warning.category.__name__}: {warning.message}"
    TALLY.count(recipe, seconds, 0.0)
    assert seconds < PATIENCE, f"took {seconds:.0f} s"
    return model, [str(warning.message) for warning in caught]


def assert_answers_are_sound(model: Any, recipe: Recipe) -> None:
    """Predictions are classes, and numbers are numbers."""
    X = recipe.table.X
    assert np.isin(model.predict(X), model.classes_).all()
    if hasattr(model, "decision_function"):
        assert np.isfinite(model.decision_function(X)).all()
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert shares.min(initial=0.0) >= 0.0
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-9)
    labels = getattr(model, "soft_labels_", None)
    if labels is not None:
        assert np.isfinite(np.asarray(labels, dtype=float)).all()


def penalty_change(model: Any, recipe: Recipe) -> float:
    """That of the penalty from the supervised model to this one, over the weight of all rows."""
    halves = 2.0 if len(model.classes_) > 2 else 1.0
    before, after = (m.astype(Long) for m in (model.supervised_coef_, model.coef_))
    change = (after**2).sum() - (before**2).sum()
    return float(Long(model.alpha_) * change / halves / recipe.table.w.sum())


def check_projection(unfitted: Any, recipe: Recipe, metric: str) -> None:
    model, said = fitted(unfitted, recipe)
    if model is None:
        return
    assert_answers_are_sound(model, recipe)
    X = recipe.table.X
    before = linear_values(model.supervised_coef_, model.supervised_intercept_, X)
    after = linear_values(model.coef_, model.intercept_, X)
    change = change_over_all_labelings(before, after, recipe.table)
    assert_certificate_is_true(model.certificate_, change, penalty_change(model, recipe))
    if not said:
        TALLY.gap(assert_projection_is_exact(model, recipe.table, metric), recipe)


@pytest.mark.parametrize("name", PROJECTED)
@given(recipe=recipes())
@examples(test=60, soak=2000)
def test_projected_classifiers_are_exact_and_their_certificates_true(
    name: str, recipe: Recipe
) -> None:
    metric, make = PROJECTED[name]
    check_projection(make(recipe), recipe, metric)


@pytest.mark.parametrize("name", PROJECTED)
@given(recipe=recipes(), n_unlabeled=st.sampled_from([3_500, 10_000, 100_000]))
@examples(test=1, soak=50)
def test_projections_of_many_rows_are_as_exact(name: str, recipe: Recipe, n_unlabeled: int) -> None:
    metric, make = PROJECTED[name]
    check_projection(make(recipe), replace(recipe, n_unlabeled=n_unlabeled), metric)


@given(recipe=recipes())
@examples(test=30, soak=1000)
def test_the_projection_with_the_least_change_in_coefficients_has_a_true_certificate(
    recipe: Recipe,
) -> None:
    check_projection(tacit.ProjectedLeastSquaresClassifier("euclidean"), recipe, "euclidean")


@pytest.mark.parametrize("name", CERTIFIED)
@given(recipe=recipes())
@examples(test=30, soak=1000)
def test_certificates_of_classifiers_without_a_guarantee_are_true(
    name: str, recipe: Recipe
) -> None:
    model, _ = fitted(CERTIFIED[name](recipe), recipe)
    if model is None:
        return
    assert_answers_are_sound(model, recipe)
    twin = fit(tacit.LeastSquaresClassifier(), recipe)
    X = recipe.table.X
    before = linear_values(twin.coef_, twin.intercept_, X)
    after = linear_values(model.coef_, model.intercept_, X)
    change = change_over_all_labelings(before, after, recipe.table)
    assert_certificate_is_true(model.certificate_, change, 0.0)


@pytest.mark.parametrize("name", KERNELS)
@given(recipe=recipes(most_unlabeled=40, wild=False))
@examples(test=20, soak=1000)
def test_certificates_of_kernel_classifiers_are_true(name: str, recipe: Recipe) -> None:
    model, _ = fitted(KERNELS[name](recipe), recipe)
    if model is None:
        return
    assert_answers_are_sound(model, recipe)
    twin = tacit.KernelLeastSquaresClassifier(model.kernel, alpha=model.alpha)
    if recipe.weights == "huge":
        # A penalty is small beside them, and then rank rules on the labeled and on all rows
        # disagree; the certificate is about the start that the model has.
        twin = copy(model)
        twin.dual_coef_ = model.supervised_dual_coef_
        twin.intercept_ = model.supervised_intercept_
    else:
        fit(twin, recipe)
    before, after = (_kernel_values(m, recipe) for m in (twin, model))
    change = change_over_all_labelings(before, after, recipe.table)
    certificate = model.certificate_
    for name_of, exact in (("worst_change", change.worst), ("best_change", change.best)):
        said = getattr(certificate, name_of)
        assert abs(said - exact) <= change.rounding + KERNEL_ROUNDING * (1.0 + abs(exact))
    if certificate.guaranteed_improvement is not None:
        assert change.worst <= -certificate.guaranteed_improvement + change.rounding + 1e-6
    assert certificate.penalised_improvement is None or certificate.penalised_improvement >= 0.0


def _kernel_values(model: Any, recipe: Recipe) -> Values:
    values = model.decision_function(recipe.table.X).reshape(len(recipe.table.X), -1) + 0.5
    return Values(values.astype(Long), KERNEL_ROUNDING * (1.0 + np.abs(values).max(axis=1)))


@pytest.mark.parametrize("name", OTHERS)
@given(recipe=recipes(most_unlabeled=40, wild=False))
@examples(test=8, soak=500)
def test_every_other_classifier_gives_sound_answers_or_says_why_not(
    name: str, recipe: Recipe
) -> None:
    model, _ = fitted(OTHERS[name](recipe), recipe)
    if model is not None:
        assert_answers_are_sound(model, recipe)


@given(recipe=recipes(most_unlabeled=40, wild=False))
@examples(test=4, soak=200)
def test_the_flagship_is_the_supervised_answer_to_the_bit_where_views_are_not_used(
    recipe: Recipe,
) -> None:
    kernels = ["linear", "rbf"]
    model, _ = fitted(tacit.TacitClassifier(kernels, random_state=0), recipe)
    if model is None:
        return
    assert_answers_are_sound(model, recipe)
    evidence = model.evidence_
    assert np.isfinite([evidence.gain, evidence.standard_error]).all()
    if evidence.uses_views:
        assert evidence.gain >= evidence.caution * evidence.standard_error
        assert evidence.smoothed_gain >= evidence.caution * evidence.smoothed_standard_error
        assert evidence.all_error <= evidence.anchors_error
    else:
        alone = fit(tacit.TacitClassifier(kernels, views=[], random_state=0), recipe)
        X = recipe.table.X
        np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


@pytest.mark.parametrize("name", [*PROJECTED, *CERTIFIED])
@given(recipe=recipes(most_unlabeled=40, wild=False))
@examples(test=8, soak=300)
def test_rows_of_weight_zero_are_as_if_they_were_not_there(name: str, recipe: Recipe) -> None:
    make = PROJECTED[name][1] if name in PROJECTED else CERTIFIED[name]
    table = recipe.table
    weights = np.ones(len(table.X))
    weights[2 * recipe.n_classes :: 3] = 0.0
    there = weights > 0.0
    if np.bincount(table.y[there & (table.y >= 0)], minlength=recipe.n_classes).min() == 0:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # those of convergence too
        with_them = make(recipe).fit(table.X, table.y, sample_weight=weights)
        without = make(recipe).fit(table.X[there], table.y[there])
    X = table.X[there]
    np.testing.assert_allclose(
        with_them.decision_function(X), without.decision_function(X), atol=1e-6
    )
