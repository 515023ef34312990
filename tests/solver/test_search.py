"""What the working set does before and after its rounds: samples, units, and what is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.solver import Status, solve_interior_point, solve_working_set
from tacit.solver._working_set import FAR_FROM_ZERO, _n_near, _Search, _shift
from tests.solver.test_simplex_working_set import _problem

kinds = pytest.mark.parametrize("n_columns", [2, 4])


def drawn(n_columns: int, distance: float, **more: Any) -> Any:
    """Labels in the interval for two columns, of which the second is the target."""
    problem = _problem(1, distance, n_classes=n_columns, **more)
    if n_columns > 2:
        return problem
    fields = {name: getattr(problem, name) for name in ("rows", "moments", "sample", "functions")}
    return type(problem)(**fields, target=problem.target[:, 1], n_equalities=problem.n_equalities)


def search_of(problem: Any) -> _Search:
    return _Search(problem, 1e-8, 100, lambda text: None, 4.0)


@kinds
def test_a_search_is_in_the_unit_of_its_problem(n_columns: int) -> None:
    problem = drawn(n_columns, 1.0)
    search = search_of(problem)
    np.testing.assert_allclose(search.target * problem.unit, problem.target)
    assert search.scale * problem.unit**2 == pytest.approx(problem.scale)
    V = problem.functions.values(search.sample.X)
    np.testing.assert_allclose(search.sample.generators * problem.unit, V)
    longest = np.linalg.norm(search.sample.generators, axis=1).max()
    assert search.sample.largest == pytest.approx(longest)
    assert search.sample.weights.sum() == pytest.approx(problem.rows.total_weight)


@kinds
@pytest.mark.parametrize("distance", [0.0, 1.0])
def test_a_sample_knows_about_where_the_answer_is(n_columns: int, distance: float) -> None:
    problem = drawn(n_columns, distance)
    search = search_of(problem)
    q, may_be_inside = search.start()
    dense = solve_interior_point(problem.dense())
    assert may_be_inside == (dense.status is Status.INSIDE) == (distance == 0.0)
    best = dense.dual / problem.unit
    if distance > 0.0:
        assert np.linalg.norm(q - best) <= 0.3 * np.linalg.norm(best)
    assert search.is_outside(best + 0.01 * q) == (distance > 0.0)
    inside = search.inside()
    assert (inside is not None) == (distance == 0.0)
    if inside is not None:
        assert inside.status is Status.INSIDE
        assert np.linalg.norm(inside.residual) <= 1e-9 * problem.unit
        labels = inside.labeling.of_rows(problem.rows)  # type: ignore[union-attr]
        residual = problem.dense().residual(labels)
        np.testing.assert_allclose(residual, 0.0, atol=1e-8 * problem.unit)


@kinds
@pytest.mark.parametrize("n_equalities", [0, 1])
def test_what_is_told_of_the_answer_is_what_its_labels_have(
    n_columns: int, n_equalities: int
) -> None:
    problem = drawn(n_columns, 1.0, n_equalities=n_equalities)
    solution = solve_working_set(problem)
    whole = problem.dense()
    assert solution.labeling is not None
    labels = solution.labeling.of_rows(problem.rows)
    judged = whole.judge(labels, solution.dual)
    assert solution.objective == pytest.approx(judged.objective, rel=1e-8)
    assert solution.scale == pytest.approx(whole.scale)
    assert solution.gap() == pytest.approx(judged.gap, abs=1e-9 * whole.scale)
    np.testing.assert_allclose(solution.residual, whole.residual(labels), atol=1e-7 * whole.unit)
    assert solution.infeasibility == pytest.approx(judged.infeasibility, abs=1e-8 * whole.unit)
    assert 0.0 <= solution.stationarity <= 1e-6


@kinds
def test_an_early_answer_does_not_look_better_than_it_is(n_columns: int) -> None:
    problem = drawn(n_columns, 1.0, kind="heavy tails")
    early = solve_working_set(problem, max_iter=1)
    assert early.n_iter == 1
    assert early.status is Status.MAX_ITERATIONS
    assert early.labeling is not None
    labels, whole = early.labeling.of_rows(problem.rows), problem.dense()
    assert early.gap() >= whole.gap(labels, early.dual) - 1e-9 * whole.scale
    assert early.stationarity >= whole.kkt_residual(labels, early.dual) - 1e-9 > 0.0


@kinds
def test_so_many_rows_as_are_wanted_lie_within_the_threshold(n_columns: int) -> None:
    problem = drawn(n_columns, 1.0, n_rows=10_000)
    search = search_of(problem)
    q, _ = search.start()
    s = problem.functions.values(problem.rows.X) @ q / problem.unit
    ordered = np.sort(s.reshape(len(s), -1), axis=1)
    distance = np.abs(ordered[:, 0]) if n_columns == 2 else ordered[:, 1] - ordered[:, 0]
    for wanted in (100, 2000):
        within = int((distance <= search.sample.threshold(q, wanted)).sum())
        assert within == pytest.approx(wanted, rel=0.25)
    assert (distance <= search.sample.threshold(q, 10_000)).mean() > 0.99


def test_near_rows_are_three_thousand_or_some_for_each_unknown() -> None:
    assert _n_near(np.zeros(10)) == 3000
    assert _n_near(np.zeros(200)) == 4000
    assert _n_near(np.zeros((100, 5))) == 4000


def test_rows_are_shifted_where_their_means_are_far_from_zero() -> None:
    near, far = drawn(4, 1.0), drawn(4, 1.0, kind="far from zero")
    assert _shift(near) is None
    np.testing.assert_array_equal(_shift(far), far.moments.mean)
    spread = np.sqrt(near.moments.scatter.diagonal() / near.moments.weight)
    for times, is_shifted in ((0.9, False), (1.1, True)):
        moments = replace(near.moments, mean=times * FAR_FROM_ZERO * spread)
        assert (_shift(replace(near, moments=moments)) is not None) == is_shifted
