"""The set C in the basis of all rows, with and without known shares of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.rows import Moments, NumpyRows
from tacit.solver import ConstraintSet, LabeledRows
from tacit.solver._labeling import Labeling
from tacit.solver._working_set import SECOND_SAMPLE

both = pytest.mark.parametrize("n_classes", [2, 3])


def drawn(
    n_classes: int, prior: Any = None, alpha: float = 0.5, fit_intercept: bool = True
) -> tuple[ConstraintSet, Any, Any]:
    """A constraint set, all of its rows and their weights, the labeled ones first."""
    random = np.random.default_rng(n_classes)
    X, w = random.normal(size=(30, 4)) + 1.0, random.uniform(0.5, 2.0, 30)
    codes = random.integers(0, n_classes, 8)
    y = codes.astype(float) if n_classes == 2 else np.eye(n_classes)[codes]
    labeled = LabeledRows(X[:8], y, w[:8])
    moments = Moments.of(NumpyRows(X[:8], w[:8]))
    rows = NumpyRows(X[8:], w[8:])
    return ConstraintSet.of(labeled, moments, rows, alpha, fit_intercept, prior), X, w


def soft_labels(n_classes: int, seed: int) -> Any:
    P = np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=22)
    return P[:, 1] if n_classes == 2 else P


def labeling(X: Any, w: Any, u: Any) -> Labeling:
    moved = (w[8:] * u.T).T
    return Labeling(u, None, moved.sum(axis=0)[()], X[8:].T @ moved)


@both
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_a_member_is_the_fit_to_its_labels(
    n_classes: int, fit_intercept: bool, alpha: float
) -> None:
    constraints, X, w = drawn(n_classes, None, alpha, fit_intercept)
    u = soft_labels(n_classes, 0)
    member = constraints.coefficients(constraints.member(labeling(X, w, u)))
    labels = np.concatenate([constraints.labeled.y, u])
    design = np.column_stack([np.ones(30), X]) if fit_intercept else X
    penalty = alpha * np.diag([0.0] * fit_intercept + [1.0] * 4)
    fitted = np.linalg.solve(
        design.T @ (w[:, None] * design) + penalty, design.T @ (w * labels.T).T
    )
    found = member.stacked() if fit_intercept else member.coef
    np.testing.assert_allclose(found, fitted, atol=1e-10)
    np.testing.assert_allclose(
        constraints.coordinates(member), constraints.member(labeling(X, w, u)), atol=1e-10
    )
    # In the basis all generators add up to what every labeling adds up to over the classes.
    V = constraints.problem(np.eye(constraints.basis.rank), constraints.offset).dense().V
    np.testing.assert_allclose(V.sum(axis=0), constraints.sum_of_generators(), atol=1e-10)


@both
@pytest.mark.parametrize("n_equalities", [0, 2])
def test_with_known_shares_nothing_is_asked_for_that_no_labels_can_change(
    n_classes: int, n_equalities: int
) -> None:
    prior = np.asarray(0.3) if n_classes == 2 else np.array([0.2, 0.5, 0.3])
    constraints, X, w = drawn(n_classes, prior)
    random = np.random.default_rng(1)
    rank = constraints.basis.rank
    R = random.normal(size=(rank, rank))
    given = random.normal(size=(rank, *prior.shape))
    problem = constraints.problem(R, given, n_equalities).dense()
    plain = constraints.problem(R, given, n_equalities, with_prior=False).dense()
    assert problem.n_equalities == n_equalities + 1
    assert plain.n_equalities == n_equalities
    assert plain.rank == rank == problem.rank - 1
    np.testing.assert_array_equal(plain.target, given)
    constant = constraints.constant()
    assert constant is not None
    np.testing.assert_allclose(constraints.basis.functions.values(X) @ constant, 1.0)
    # Along this direction all labels with the shares are as far from the target: at none at all.
    g = np.linalg.solve(R, constant)
    soft = np.where(np.arange(rank) >= n_equalities, g, 0.0)
    wanted = constraints.wanted()
    np.testing.assert_allclose(wanted, w[8:].sum() * prior)
    for seed in range(3):
        u = soft_labels(n_classes, seed)
        u = u + prior - w[8:] @ u / w[8:].sum()
        z = problem.residual(u)
        np.testing.assert_allclose(z[0], 0.0, atol=1e-10)
        if n_equalities == 0:
            np.testing.assert_allclose(soft @ z[1:], 0.0, atol=1e-9)
        # Elsewhere the target is the given one.
        moved = z[1:] - plain.residual(u)
        along = np.outer(soft, soft) / (soft @ soft)
        np.testing.assert_allclose(moved, along @ moved, atol=1e-9)


def test_without_a_constant_function_the_target_stays_as_it_is() -> None:
    constraints, _, _ = drawn(2, np.asarray(0.3), fit_intercept=False)
    assert constraints.constant() is None
    given = np.arange(4.0)
    problem = constraints.problem(np.eye(4), given)
    np.testing.assert_array_equal(problem.target[1:], given)
    # Nor where the directions have no part in it.
    constraints, _, _ = drawn(2, np.asarray(0.3))
    problem = constraints.problem(np.eye(5)[:, 1:], given)
    np.testing.assert_array_equal(problem.target[1:], given)
    problem = constraints.problem(np.eye(5), np.arange(5.0), n_equalities=1)
    np.testing.assert_array_equal(problem.target[1:], np.arange(5.0))


def test_the_violation_of_a_prior_is_the_largest_of_a_share() -> None:
    prior = np.array([0.2, 0.5, 0.3])
    constraints, X, w = drawn(3, prior)
    u = np.tile([0.2, 0.4, 0.4], (22, 1))
    assert constraints.prior_violation(labeling(X, w, u)) == pytest.approx(0.1)
    assert constraints.prior_violation(None) == 0.0
    without, _, _ = drawn(3)
    assert without.prior_violation(labeling(X, w, u)) == 0.0


@pytest.mark.parametrize(
    ("n", "d", "expected"),
    [(500, 3, 500), (9000, 3, 1125), (4000, 3, 1024), (8 * SECOND_SAMPLE + 80, 1, SECOND_SAMPLE)],
)
def test_the_sample_is_an_eighth_of_the_rows_within_bounds(n: int, d: int, expected: int) -> None:
    X = np.ones((4, d))
    labeled, moments = LabeledRows(X, np.ones(4), None), Moments.of(NumpyRows(X))
    rows = NumpyRows(np.zeros((n, d)))
    constraints = ConstraintSet.of(labeled, moments, rows)
    assert len(constraints.sample) == pytest.approx(expected, rel=0.1)


def test_where_rows_say_nothing_the_constant_is_the_only_function_and_no_share_is_violated() -> (
    None
):
    X = np.full((4, 2), 3.0)
    labeled, moments = LabeledRows(X, np.ones(4), None), Moments.of(NumpyRows(X))
    rows = NumpyRows(X, np.zeros(4))
    constraints = ConstraintSet.of(labeled, moments, rows, prior=np.asarray(0.5))
    constant = constraints.constant()
    assert constant is not None
    np.testing.assert_allclose(constraints.basis.functions.values(X) @ constant, 1.0)
    assert constraints.prior_violation(Labeling(np.ones(4), None, 1.0, np.zeros(2))) == 0.0
