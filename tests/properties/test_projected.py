"""The guarantee of the projected estimator, for every labeling."""

import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from tacit import ProjectedLeastSquaresClassifier, SelfLearningClassifier
from tests.problems import projected
from tests.properties.strategies import resolution, seeds, tables

alphas = st.sampled_from([0.0, 0.0, 0.1, 10.0])


def _loss_change(data, labels, before, after):
    X = np.vstack([data.X, data.X_u])
    y = np.concatenate([data.y, labels])
    return float(np.mean((after(X) - y) ** 2) - np.mean((before(X) - y) ** 2))


@given(tables(), seeds, alphas, st.booleans())
def test_the_loss_on_all_rows_never_rises_whatever_the_labels(data, seed, alpha, soft):
    answer, start, _ = projected(data, "all", alpha=alpha)
    random = np.random.default_rng(seed)
    n = len(data.X_u)
    guaranteed = (answer.squared_distance - 2 * answer.solution.gap()) / (n + len(data.X))
    for _ in range(5):
        u = random.uniform(size=n) if soft else random.integers(0, 2, size=n).astype(float)
        change = _loss_change(data, u, start.values, answer.coefficients.values)
        assert change <= -guaranteed + 1e-8 + 4.0 * resolution(data)


@given(tables(), alphas)
def test_the_worst_labeling_of_the_certificate_is_covered_by_the_guarantee(data, alpha):
    model = ProjectedLeastSquaresClassifier(alpha=alpha, penalty="start")
    model.fit(data.X, data.y.astype(int), X_unlabeled=data.X_u)
    certificate = model.certificate_
    assert certificate.guaranteed_improvement >= 0.0
    rounding = (1e-8 + 4.0 * resolution(data)) * (1.0 + abs(certificate.best_change))
    assert certificate.worst_change <= -certificate.guaranteed_improvement + rounding


@given(tables(), alphas, st.integers(1, 6))
def test_a_fit_that_stops_early_does_not_raise_the_loss(data, alpha, max_iter):
    model = ProjectedLeastSquaresClassifier(alpha=alpha, max_iter=max_iter, penalty="start")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.X, data.y.astype(int), X_unlabeled=data.X_u)
    certificate = model.certificate_
    assert certificate.guaranteed_improvement >= 0.0
    rounding = (1e-8 + 4.0 * resolution(data)) * (1.0 + abs(certificate.best_change))
    if not model.solution_.status.is_success:
        rounding = 0.0  # what the rows say is what is promised
    assert certificate.worst_change <= -certificate.guaranteed_improvement + rounding


@given(tables(), st.sampled_from(["all", "labeled", "euclidean", "self-learning"]))
def test_the_bounds_of_the_certificate_are_attained_by_labelings(data, kind):
    model = (
        SelfLearningClassifier(max_iter=1000)
        if kind == "self-learning"
        else ProjectedLeastSquaresClassifier(metric=kind, tol=1e-4)
    )
    model.fit(data.X, data.y.astype(int), X_unlabeled=data.X_u)
    _, start, _ = projected(data, "all")

    def after(X):
        return model.decision_function(X) + 0.5

    rises_with_zero = after(data.X_u) > start.values(data.X_u)
    worst = np.where(rises_with_zero, 0.0, 1.0)
    for labels, bound in (
        (worst, model.certificate_.worst_change),
        (1.0 - worst, model.certificate_.best_change),
    ):
        change = _loss_change(data, labels, start.values, after)
        np.testing.assert_allclose(change, bound, atol=1e-7 * (1 + abs(bound)))
