"""The generative classifiers, their twins, and tables to fit them on."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from tacit.family import (
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
from tests.estimators.tables import PartlyLabeled, partly_labeled

TWINS: dict[Any, Any] = {
    EMLDAClassifier: LDAClassifier,
    ICLDAClassifier: LDAClassifier,
    MCLDAClassifier: LDAClassifier,
    MCPLDAClassifier: LDAClassifier,
    EMNearestMeanClassifier: NearestMeanClassifier,
    MCNearestMeanClassifier: NearestMeanClassifier,
    EMNaiveBayesClassifier: MultinomialNB,
}
SUPERVISED: tuple[Any, ...] = (LDAClassifier, NearestMeanClassifier)
SEMI_SUPERVISED: tuple[Any, ...] = tuple(TWINS)
ALL: tuple[Any, ...] = (*SUPERVISED, *SEMI_SUPERVISED)
GAUSSIAN: tuple[Any, ...] = tuple(model for model in ALL if model is not EMNaiveBayesClassifier)
EM: tuple[Any, ...] = (EMLDAClassifier, EMNearestMeanClassifier, EMNaiveBayesClassifier)
SEARCHES: tuple[Any, ...] = (ICLDAClassifier, MCPLDAClassifier)
SWEEPS: tuple[Any, ...] = (*EM, MCLDAClassifier, MCNearestMeanClassifier)


def table(n_classes: int = 2, seed: int = 0, n_labeled: int = 18, **chosen: Any) -> PartlyLabeled:
    """Small non-negative whole numbers, so that naive Bayes can be fitted on them too."""
    made = partly_labeled(n_labeled=n_labeled, n_classes=n_classes, seed=seed, **chosen)
    counts = np.asarray(np.round(np.maximum(2.0 * made.X + 6.0, 0.0)), dtype=np.float64)
    return PartlyLabeled(counts, made.y, made.known)
