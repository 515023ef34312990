"""Classifiers from models of the classes, one method a file."""

from tacit.estimators.generative.em_lda import EMLDAClassifier
from tacit.estimators.generative.em_naive_bayes import EMNaiveBayesClassifier
from tacit.estimators.generative.em_nearest_mean import EMNearestMeanClassifier
from tacit.estimators.generative.ic_lda import ICLDAClassifier
from tacit.estimators.generative.lda import LDAClassifier
from tacit.estimators.generative.mc_lda import MCLDAClassifier
from tacit.estimators.generative.mc_nearest_mean import MCNearestMeanClassifier
from tacit.estimators.generative.mcp_lda import MCPLDAClassifier
from tacit.estimators.generative.nearest_mean import NearestMeanClassifier

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
]
