"""Expectation maximisation for classes whose discriminants are linear: the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from scipy.special import logsumexp

from tacit._typing import Matrix, Vector
from tacit.estimators._parameters import POSITIVE_INTEGER, TOL, Number
from tacit.estimators._training import TrainingData
from tacit.family._generative import GenerativeClassifier, SoftLabels
from tacit.rows import Block, Rows
from tacit.solver._basis import Coefficients
from tacit.solver._solution import StopReason

# Increases of the log-likelihood below this part of its size are rounding.
ROUNDING = 1e-14


class Mixture(Protocol):
    """A fitted model of all classes."""

    @property
    def discriminants(self) -> Coefficients:
        """The logarithm of prior times density of each class, up to what all share."""

    @property
    def constant(self) -> float:
        """What the sum of discriminants lacks to be the penalised log-likelihood."""


Model = TypeVar("Model", bound=Mixture)


class EMStatus(StopReason):
    """Why expectation maximisation stopped."""

    CONVERGED = "converged"
    EMPTY = "empty"
    """There are no unlabeled rows, or they have no weight."""
    MAX_ITERATIONS = "max_iterations"

    @property
    def is_success(self) -> bool:
        """Whether the tolerance was met."""
        return self is not EMStatus.MAX_ITERATIONS


@dataclass(frozen=True)
class EMResult:
    """How expectation maximisation went.

    Attributes
    ----------
    log_likelihoods : ndarray of shape (n_iter,)
        The penalised log-likelihood of all observed data after each maximisation; never falls.
    total_weight : float
        The weight of all rows, unlabeled ones by their part.
    status : EMStatus
        Why it stopped.
    gap : float
        By how much the log-likelihood of a row would still rise, extrapolated (Aitken).
    """

    log_likelihoods: Vector
    total_weight: float
    status: EMStatus
    gap: float

    @property
    def n_iter(self) -> int:
        """Maximisations."""
        return len(self.log_likelihoods)


@dataclass(frozen=True)
class Expected:
    """Expected class moments, and the log-likelihood of the rows."""

    moments: Matrix
    log_likelihood: float

    def __add__(self, other: Expected) -> Expected:
        """Those of both tables together."""
        return Expected(self.moments + other.moments, self.log_likelihood + other.log_likelihood)


@dataclass(frozen=True)
class Expectation:
    """The expectation step on a block of rows less `centre`; a value, so that it can travel."""

    discriminants: Coefficients
    centre: Vector

    def __call__(self, block: Block) -> Expected:
        """O(n d K)."""
        X = block.X
        values = self.discriminants.values(X)
        logarithms = logsumexp(values, axis=1) if len(values) else np.zeros(0)
        shares = np.exp(values - logarithms[:, None])
        if block.weights is not None:
            shares = shares * block.weights[:, None]
            logarithms = logarithms * block.weights
        weights = shares.sum(axis=0)
        if isinstance(X, np.ndarray):
            sums = shares.T @ (X - self.centre)
        else:
            sums = np.asarray(X.T @ shares).T - np.outer(weights, self.centre)
        return Expected(np.column_stack([weights, sums]), float(logarithms.sum()))


def maximise_expectation(
    rows: Rows,
    centre: Vector,
    labeled: Matrix,
    start: Model,
    maximise: Callable[[Matrix], Model],
    weight: float = 1.0,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> tuple[Model, EMResult]:
    """Fit classes to labeled and unlabeled rows from a supervised start (Dempster et al. 1977).

    `labeled` are the class moments of x - centre over the labeled rows; `maximise` makes the model
    of the highest likelihood of those of all rows. Each iteration is one sweep of O(U d K). It
    stops where the log-likelihood of a row, extrapolated from the last two increases, would rise by
    at most `tol`. Small increases that grow, as on leaving a saddle point, are no reason to stop.
    """
    total = float(labeled[:, 0].sum()) + weight * rows.total_weight
    if rows.n_rows == 0 or weight * rows.total_weight == 0.0:
        return start, EMResult(np.zeros(0), total, EMStatus.EMPTY, 0.0)

    def expect(model: Model) -> Expected:
        return rows.reduce(Expectation(model.discriminants, centre), Expected.__add__)

    history: list[float] = []
    model, expected, gap = start, expect(start), np.inf
    for _ in range(max_iter):
        model = maximise(labeled + weight * expected.moments)
        expected = expect(model)
        known = _of_labeled(model.discriminants, centre, labeled)
        history.append(known + weight * expected.log_likelihood + model.constant)
        if not np.isfinite(history[-1]):
            raise ValueError(
                f"The log-likelihood is {history[-1]} after {len(history)} iterations: the numbers "
                "in X or X_unlabeled are too large or too different in scale. Standardise the "
                "features, or set alpha > 0."
            )
        gap = _remaining(history) / total
        if gap <= tol:
            return model, EMResult(np.array(history), total, EMStatus.CONVERGED, gap)
    return model, EMResult(np.array(history), total, EMStatus.MAX_ITERATIONS, gap)


def _of_labeled(discriminants: Coefficients, centre: Vector, labeled: Matrix) -> float:
    """The sum over labeled rows of the discriminant of their class."""
    at_centre = centre @ discriminants.coef + discriminants.intercept
    return float(labeled[:, 0] @ at_centre + np.sum(labeled[:, 1:] * discriminants.coef.T))


def _remaining(history: list[float]) -> float:
    """What is left to gain if increases keep shrinking as the last one did."""
    if len(history) < 3:
        return np.inf
    before, last = history[-2] - history[-3], history[-1] - history[-2]
    if max(before, last) <= ROUNDING * max(1.0, abs(history[-1])):
        return 0.0
    if last >= before:
        return np.inf
    return max(last, 0.0) * before / (before - last)


class EMClassifier(GenerativeClassifier):
    """Parameters and results of expectation maximisation."""

    unlabeled_weight: float
    tol: float
    max_iter: int

    soft_labels_: Any
    solution_: EMResult
    log_likelihoods_: Vector
    n_iter_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GenerativeClassifier._parameter_constraints,
        "unlabeled_weight": [Number(Real, 0, 1, closed="both")],
        "tol": TOL,
        "max_iter": POSITIVE_INTEGER,
    }
    _doc_entries: ClassVar[dict[str, str]] = {
        **GenerativeClassifier._doc_entries,
        "unlabeled_weight": """
unlabeled_weight : float, default=1.0
    The weight of each unlabeled row, from 0 (ignored) to 1 (as much as a labeled row).""",
        "em_stopping": """
tol : float, default=1e-8
    The rise of a row's log-likelihood, extrapolated, that is not worth another iteration.
max_iter : int, default=10000
    Iterations at the most.""",
        "em_": f"""
{GenerativeClassifier._doc_entries["posteriors_"].strip()}
log_likelihoods_ : ndarray of shape (iterations,)
    The log-likelihood of all observed data, less the penalty, after each iteration; it never
    falls.
solution_ : tacit.family.EMResult
    Why it stopped and how much was left to gain.
n_iter_ : int
    Iterations; 0 without unlabeled rows.""",
    }

    def _maximise(
        self,
        data: TrainingData,
        centre: Vector,
        labeled: Matrix,
        start: Model,
        maximise: Callable[[Matrix], Model],
    ) -> Model:
        """Run the loop, and keep what it says."""
        model, result = maximise_expectation(
            data.unlabeled,
            centre,
            labeled,
            start,
            maximise,
            self.unlabeled_weight,
            self.tol,
            self.max_iter,
        )
        self.solution_, self.n_iter_ = result, result.n_iter
        self.log_likelihoods_ = result.log_likelihoods
        self._store_discriminants(model.discriminants)
        self.soft_labels_ = data.unlabeled.map(SoftLabels(model.discriminants))
        if not result.status.is_success:
            self._warn(
                f"stopped after {result.n_iter} iterations while the log-likelihood of a row was "
                f"still to rise by an estimated {result.gap:.2g}, above the tolerance "
                f"tol={self.tol:g}; raise max_iter (now {self.max_iter}) or tol"
            )
        return model
