"""The relatives: generative, margin and other semi-supervised classifiers, sisters in one file."""

from tacit.family._em import EMLDAClassifier, EMNearestMeanClassifier, EMResult, EMStatus
from tacit.family._em_naive_bayes import EMNaiveBayesClassifier
from tacit.family._generative import (
    LDAClassifier,
    MCLDAClassifier,
    MCNearestMeanClassifier,
    NearestMeanClassifier,
)
from tacit.family._s3vm import S3VMClassifier, TransductiveSolution, TransductiveStatus
from tacit.family._s4vm import S4VMClassifier, Separators
from tacit.family._simplex_interior_point import SimplexSolution
from tacit.family._simplex_lda import ICLDAClassifier, MCPLDAClassifier
from tacit.family._soft_self_learning import SoftSelfLearningClassifier, SoftSelfLearningResult
from tacit.family._svm import HingeSolution
from tacit.family._usm import USMClassifier
from tacit.family._worst_case import WorstCase

__all__ = [
    "EMLDAClassifier",
    "EMNaiveBayesClassifier",
    "EMNearestMeanClassifier",
    "EMResult",
    "EMStatus",
    "HingeSolution",
    "ICLDAClassifier",
    "LDAClassifier",
    "MCLDAClassifier",
    "MCNearestMeanClassifier",
    "MCPLDAClassifier",
    "NearestMeanClassifier",
    "S3VMClassifier",
    "S4VMClassifier",
    "Separators",
    "SimplexSolution",
    "SoftSelfLearningClassifier",
    "SoftSelfLearningResult",
    "TransductiveSolution",
    "TransductiveStatus",
    "USMClassifier",
    "WorstCase",
]
