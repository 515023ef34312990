"""Multinomial naive Bayes by expectation maximisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_non_negative

from tacit._typing import Matrix, Vector
from tacit.estimators._training import TrainingData, all_or_nothing, read_training_data
from tacit.family._em import FittedByExpectation
from tacit.family._generative import check_number
from tacit.family.generative import maximise_expectation, multinomial_model
from tacit.rows import Block, CsrRows, NumpyRows, Rows


class EMNaiveBayesClassifier(FittedByExpectation):
    r"""Multinomial naive Bayes by expectation maximisation (Nigam et al. 2000).

    For counts x of words, with class priors :math:`\pi_k` and probabilities :math:`\theta_{kw}` of
    the words, maximises

    .. math:: \sum_i \log \pi_{y_i} \prod_w \theta_{y_i w}^{x_{iw}}
        + \lambda \sum_j \log \sum_k \pi_k \prod_w \theta_{kw}^{x_{jw}}
        + \alpha \sum_{kw} \log \theta_{kw}

    from the supervised fit, by turns of class probabilities for the unlabeled rows and a weighted
    fit. A weight :math:`\lambda` below one keeps many unlabeled documents from drowning a few
    labeled ones.

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing: added to the count of every word in every class. Positive.
    unlabeled_weight : float, default=1.0
        The weight of each unlabeled row, from 0 to 1.
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
    class_log_prior_ : ndarray of shape (K,)
        Logarithms of the probabilities of the classes.
    feature_log_prob_ : ndarray of shape (K, d)
        Logarithms of the probabilities of the words in each class.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The probability of `classes_[1]` for the unlabeled rows, or of each class for more than two:
        those marked in y, in order, then those of X_unlabeled. For rows on disk or on a cluster
        computed on demand.
    log_likelihoods_ : ndarray of shape (iterations,)
        The log-likelihood and log-prior of all observed data after each iteration; never falls.
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
    sklearn.naive_bayes.MultinomialNB : The supervised twin. With unlabeled_weight=0 this classifier
        is the same, and takes marks.

    Notes
    -----
    Each iteration is one sweep over the unlabeled rows, K multiplications for each entry that is
    not zero. A local maximum.

    References
    ----------
    Nigam, McCallum, Thrun & Mitchell, Text classification from labeled and unlabeled documents
    using EM, Machine Learning 39, 2000.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from tacit.family import EMNaiveBayesClassifier
    >>> texts = ["goal match", "vote law", "match team", "team cup", "law court", "court judge"]
    >>> y = ["sport", "politics", None, None, None, None]
    >>> words = CountVectorizer()
    >>> model = EMNaiveBayesClassifier().fit(words.fit_transform(texts), y)
    >>> model.predict(words.transform(["cup", "judge"])).tolist()  # words without a label
    ['sport', 'politics']
    """

    class_log_prior_: Vector
    feature_log_prob_: Matrix

    def __init__(
        self,
        alpha: float = 1.0,
        unlabeled_weight: float = 1.0,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        unlabeled: Any = -1,
    ) -> None:
        self.alpha = alpha
        self.unlabeled_weight = unlabeled_weight
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> EMNaiveBayesClassifier:
        """Fit on labeled and unlabeled counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Counts, labeled rows and unlabeled ones.
        y : array-like of shape (n,)
            Labels, and marks for unlabeled rows.
        X_unlabeled : array-like, sparse matrix, Dask array, Rows or path, optional
            More unlabeled rows of the same features, of weight one. A path names a Parquet file or
            a folder of them.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        EMNaiveBayesClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            weight = self._read_weight()
            largest = float(np.finfo(np.float64).max)
            what = "a positive number, added to every count"
            alpha = check_number("alpha", self.alpha, 0.0, largest, what, open_low=True)
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            _check_counts(data)
            labeled = _class_counts(data)
            model, result = maximise_expectation(
                data.unlabeled,
                np.zeros(data.X.shape[1]),
                labeled,
                multinomial_model(labeled, alpha),
                lambda v: multinomial_model(v, alpha),
                weight,
                self.tol,
                self.max_iter,
            )
            self._store_discriminants(model.discriminants, data)
            self.class_log_prior_ = model.log_priors
            self.feature_log_prob_ = model.log_probabilities
            self._store_result(result, model.discriminants, data.unlabeled)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on data that are no counts, as scikit-learn's own
        return tags


def _class_counts(data: TrainingData) -> Matrix:
    """Weights of the classes and sums of their counts."""
    members = np.asarray(data.codes[:, None] == np.arange(len(data.classes)), dtype=np.float64)
    if data.weights is not None:
        members = members * data.weights[:, None]
    return np.column_stack([members.sum(axis=0), np.asarray(data.X.T @ members).T])


def _check_counts(data: TrainingData) -> None:
    check_non_negative(data.X, "EMNaiveBayesClassifier (input X)")
    rows: Rows = data.unlabeled
    if isinstance(rows, NumpyRows | CsrRows):
        if rows.n_rows == 0:
            return  # which the check would not survive
        check_non_negative(rows.X, "EMNaiveBayesClassifier (unlabeled rows)")
    elif not rows.reduce(_are_counts, min):
        raise ValueError(
            "Negative values in data passed to EMNaiveBayesClassifier: X_unlabeled has negative "
            "numbers, NaN or infinity; naive Bayes needs counts."
        )


def _are_counts(block: Block) -> bool:
    numbers = block.X if isinstance(block.X, np.ndarray) else block.X.data
    return bool(np.all(np.isfinite(numbers) & (numbers >= 0)))
