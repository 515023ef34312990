"""Supervised linear discriminant analysis."""

from __future__ import annotations

from typing import Any

from tacit._typing import Matrix
from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.family._generative import GaussianClassifier, check_alpha, statistics_of
from tacit.family.generative import supervised_lda


class LDAClassifier(GaussianClassifier):
    r"""Linear discriminant analysis: Gaussian classes with a shared covariance.

    Maximises :math:`\sum_i w_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma)` over the labeled rows. The
    covariance is the maximum-likelihood estimate, with divisor n. Unlabeled rows are accepted and
    ignored, so that it can stand beside the semi-supervised classifiers in any comparison.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to the diagonal of the pooled scatter matrix: the model maximises the log-likelihood
        minus :math:`\tfrac\alpha2\operatorname{tr}\Sigma^{-1}`.
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
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

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

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import LDAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows
    >>> round(LDAClassifier().fit(X, partly).score(X, y), 2)
    0.85
    """

    covariance_: Matrix

    def __init__(self, alpha: float = 0.0, unlabeled: Any = -1) -> None:
        self.alpha = alpha
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> LDAClassifier:
        """Fit on the labeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Labels; rows marked as unlabeled are ignored.
        X_unlabeled : array-like, sparse matrix, Dask array, Rows or path, optional
            Checked and ignored.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        LDAClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            alpha = check_alpha(self.alpha)
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            self._store_model(supervised_lda(statistics_of(data), alpha), data)
        return self
