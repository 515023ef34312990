"""Semi-supervised classification that you can trust not to hurt."""

from tacit.__about__ import __version__
from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)

__all__ = [
    "ICLSClassifier",
    "LeastSquaresClassifier",
    "ProjectedLeastSquaresClassifier",
    "SelfLearningClassifier",
    "__version__",
]
