"""The relatives: generative, margin and other semi-supervised classifiers, one method a file."""

from tacit.family._em_lda import EMLDAClassifier
from tacit.family._em_naive_bayes import EMNaiveBayesClassifier
from tacit.family._em_nearest_mean import EMNearestMeanClassifier
from tacit.family._ic_lda import ICLDAClassifier
from tacit.family._lda import LDAClassifier
from tacit.family._mc_lda import MCLDAClassifier
from tacit.family._mc_nearest_mean import MCNearestMeanClassifier
from tacit.family._mcp_lda import MCPLDAClassifier
from tacit.family._nearest_mean import NearestMeanClassifier
from tacit.family._s3vm import S3VMClassifier
from tacit.family._s4vm import S4VMClassifier
from tacit.family._soft_self_learning import SoftSelfLearningClassifier
from tacit.family._usm import USMClassifier

__all__ = [
    "EMLDAClassifier",
    "EMNaiveBayesClassifier",
    "EMNearestMeanClassifier",
    "ICLDAClassifier",
    "LDAClassifier",
    "MCLDAClassifier",
    "MCNearestMeanClassifier",
    "MCPLDAClassifier",
    "NearestMeanClassifier",
    "S3VMClassifier",
    "S4VMClassifier",
    "SoftSelfLearningClassifier",
    "USMClassifier",
]
