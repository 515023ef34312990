"""The simplex problem while its generators are still rows of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix
from tacit.solver._rows_problem import RowsProblem
from tacit.solver.simplex._problem import SimplexProblem


@dataclass(frozen=True)
class SimplexRowsProblem(RowsProblem):
    """A SimplexProblem whose generators are v = w (x'coef + intercept), one for each row.

    As RowsProblem, with a target of shape (r, K), which must be centred: its sum over the classes
    is the sum of the generators, so that labels can reach it.
    """

    target: Matrix

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.target.shape[1])

    def _mean_objective(self, first: int) -> float:
        mean, squares = self._generators(first)
        share = 1.0 / self.n_classes
        centre = share * self.moments.weight * mean[:, None] - self.target[first:]
        return max(float(0.5 * np.vdot(centre, centre) + 0.5 * (1.0 - share) * squares), 0.0)

    def dense(self) -> SimplexProblem:  # type: ignore[override]
        """With all generators in memory: one sweep, U x r numbers."""
        return SimplexProblem(self.all_generators(), self.target, self.n_equalities)
