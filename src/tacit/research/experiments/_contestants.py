"""The contestants of the paper."""

from __future__ import annotations

from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.selection import Contestant
from tacit.selection._contestants import Sees

SUPERVISED = "supervised"
SELF_LEARNING = "self-learning"
ICLS = "ICLS"
PROJECTED = "projected"
ORACLE = "oracle"


def paper_contestants() -> tuple[Contestant, ...]:
    """The classifiers of the paper, the projection of 2017, and an oracle that sees all labels."""
    return (
        Contestant(SUPERVISED, LeastSquaresClassifier()),
        Contestant(SELF_LEARNING, SelfLearningClassifier(), SUPERVISED),
        Contestant(ICLS, ICLSClassifier(), SUPERVISED),
        Contestant(PROJECTED, ProjectedLeastSquaresClassifier(), SUPERVISED),
        Contestant(ORACLE, LeastSquaresClassifier(), SUPERVISED, sees=Sees.EVERYTHING),
    )
