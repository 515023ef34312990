"""scikit-learn classifiers with the squared loss, the public face of the library."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names
from tacit.estimators._implicit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.estimators._kernel import KernelLeastSquaresClassifier
from tacit.estimators._kernel_icls import KernelICLSClassifier
from tacit.estimators._linear import LeastSquaresClassifier
from tacit.estimators._self_learning import SelfLearningClassifier
from tacit.estimators._tuned_logistic import TunedLogisticRegression

if TYPE_CHECKING:
    from tacit.estimators._tacit import TacitClassifier

__all__ = [
    "ICLSClassifier",
    "KernelICLSClassifier",
    "KernelLeastSquaresClassifier",
    "LeastSquaresClassifier",
    "ProjectedLeastSquaresClassifier",
    "SelfLearningClassifier",
    "TacitClassifier",
    "TunedLogisticRegression",
]

# Its forests, clusters and neighbours are half of scikit-learn; others need not wait for them.
__getattr__, __dir__, _ = public_names(__name__)
