"""Semi-supervised classification that you can trust not to hurt."""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from tacit.__about__ import __version__
from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.estimators import ICLSClassifier as ICLSClassifier
    from tacit.estimators import KernelICLSClassifier as KernelICLSClassifier
    from tacit.estimators import KernelLeastSquaresClassifier as KernelLeastSquaresClassifier
    from tacit.estimators import LeastSquaresClassifier as LeastSquaresClassifier
    from tacit.estimators import ProjectedLeastSquaresClassifier as ProjectedLeastSquaresClassifier
    from tacit.estimators import SelfLearningClassifier as SelfLearningClassifier
    from tacit.estimators import TacitClassifier as TacitClassifier
    from tacit.estimators import TunedLogisticRegression as TunedLogisticRegression

_public, __dir__, _names = public_names(__name__)
__all__ = [*_names, "__version__"]


def __getattr__(name: str) -> Any:
    if name.endswith("Classifier") and name not in _names and name in _family():
        # `from tacit import name` would put its own text in place of an AttributeError's, and
        # `hasattr` takes no other error for "no".
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        error = ImportError if is_import else AttributeError
        raise error(f"{name} is in tacit.family: from tacit.family import {name}")
    return _public(name)


def _family() -> list[str]:
    names: list[str] = importlib.import_module("tacit.family").__all__
    return names
