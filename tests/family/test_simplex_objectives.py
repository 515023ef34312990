"""The two functions of soft labels: values, derivatives and convexity."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.family._gaussian import UnboundedLikelihoodError
from tacit.family._simplex_lda import PessimisticObjective
from tests.family.class_moments import classes, textbook_fit, textbook_supervised

CASES = [
    {"n_classes": 2},
    {"n_classes": 3, "n_features": 4, "weighted": True},
    {"n_classes": 4, "n_features": 2, "n_labeled": 20, "alpha": 0.5},
    {"n_classes": 2, "n_features": 5, "n_labeled": 4, "alpha": 1.5},
]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_implicit_objective_is_minus_the_labeled_log_likelihood(case):
    data = classes(**case)
    for seed in range(3):
        labels = data.labels(seed)
        model, problem = textbook_fit(data, labels), data.problem("implicit")
        own = model.log_joint(data.X)[np.arange(len(data.X)), data.codes]
        value = float(data.weights @ own) - model.penalty(data.alpha)
        assert problem.objective.value(problem.moments(labels)) == pytest.approx(-value, rel=1e-9)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_pessimistic_objective_is_the_gain_in_log_likelihood_of_the_best_model(case):
    data = classes(**case)
    supervised = textbook_supervised(data)
    rows = np.concatenate([data.X, data.X_u])
    weights = np.concatenate([data.weights, data.weights_u])
    for seed in range(3):
        labels = data.labels(seed)
        model, problem = textbook_fit(data, labels), data.problem("pessimistic")
        shares = np.concatenate([np.eye(data.n_classes)[data.codes], labels]) * weights[:, None]
        gain = np.sum(shares * (model.log_joint(rows) - supervised.log_joint(rows)))
        gain -= model.penalty(data.alpha) - supervised.penalty(data.alpha)
        ours = problem.objective.value(problem.moments(labels))
        assert ours == pytest.approx(gain, rel=1e-8)
        assert gain >= 0.0


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.parametrize("kind", ["implicit", "pessimistic"])
def test_derivatives_agree_with_differences(kind, case):
    data = classes(**case)
    problem = data.problem(kind)
    objective, v, step = problem.objective, problem.moments(data.labels(3)), 1e-6
    gradient, hessian = np.zeros_like(v), np.zeros((v.size, v.size))
    for i in range(v.size):
        nudge = np.zeros(v.size)
        nudge[i] = step
        up, down = v + nudge.reshape(v.shape), v - nudge.reshape(v.shape)
        gradient.flat[i] = (objective.value(up) - objective.value(down)) / (2.0 * step)
        hessian[i] = ((objective.gradient(up) - objective.gradient(down)) / (2.0 * step)).ravel()
    size = np.abs(objective.hessian(v)).max()
    np.testing.assert_allclose(objective.gradient(v), gradient, rtol=1e-6, atol=1e-6 * size)
    np.testing.assert_allclose(objective.hessian(v), hessian, rtol=1e-6, atol=1e-6 * size)


def test_the_pessimistic_objective_is_convex_in_the_labels_and_the_implicit_one_is_not():
    bends = {"implicit": [], "pessimistic": []}
    for seed in range(30):
        data = classes(n_classes=2 + seed % 3, seed=seed)
        first, second = data.labels(seed, "hard"), data.labels(seed + 100, "hard")
        for kind, found in bends.items():
            problem = data.problem(kind)
            ends = [problem.objective.value(problem.moments(u)) for u in (first, second)]
            middle = problem.objective.value(problem.moments(0.5 * (first + second)))
            found.append(0.5 * sum(ends) - middle)
    assert min(bends["pessimistic"]) > 0.0
    assert min(bends["implicit"]) < 0.0


def test_a_supervised_model_that_is_no_density_is_refused():
    data = classes(n_features=6, n_labeled=5)
    with pytest.raises(UnboundedLikelihoodError, match="Set alpha > 0"):
        PessimisticObjective.of(data.labeled, data.space)
