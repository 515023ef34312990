"""The box problem while its generators are still rows of a table."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import Block, Moments, Rows, Sample
from tacit.solver._basis import Coefficients
from tacit.solver._problem import BoxProblem


@dataclass(frozen=True)
class RowsProblem:
    """A BoxProblem whose generators are v = w (x'coef + intercept), one for each row.

    Attributes
    ----------
    rows : Rows
        The unlabeled rows x with weights w.
    moments : Moments
        Theirs.
    sample : Sample
        Some of them, drawn at random.
    functions : Coefficients
        From a row to its generator, r columns.
    target : ndarray of shape (r,)
        The point to approach.
    n_equalities : int
        How many leading columns must be met exactly.
    """

    rows: Rows
    moments: Moments
    sample: Sample
    functions: Coefficients
    target: Vector
    n_equalities: int = 0

    @property
    def n_labels(self) -> int:
        """U, the number of soft labels."""
        return self.rows.n_rows

    @property
    def rank(self) -> int:
        """The number of directions r."""
        return len(self.target)

    @cached_property
    def scale(self) -> float:
        """The mean of the objective over all labelings, from the moments (see BoxProblem.scale).

        A row of weight w counts as w rows here.
        """
        return self._mean_objective(self.n_equalities)

    @cached_property
    def unit(self) -> float:
        """The length that makes the mean of 1/2 ||z||^2, equalities included, one half."""
        return float(np.sqrt(2.0 * self._mean_objective(0)))

    def _mean_objective(self, first: int) -> float:
        mean, squares = self._generators(first)
        centre = 0.5 * self.moments.weight * mean - self.target[first:]
        return max(float(0.5 * centre @ centre + 0.125 * squares), 0.0)  # rounding may undercut it

    def _generators(self, first: int) -> tuple[Vector, float]:
        """The mean of the generators from column `first` on, and the sum of their squares."""
        coef, intercept = self.functions.coef[:, first:], self.functions.intercept[first:]
        mean = self.moments.mean @ coef + intercept
        squares = np.einsum("ik,ik->", coef, self.moments.scatter @ coef)
        return mean, float(squares + self.moments.weight * mean @ mean)

    def dense(self) -> BoxProblem:
        """With all generators in memory: one sweep, U x r numbers."""
        return BoxProblem(self.all_generators(), self.target, self.n_equalities)

    def all_generators(self) -> Matrix:
        """One generator a row: one sweep, U x r numbers."""
        functions = self.functions

        def kernel(block: Block) -> list[Matrix]:
            V = functions.values(block.X)
            return [V if block.weights is None else V * block.weights[:, None]]

        return np.vstack(self.rows.reduce(kernel, operator.add))
