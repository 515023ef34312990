"""Where a projection starts: the supervised solution, or any linear least-squares model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _is_fitted, has_fit_parameter

from tacit._typing import Vector
from tacit.estimators._linear import LeastSquaresClassifier
from tacit.estimators._training import TrainingData
from tacit.solver import Coefficients

NAMES = ("lasso", "elastic-net")
# Shares of the absolute values in the elastic net's penalty that cross-validation chooses from.
L1_RATIOS = [0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0]
MOST_FOLDS = 5
# Coordinate descent needs many steps for small penalties on few rows.
MOST_STEPS = 100_000


def fit_start(start: Any, data: TrainingData, fit_intercept: bool) -> Coefficients:
    """The coefficients of `start`: of shape (d,) for two classes and (d, K) for more.

    A fitted model is used as it is; an unfitted one is cloned and fitted to the labeled rows, a
    regressor once for each column of indicators.
    """
    if isinstance(start, str):
        start = _named(start, data, fit_intercept)
    elif isinstance(start, type) or not (hasattr(start, "fit") and hasattr(start, "predict")):
        raise TypeError(
            f"start is {start!r}; it must be None, one of {list(NAMES)}, or a regressor with "
            "coef_ and intercept_ such as scikit-learn's Lasso(), fitted or not."
        )
    targets = data.targets.reshape(len(data.codes), -1)
    if isinstance(start, LeastSquaresClassifier):
        coefficients = _of_least_squares(start, data, targets.shape[1])
    elif is_classifier(start):
        raise TypeError(
            f"start is a {type(start).__name__}, a classifier, whose values are not those of the "
            f"indicators 0 and 1; it must be None, one of {list(NAMES)}, or a linear regressor "
            "with coef_ and intercept_ such as Lasso(). Use the regressor of the same penalty, "
            "Ridge() for RidgeClassifier(), or tacit's LeastSquaresClassifier."
        )
    elif _is_fitted(start):
        coefficients = _fitted(start, data.X.shape[1], targets.shape[1])
    else:
        with _one_warning(type(start).__name__):
            columns = [_fit(start, data, column) for column in targets.T]
        coefficients = Coefficients(
            np.hstack([c.coef for c in columns]), np.concatenate([c.intercept for c in columns])
        )
    if not fit_intercept and coefficients.intercept.any():
        raise ValueError(
            "start has an intercept and fit_intercept is False; fit the start without one, or set "
            "fit_intercept=True."
        )
    if targets.shape[1] == 1:
        return Coefficients(coefficients.coef[:, 0], np.asarray(coefficients.intercept[0]))
    return coefficients


@contextmanager
def _one_warning(name: str) -> Iterator[None]:
    """One warning that the start did not converge, in place of one for each fold and penalty."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    found = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    for one in caught:
        if one not in found:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if found:
        message = (
            f"start is a {name} that did not converge for {len(found)} of its fits; what holds for "
            "any start holds for this one. Scale the features to have the one that was meant."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=4)


def _named(name: str, data: TrainingData, fit_intercept: bool) -> Any:
    if name not in NAMES:
        raise ValueError(
            f"start is {name!r}; it must be None, one of {list(NAMES)}, or a regressor."
        )
    # Not at the top, because they load half of scikit-learn and more.
    from sklearn.linear_model import ElasticNetCV, LassoCV
    from sklearn.model_selection import KFold

    n_folds = min(MOST_FOLDS, len(data.codes))
    # Shuffled, because rows often come sorted by class.
    folds = KFold(n_folds, shuffle=True, random_state=0)
    common: Any = {"cv": folds, "fit_intercept": fit_intercept, "max_iter": MOST_STEPS}
    return LassoCV(**common) if name == "lasso" else ElasticNetCV(l1_ratio=L1_RATIOS, **common)


def _of_least_squares(
    model: LeastSquaresClassifier, data: TrainingData, n_columns: int
) -> Coefficients:
    """The regression behind a classifier of this package, which keeps its values minus 1/2."""
    if not _is_fitted(model):
        # Codes are never marks of unlabeled rows, whatever marks the classifier knows.
        model = clone(model).set_params(unlabeled=None)
        model.fit(data.X, data.codes, sample_weight=data.weights)
    elif not np.array_equal(model.classes_, data.classes):
        raise ValueError(
            f"start is a LeastSquaresClassifier fitted to the classes {model.classes_.tolist()}, "
            f"and y has {data.classes.tolist()}; fit it to the same classes, or pass it unfitted."
        )
    fitted = _fitted(model, data.X.shape[1], n_columns)
    return Coefficients(fitted.coef, fitted.intercept + 0.5)


def _fit(model: Any, data: TrainingData, column: Vector) -> Coefficients:
    model = clone(model)
    weights = {}
    if data.weights is not None:
        if not has_fit_parameter(model, "sample_weight"):
            raise ValueError(
                f"start is a {type(model).__name__}, whose fit takes no sample_weight; fit it "
                "yourself and pass the fitted model, or leave out sample_weight and class_weight."
            )
        weights = {"sample_weight": data.weights.copy()}
    # Copies, because some regressors write into what they fit: with copy_X=False, or where weights
    # are multiplied in. In Fortran order, because coordinate descent would copy anything else.
    X = np.array(data.X, order="F") if isinstance(data.X, np.ndarray) else data.X.copy()
    model.fit(X, column.copy(), **weights)
    return _fitted(model, data.X.shape[1], 1)


def _fitted(model: Any, n_features: int, n_columns: int) -> Coefficients:
    """The coefficients of a fitted model, one column for each column of indicators."""
    name = type(model).__name__
    if not hasattr(model, "coef_"):
        raise ValueError(
            f"start is a {name}, which has no coef_; it must be a linear model such as Lasso()."
        )
    coef = model.coef_
    coef = np.atleast_2d(np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, float))
    expected = (n_columns, n_features)
    if coef.shape != expected:
        what = "the indicator of the second class" if n_columns == 1 else "one indicator a class"
        raise ValueError(
            f"start is a fitted {name} whose coef_ has shape {np.shape(model.coef_)}; for these "
            f"rows it must be {expected}: fit it to {what}, in the order of the sorted classes."
        )
    intercept = np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64).reshape(-1)
    intercept = np.broadcast_to(intercept, (n_columns,)).copy()
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        raise ValueError(f"start is a fitted {name} with coefficients that are not finite numbers.")
    return Coefficients(np.ascontiguousarray(coef.T), intercept)
