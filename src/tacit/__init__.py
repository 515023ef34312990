"""Semi-supervised classification that you can trust not to hurt."""

import sys
from typing import TYPE_CHECKING, Any

from tacit.__about__ import __version__
from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.estimators import (
        ICLSClassifier,
        KernelICLSClassifier,
        KernelLeastSquaresClassifier,
        LeastSquaresClassifier,
        ProjectedLeastSquaresClassifier,
        SelfLearningClassifier,
        TacitClassifier,
        TunedLogisticRegression,
    )

__all__ = [
    "ICLSClassifier",
    "KernelICLSClassifier",
    "KernelLeastSquaresClassifier",
    "LeastSquaresClassifier",
    "ProjectedLeastSquaresClassifier",
    "SelfLearningClassifier",
    "TacitClassifier",
    "TunedLogisticRegression",
    "__version__",
]

# Asking `tacit` for these is answered with where they are.
_FAMILY = frozenset(
    {
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
    }
)

_public, __dir__ = public_names(
    __name__, {"estimators": [name for name in __all__ if name != "__version__"]}
)


def __getattr__(name: str) -> Any:
    if name in _FAMILY:
        # `from tacit import name` would put its own text in place of an AttributeError's, and
        # `hasattr` takes no other error for "no".
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        error = ImportError if is_import else AttributeError
        raise error(f"{name} is in tacit.family: from tacit.family import {name}")
    return _public(name)
