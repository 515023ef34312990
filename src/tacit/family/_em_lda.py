"""Linear discriminant analysis by expectation maximisation."""

from __future__ import annotations

from typing import Any

from tacit._typing import Matrix
from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.family._em import FittedByExpectation
from tacit.family._generative import (
    GaussianClassifier,
    check_alpha,
    statistics_of,
    threads_for,
)
from tacit.family.generative import (
    Space,
    lda_model,
    maximise_expectation,
    scaled,
    supervised_lda,
)
from tacit.rows import Moments


class EMLDAClassifier(FittedByExpectation, GaussianClassifier):
    r"""Linear discriminant analysis by expectation maximisation.

    Maximises the likelihood of all that was observed, labels of labeled rows and features of all,

    .. math:: \sum_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma)
        + \lambda \sum_j \log \sum_k \pi_k N(x_j; \mu_k, \Sigma),

    from the supervised fit, by turns of class probabilities for the unlabeled rows and a weighted
    fit. Good where the classes are clusters, harmful where they are not: no guarantee.

    Parameters
    ----------
    unlabeled_weight : float, default=1.0
        The weight of each unlabeled row, from 0 to 1.
    alpha : float, default=0.0
        Added to the diagonal of the pooled scatter matrix: the model maximises the log-likelihood
        minus :math:`\tfrac\alpha2\operatorname{tr}\Sigma^{-1}`.
    tol : float, default=1e-8
        The rise of a row's log-likelihood, extrapolated, that is not worth another iteration.
    max_iter : int, default=10000
        Iterations at the most.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (1, d) or (K, d)
        Slopes of the discriminants; of the logarithm of the odds for two classes.
    intercept_ : ndarray of shape (1,) or (K,)
        Their constants.
    priors_ : ndarray of shape (K,)
        Probabilities of the classes.
    means_ : ndarray of shape (K, d)
        Means of the classes.
    covariance_ : ndarray of shape (d, d)
        The covariance within each class, the penalty included.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The probability of `classes_[1]` for the unlabeled rows, or of each class for more than two:
        those marked in y, in order, then those of X_unlabeled. For rows on disk or on a cluster
        computed on demand.
    log_likelihoods_ : ndarray of shape (iterations,)
        The log-likelihood of all observed data, less the penalty, after each iteration; it never
        falls.
    solution_ : tacit.family.generative.EMResult
        Why it stopped and how much was left to gain.
    n_iter_ : int
        Iterations; 0 without unlabeled rows.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    LDAClassifier : The supervised twin, where it starts.

    Notes
    -----
    One sweep of O(U d^2), then one of O(U d K) an iteration: the scatter of all rows never
    changes, so that class sums give the pooled covariance. A local maximum.

    References
    ----------
    Dempster, Laird & Rubin, Maximum likelihood from incomplete data via the EM algorithm, JRSS
    B 39, 1977.
    Nigam, McCallum, Thrun & Mitchell, Text classification from labeled and unlabeled documents
    using EM, Machine Learning 39, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import EMLDAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows
    >>> round(EMLDAClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    covariance_: Matrix

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

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> EMLDAClassifier:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled.
        y : array-like of shape (n,)
            Labels, and marks for unlabeled rows.
        X_unlabeled : array-like, sparse matrix, Dask array, Rows or path, optional
            More unlabeled rows of the same features, of weight one. A path names a Parquet file or
            a folder of them.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        EMLDAClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            weight, alpha = self._read_weight(), check_alpha(self.alpha)
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            with threads_for(data):
                labeled = statistics_of(data)
                everything = labeled.total + scaled(Moments.of(data.unlabeled), weight)
                space = Space.of(everything, alpha)
                model, result = maximise_expectation(
                    data.unlabeled,
                    space.mean,
                    labeled.sums(space.mean),
                    supervised_lda(labeled, alpha),
                    lambda v: lda_model(space, space.sums(v)),
                    weight,
                    self.tol,
                    self.max_iter,
                )
            self._store_model(model, data)
            self._store_result(result, model.discriminants, data.unlabeled)
        return self
