"""scikit-learn classifiers, one method a file."""

from tacit.estimators.icls import ICLSClassifier
from tacit.estimators.least_squares import LeastSquaresClassifier
from tacit.estimators.projected import ProjectedLeastSquaresClassifier
from tacit.estimators.self_learning import SelfLearningClassifier

__all__ = [
    "ICLSClassifier",
    "LeastSquaresClassifier",
    "ProjectedLeastSquaresClassifier",
    "SelfLearningClassifier",
]
