"""Semi-supervised classification that you can trust not to hurt."""

from typing import TYPE_CHECKING

from tacit.__about__ import __version__
from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.estimators import (
        EMLDAClassifier,
        EMNaiveBayesClassifier,
        EMNearestMeanClassifier,
        ICLDAClassifier,
        ICLSClassifier,
        KernelICLSClassifier,
        KernelLeastSquaresClassifier,
        LDAClassifier,
        LeastSquaresClassifier,
        MCLDAClassifier,
        MCNearestMeanClassifier,
        MCPLDAClassifier,
        NearestMeanClassifier,
        ProjectedLeastSquaresClassifier,
        S3VMClassifier,
        S4VMClassifier,
        SelfLearningClassifier,
        SoftSelfLearningClassifier,
        TunedLogisticRegression,
        USMClassifier,
    )

__all__ = [
    "EMLDAClassifier",
    "EMNaiveBayesClassifier",
    "EMNearestMeanClassifier",
    "ICLDAClassifier",
    "ICLSClassifier",
    "KernelICLSClassifier",
    "KernelLeastSquaresClassifier",
    "LDAClassifier",
    "LeastSquaresClassifier",
    "MCLDAClassifier",
    "MCNearestMeanClassifier",
    "MCPLDAClassifier",
    "NearestMeanClassifier",
    "ProjectedLeastSquaresClassifier",
    "S3VMClassifier",
    "S4VMClassifier",
    "SelfLearningClassifier",
    "SoftSelfLearningClassifier",
    "TunedLogisticRegression",
    "USMClassifier",
    "__version__",
]

__getattr__, __dir__ = public_names(
    __name__, {"estimators": [name for name in __all__ if name != "__version__"]}
)
