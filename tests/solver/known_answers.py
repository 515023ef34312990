"""Small problems with known answers, for tests, documentation and benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit._typing import Vector
from tacit.solver._problem import Problem


@dataclass(frozen=True)
class Sample:
    """A problem and what is known about its answer.

    Attributes
    ----------
    name : str
        What is special about it.
    problem : Problem
        The problem.
    residual : ndarray of shape (r,)
        The optimal z = V'u - target, which is unique.
    soft_labels : ndarray of shape (U,) or None
        The optimal labels where they are unique.
    """

    name: str
    problem: Problem
    residual: Vector
    soft_labels: Vector | None = None


def one_row() -> Sample:
    """One unlabeled row: project the number 3 onto [0, 2]."""
    problem = Problem(np.array([[2.0]]), np.array([3.0]))
    return Sample("one row", problem, np.array([-1.0]), np.array([1.0]))


def square() -> Sample:
    """Orthogonal generators: each label is the clipped coordinate of the target."""
    problem = Problem(np.diag([1.0, 2.0, 4.0]), np.array([0.25, 3.0, -1.0]))
    return Sample("square", problem, np.array([0.0, -1.0, 1.0]), np.array([0.25, 1.0, 0.0]))


def duplicates() -> Sample:
    """Ten equal rows: only the sum of their labels is determined."""
    problem = Problem(np.full((10, 1), 0.5), np.array([2.0]))
    return Sample("duplicates", problem, np.array([0.0]))


def hexagon() -> Sample:
    """Three generators in the plane; the nearest point lies on an edge of the hexagon.

    The edge belongs to the generator (1, 0) with the other two at one, from (1, 2) to (2, 2);
    the target (1.4, 3) is above it.
    """
    problem = Problem(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1.4, 3.0]))
    return Sample("hexagon", problem, np.array([0.0, -1.0]), np.array([0.4, 1.0, 1.0]))


def corner() -> Sample:
    """A target far outside: every label is at a bound."""
    problem = Problem(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([9.0, 9.0]))
    return Sample("corner", problem, np.array([-7.0, -7.0]), np.ones(3))


def equality() -> Sample:
    """The labels must add up to one; the second column then wants them far apart."""
    problem = Problem(
        np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 4.0]]), np.array([1.0, 3.0]), n_equalities=1
    )
    return Sample("equality", problem, np.array([0.0, 0.0]))


def no_rows() -> Sample:
    """No unlabeled rows at all."""
    return Sample("no rows", Problem(np.zeros((0, 2)), np.zeros(2)), np.zeros(2), np.zeros(0))


def manufactured(
    n_labels: int, rank: int, seed: int = 0, n_fractional: int | None = None
) -> Sample:
    """A problem of any size made from its answer.

    Draw generators, a residual z and labels that satisfy the optimality conditions with it
    (fractional generators orthogonal to z, all others on the side that their label says), and
    set the target to V'u - z.
    """
    random = np.random.default_rng(seed)
    n_fractional = min(rank - 1, n_labels // 2) if n_fractional is None else n_fractional
    z = random.normal(size=rank)
    V = random.normal(size=(n_labels, rank))
    V[:n_fractional] -= np.outer(V[:n_fractional] @ z, z) / (z @ z)
    u = (V @ z < 0).astype(np.float64)
    u[:n_fractional] = random.uniform(0.1, 0.9, size=n_fractional)
    problem = Problem(V, u @ V - z)
    unique = n_fractional < rank
    return Sample(f"manufactured {n_labels} x {rank}", problem, z, u if unique else None)


SAMPLES: tuple[Callable[[], Sample], ...] = (
    one_row,
    square,
    duplicates,
    hexagon,
    corner,
    equality,
    no_rows,
)
