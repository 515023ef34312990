"""The relatives: generative, margin and other semi-supervised classifiers, sisters in one file."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.family._em import EMLDAClassifier as EMLDAClassifier
    from tacit.family._em import EMNearestMeanClassifier as EMNearestMeanClassifier
    from tacit.family._em import EMResult as EMResult
    from tacit.family._em import EMStatus as EMStatus
    from tacit.family._em_naive_bayes import EMNaiveBayesClassifier as EMNaiveBayesClassifier
    from tacit.family._generative import LDAClassifier as LDAClassifier
    from tacit.family._generative import MCLDAClassifier as MCLDAClassifier
    from tacit.family._generative import MCNearestMeanClassifier as MCNearestMeanClassifier
    from tacit.family._generative import NearestMeanClassifier as NearestMeanClassifier
    from tacit.family._s3vm import S3VMClassifier as S3VMClassifier
    from tacit.family._s3vm import TransductiveSolution as TransductiveSolution
    from tacit.family._s3vm import TransductiveStatus as TransductiveStatus
    from tacit.family._s4vm import S4VMClassifier as S4VMClassifier
    from tacit.family._s4vm import Separators as Separators
    from tacit.family._simplex_interior_point import SimplexSolution as SimplexSolution
    from tacit.family._simplex_lda import ICLDAClassifier as ICLDAClassifier
    from tacit.family._simplex_lda import MCPLDAClassifier as MCPLDAClassifier
    from tacit.family._soft_self_learning import (
        SoftSelfLearningClassifier as SoftSelfLearningClassifier,
    )
    from tacit.family._soft_self_learning import SoftSelfLearningResult as SoftSelfLearningResult
    from tacit.family._svm import HingeSolution as HingeSolution
    from tacit.family._usm import USMClassifier as USMClassifier
    from tacit.family._worst_case import WorstCase as WorstCase

__getattr__, __dir__, __all__ = public_names(__name__)
