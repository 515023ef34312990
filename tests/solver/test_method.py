"""Which solver is asked, by the shape of the problem, and who takes over where one fails."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from tacit.solver import Problem, Status, solve, solve_interior_point
from tacit.solver import _method as module
from tacit.solver._method import Method, with_labeling
from tests.solver.test_search import drawn

RANDOM = np.random.default_rng(0)
NAMES = ("solve_interior_point", "solve_lbfgsb", "solve_semismooth", "solve_proximal")


def problem(n: int = 40, rank: int = 3, n_classes: int = 2, **more: Any) -> Problem:
    V = RANDOM.normal(size=(n, rank))
    shape = (rank,) if n_classes == 2 else (rank, n_classes)
    return Problem(V, 9.0 * RANDOM.normal(size=shape), **more).centred()


def small(n_columns: int, n_rows: int = 600) -> Any:
    return drawn(n_columns, 1.0, n_rows=n_rows)


@dataclass
class Asked:
    """The solvers that are asked, each with its settings, and which of them are to fail."""

    names: list[str] = field(default_factory=list)
    settings: list[tuple[Any, ...]] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    record = Asked()

    def recorded(name: str) -> Any:
        def found(problem: Problem, tol: float, max_iter: int, *others: Any) -> Any:
            record.names.append(name)
            record.settings.append((tol, max_iter, *others))
            if name == "semismooth" and name in record.failing:
                return None
            solution = solve_interior_point(problem)
            status = Status.STALLED if name in record.failing else solution.status
            return replace(solution, status=status, solver=name, n_iter=3, n_sweeps=1)

        return found

    for name in ("semismooth", "proximal"):
        monkeypatch.setattr(module, f"solve_{name}", recorded(name))
    dense = {name: recorded(name) for name in ("interior-point", "lbfgsb")}
    monkeypatch.setattr(module, "DENSE", dense)

    def working_set(problem: Any, tol: float, max_iter: int, *others: Any) -> Any:
        record.names.append("working-set")
        record.settings.append((tol, max_iter, *others))
        solution = with_labeling(problem, solve_interior_point(problem.dense()))
        status = Status.STALLED if "working-set" in record.failing else solution.status
        return replace(solution, status=status, n_iter=5, n_sweeps=7)

    monkeypatch.setattr(module, "solve_working_set", working_set)
    return record


def test_a_solver_is_asked_by_its_name_and_auto_is_the_interior_point_method(asked: Asked) -> None:
    for name in ("auto", "interior-point", "lbfgsb"):
        solve(problem(), name, 1e-5, 77)
    assert asked.names == ["interior-point", "interior-point", "lbfgsb"]
    assert asked.settings == [(1e-5, 77)] * 3
    with pytest.raises(ValueError, match="solver is 'working-set'; it must be one of"):
        solve(problem(), "working-set")


def test_defaults_are_those_of_the_documentation(asked: Asked) -> None:
    solve(problem())
    Method().dense(problem())
    assert asked.settings == [(1e-8, 10_000), (1e-8, 1000)]


# Of generators in memory.


@pytest.mark.parametrize(
    ("n", "rank", "given", "names"),
    [
        (256, 128, False, ["semismooth"]),
        (258, 128, False, ["interior-point"]),
        (20, 127, False, ["interior-point"]),
        (20, 10, False, ["interior-point"]),
        (20, 10, True, ["semismooth"]),
        (20, 9, True, ["interior-point"]),
        (0, 130, False, ["interior-point"]),
    ],
)
def test_directions_that_are_many_for_the_labels_are_for_the_semismooth_method(
    n: int, rank: int, given: bool, names: list[str], asked: Asked
) -> None:
    quadratic: Any = "known" if given else None
    own = problem(n, rank)
    Method(tol=1e-6, max_iter=99).dense(own, quadratic)
    assert asked.names == names
    more = (quadratic,) if names == ["semismooth"] else ()
    assert asked.settings == [(1e-6, 99, *more)]


@pytest.mark.parametrize(
    "more",
    [
        {"allowed": np.ones((20, 3), dtype=bool)},
        {"sizes": np.array([1.0, 2.0, 1.0])},
        {"n_equalities": 1},
    ],
)
def test_neither_equalities_nor_sizes_nor_excluded_classes_are_for_the_others(
    more: dict[str, Any], asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = problem(20, 130, 3, **more)
    monkeypatch.setattr(module, "MANY_UNKNOWNS", 0)
    asked.failing |= {"interior-point"}
    found = Method().dense(own)
    assert asked.names == ["interior-point"]
    assert found.status is Status.STALLED
    assert Method().is_proximal(own) == ("n_equalities" not in more)


def test_where_sets_do_not_settle_the_next_method_is_asked(asked: Asked) -> None:
    asked.failing |= {"semismooth"}
    assert Method().dense(problem(20, 130)).solver == "interior-point"
    assert asked.names == ["semismooth", "interior-point"]


def test_a_solver_that_was_named_is_the_one(asked: Asked) -> None:
    for name in ("interior-point", "lbfgsb"):
        Method(name).dense(problem(20, 130))
    Method("working-set").dense(problem(20, 130))
    assert asked.names == ["interior-point", "lbfgsb", "interior-point"]


@pytest.mark.parametrize(
    ("n_classes", "above", "solver", "is_so"),
    [
        (5, 14, "auto", True),
        (5, 15, "auto", False),
        (5, 14, "interior-point", False),
        (2, 1, "auto", False),
    ],
)
def test_many_unknowns_of_several_classes_are_for_the_proximal_method(
    n_classes: int, above: int, solver: str, is_so: bool, asked: Asked, monkeypatch: Any
) -> None:
    own = problem(40, 3, n_classes)
    assert Method(solver).is_proximal(own, above) == is_so
    assert not Method(solver).is_proximal(own)
    monkeypatch.setattr(module, "MANY_UNKNOWNS", above)
    Method(solver).dense(own)
    assert asked.names == ["proximal" if is_so else "interior-point"]
    # The labels, or the generators if they are more, must fit into memory.
    monkeypatch.setattr(module, "DENSE_NUMBERS", 200)
    assert Method(solver).is_proximal(own) == is_so
    monkeypatch.setattr(module, "DENSE_NUMBERS", 199)
    assert not Method(solver).is_proximal(own)


@pytest.mark.parametrize("fails_too", [False, True])
def test_rounds_of_small_problems_take_over_where_exact_steps_go_astray(
    fails_too: bool, asked: Asked
) -> None:
    asked.failing |= {"interior-point"} | ({"proximal"} if fails_too else set())
    found = Method().dense(problem(40, 3, 5))
    assert asked.names == ["interior-point", "proximal"]
    assert found.solver == ("interior-point" if fails_too else "proximal")
    assert found.n_iter == (3 if fails_too else 6)


def test_two_classes_have_no_other_method(asked: Asked) -> None:
    asked.failing |= {"interior-point"}
    assert Method().dense(problem()).status is Status.STALLED
    assert asked.names == ["interior-point"]


@pytest.mark.parametrize(("n_classes", "free"), [(4, 12**2 * 8), (4, 12**2 * 7), (2, 1)])
def test_matrices_of_several_classes_are_checked_to_fit(
    n_classes: int, free: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = []

    def check(numbers: int, what: str, advice: str) -> None:
        orders.append(numbers)
        assert "4 classes in 3 directions" in what

    monkeypatch.setattr(module, "check_memory", check)
    Method().dense(problem(40, 3, n_classes))
    assert orders == ([12**2] if n_classes > 2 else [])


@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_where_no_row_counts_all_labels_are_in_the_middle(shape: tuple[int, ...]) -> None:
    found = Method().empty(6, np.ones(shape))
    assert found.status is Status.EMPTY
    middle = 0.5 if len(shape) == 1 else 1.0 / 3.0
    np.testing.assert_allclose(found.labels(), np.full((6, *shape[1:]), middle))


# Of rows.


def test_few_rows_are_held_in_memory_and_many_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    own = small(2)
    n, rank = own.n_labels, own.rank
    for direct, each, is_dense in [
        (n, 0, True),
        (n - 1, 0, False),
        (0, n / rank, True),
        (0, (n - 1) / rank, False),
    ]:
        monkeypatch.setattr(module, "DIRECT", direct)
        monkeypatch.setattr(module, "DIRECT_EACH", each)
        assert Method().is_dense(own) == is_dense
    assert Method("lbfgsb").is_dense(own)
    assert not Method("working-set").is_dense(own)
    sample = replace(own.sample, weights=np.zeros(len(own.sample)))
    assert Method("working-set").is_dense(replace(own, sample=sample))
    sample = replace(own.sample, weights=np.ones(len(own.sample)))
    assert not Method("working-set").is_dense(replace(own, sample=sample))
    nothing = replace(own.functions, coef=0.0 * own.functions.coef, intercept=np.zeros(rank))
    assert Method("working-set").is_dense(replace(own, functions=nothing, target=0.0 * own.target))


def test_rows_that_are_held_in_memory_have_a_labeling_of_their_own(asked: Asked) -> None:
    own = small(2, 500)
    for method, solver in [(Method(), "interior-point"), (Method("lbfgsb"), "lbfgsb")]:
        found = method.rows(own)
        assert found.solver == solver
        assert found.labeling is not None
        np.testing.assert_allclose(found.labeling.mass, found.labels().sum())
        assert found.n_sweeps == 3  # one for the generators and one for the labeling
    assert with_labeling(own, replace(found, n_sweeps=0)).n_sweeps == 2


def swept(monkeypatch: pytest.MonkeyPatch, **bounds: float) -> None:
    for name, value in ({"DIRECT": 1, "DIRECT_EACH": 0} | bounds).items():
        monkeypatch.setattr(module, name, value)


def test_what_rounds_over_the_rows_do_not_settle_the_dense_method_does(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = small(2)
    swept(monkeypatch)
    told: Any = [].append
    assert Method(tol=1e-7, max_iter=55, report=told).rows(own).n_iter == 5
    assert asked.settings == [(1e-7, 55, told, False)]
    asked.failing |= {"working-set"}
    found = Method().rows(own)
    assert asked.names == ["working-set", "working-set", "interior-point"]
    assert (found.solver, found.n_iter, found.n_sweeps) == ("interior-point", 8, 10)
    assert found.labeling is not None
    monkeypatch.setattr(module, "DENSE_NUMBERS", own.n_labels * own.rank)
    assert Method().fits(own)
    assert not Method("working-set").fits(own)
    assert Method("working-set").rows(own).status is Status.STALLED
    monkeypatch.setattr(module, "DENSE_NUMBERS", own.n_labels * own.rank - 1)
    assert not Method().fits(own)
    assert Method().rows(own).status is Status.STALLED


def test_many_unknowns_of_rows_are_for_the_proximal_method(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = small(4)
    swept(monkeypatch, MANY_UNKNOWNS=own.target.size - 1)
    assert Method().rows(own).solver == "proximal"
    assert asked.names == ["proximal"]


@pytest.mark.parametrize("is_few", [False, True])
def test_rows_that_are_few_for_their_unknowns_are_solved_together_if_that_succeeds(
    is_few: bool, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = small(4)
    each = own.n_labels / own.target.size + (1e-9 if is_few else 0.0)
    swept(monkeypatch, SOME_UNKNOWNS=own.target.size - 1, FEW_EACH=each)
    found = Method(tol=1e-7, max_iter=55).rows(own)
    assert asked.names == ["proximal" if is_few else "working-set"]
    assert found.labeling is not None
    assert asked.settings[0][:2] == (1e-7, 55)
    if not is_few:
        assert asked.settings[0][3] is True  # rounds end where near rows do not settle it
    # Where it has failed it is not asked again.
    asked.names.clear()
    asked.failing |= {"proximal", "working-set"}
    Method().rows(own)
    expected = ["proximal", "working-set", "interior-point"]
    assert asked.names == (expected if is_few else ["working-set", "proximal"])


def test_the_order_of_the_equations_of_rows_is_checked_before_they_are_swept(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = small(4)
    swept(monkeypatch)
    orders = []
    monkeypatch.setattr(module, "check_memory", lambda numbers, *words: orders.append(numbers))
    Method().rows(own)
    assert orders == [own.target.size**2]
    Method().rows(small(2))
    assert orders[1] == own.rank**2
