"""Multinomial naive Bayes: the model and its fit from class counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.solver._basis import Coefficients


@dataclass(frozen=True)
class MultinomialModel:
    """Class priors and the probabilities of words in each class.

    Attributes
    ----------
    log_priors : ndarray of shape (K,)
        Logarithms of the probabilities of the classes.
    log_probabilities : ndarray of shape (K, d)
        Logarithms of the probabilities of the words.
    constant : float
        The logarithm of the Dirichlet prior at these probabilities, up to its normalisation.
    """

    log_priors: Vector
    log_probabilities: Matrix
    constant: float

    @property
    def discriminants(self) -> Coefficients:
        """For each class, the logarithm of prior times probability, but for the coefficient."""
        return Coefficients(self.log_probabilities.T, self.log_priors)


def multinomial_model(v: Matrix, alpha: float) -> MultinomialModel:
    """The model of the highest posterior probability for class weights and counts v.

    `alpha` is added to every count, the mode for a Dirichlet prior of parameter 1 + alpha.
    """
    counts = v[:, 1:] + alpha
    log_probabilities = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
    return MultinomialModel(
        log_priors=np.log(v[:, 0]) - np.log(v[:, 0].sum()),
        log_probabilities=log_probabilities,
        constant=alpha * float(log_probabilities.sum()),
    )
