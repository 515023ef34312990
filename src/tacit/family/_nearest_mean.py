"""Supervised nearest-mean classification."""

from __future__ import annotations

from typing import Any

from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.family._generative import NearestMeanBase, check_alpha, statistics_of
from tacit.family.generative import supervised_nearest_mean


class NearestMeanClassifier(NearestMeanBase):
    r"""Nearest mean: Gaussian classes with one variance for all features.

    Maximises :math:`\sum_i w_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \sigma^2 I)` over the labeled rows.
    Because of the priors a row goes to the class of the nearest mean only where these are equal.
    Unlabeled rows are accepted and ignored, so that it can stand beside the semi-supervised
    classifiers in any comparison.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to the diagonal of the pooled scatter matrix: the model maximises the log-likelihood
        minus :math:`\tfrac\alpha2\operatorname{tr}\Sigma^{-1}`. Needed where no class has
        rows that differ.
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
    variance_ : float
        The variance of each feature within each class.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    sklearn.neighbors.NearestCentroid : Has neither priors by maximum likelihood nor this variance.

    Notes
    -----
    Costs O(L d^2).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import NearestMeanClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows
    >>> round(NearestMeanClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    variance_: float

    def __init__(self, alpha: float = 0.0, unlabeled: Any = -1) -> None:
        self.alpha = alpha
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> NearestMeanClassifier:
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
        NearestMeanClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            alpha = check_alpha(self.alpha)
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            self._store_model(supervised_nearest_mean(statistics_of(data), alpha), data)
        return self
