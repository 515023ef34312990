"""Generative classifiers: what all share, and those in closed form."""

from __future__ import annotations

from functools import partial
from textwrap import indent
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax

from tacit._typing import Matrix
from tacit.estimators._linear import ProbabilityClassifier
from tacit.estimators._parameters import NOT_NEGATIVE
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._gaussian import (
    GaussianModel,
    LabeledStatistics,
    constrained_lda,
    constrained_nearest_mean,
    supervised_lda,
    supervised_nearest_mean,
)
from tacit.rows import Moments
from tacit.solver import Coefficients

# The example of a docstring.
EXAMPLE = """Examples
--------
$partly_labeled
>>> from tacit.family import {name}
>>> round({name}().fit(X, partly).score(X, y), 2)
{accuracy}"""


def posteriors(discriminants: Coefficients, X: Any) -> Matrix:
    """The probability of each class for each row."""
    values = discriminants.values(X)
    return np.asarray(softmax(values, axis=1)) if len(values) else values


def as_soft_labels(labels: Matrix) -> Matrix:
    """The column of the second class for two classes, all columns for more."""
    return labels[:, 1] if labels.shape[1] == 2 else labels


def soft_labels(discriminants: Coefficients, X: Any) -> Matrix:
    """The soft labels that discriminants give to rows."""
    return as_soft_labels(posteriors(discriminants, X))


class GenerativeClassifier(ProbabilityClassifier):
    """Probabilities and predictions from linear discriminants.

    In the docstring of a class, the line "sections" with a dollar stands for its parameters and
    attributes, the entries that the class names, and "example" for one that prints its accuracy.
    """

    _parameter_entries: ClassVar[str]
    _attribute_entries: ClassVar[str]
    _example_accuracy: ClassVar[float]
    _doc_entries: ClassVar[dict[str, str]] = {
        **ProbabilityClassifier._doc_entries,
        "discriminants_": """
coef_ : ndarray of shape (1, d) or (K, d)
    Slopes of the discriminants; of the logarithm of the odds for two classes.
intercept_ : ndarray of shape (1,) or (K,)
    Their constants.""",
        "means_": """
priors_ : ndarray of shape (K,)
    Probabilities of the classes.
means_ : ndarray of shape (K, d)
    Means of the classes.""",
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
covariance_ : ndarray of shape (d, d)
    The covariance within each class, the penalty included.""",
        "spherical_": """
variance_ : float
    The variance of each feature within each class.""",
        "closed_form_": """
n_iter_ : int
    1: the answer is a closed form.""",
        "lda_twin": """
See Also
--------
LDAClassifier : The supervised twin.""",
    }

    def __init_subclass__(cls, **options: Any) -> None:
        if cls.__doc__ and "$sections" in cls.__doc__:
            parts = ("Parameters", cls._parameter_entries), ("Attributes", cls._attribute_entries)
            text = "\n\n".join(
                f"{title}\n{'-' * len(title)}\n" + "\n".join(f"${name}" for name in names.split())
                for title, names in parts
            )
            example = EXAMPLE.format(name=cls.__name__, accuracy=cls._example_accuracy)
            for name, entry in (("$sections", text), ("$example", example)):
                cls.__doc__ = cls.__doc__.replace(name, indent(entry, "    ").strip())
        super().__init_subclass__(**options)

    def _store_discriminants(self, discriminants: Coefficients) -> None:
        """Keep discriminants as scikit-learn's linear classifiers do: one row for two classes."""
        coef, intercept = discriminants.coef.T, np.asarray(discriminants.intercept)
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = np.ascontiguousarray(coef), intercept


class GaussianClassifier(GenerativeClassifier):
    """A generative classifier whose classes are Gaussian and share a covariance.

    The nearest-mean classifiers are the same with `_is_spherical`: one variance for all features.
    """

    _is_spherical: ClassVar[bool] = False
    _parameter_entries = "gaussian_alpha unlabeled"
    _attribute_entries = "classes_ discriminants_ means_ gaussian_ features_"
    _parameter_constraints: ClassVar[dict[str, Any]] = {"alpha": NOT_NEGATIVE}

    def __init__(self, alpha: float = 0.0, unlabeled: Any = -1) -> None:
        self.alpha = alpha
        self.unlabeled = unlabeled

    def __init_subclass__(cls, **options: Any) -> None:
        if cls._is_spherical:
            cls._attribute_entries = cls._attribute_entries.replace("gaussian_", "spherical_")
        super().__init_subclass__(**options)

    def _supervised(self, labeled: LabeledStatistics) -> GaussianModel:
        """The model of the labeled rows."""
        fit = supervised_nearest_mean if self._is_spherical else supervised_lda
        return fit(labeled, self.alpha)

    def _store_model(self, model: GaussianModel) -> None:
        self._store_discriminants(model.discriminants)
        self.priors_ = model.priors
        self.means_ = model.means
        if self._is_spherical:
            self.variance_ = float(model.covariance[0, 0])
        else:
            self.covariance_ = model.covariance


def statistics_of(data: TrainingData) -> LabeledStatistics:
    """Class moments of the labeled rows."""
    return LabeledStatistics.of(data.X, data.codes, data.weights, len(data.classes))


class LDAClassifier(GaussianClassifier):
    r"""Linear discriminant analysis: Gaussian classes with a shared covariance.

    Maximises :math:`\sum_i w_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma)` over the labeled rows. The
    covariance is the maximum-likelihood estimate, with divisor n. Unlabeled rows are accepted and
    ignored, so that it can stand beside the semi-supervised classifiers in any comparison.

    $sections

    See Also
    --------
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : Divides by n too with its solver
        "lsqr", but takes no marks; its solvers "svd" and "eigen" scale otherwise.

    Notes
    -----
    Costs O(L d^2 + d^3). Where alpha is zero, directions in which the rows of each class do not
    vary (as with L < d + K) are left out: the inverse of the covariance is the pseudo-inverse, as
    with scikit-learn's solver "lsqr". It depends on the units of the features, so standardise
    them. Where nothing else tells the classes apart, as with one row a class, these directions
    decide, with probabilities close to 0 and 1.

    $example
    """

    _example_accuracy = 0.85

    def _fit(self, data: TrainingData) -> None:
        self._store_model(self._supervised(statistics_of(data)))


class NearestMeanClassifier(LDAClassifier):
    r"""Nearest mean: Gaussian classes with one variance for all features.

    Maximises :math:`\sum_i w_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \sigma^2 I)` over the labeled rows.
    Because of the priors a row goes to the class of the nearest mean only where these are equal.
    Unlabeled rows are accepted and ignored, so that it can stand beside the semi-supervised
    classifiers in any comparison.

    $sections

    See Also
    --------
    sklearn.neighbors.NearestCentroid : Has neither priors by maximum likelihood nor this variance.

    $example
    """

    _example_accuracy = 0.93
    _is_spherical = True


class MCLDAClassifier(GaussianClassifier):
    r"""Moment-constrained linear discriminant analysis (Loog 2014).

    With priors :math:`\pi_k`, class means :math:`\mu_k` and covariance :math:`\Sigma`, the means
    average to the mean m of all rows and
    :math:`\Sigma + \sum_k \pi_k (\mu_k - m)(\mu_k - m)' = T`, the covariance of all rows, if all
    labels are known. Labeled data alone hardly ever agree with that. The labeled rows are moved by
    the affine map that makes them agree,
    :math:`x \mapsto (T T_l^{-1})^{1/2}(x - \bar x) + m`, :math:`T_l` their own covariance, and
    discriminant analysis follows.

    $sections

    $lda_twin

    Notes
    -----
    Closed form: one sweep of O(U d^2), then O(d^3). The square root is the one whose eigenvalues
    are positive, so that an invertible map of the features changes no prediction where the
    covariance is not singular. Directions in which only unlabeled rows vary belong to the
    covariance within the classes. With few labels (L < d + K) and alpha zero it is singular, and
    its pseudo-inverse is taken, as in `LDAClassifier`: standardise the features, or set alpha > 0.

    $example
    """

    _example_accuracy = 0.91
    _attribute_entries = f"{GaussianClassifier._attribute_entries} posteriors_ closed_form_"

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            labeled = statistics_of(data)
            constrained = constrained_nearest_mean if self._is_spherical else constrained_lda
            everything = labeled.total + Moments.of(data.unlabeled)
            model = constrained(labeled, everything, self.alpha)
        self._store_model(model)
        self.n_iter_ = 1
        self.soft_labels_ = data.unlabeled.map(partial(soft_labels, model.discriminants))


class MCNearestMeanClassifier(MCLDAClassifier):
    r"""Moment-constrained nearest mean (Loog 2010; Loog & Jensen 2015).

    The class means, weighted with the priors, average to the mean m of all rows:

    .. math:: \mu_k = m_k + m - \sum_j \pi_j m_j.

    Of all means that do, these have the highest likelihood on the labeled rows. Priors and variance
    stay those of the labeled rows. One sweep of O(U d^2) over the unlabeled rows.

    $sections

    See Also
    --------
    NearestMeanClassifier : The supervised twin.

    $example
    """

    _example_accuracy = 0.93
    _is_spherical = True
