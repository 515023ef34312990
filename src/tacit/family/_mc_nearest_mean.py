"""Moment-constrained nearest mean."""

from __future__ import annotations

from typing import Any

from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.family._generative import (
    NearestMeanBase,
    check_alpha,
    statistics_of,
    threads_for,
)
from tacit.family.generative import Responsibilities, constrained_nearest_mean
from tacit.rows import Moments


class MCNearestMeanClassifier(NearestMeanBase):
    r"""Moment-constrained nearest mean (Loog 2010; Loog & Jensen 2015).

    The class means, weighted with the priors, average to the mean m of all rows:

    .. math:: \mu_k = m_k + m - \sum_j \pi_j m_j.

    Of all means that do, these have the highest likelihood on the labeled rows. Priors and variance
    stay those of the labeled rows.

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
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The probability of `classes_[1]` for the unlabeled rows, or of each class for more than two:
        those marked in y, in order, then those of X_unlabeled. For rows on disk or on a cluster
        computed on demand.
    n_iter_ : int
        1: the answer is a closed form.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    NearestMeanClassifier : The supervised twin.

    Notes
    -----
    Closed form: one sweep of O(U d^2) over the unlabeled rows.

    References
    ----------
    Loog, Constrained parameter estimation for semi-supervised learning: the case of the nearest
    mean classifier, ECML PKDD 2010.
    Loog & Jensen, Semi-supervised nearest mean classification through a constrained log-likelihood,
    IEEE Transactions on Neural Networks and Learning Systems 26, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import MCNearestMeanClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows
    >>> round(MCNearestMeanClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    variance_: float
    soft_labels_: Any
    n_iter_: int

    def __init__(self, alpha: float = 0.0, unlabeled: Any = -1) -> None:
        self.alpha = alpha
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> MCNearestMeanClassifier:
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
        MCNearestMeanClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            alpha = check_alpha(self.alpha)
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            with threads_for(data):
                labeled = statistics_of(data)
                everything = labeled.total + Moments.of(data.unlabeled)
                model = constrained_nearest_mean(labeled, everything, alpha)
            self._store_model(model, data)
            self.n_iter_ = 1
            self.soft_labels_ = data.unlabeled.map(Responsibilities(model.discriminants))
        return self
