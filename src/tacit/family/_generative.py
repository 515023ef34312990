"""What classifiers from models of the classes share: probabilities, and reading parameters."""

from __future__ import annotations

import numbers
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.estimators._linear import ProbabilityClassifier
from tacit.estimators._training import SMALL, TrainingData
from tacit.family.generative import GaussianModel, LabeledStatistics, SimplexSolution
from tacit.rows import CsrRows, NumpyRows, one_blas_thread
from tacit.solver import Coefficients


class GenerativeClassifier(ProbabilityClassifier):
    """Decisions, probabilities and predictions from linear discriminants."""

    def _store_discriminants(self, discriminants: Coefficients, data: TrainingData) -> None:
        """Keep discriminants as scikit-learn's linear classifiers do: one row for two classes."""
        coef, intercept = discriminants.coef.T, np.asarray(discriminants.intercept)
        if len(data.classes) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = np.ascontiguousarray(coef), intercept
        self.classes_ = data.classes

    def _warn_about_gap(self, solution: SimplexSolution, tol: float, max_iter: int) -> None:
        if not solution.status.is_success:
            self._warn(
                f"stopped with status {solution.status.value!r} at a gap of "
                f"{solution.relative_gap():.2g} a row, above the tolerance tol={tol:g}; raise "
                f"max_iter (now {max_iter}) or tol, or set alpha > 0"
            )


class GaussianClassifier(GenerativeClassifier):
    """A generative classifier whose classes are Gaussian and share a covariance."""

    priors_: Vector
    means_: Matrix

    def _store_model(self, model: GaussianModel, data: TrainingData) -> None:
        self._store_discriminants(model.discriminants, data)
        self.priors_ = model.priors
        self.means_ = model.means
        self._store_covariance(model.covariance)

    def _store_covariance(self, covariance: Matrix) -> None:
        self.covariance_ = covariance


class NearestMeanBase(GaussianClassifier):
    """A Gaussian classifier with one variance for all features."""

    def _store_covariance(self, covariance: Matrix) -> None:
        self.variance_ = float(covariance[0, 0])


def statistics_of(data: TrainingData) -> LabeledStatistics:
    """Class moments of the labeled rows."""
    return LabeledStatistics.of(data.X, data.codes, data.weights, len(data.classes))


def in_memory(data: TrainingData, method: str) -> NumpyRows | CsrRows:
    """The unlabeled rows, if they are in memory."""
    if isinstance(data.unlabeled, NumpyRows | CsrRows):
        return data.unlabeled
    raise TypeError(
        f"X_unlabeled is a {type(data.unlabeled).__name__}; {method} finds a label for every "
        "single row and needs them in memory, as an array or a sparse matrix."
    )


def threads_for(data: TrainingData) -> AbstractContextManager[None]:
    """One BLAS thread for rows so few that more cost more than they bring."""
    rows = data.unlabeled
    n_numbers = (rows.n_rows + len(data.codes)) * rows.n_features
    if isinstance(rows, NumpyRows | CsrRows) and n_numbers <= SMALL:
        return one_blas_thread()
    return nullcontext()


def weights_of(rows: NumpyRows | CsrRows) -> Vector:
    """The weights of rows in memory."""
    return np.ones(rows.n_rows) if rows.weights is None else rows.weights


def check_number(
    name: str, value: Any, low: float, high: float, what: str, *, open_low: bool = False
) -> float:
    """The parameter as a float, if it is a number in its range."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and low <= float(value) <= high and not (open_low and float(value) == low):
        return float(value)
    raise ValueError(f"{name} is {value!r}; it must be {what}.")


def check_alpha(alpha: Any) -> float:
    """The penalty on the covariance."""
    largest = float(np.finfo(np.float64).max)
    return check_number(
        "alpha", alpha, 0.0, largest, "a finite number that is not negative, added to the scatter"
    )


def check_stopping(tol: Any, max_iter: Any, what: str) -> None:
    """The tolerance and the limit of an iteration."""
    if not isinstance(tol, numbers.Real) or not 0 < float(tol) < 1:
        raise ValueError(f"tol is {tol!r}; it must be a number between 0 and 1, {what}.")
    if not isinstance(max_iter, numbers.Integral) or max_iter < 1:
        raise ValueError(f"max_iter is {max_iter!r}; it must be a positive integer.")
