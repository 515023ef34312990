"""The margin methods of the R reference implementation on fixed problems."""

import json

import numpy as np
import pytest

from tacit.family._s3vm import S3VMClassifier
from tacit.family._s4vm import S4VMClassifier
from tests.shared_data import RSSL

pytestmark = pytest.mark.skipif(
    not RSSL, reason="no reference answers: set TACIT_SHARED to the folder with reference/rssl"
)


def problems():
    for path in RSSL:
        loaded = json.loads(path.read_text())
        names = ("X", "y", "X_unlabeled", "X_test")
        yield {name: np.array(loaded[name]) for name in names} | {"results": loaded["results"]}


def solved():
    """The problems on which the reference's quadratic program did not fail."""
    return [p for p in problems() if "decision" in p["results"]["tsvm_linear"]]


def reference_values(problem):
    """The reference's coefficients, from its decisions on more test rows than features."""
    X = np.column_stack([np.ones(len(problem["X_test"])), problem["X_test"]])
    decision = np.ravel(problem["results"]["tsvm_linear"]["decision"])
    theta, *_ = np.linalg.lstsq(X, decision, rcond=None)
    np.testing.assert_allclose(X @ theta, decision, atol=1e-7)
    return theta[0], theta[1:]


def objective(problem, intercept, coef):
    labeled = intercept + problem["X"] @ coef
    unlabeled = intercept + problem["X_unlabeled"] @ coef
    signs = 2 * problem["y"] - 1
    return (
        0.5 * coef @ coef
        + np.maximum(1 - signs * labeled, 0).sum()
        + 0.1 * np.maximum(1 - np.abs(unlabeled), 0).sum()
    )


def test_the_reference_meets_the_same_balancing_constraint():
    for problem in solved():
        intercept, coef = reference_values(problem)
        mean = (intercept + problem["X_unlabeled"] @ coef).mean()
        assert mean == pytest.approx((2 * problem["y"] - 1).mean(), abs=1e-5)


def test_the_objective_is_never_above_that_of_the_reference():
    below = 0
    for problem in solved():
        model = S3VMClassifier().fit(problem["X"], problem["y"], problem["X_unlabeled"])
        ours = objective(problem, model.intercept_[0], model.coef_[0])
        theirs = objective(problem, *reference_values(problem))
        assert ours == pytest.approx(model.objective_, rel=1e-9)
        # The reference meets its constraint to five digits only, and a violation can lower the sum.
        assert ours <= theirs * (1 + 1e-7)
        below += ours < theirs * (1 - 1e-3)
    assert below >= 3


def test_predictions_agree_with_the_reference():
    agreements = []
    for problem in solved():
        model = S3VMClassifier().fit(problem["X"], problem["y"], problem["X_unlabeled"])
        theirs = np.ravel(problem["results"]["tsvm_linear"]["predict"])
        agreements.append((model.predict(problem["X_test"]) == theirs).mean())
    assert len(agreements) >= 10
    assert np.mean(agreements) >= 0.95


def test_it_finds_a_solution_where_the_reference_calls_the_constraints_inconsistent():
    failed = [p for p in problems() if "error" in p["results"]["tsvm_linear"]]
    assert failed
    for problem in failed:
        model = S3VMClassifier().fit(problem["X"], problem["y"], problem["X_unlabeled"])
        assert model.solution_.status.is_success
        mean = model.decision_function(problem["X_unlabeled"]).mean()
        assert mean == pytest.approx((2 * problem["y"] - 1).mean(), abs=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_labels_of_unlabeled_rows_agree_with_the_reference(kernel):
    agreements = []
    for problem in problems():
        model = S4VMClassifier(kernel=kernel, gamma=0.5, random_state=0)
        model.fit(problem["X"], problem["y"], problem["X_unlabeled"])
        theirs = np.ravel(problem["results"][f"s4vm_{kernel}"]["predictions_unlabeled"]) > 0
        agreements.append((model.soft_labels_ == theirs).mean())
        assert model.solution_.is_exact
    assert np.mean(agreements) >= 0.95
