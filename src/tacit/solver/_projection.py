"""From rows and a metric to coefficients: the projection of a start onto the constraint set."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.solver._basis import Coefficients
from tacit.solver._constraint_set import ConstraintSet
from tacit.solver._labeling import Labeling, LowestRule
from tacit.solver._method import MANY_DIRECTIONS, Method, with_labeling
from tacit.solver._solution import Solution, Status
from tacit.solver._ties import break_ties, solve_with_ties

# The labeled rows do not see the unlabeled ones if these have but rounding in the directions that
# the former determine: this part of their values, or so many times the rounding of one sum, which
# grows with the means of the columns over their spread.
INVISIBLE, ROUNDINGS = 1e-6, 100.0
# Of a start in several classes, the part that no labels can change counts as rounding below this.
SURPLUS = 1e-7
# Of the shares of a prior, what may be missing; otherwise the tolerance is made tighter, in steps.
PRIOR_TOLERANCE = 1e-6
TIGHTER, TIGHTEST = 1e-3, 1e-11

Metric = Literal["labeled", "all", "euclidean"]


@dataclass(frozen=True)
class Projection:
    """The member of C nearest to the start, with the soft labels that produce it."""

    coefficients: Coefficients
    solution: Solution
    inside: bool  # whether the start itself lies in C; then it is the answer, exactly
    squared_distance: float  # ||start - answer||^2 in the metric A + alpha J of all rows
    # In the metric of all rows and with a class prior, what the label of a class costs (`certify`).
    prices: Vector | None = None


def project(
    constraints: ConstraintSet,
    start: Coefficients,
    metric: Metric,
    labeled_rank: int,
    method: Method,
) -> Projection:
    """Project `start`, usually the supervised solution, onto `constraints`.

    The metrics "labeled", "all" and "euclidean" are S, A and I of the theory page. In
    `labeled_rank` directions S is not flat.
    """
    theta_start = constraints.coordinates(start)
    target = theta_start - constraints.offset
    rank = constraints.basis.rank
    is_member_possible = True
    if target.ndim == 2:
        target, is_member_possible = _centred(constraints, target)
    constant = constraints.constant()
    if constraints.prior is not None and constant is not None:
        wanted = constraints.wanted()
        missing = np.linalg.norm(wanted - constant @ target)
        is_member_possible &= bool(missing <= SURPLUS * constraints.moments.weight)

    if constraints.unlabeled_moments.weight == 0.0:
        # No rows, or none that counts.
        solution = _empty(constraints, target, method)
        return Projection(start, solution, True, 0.0)
    if constraints.prior is not None:
        prior = np.asarray(constraints.prior)
        shares = np.array([1.0 - prior, prior]) if prior.ndim == 0 else prior
        if (shares == 0.0).any():
            return _project_within(constraints, start, metric, labeled_rank, method, shares)

    if metric == "euclidean":
        # Lengths of coefficients depend on units, and whether the start is a member does not.
        same = project(constraints, start, "all", labeled_rank, method)
        if same.inside:
            return same

    def solve(method: Method) -> Solution:
        if metric == "labeled":
            return _solve_labeled(constraints, target, labeled_rank, method)
        R = np.eye(rank)
        if metric == "euclidean":
            # ||B theta||^2 = ||R theta||^2 with B = QR.
            R = np.linalg.qr(constraints.basis.functions.stacked()).R
        return method.rows(constraints.problem(R.T, R @ target))

    solution = _until_met(constraints, solve, method)
    if solution.labeling is None:
        return Projection(start, solution, True, 0.0)
    answer = _at_labels(constraints, start, solution, keeps_rest=metric == "all")
    if solution.status is Status.INSIDE and is_member_possible:
        if metric != "euclidean":
            return Projection(start, solution, True, 0.0)
        # Reached but for changes that are too small in the units of the columns.
        return replace(answer, solution=replace(solution, status=Status.OPTIMAL))
    if metric == "all" and constraints.prior is not None:
        return replace(answer, prices=_prices(constraints, start, solution))
    return answer


def _until_met(
    constraints: ConstraintSet, solve: Callable[[Method], Solution], method: Method
) -> Solution:
    """The solution with labels that have the shares of the prior, however loose the tolerance.

    A solver judges the equality of the shares in the unit of the whole problem. Where the target is
    far away, that unit is so large that no shares at all would seem to miss a loose tolerance.
    """
    solution, tighter = solve(method), method

    def is_met() -> bool:
        return constraints.prior_violation(solution.labeling) <= PRIOR_TOLERANCE

    while solution.status.is_success and not is_met() and tighter.tol > TIGHTEST:
        left = max(1, method.max_iter - solution.n_iter)
        tighter = replace(method, tol=max(TIGHTER * tighter.tol, TIGHTEST), max_iter=left)
        solution = solve(tighter).after(solution)
    if solution.status.is_success:
        return solution if is_met() else replace(solution, status=Status.STALLED)
    # More than was asked for could not be reached, but what was asked for may have been.
    is_enough = tighter is not method and is_met() and solution.relative_gap() <= method.tol
    return replace(solution, status=Status.OPTIMAL) if is_enough else solution


def _prices(constraints: ConstraintSet, start: Coefficients, solution: Solution) -> Vector:
    """The multipliers of the prior, in units of the change of the loss on one row.

    The slopes of a row are its change of values plus the multiplier, and the same for all rows once
    the answer is exact; for others any number will do, and the mean row's is near.
    """
    assert solution.labeling is not None, "the labels are known"
    change = constraints.member(solution.labeling) - constraints.coordinates(start)
    functions = constraints.problem(np.eye(constraints.basis.rank), change).functions
    mean = constraints.unlabeled_moments.mean[None]
    slopes = functions.values(mean)[0] @ solution.dual
    multipliers = slopes - constraints.basis.functions.values(mean)[0] @ change
    # The loss of two classes is the square of one value, of more half the sum of squares.
    return np.array([0.0, 2.0 * multipliers]) if change.ndim == 1 else multipliers


def _project_within(
    constraints: ConstraintSet,
    start: Coefficients,
    metric: Metric,
    labeled_rank: int,
    method: Method,
    shares: Vector,
) -> Projection:
    """The projection where some classes are known not to occur among the unlabeled rows."""
    kept = np.flatnonzero(shares)
    prices = np.full(len(shares), np.inf)
    if len(kept) == 1:
        prices[kept] = 0.0
        solution = _all_alike(constraints, method)
    else:
        labeled = replace(constraints.labeled, y=constraints.labeled.y[:, kept])
        within = replace(constraints, labeled=labeled, prior=shares[kept])
        start_within = Coefficients(start.coef[:, kept], start.intercept[kept])
        found = project(within, start_within, metric, labeled_rank, method).solution
        assert found.labeling is not None, "there are rows that count"
        solution = replace(found, labeling=found.labeling.within(kept, len(shares)))
        if metric == "all":
            prices[kept] = _prices(within, start_within, found)
    answer = _at_labels(constraints, start, solution, keeps_rest=metric == "all")
    return replace(answer, prices=prices if metric == "all" else None)


def _all_alike(constraints: ConstraintSet, method: Method) -> Solution:
    """The solution where the prior leaves one class to all rows."""
    label = np.asarray(constraints.prior, dtype=np.float64)
    moments, shape = constraints.unlabeled_moments, label.shape
    d = len(moments.mean)
    # One slope for all rows, the lowest that of the class, and no rows between classes.
    slopes = Coefficients(np.zeros((d, *shape)), 0.5 - label)
    rule = LowestRule(slopes, 0.0, np.zeros((0, d)), np.zeros((0, *shape)))
    total = np.multiply.outer(moments.weight * moments.mean, label)
    labeling = Labeling(None, rule, moments.weight * label, total)
    empty = method.empty(0, np.zeros((constraints.basis.rank, *shape)))
    return replace(empty, labeling=labeling, soft_labels=None)


def _at_labels(
    constraints: ConstraintSet, start: Coefficients, solution: Solution, *, keeps_rest: bool
) -> Projection:
    """The answer that these labels give.

    A start may have a part outside of the basis, where the rank rule sees fewer directions in all
    rows than in the labeled ones, or where the start is not a fit to these rows. If `keeps_rest`
    it stays as it is: only then is the change B(theta - theta_start), for which Pythagoras holds
    and with him the guarantee, whatever the rest is.
    """
    assert solution.labeling is not None, "the labels are known"
    theta = constraints.member(solution.labeling)
    change = theta - constraints.coordinates(start)
    distance = float(np.vdot(change, change))
    answer = constraints.coefficients(theta)
    if keeps_rest:
        move = constraints.coefficients(change)
        answer = Coefficients(start.coef + move.coef, start.intercept + move.intercept)
    return Projection(answer, solution, False, distance)


def _centred(constraints: ConstraintSet, target: Matrix) -> tuple[Matrix, bool]:
    """The target that labels of several classes can aim at, and whether it is the given one.

    Labels add up to one over the classes, so the mean over the classes of all members of C is the
    same; what the start has besides cannot be approached. With an intercept the least-squares
    starts have nothing besides.
    """
    own = constraints.sum_of_generators()
    surplus = own - target.sum(axis=1)
    size = sum(float(np.linalg.norm(part)) for part in (target, own, constraints.offset))
    is_same = bool(np.linalg.norm(surplus) <= SURPLUS * size)
    return target + surplus[:, None] / target.shape[1], is_same


def _empty(constraints: ConstraintSet, target: Matrix, method: Method) -> Solution:
    """The solution where no row counts, together with its rows."""
    solution, shape = method.empty(constraints.unlabeled.n_rows, target), target.shape[1:]
    nothing = np.zeros((constraints.unlabeled.n_features, *shape))
    labeling = Labeling(solution.labels(), None, np.zeros(shape)[()], nothing)
    return replace(solution, labeling=labeling)


def _labeled_metric(constraints: ConstraintSet) -> Matrix:
    """S + alpha J in the basis of all rows; the unlabeled rows make up the rest of the identity."""
    Z, coef = constraints.labeled_values, constraints.basis.functions.coef
    return np.asarray(constraints.labeled.weighted(Z).T @ Z) + constraints.basis.alpha * (
        coef.T @ coef
    )


def _is_invisible(constraints: ConstraintSet, steep: Matrix) -> bool:
    """Whether unlabeled rows have no part in these directions, as where all rows are fitted."""
    X, weights, B = constraints.sample.X, constraints.sample.weights, constraints.basis.functions
    roots = np.ones((len(constraints.sample), 1)) if weights is None else np.sqrt(weights)[:, None]
    own = B.combine(steep)
    sizes = Coefficients(np.abs(own.coef), np.abs(own.intercept)).values(abs(X))
    rounding = ROUNDINGS * np.finfo(np.float64).eps * np.linalg.norm(roots * sizes)
    seen = np.linalg.norm(roots * own.values(X))
    return bool(seen <= INVISIBLE * np.linalg.norm(roots * B.values(X)) + rounding)


def _solve_labeled(
    constraints: ConstraintSet, target: Matrix, rank: int, method: Method
) -> Solution:
    """The metric S + alpha J, which is flat in all but `rank` directions.

    In the basis of all rows it has eigenvalues between 0 and 1: the part of what is known about a
    direction that the labeled rows contribute.
    """
    basis, S = constraints.basis, _labeled_metric(constraints)
    n_flat = max(0, basis.n_determined - rank)
    rank = basis.rank - n_flat
    if n_flat == 0 and len(S) >= MANY_DIRECTIONS:
        with suppress(np.linalg.LinAlgError):
            # Any root of the metric will do, and this one takes a twentieth of the time.
            R = np.asarray(np.linalg.cholesky(S))
            return method.rows(constraints.problem(R, R.T @ target))
    eigenvalues, vectors = np.linalg.eigh(S)
    if basis.alpha > 0.0:
        # Where only the penalty makes a direction steep, and is rounding beside the rows, none is.
        n_unseen = basis.rank - int(np.linalg.matrix_rank(constraints.labeled_values))
        rounding = len(S) * np.finfo(np.float64).eps * eigenvalues.max(initial=0.0)
        n_rounding = int(np.sum(eigenvalues <= rounding))
        n_flat = max(n_flat, min(n_unseen, n_rounding))
        rank = basis.rank - n_flat
    flat, steep = vectors[:, :n_flat], vectors[:, n_flat:]
    if n_flat and _is_invisible(constraints, steep):
        # Whatever the labels, the labeled loss is the same.
        return method.rows(constraints.problem(flat, flat.T @ target))
    steep = steep * np.sqrt(np.maximum(eigenvalues[n_flat:], 0.0))
    first = constraints.problem(steep, steep.T @ target)
    second = constraints.problem(flat, flat.T @ target, with_prior=False)
    if n_flat == 0:
        return method.rows(first)
    if method.is_dense(first):
        dense = solve_with_ties(first.dense(), second.dense(), method.dense)
        return with_labeling(first, dense)
    solution = method.rows(first)
    if not solution.status.is_success:
        return solution
    if solution.status is not Status.INSIDE:
        broken = break_ties(first, second, solution, method.dense)
        if broken.status.is_success or not method.fits(first):
            return broken
        dense = solve_with_ties(first.dense(), second.dense(), method.dense)
        return with_labeling(first, dense).after(broken)
    both = np.hstack([steep, flat])
    nearest = method.rows(constraints.problem(both, both.T @ target, n_equalities=rank))
    return nearest.after(solution)
