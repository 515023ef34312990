"""scikit-learn classifiers with the squared loss, the public face of the library."""

from tacit.estimators._implicit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.estimators._kernel import KernelLeastSquaresClassifier
from tacit.estimators._kernel_icls import KernelICLSClassifier
from tacit.estimators._linear import LeastSquaresClassifier
from tacit.estimators._self_learning import SelfLearningClassifier
from tacit.estimators._tuned_logistic import TunedLogisticRegression

__all__ = [
    "ICLSClassifier",
    "KernelICLSClassifier",
    "KernelLeastSquaresClassifier",
    "LeastSquaresClassifier",
    "ProjectedLeastSquaresClassifier",
    "SelfLearningClassifier",
    "TunedLogisticRegression",
]
