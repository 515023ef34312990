"""Alike classes in memory: solved for as one, then shared out (see groups)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit._typing import Index, Matrix
from tacit.solver._solution import Solution, Status
from tacit.solver.simplex._polish import Finished
from tacit.solver.simplex._problem import SimplexProblem

# Columns of the dual this close, relative to the whole, may well be equal at the answer.
ALIKE = (1e-4, 1e-3, 1e-2)


def alike(Q: Matrix, threshold: float) -> list[Index]:
    """Groups of columns of Q that a chain of close ones connects, in the order of the columns."""
    n_classes = Q.shape[1]
    distance = np.linalg.norm(Q[:, :, None] - Q[:, None, :], axis=0)
    close = distance <= threshold * float(np.linalg.norm(Q))
    group = np.arange(n_classes)
    for k in range(n_classes):
        for other in np.flatnonzero(close[k]):
            group[group == group[other]] = group[k]
    names = list(dict.fromkeys(group.tolist()))
    return [np.flatnonzero(group == name) for name in names]


def merged(columns: Matrix, groups: list[Index]) -> Matrix:
    """The sum of the columns of each group."""
    return np.column_stack([columns[:, members].sum(axis=1) for members in groups])


def finish_by_groups(
    problem: SimplexProblem, Q: Matrix, solve: Callable[[SimplexProblem], Solution]
) -> Finished | None:
    """The labels with the groups that Q suggests, or None where there are none such.

    The rows between alike classes are many, so the exact last step does not apply; but with the
    group as one class it does, and within the group the target can be reached.

    Parameters
    ----------
    problem : SimplexProblem
        What to solve.
    Q : ndarray of shape (r, K)
        Nearly its dual matrix.
    solve : callable
        Solves a problem with fewer classes.
    """
    tried: list[list[list[int]]] = []
    for threshold in ALIKE:
        groups = alike(Q, threshold)
        named = [members.tolist() for members in groups]
        if not 1 < len(groups) < problem.n_classes or named in tried:
            continue
        tried.append(named)
        found = _solve_groups(problem, groups, solve)
        if found is not None:
            return found
    return None


def _solve_groups(
    problem: SimplexProblem, groups: list[Index], solve: Callable[[SimplexProblem], Solution]
) -> Finished | None:
    allowed = problem.allowed
    sizes = np.array([problem.counts[members].sum() for members in groups])
    coarse = SimplexProblem(
        problem.V,
        merged(problem.target, groups),
        problem.n_equalities,
        None
        if allowed is None
        else np.column_stack([allowed[:, members].any(axis=1) for members in groups]),
        sizes,
    )
    solution = solve(coarse)
    if not solution.status.is_success:
        return None
    shares, residual = solution.labels(), solution.residual
    P = np.zeros((problem.n_labels, problem.n_classes))
    dual = np.zeros_like(problem.target)
    for g, members in enumerate(groups):
        dual[:, members] = solution.dual[:, [g]]
        if len(members) == 1:
            P[:, members] = shares[:, [g]]
            continue
        rows = np.flatnonzero(shares[:, g] > 0.0)
        counts = problem.counts[members]
        left = np.outer(residual[:, g], counts / counts.sum())
        inner = solve(
            SimplexProblem(
                problem.V[rows] * shares[rows, g][:, None],
                problem.target[:, members] + left,
                0,
                None if allowed is None else allowed[np.ix_(rows, members)],
            )
        )
        if inner.status is not Status.INSIDE:
            return None
        P[np.ix_(rows, members)] = shares[rows, g][:, None] * inner.labels()
    return Finished(P, dual if problem.n_equalities else None)
