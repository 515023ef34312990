"""Models of the classes: Gaussian and multinomial, and how unlabeled rows change their fit.

Knows neither scikit-learn, classes, files nor engines.
"""

from tacit.family.generative._em import (
    EMResult,
    EMStatus,
    Responsibilities,
    as_soft_labels,
    maximise_expectation,
    posteriors,
)
from tacit.family.generative._gaussian import (
    GaussianModel,
    LabeledStatistics,
    lda_model,
    nearest_mean_start,
    spherical_model,
    standardised_nearest_mean,
    supervised_lda,
    supervised_nearest_mean,
)
from tacit.family.generative._implicit import LabeledLikelihood
from tacit.family.generative._interior_point import best_of_starts, solve_simplex
from tacit.family.generative._moment_constraints import constrained_lda, constrained_nearest_mean
from tacit.family.generative._multinomial import MultinomialModel, multinomial_model
from tacit.family.generative._pessimistic import PessimisticObjective
from tacit.family.generative._scatter import Scatter, UnboundedLikelihoodError
from tacit.family.generative._simplex import (
    SimplexProblem,
    SimplexSolution,
    SimplexStatus,
)
from tacit.family.generative._space import Space, check_finite, scaled

__all__ = [
    "EMResult",
    "EMStatus",
    "GaussianModel",
    "LabeledLikelihood",
    "LabeledStatistics",
    "MultinomialModel",
    "PessimisticObjective",
    "Responsibilities",
    "Scatter",
    "SimplexProblem",
    "SimplexSolution",
    "SimplexStatus",
    "Space",
    "UnboundedLikelihoodError",
    "as_soft_labels",
    "best_of_starts",
    "check_finite",
    "constrained_lda",
    "constrained_nearest_mean",
    "lda_model",
    "maximise_expectation",
    "multinomial_model",
    "nearest_mean_start",
    "posteriors",
    "scaled",
    "solve_simplex",
    "spherical_model",
    "standardised_nearest_mean",
    "supervised_lda",
    "supervised_nearest_mean",
]
