"""What classifiers from models of the classes share: parameters, discriminants, soft labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax

from tacit._typing import Matrix, Vector
from tacit.estimators._linear import ProbabilityClassifier
from tacit.estimators._parameters import NOT_NEGATIVE, POSITIVE_INTEGER, TOL
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._gaussian import (
    GaussianModel,
    LabeledStatistics,
    Space,
    lda_model,
    supervised_lda,
)
from tacit.family._simplex_interior_point import (
    MomentObjective,
    SimplexProblem,
    SimplexSolution,
    best_of_starts,
)
from tacit.rows import Moments
from tacit.solver import Coefficients


@dataclass(frozen=True)
class SoftLabels:
    """The soft labels that discriminants give to rows; a value, so that it can travel."""

    discriminants: Coefficients

    def __call__(self, X: Any) -> Matrix:
        """One row of probabilities for each row, or that of the second of two classes."""
        return as_soft_labels(posteriors(self.discriminants, X))


def posteriors(discriminants: Coefficients, X: Any) -> Matrix:
    """The probability of each class for each row."""
    values = discriminants.values(X)
    return np.asarray(softmax(values, axis=1)) if len(values) else values


def as_soft_labels(labels: Matrix) -> Matrix:
    """The column of the second class for two classes, all columns for more."""
    return labels[:, 1] if labels.shape[1] == 2 else labels


class GenerativeClassifier(ProbabilityClassifier):
    """Probabilities and predictions from linear discriminants."""

    _doc_entries: ClassVar[dict[str, str]] = {
        **ProbabilityClassifier._doc_entries,
        "discriminants_": """
coef_ : ndarray of shape (1, d) or (K, d)
    Slopes of the discriminants; of the logarithm of the odds for two classes.
intercept_ : ndarray of shape (1,) or (K,)
    Their constants.""",
        "posteriors_": """
soft_labels_ : ndarray of shape (U,) or (U, K)
    The probability of `classes_[1]` for the unlabeled rows, or of each class for more than two:
    those marked in y, in order, then those of X_unlabeled. For rows on disk or on a cluster
    computed on demand.""",
        "gaussian_alpha": r"""
alpha : float, default=0.0
    Added to the diagonal of the pooled scatter matrix: the model maximises the log-likelihood
    minus :math:`\tfrac\alpha2\operatorname{tr}\Sigma^{-1}`. Needed where the rows do not
    determine the covariance.""",
        "gaussian_": """
priors_ : ndarray of shape (K,)
    Probabilities of the classes.
means_ : ndarray of shape (K, d)
    Means of the classes.
covariance_ : ndarray of shape (d, d)
    The covariance within each class, the penalty included.""",
        "spherical_": """
priors_ : ndarray of shape (K,)
    Probabilities of the classes.
means_ : ndarray of shape (K, d)
    Means of the classes.
variance_ : float
    The variance of each feature within each class.""",
        "partly_labeled": """
>>> import numpy as np
>>> from sklearn.datasets import load_breast_cancer
>>> from sklearn.preprocessing import StandardScaler
>>> X, y = load_breast_cancer(return_X_y=True)
>>> X = StandardScaler().fit_transform(X)
>>> partly = y.copy()
>>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows""",
    }

    def _store_discriminants(self, discriminants: Coefficients) -> None:
        """Keep discriminants as scikit-learn's linear classifiers do: one row for two classes."""
        coef, intercept = discriminants.coef.T, np.asarray(discriminants.intercept)
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = np.ascontiguousarray(coef), intercept


class GaussianClassifier(GenerativeClassifier):
    """A generative classifier whose classes are Gaussian and share a covariance."""

    priors_: Vector
    means_: Matrix
    covariance_: Matrix

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GenerativeClassifier._parameter_constraints,
        "alpha": NOT_NEGATIVE,
    }

    def __init__(self, alpha: float = 0.0, unlabeled: Any = -1) -> None:
        self.alpha = alpha
        self.unlabeled = unlabeled

    def _store_model(self, model: GaussianModel) -> None:
        self._store_discriminants(model.discriminants)
        self.priors_ = model.priors
        self.means_ = model.means
        self._store_covariance(model.covariance)

    def _store_covariance(self, covariance: Matrix) -> None:
        self.covariance_ = covariance


class SphericalClassifier(GaussianClassifier):
    """A Gaussian classifier with one variance for all features."""

    variance_: float

    def _store_covariance(self, covariance: Matrix) -> None:
        self.variance_ = float(covariance[0, 0])


class SimplexClassifier(GaussianClassifier):
    """A Gaussian classifier by a search over soft labels."""

    soft_labels_: Matrix
    solution_: SimplexSolution
    n_iter_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GaussianClassifier._parameter_constraints,
        "tol": TOL,
        "max_iter": POSITIVE_INTEGER,
    }
    _doc_entries: ClassVar[dict[str, str]] = {
        **GaussianClassifier._doc_entries,
        "simplex_stopping": """
tol : float, default=1e-10
    The gap to reach, in units of the log-likelihood of a row.
max_iter : int, default=500
    Newton steps for each start at the most.""",
        "simplex_": """
soft_labels_ : ndarray of shape (U,) or (U, K)
    The labels of the unlabeled rows that were found, 1 for `classes_[1]`, or one column a class
    for more than two: those marked in y, in order, then those of X_unlabeled.
solution_ : tacit.family.SimplexSolution
    The same with status and gap.
n_iter_ : int
    Newton steps, of all starts together; 0 without unlabeled rows.""",
    }

    def __init__(
        self,
        alpha: float = 0.0,
        tol: float = 1e-10,
        max_iter: int = 500,
        unlabeled: Any = -1,
    ) -> None:
        super().__init__(alpha, unlabeled)
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: TrainingData) -> None:
        rows = data.in_memory(f"{type(self).__name__} finds a label for every single row")
        with threads_for(data):
            labeled = statistics_of(data)
            everything = labeled.total + Moments.of(rows)
            model, space = supervised_lda(labeled, self.alpha), Space.of(everything, self.alpha)
            sums = space.sums(labeled.sums(space.mean))
            if rows.n_rows:
                weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
                objective, Z = self._objective(labeled, space), space.functions.values(rows.X)
                starts = self._starts(model, labeled, everything, rows.X)
                problem = SimplexProblem(Z, weights, sums, objective)
                solution = best_of_starts(problem, starts, self.tol, self.max_iter)
                model = lda_model(space, solution.moments)
            else:
                value = self._value_without_rows(labeled, space)
                solution = SimplexSolution.without_rows(sums, value)
        self._store_model(model)
        self.soft_labels_ = as_soft_labels(solution.soft_labels)
        self.solution_, self.n_iter_ = solution, solution.n_iter
        if not solution.status.is_success:
            self._warn(
                f"stopped with status {solution.status.value!r} at a gap of "
                f"{solution.relative_gap():.2g} a row, above the tolerance tol={self.tol:g}; raise "
                f"max_iter (now {self.max_iter}) or tol, or set alpha > 0"
            )

    def _objective(self, labeled: LabeledStatistics, space: Space) -> MomentObjective:
        """The function of class moments in `space` to minimise."""
        raise NotImplementedError

    def _starts(
        self, model: GaussianModel, labeled: LabeledStatistics, everything: Moments, X: Any
    ) -> list[Matrix]:
        """Soft labels of the unlabeled rows X to start from."""
        return [np.tile(model.priors, (X.shape[0], 1))]

    def _value_without_rows(self, labeled: LabeledStatistics, space: Space) -> float:
        """The objective where there is nothing to label."""
        return 0.0


def statistics_of(data: TrainingData) -> LabeledStatistics:
    """Class moments of the labeled rows."""
    return LabeledStatistics.of(data.X, data.codes, data.weights, len(data.classes))
