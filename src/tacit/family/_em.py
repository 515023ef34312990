"""Expectation maximisation for classes whose discriminants are linear, Gaussian ones first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy.special import logsumexp

from tacit._typing import Matrix, Vector
from tacit.estimators._parameters import Number
from tacit.estimators._training import TrainingData, threads_for
from tacit.family import _gaussian as gaussian
from tacit.family._generative import (
    GaussianClassifier,
    GenerativeClassifier,
    soft_labels,
    statistics_of,
)
from tacit.rows import Block, Moments, Rows
from tacit.rows._sweep import add_each
from tacit.solver._basis import Coefficients
from tacit.solver._solution import StopReason

# Increases of the log-likelihood below this part of its size are rounding.
ROUNDING = 1e-14


Model = TypeVar("Model", bound=gaussian.Mixture)


class EMStatus(StopReason):
    """Why expectation maximisation stopped."""

    CONVERGED = "converged"
    EMPTY = "empty"  #: There are no unlabeled rows, or they have no weight.
    MAX_ITERATIONS = "max_iterations"

    @property
    def is_success(self) -> bool:
        """Whether the tolerance was met."""
        return self is not EMStatus.MAX_ITERATIONS


@dataclass(frozen=True)
class EMResult:
    """How expectation maximisation went."""

    #: The penalised log-likelihood of all observed data after each maximisation; never falls.
    log_likelihoods: Vector
    total_weight: float  #: The weight of all rows, unlabeled ones by their part.
    status: EMStatus  #: Why it stopped.
    gap: float  #: By how much the log-likelihood of a row would still rise, extrapolated (Aitken).

    @property
    def n_iter(self) -> int:
        """Maximisations."""
        return len(self.log_likelihoods)


def class_moments(X: Any, shares: Matrix, centre: Vector) -> Matrix:
    """Weights of the classes and sums of x - centre, for the shares of the rows in them."""
    weights = shares.sum(axis=0)
    if isinstance(X, np.ndarray):
        return np.column_stack([weights, shares.T @ (X - centre)])
    return np.column_stack([weights, np.asarray(X.T @ shares).T - np.outer(weights, centre)])


def expectation(discriminants: Coefficients, centre: Vector, block: Block) -> tuple[Matrix, float]:
    """The expected class moments of a block of rows, and their log-likelihood, in O(n d K)."""
    values = discriminants.values(block.X)
    logarithms = logsumexp(values, axis=1) if len(values) else np.zeros(0)
    shares = np.exp(values - logarithms[:, None])
    if block.weights is not None:
        shares, logarithms = shares * block.weights[:, None], logarithms * block.weights
    return class_moments(block.X, shares, centre), float(logarithms.sum())


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
    of the highest likelihood of those of all rows. Each iteration is one sweep of O(U d K).
    """
    total = float(labeled[:, 0].sum()) + weight * rows.total_weight
    if rows.n_rows == 0 or weight * rows.total_weight == 0.0:
        return start, EMResult(np.zeros(0), total, EMStatus.EMPTY, 0.0)

    def expect(model: Model) -> tuple[Matrix, float]:
        return rows.reduce(partial(expectation, model.discriminants, centre), add_each)

    history: list[float] = []
    model, (expected, unknown) = start, expect(start)
    for _ in range(max_iter):
        model = maximise(labeled + weight * expected)
        expected, unknown = expect(model)
        # The sum over labeled rows of the discriminant of their class.
        coef, intercept = model.discriminants.coef, model.discriminants.intercept
        known = labeled[:, 0] @ (centre @ coef + intercept) + np.sum(labeled[:, 1:] * coef.T)
        history.append(float(known + weight * unknown + model.constant))
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


def _remaining(history: list[float]) -> float:
    """What is left to gain if increases keep shrinking as the last did; any, while they grow."""
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "unlabeled_weight": [Number(Real, 0, 1, closed="both")]
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

    def __init__(
        self,
        unlabeled_weight: float = 1.0,
        alpha: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        unlabeled: Any = -1,
    ) -> None:
        self.unlabeled_weight = unlabeled_weight
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def _maximise(
        self,
        data: TrainingData,
        centre: Vector,
        labeled: Matrix,
        start: Model,
        maximise: Callable[[Matrix], Model],
    ) -> Model:
        """Run the loop, and keep what it says."""
        options = self.unlabeled_weight, self.tol, self.max_iter
        model, result = maximise_expectation(
            data.unlabeled, centre, labeled, start, maximise, *options
        )
        self.solution_, self.n_iter_ = result, result.n_iter
        self.log_likelihoods_ = result.log_likelihoods
        self._store_discriminants(model.discriminants)
        self.soft_labels_ = data.unlabeled.map(partial(soft_labels, model.discriminants))
        if not result.status.is_success:
            self._warn(
                f"stopped after {result.n_iter} iterations while the log-likelihood of a row was "
                f"still to rise by an estimated {result.gap:.2g}, above the tolerance "
                f"tol={self.tol:g}; raise max_iter (now {self.max_iter}) or tol"
            )
        return model


class EMLDAClassifier(EMClassifier, GaussianClassifier):
    r"""Linear discriminant analysis by expectation maximisation (Dempster et al. 1977).

    Maximises the likelihood of all that was observed, labels of labeled rows and features of all,

    .. math:: \sum_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma)
        + \lambda \sum_j \log \sum_k \pi_k N(x_j; \mu_k, \Sigma),

    from the supervised fit, by turns of class probabilities for the unlabeled rows and a weighted
    fit. Good where the classes are clusters, harmful where they are not: no guarantee.

    $sections

    See Also
    --------
    LDAClassifier : The supervised twin, where it starts.

    Notes
    -----
    One sweep of O(U d^2), then one of O(U d K) an iteration: the scatter of all rows never
    changes, so that class sums give the pooled covariance. A local maximum.

    $example
    """

    _example_accuracy = 0.93
    _parameter_entries = "unlabeled_weight gaussian_alpha em_stopping unlabeled"
    _attribute_entries = "classes_ discriminants_ means_ gaussian_ em_ features_"

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            labeled = statistics_of(data)
            everything = labeled.total + scaled(Moments.of(data.unlabeled), self.unlabeled_weight)
            gaussian.check_finite(everything)
            maximise: Callable[[Matrix], gaussian.GaussianModel]
            if self._is_spherical:
                start = nearest_mean_start(labeled, everything, self.alpha)
                maximise = partial(gaussian.nearest_mean_model, total=everything, alpha=self.alpha)
            else:
                start, space = self._supervised(labeled), gaussian.Space.of(everything, self.alpha)
                maximise = lambda v: gaussian.lda_model(space, space.sums(v))  # noqa: E731
            centre = everything.mean
            model = self._maximise(data, centre, labeled.sums(centre), start, maximise)
        self._store_model(model)


class EMNearestMeanClassifier(EMLDAClassifier):
    r"""Nearest mean by expectation maximisation (Dempster et al. 1977).

    Maximises the likelihood of all that was observed, labels of labeled rows and features of all,

    .. math:: \sum_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \sigma^2 I)
        + \lambda \sum_j \log \sum_k \pi_k N(x_j; \mu_k, \sigma^2 I),

    from the supervised fit, by turns of class probabilities for the unlabeled rows and a weighted
    fit. Good where the classes are round clusters, harmful where they are not: no guarantee.

    $sections

    See Also
    --------
    NearestMeanClassifier : The supervised twin, where it starts.
    EMLDAClassifier : The same with a covariance.

    Notes
    -----
    One sweep of O(U d^2), then one of O(U d K) an iteration. A local maximum. Where no class has
    labeled rows that differ, as with one label a class, it starts from the means of the twin with
    the variance of all rows.

    $example
    """

    _example_accuracy = 0.92
    _is_spherical = True


def scaled(moments: Moments, weight: float) -> Moments:
    """The moments of rows whose weights are multiplied by `weight`."""
    return Moments(weight * moments.weight, moments.mean, weight * moments.scatter)


def nearest_mean_start(
    labeled: gaussian.LabeledStatistics, everything: Moments, alpha: float
) -> gaussian.GaussianModel:
    """That of the labeled rows; where these have no variance within classes, with that of all."""
    try:
        return gaussian.supervised_nearest_mean(labeled, alpha)
    except gaussian.UnboundedLikelihoodError:
        N, d = everything.weight, len(everything.mean)
        variance = (float(everything.scatter.trace()) + alpha * d) / (N * d)
        if labeled.total.weight >= N or variance <= 0.0:
            raise
    priors, means = labeled.counts / labeled.total.weight, labeled.means - everything.mean
    variances = np.full(d, variance)
    return gaussian.with_diagonal_covariance(priors, means, everything.mean, variances)
