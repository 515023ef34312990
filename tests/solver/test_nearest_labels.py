"""Labels near the values of a start that lead back to it, where directions are many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import Block, CsrRows, NumpyRows
from tacit.rows._moments import random_sample
from tacit.solver import Coefficients, Status
from tacit.solver import _nearest_labels as module
from tacit.solver._label_sets import NearestLabels, label_set
from tacit.solver._least_squares import fit_supervised
from tacit.solver._nearest_labels import ROWS_EACH, _columns, _Nearest, already_inside


def _start(n_labeled: int, times: float = 1.0, twins: bool = False) -> tuple[Any, Coefficients]:
    """Four thousand rows, and a ridge regression whose values on some of them are no labels."""
    random = np.random.default_rng(0)
    X = random.standard_normal((4000 + n_labeled, 130))
    if twins:
        X[:, 1] = X[:, 0]
    y = (X[:n_labeled, :5].sum(axis=1) > 0.0).astype(float)
    start, _ = fit_supervised(X[4000:], y, None, 50.0, True)
    middle = start.intercept - 0.5
    return X[:4000], Coefficients(times * start.coef, 0.5 + times * middle)


@pytest.mark.parametrize("twins", [False, True])
def test_labels_that_lead_back_are_found_by_a_sample_first(twins: bool) -> None:
    X, start = _start(600, twins=twins)
    values = start.values(X)
    assert values.min() < 0.0
    assert values.max() > 1.0
    found = already_inside(NumpyRows(X), start, fit_intercept=True)
    assert found is not None
    assert found.inside
    assert found.solution.status is Status.INSIDE
    labeling = found.solution.labeling
    assert labeling is not None
    labels = labeling.of_rows(NumpyRows(X))
    assert labels.min() >= 0.0
    assert labels.max() <= 1.0
    both = np.column_stack([np.ones(4000), X])
    np.testing.assert_allclose(both.T @ labels, both.T @ values, atol=1e-6)


def test_a_start_far_outside_is_seen_on_a_sample() -> None:
    X, start = _start(600, times=20.0)
    assert already_inside(NumpyRows(X), start, fit_intercept=True) is None


def test_rows_of_which_a_sample_weighs_nothing_are_left_to_others() -> None:
    X, start = _start(600)
    drawn = random_sample(NumpyRows(X), ROWS_EACH * (X.shape[1] + 1), seed=0).index
    values = start.values(X)
    values[drawn] = 0.0
    weights = np.zeros(4000)
    weights[values.argmax()] = 1.0
    assert values.max() > 1.0
    assert already_inside(NumpyRows(X, weights), start, fit_intercept=True) is None


classes = pytest.mark.parametrize("n_classes", [2, 3])
weighted = pytest.mark.parametrize("is_weighted", [False, True])
N, D = 400, 5


def drawn(n_classes: int, is_weighted: bool, times: float = 1.0) -> tuple[Any, Any, Coefficients]:
    """Rows, weights and coefficients whose values are labels for most rows."""
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(N, D)) + 0.5
    weights = random.uniform(0.5, 2.0, N)
    w = weights if is_weighted else None
    coef = 0.2 * times * random.normal(size=(D, n_classes))
    if n_classes == 2:
        return X, w, Coefficients(coef[:, 0], np.asarray(0.5))
    coef -= coef.mean(axis=1, keepdims=True)
    return X, w, Coefficients(coef, np.array([0.3, 0.3, 0.4]))


def sums_of(X: Any, w: Any, labels: Any) -> Any:
    moved = labels if w is None else (labels.T * w).T
    return np.concatenate([moved.sum(axis=0)[None], X.T @ moved])


def search(n_classes: int, is_weighted: bool) -> tuple[_Nearest, Any, Any]:
    """A potential in functions of the rows, values of these, and weights."""
    X, w, start = drawn(n_classes, is_weighted)
    functions = Coefficients(np.random.default_rng(1).normal(size=(D, 4)) / 20.0, np.full(4, 0.05))
    rows = NumpyRows(X, w)
    rows.block_rows = 90
    V = functions.values(X)
    found = _Nearest(rows, functions, start, sums_of(X, w, start.values(X)))
    return found, V, np.ones(N) if w is None else w


def along(n_classes: int, size: float = 1.0) -> Any:
    theta = np.random.default_rng(2).normal(size=(4,) if n_classes == 2 else (4, n_classes))
    return size * (theta if n_classes == 2 else theta - theta.mean(axis=1, keepdims=True))


@classes
@weighted
def test_the_slope_of_the_potential_is_what_labels_miss(n_classes: int, is_weighted: bool) -> None:
    nearest, V, w = search(n_classes, is_weighted)
    theta, direction = along(n_classes, 2.0), along(n_classes)[::-1]
    value, reached, free = nearest.look(theta)
    values = nearest.start.values(nearest.rows.X) + V @ theta  # type: ignore[attr-defined]
    labels = label_set(values).project(values)
    target = V.T @ (w * nearest.start.values(nearest.rows.X).T).T  # type: ignore[attr-defined]
    np.testing.assert_allclose(nearest.target, target, atol=1e-10)
    np.testing.assert_allclose(reached.residual, V.T @ (w * labels.T).T - target, atol=1e-10)
    np.testing.assert_allclose(reached.labeling.of_rows(nearest.rows), labels)
    np.testing.assert_allclose(reached.labeling.mass, (w * labels.T).T.sum(axis=0))
    fractional = labels > 0.0 if n_classes > 2 else (labels > 0.0) & (labels < 1.0)
    np.testing.assert_array_equal(free.T, fractional)
    assert not fractional.all()
    step = 1e-6
    ahead, behind = (nearest.look(theta + sign * step * direction)[0] for sign in (1.0, -1.0))
    slope = float(np.vdot(reached.residual, direction))
    assert (ahead - behind) / (2.0 * step) == pytest.approx(slope, rel=1e-6)
    assert value < max(ahead, behind)


@classes
@weighted
@pytest.mark.parametrize("is_single", [False, True])
def test_a_step_is_newtons_with_or_without_factors(
    n_classes: int, is_weighted: bool, is_single: bool
) -> None:
    nearest, V, w = search(n_classes, is_weighted)
    assert (nearest.single is not None) == (n_classes > 2)
    if not is_single:
        nearest.single = None
    _, reached, free = nearest.look(along(n_classes, 2.0))
    if n_classes == 2:
        M = free[:, None, None] * np.ones((1, 1))
    else:
        own = free.T * 1.0
        M = (
            own[:, :, None] * np.eye(3)
            - own[:, :, None] * own[:, None, :] / own.sum(axis=1)[:, None, None]
        )
    H = np.einsum("n,nkl,nr,ns->krls", w, M, V, V).reshape(4 * M.shape[1], -1)
    right = -reached.residual.T.ravel()
    for accuracy in (0.1, 1e-4):
        step = nearest.step(free, reached.residual, accuracy)
        assert np.linalg.norm(H @ step.T.ravel() - right) <= 1.1 * accuracy * np.linalg.norm(right)
    plain = nearest.n_products
    assert 2 <= plain <= 2 * 4 * M.shape[1]
    factor = nearest.factor_of_classes(free)
    own_part = np.concatenate([
        np.linalg.solve(H[4 * k : 4 * k + 4, 4 * k : 4 * k + 4], right[4 * k : 4 * k + 4])
        for k in range(M.shape[1])
    ]).reshape(-1, 4).T  # fmt: skip
    if n_classes > 2:
        own_part -= own_part.mean(axis=1, keepdims=True)
    # But for what is added to the curvature, and single precision.
    found = factor(-reached.residual)
    np.testing.assert_allclose(found.reshape(own_part.shape), own_part, rtol=1e-2, atol=1e-2)
    nearest.factor, nearest.n_products = factor, 0
    step = nearest.step(free, reached.residual, 1e-4)
    assert np.linalg.norm(H @ step.T.ravel() - right) <= 1e-2 * np.linalg.norm(right)
    assert nearest.n_products <= (3 if n_classes == 2 else 9)


@classes
def test_where_no_row_may_move_a_step_goes_along_the_residual(n_classes: int) -> None:
    nearest, _, _ = search(n_classes, False)
    _, reached, free = nearest.look(along(n_classes))
    free[:] = False
    free[:1] = n_classes > 2  # one class of a row cannot move alone
    step = nearest.step(free, reached.residual, 0.1)
    np.testing.assert_allclose(step, -reached.residual)


@classes
@weighted
@pytest.mark.parametrize("start", [0, 37])
def test_sums_over_a_block_are_those_over_its_rows(
    n_classes: int, is_weighted: bool, start: int
) -> None:
    X, w, coefficients = drawn(n_classes, is_weighted, times=2.0)
    weights = np.ones(N) if w is None else w
    block = Block(X, w, start)
    values = coefficients.values(X)
    two = values if n_classes > 2 else np.column_stack([np.zeros(N), values])
    assert module._farthest_of_block(coefficients, block) == pytest.approx(
        weights @ two.max(axis=1)
    )
    # The least of <start, label> - 1/2 ||label||^2 is at a vertex.
    vertex = values - 0.5 if n_classes > 2 else np.column_stack([np.zeros(N), values - 0.5])
    lowest = module._lowest_of_block(coefficients, block)
    assert lowest == pytest.approx(weights @ vertex.min(axis=1))
    adds_up, is_label, sums = module._values_of_block(coefficients, block)
    assert adds_up
    assert not is_label
    np.testing.assert_allclose(sums, sums_of(X, w, values))
    longer = Coefficients(coefficients.coef, coefficients.intercept + 0.1)
    assert module._values_of_block(longer, block)[0] == (n_classes == 2)
    few = Coefficients(0.1 * coefficients.coef, coefficients.intercept)
    assert module._values_of_block(few, block)[:2] == (True, True)
    # What may move does, together with the other classes of its row.
    free = np.random.default_rng(4).random((n_classes, N + start)) < 0.7
    free[0] |= ~free.any(axis=0)
    free = free[0] if n_classes == 2 else free
    own = free.T[start:]
    moved = own * values
    if n_classes > 2:
        moved = moved - own * moved.sum(axis=1, keepdims=True) / own.sum(axis=1, keepdims=True)
    found = module._curved_of_block(coefficients, free, block)
    np.testing.assert_allclose(found, sums_of(X, w, moved), atol=1e-9)
    V = coefficients.values(X).reshape(N, -1)
    functions = Coefficients(
        coefficients.coef.reshape(D, -1), np.atleast_1d(coefficients.intercept)
    )
    grams = module._grams_of_block(functions, free, block)
    share = np.ones(N) if n_classes == 2 else 1.0 - 1.0 / own.sum(axis=1)
    for k, gram in enumerate(grams):
        part = (weights * share * own.reshape(N, -1)[:, k])[:, None] * V
        np.testing.assert_allclose(gram, V.T @ part, rtol=1e-4, atol=1e-3)
    assert len(grams) == (1 if n_classes == 2 else 3)


def test_parts_of_a_table_add_up_to_labels_only_together() -> None:
    one, other = np.ones(2), 2.0 * np.ones(2)
    for first in (False, True):
        for second in (False, True):
            a, b, c = module._add_values((first, second, one), (True, True, other))
            assert (a, b, c.tolist()) == (first, second, [3.0, 3.0])
            a, b, _ = module._add_values((True, True, one), (first, second, other))
            assert (a, b) == (first, second)


@weighted
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_sparse_columns_are_of_length_one_less_their_mean(
    fit_intercept: bool, is_weighted: bool
) -> None:
    random = np.random.default_rng(0)
    X = np.where(random.random((60, 7)) < 0.4, random.normal(size=(60, 7)) + 1.0, 0.0)
    X[:, 3], X[:, 5] = 0.0, 2.0
    w = random.uniform(0.5, 2.0, 60) if is_weighted else np.ones(60)
    rows = CsrRows(sparse.csr_array(X), w if is_weighted else None)
    functions, total = _columns(rows, fit_intercept)
    values = functions.values(X)
    mean = w @ X / w.sum() if fit_intercept else np.zeros(7)
    squares = w @ (X - mean) ** 2
    # A column of zeros and a constant one are no longer than rounding allows.
    squares[3] = 1.0
    squares[5] = squares[5] if squares[5] > 1e-9 else module.LEAST_LENGTH * (w @ X[:, 5] ** 2)
    expected = (X - mean) / np.sqrt(squares)
    if fit_intercept:
        expected = np.column_stack([np.full(60, 1.0 / np.sqrt(w.sum())), expected])
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(total, w @ expected, atol=1e-6)
    assert sparse.issparse(functions.coef)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY_DIRECTIONS", 5)


@classes
@weighted
@pytest.mark.parametrize("form", ["dense", "sparse", "wide", "wide, in the middle"])
@pytest.mark.usefixtures("few")
def test_labels_near_the_values_have_their_sums(
    n_classes: int, is_weighted: bool, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, w, start = drawn(n_classes, is_weighted, times=0.7)
    if "wide" in form:
        monkeypatch.setattr(module, "WIDE", D)
    rows: Any = NumpyRows(X, w) if form == "dense" else CsrRows(sparse.csr_array(X), w)
    fit_intercept = "middle" not in form
    found = already_inside(rows, start, fit_intercept)
    assert found is not None
    assert found.inside
    assert found.coefficients is start
    assert found.solution.solver == "nearest"
    labeling: Any = found.solution.labeling
    labels = labeling.of_rows(rows)
    assert isinstance(labeling.rule, NearestLabels)
    assert labels.min() >= 0.0
    first = 0 if fit_intercept else 1
    expected = sums_of(X, w, start.values(X))[first:]
    np.testing.assert_allclose(sums_of(X, w, labels)[first:], expected, atol=1e-6)
    assert found.solution.is_optimal(1e-8)
    assert found.solution.scale > 0.0
    assert start.values(X).min() < 0.0


@classes
@pytest.mark.usefixtures("few")
def test_values_that_are_labels_are_the_labels(n_classes: int) -> None:
    X, w, start = drawn(n_classes, True, times=0.1)
    found = already_inside(NumpyRows(X, w), start, fit_intercept=True)
    assert found is not None
    assert found.solution.solver == "values"
    labeling: Any = found.solution.labeling
    values = start.values(X)
    np.testing.assert_allclose(labeling.of_rows(NumpyRows(X)), values)
    np.testing.assert_allclose(labeling.total, X.T @ (w * values.T).T)
    assert found.solution.gap() == found.squared_distance == 0.0
    assert found.solution.residual.shape == start.stacked().shape


@classes
@pytest.mark.usefixtures("few")
def test_nothing_is_looked_for_where_there_is_nothing_to_find(
    n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _, start = drawn(n_classes, False, times=0.7)
    assert already_inside(NumpyRows(X), start, True) is not None
    assert already_inside(NumpyRows(X, np.zeros(N)), start, True) is None
    assert already_inside(NumpyRows(X[: D + 1]), start, True) is None
    # Values far beyond the labels have sums that no labels have.
    far = Coefficients(30.0 * start.coef, start.intercept)
    assert already_inside(NumpyRows(X), far, True) is None
    if n_classes > 2:
        longer = Coefficients(start.coef, start.intercept + 1e-6)
        assert already_inside(NumpyRows(X), longer, True) is None
    monkeypatch.setattr(module, "MANY_DIRECTIONS", start.coef.size)
    assert already_inside(NumpyRows(X), start, True) is not None
    monkeypatch.setattr(module, "MANY_DIRECTIONS", start.coef.size + 1)
    assert already_inside(NumpyRows(X), start, True) is None


@classes
@pytest.mark.usefixtures("few")
def test_what_a_sample_does_not_see_is_looked_at_in_the_columns(n_classes: int) -> None:
    X, _, start = drawn(n_classes, False, times=0.5)
    X = np.column_stack([X - 3.0, X[:, 0] - 3.0, np.zeros(N)])  # a twin, and nothing
    shifted = start.intercept + 3.0 * start.coef.sum(axis=0)
    coef = np.concatenate([start.coef, 0.0 * start.coef[:2]])
    start = Coefficients(coef, np.asarray(shifted))
    n_sample = ROWS_EACH * start.stacked().size
    drawn_rows = random_sample(NumpyRows(X), n_sample, seed=0).index
    assert len(drawn_rows) < N - 100
    found = already_inside(NumpyRows(X), start, True)
    assert found is not None
    labeling: Any = found.solution.labeling
    np.testing.assert_allclose(labeling.total, sums_of(X, None, start.values(X))[1:], atol=1e-6)
    # Now the last column is there, but not in the sample.
    others = np.setdiff1d(np.arange(N), drawn_rows)
    X[others[:9], -1] = 1.0
    assert already_inside(NumpyRows(X), start, True) is None
