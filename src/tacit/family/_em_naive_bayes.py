"""Multinomial naive Bayes by expectation maximisation."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_non_negative

from tacit._typing import Matrix
from tacit.estimators._parameters import POSITIVE
from tacit.estimators._training import TrainingData
from tacit.family._em import EMClassifier, class_moments
from tacit.family._gaussian import Mixture
from tacit.rows import Block
from tacit.solver._basis import Coefficients


class EMNaiveBayesClassifier(EMClassifier):
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
    $unlabeled_weight
    $em_stopping
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    class_log_prior_ : ndarray of shape (K,)
        Logarithms of the probabilities of the classes.
    feature_log_prob_ : ndarray of shape (K, d)
        Logarithms of the probabilities of the words in each class.
    $em_
    $features_

    See Also
    --------
    sklearn.naive_bayes.MultinomialNB : The supervised twin. With unlabeled_weight=0 this classifier
        is the same, and takes marks.

    Notes
    -----
    Each iteration is one sweep over the unlabeled rows, K multiplications for each entry that is
    not zero. A local maximum.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {"alpha": POSITIVE}

    def __init__(
        self,
        alpha: float = 1.0,
        unlabeled_weight: float = 1.0,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        unlabeled: Any = -1,
    ) -> None:
        super().__init__(unlabeled_weight, alpha, tol, max_iter, unlabeled)

    def _fit(self, data: TrainingData) -> None:
        check_non_negative(data.X, "EMNaiveBayesClassifier (input X)")
        if data.unlabeled.n_rows and not data.unlabeled.reduce(_are_counts, min):
            raise ValueError(
                "Negative values in data passed to EMNaiveBayesClassifier: X or X_unlabeled has "
                "negative numbers, NaN or infinity; naive Bayes needs counts."
            )
        members = np.eye(len(data.classes))[data.codes]
        if data.weights is not None:
            members = members * data.weights[:, None]
        centre, maximise = np.zeros(data.X.shape[1]), partial(multinomial_model, alpha=self.alpha)
        labeled = class_moments(data.X, members, centre)
        model = self._maximise(data, centre, labeled, maximise(labeled), maximise)
        self.class_log_prior_ = model.discriminants.intercept
        self.feature_log_prob_ = model.discriminants.coef.T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on data that are no counts, as scikit-learn's own
        return tags


def multinomial_model(v: Matrix, alpha: float) -> Mixture:
    """The mode for class weights and counts v with a Dirichlet prior of parameter 1 + alpha."""
    counts = v[:, 1:] + alpha
    log_probabilities = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
    log_priors = np.log(v[:, 0]) - np.log(v[:, 0].sum())
    discriminants = Coefficients(log_probabilities.T, log_priors)
    return Mixture(discriminants, alpha * float(log_probabilities.sum()))


def _are_counts(block: Block) -> bool:
    numbers = block.X if isinstance(block.X, np.ndarray) else block.X.data
    return bool(np.all(np.isfinite(numbers) & (numbers >= 0)))
