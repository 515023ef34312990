"""Semi-supervised classification that you can trust not to hurt."""

from typing import TYPE_CHECKING, Any

from tacit.__about__ import __version__

# Loaded when first asked for: scikit-learn takes a second, and the command line must be able to
# answer, or to be interrupted, before that.
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tacit import estimators

    value = globals()[name] = getattr(estimators, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
