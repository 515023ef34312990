"""The relatives: generative, margin and other semi-supervised classifiers, one method a file."""

from tacit.family._em import EMResult, EMStatus
from tacit.family._em_gaussian import EMLDAClassifier, EMNearestMeanClassifier
from tacit.family._em_naive_bayes import EMNaiveBayesClassifier
from tacit.family._implicit_lda import ICLDAClassifier
from tacit.family._lda import LDAClassifier, NearestMeanClassifier
from tacit.family._moment_constrained import MCLDAClassifier, MCNearestMeanClassifier
from tacit.family._pessimistic_lda import MCPLDAClassifier
from tacit.family._s3vm import S3VMClassifier
from tacit.family._s3vm_solver import TransductiveSolution, TransductiveStatus
from tacit.family._s4vm import S4VMClassifier
from tacit.family._s4vm_solver import Separators, WorstCase
from tacit.family._simplex_interior_point import SimplexSolution, SimplexStatus
from tacit.family._soft_self_learning import SoftSelfLearningClassifier
from tacit.family._soft_self_learning_solver import SoftSelfLearningResult
from tacit.family._svm import HingeSolution, HingeStatus
from tacit.family._usm import USMClassifier

__all__ = [
    "EMLDAClassifier",
    "EMNaiveBayesClassifier",
    "EMNearestMeanClassifier",
    "EMResult",
    "EMStatus",
    "HingeSolution",
    "HingeStatus",
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
    "SimplexStatus",
    "SoftSelfLearningClassifier",
    "SoftSelfLearningResult",
    "TransductiveSolution",
    "TransductiveStatus",
    "USMClassifier",
    "WorstCase",
]
