"""scikit-learn classifiers, one method a file."""

from tacit.estimators.generative import (
    EMLDAClassifier,
    EMNaiveBayesClassifier,
    EMNearestMeanClassifier,
    ICLDAClassifier,
    LDAClassifier,
    MCLDAClassifier,
    MCNearestMeanClassifier,
    MCPLDAClassifier,
    NearestMeanClassifier,
)
from tacit.estimators.icls import ICLSClassifier
from tacit.estimators.kernel_icls import KernelICLSClassifier
from tacit.estimators.kernel_least_squares import KernelLeastSquaresClassifier
from tacit.estimators.least_squares import LeastSquaresClassifier
from tacit.estimators.projected import ProjectedLeastSquaresClassifier
from tacit.estimators.s3vm import S3VMClassifier
from tacit.estimators.s4vm import S4VMClassifier
from tacit.estimators.self_learning import SelfLearningClassifier
from tacit.estimators.soft_self_learning import SoftSelfLearningClassifier
from tacit.estimators.tuned_logistic import TunedLogisticRegression
from tacit.estimators.usm import USMClassifier

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
]
