"""What classifiers fitted by expectation maximisation share."""

from __future__ import annotations

from typing import Any

from tacit._typing import Vector
from tacit.family._generative import GenerativeClassifier, check_number, check_stopping
from tacit.family.generative import EMResult, Responsibilities
from tacit.rows import Rows
from tacit.solver import Coefficients


class FittedByExpectation(GenerativeClassifier):
    """Parameters and results of expectation maximisation."""

    unlabeled_weight: float
    tol: float
    max_iter: int

    soft_labels_: Any
    solution_: EMResult
    log_likelihoods_: Vector
    n_iter_: int

    def _read_weight(self) -> float:
        check_stopping(
            self.tol, self.max_iter, "the rise of a row's log-likelihood not worth another sweep"
        )
        return check_number(
            "unlabeled_weight",
            self.unlabeled_weight,
            0.0,
            1.0,
            "a number from 0 (unlabeled rows are ignored) to 1 (they count as labeled rows do)",
        )

    def _store_result(self, result: EMResult, discriminants: Coefficients, rows: Rows) -> None:
        self.solution_ = result
        self.log_likelihoods_ = result.log_likelihoods
        self.n_iter_ = result.n_iter
        self.soft_labels_ = rows.map(Responsibilities(discriminants))
        if not result.status.is_success:
            self._warn(
                f"stopped after {result.n_iter} iterations while the log-likelihood of a row was "
                f"still to rise by an estimated {result.gap:.2g}, above the tolerance "
                f"tol={self.tol:g}; raise max_iter (now {self.max_iter}) or tol"
            )
