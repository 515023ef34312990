"""What all classifiers of the package share: fitting on partly labeled rows, and scoring."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit._typing import AnyArray, Matrix
from tacit.estimators._held_back import HeldBack, calibrated
from tacit.estimators._labels import read_labels
from tacit.estimators._parameters import CONSTRAINTS, TEXTS, filled
from tacit.estimators._training import (
    DTYPES,
    TrainingData,
    is_elsewhere,
    read_rows,
    read_training_data,
    weighted_by_class,
)
from tacit.rows import with_short_indices

Fit = TypeVar("Fit", bound=Callable[..., Any])


def _validated(fit: Fit) -> Fit:
    """A `fit` that first checks parameters by `_parameter_constraints`, a base's own too."""
    return cast(Fit, _fit_context(prefer_skip_nested_validation=False)(fit))


class SemiSupervisedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is fitted on rows with and without labels.

    A class declares its parameters in `_parameter_constraints`, but those that its bases or
    CONSTRAINTS know, and learns in `_fit`. In its docstring, a line `$name` stands for an entry of
    `_doc_entries`.
    """

    unlabeled: Any
    verbose: int

    classes_: AnyArray
    n_features_in_: int
    n_iter_: int
    soft_labels_: Any

    _declared: ClassVar[dict[str, Any]] = CONSTRAINTS
    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _doc_entries: ClassVar[dict[str, str]] = TEXTS

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = filled(cls.__doc__, cls._doc_entries)
        declared: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            declared |= vars(base).get("_declared", {})
        cls._declared = declared | vars(cls).get("_parameter_constraints", {})
        names = cls._get_param_names()
        cls._parameter_constraints = {k: v for k, v in cls._declared.items() if k in names}

    @_validated
    def fit(self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Fit on labeled and unlabeled rows; supervised classifiers ignore the unlabeled ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled; with a precomputed kernel, the kernel between them. The
            unlabeled ones among them are copied once, those of an array `X_unlabeled` are not.
        y : array-like of shape (n,)
            Labels of two classes or more, and marks for unlabeled rows.
        X_unlabeled : array-like, sparse matrix, Dask array, Rows or path, optional
            More unlabeled rows of the same features, of weight one. A path names a Parquet file or
            a folder of them. Methods that label single rows need them in memory, and a precomputed
            kernel has no more rows than those of X.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        before = dict(vars(self))
        try:
            data = self._read(X, y, X_unlabeled, sample_weight)
            self.classes_ = data.classes
            self._fit(data)
            self._remember(data)
        except BaseException:  # it is then as it was, fitted or not
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on the labeled rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Labels; rows marked as unlabeled are left out.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.

        Returns
        -------
        float
            The part of the labeled rows that are predicted right.
        """
        labels = read_labels(y, self.unlabeled)
        if not labels.is_labeled.any():
            raise ValueError("y has no labels: there is nothing to score.")
        if not labels.is_labeled.all():
            if is_elsewhere(X):
                raise TypeError(
                    f"X is a {type(X).__name__} and y marks rows as unlabeled; to score, leave "
                    "these rows out of X and y."
                )
            index = np.flatnonzero(labels.is_labeled)
            X = _safe_indexing(X, index)
            if sample_weight is not None:
                sample_weight = _safe_indexing(sample_weight, index)
        return float(super().score(X, labels.values, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _read(self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any) -> TrainingData:
        data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
        return weighted_by_class(data, getattr(self, "class_weight", None))

    def _fit(self, data: TrainingData) -> None:
        raise NotImplementedError

    def _remember(self, data: TrainingData) -> None:
        """Keep what is needed after the fit, if anything is."""

    def _warn(self, what: str) -> None:
        """Warn that the fit did not converge, at the line outside this package that called it."""
        ours, frame, depth = ("tacit", "sklearn"), sys._getframe(), 1
        while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ours:
            frame, depth = frame.f_back, depth + 1
        warnings.warn(f"{type(self).__name__} {what}.", ConvergenceWarning, stacklevel=depth)

    def _progress(self) -> Callable[[str], None]:
        """Where progress is told, by the parameter `verbose`: nowhere, or on the standard error."""
        if not self.verbose:
            return lambda text: None
        start = time.perf_counter()

        def say(text: str) -> None:
            seconds = time.perf_counter() - start
            sys.stderr.write(f"[{type(self).__name__}] {seconds:.1f} s, {text}\n")
            sys.stderr.flush()

        return say


def winner(decision: Callable[[Any], Matrix], classes: AnyArray, X: Any) -> AnyArray:
    """The class with the highest decision, for each row."""
    values = decision(X)
    winners = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
    return np.asarray(classes[winners])


def finite(decisions: Matrix) -> Matrix:
    """The decisions, if they are numbers; rows that live elsewhere are seen here first."""
    if not np.isfinite(decisions).all():
        raise ValueError(
            "X contains NaN, infinity or numbers too large to be multiplied; fill in or leave "
            "out such rows."
        )
    return decisions


class DecisionClassifier(SemiSupervisedClassifier):
    """A classifier whose `_decision` gives numbers for rows, wherever they live.

    Its probabilities are those of a softmax of these numbers times one factor, which makes labels
    that were held back most likely. One factor, and no constant beside it, so that the likeliest
    class is the one that is predicted.
    """

    def decision_function(self, X: Any) -> Any:
        """The regression value minus one half, or the log-odds of a classifier with probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge; with a precomputed kernel, the kernel between them and the rows given
            to `fit`.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            For two classes, positive values mean `classes_[1]`; for more, the largest wins. For a
            Dask array a Dask array, for Parquet files an object that writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, self._decision())

    def predict(self, X: Any) -> Any:
        """The class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to classify; with a precomputed kernel, the kernel between them and the rows given
            to `fit`.

        Returns
        -------
        ndarray of shape (n,)
            Members of `classes_`. For a Dask array a Dask array, for Parquet files an object that
            writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, partial(winner, self._decision(), self.classes_))

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class for each row.

        Classifiers without a model of probabilities calibrate their decisions: the same classifier
        is fitted again, ten times at the most, without a part of the labeled rows, and one factor
        of the decisions makes the labels that were held back most likely. This is done by the first
        call after a fit, on 10,000 of the unlabeled rows if there are more. With fewer than two
        classes of two labels or more, nothing can be held back, and the factor is 2.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge; with a precomputed kernel, the kernel between them and the rows given
            to `fit`.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in the order of `classes_`; the likeliest class is that of `predict`. For a Dask
            array a Dask array, for Parquet files an object that writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, self._probabilities())

    def _decision(self) -> Callable[[Any], Matrix]:
        raise NotImplementedError

    def _probabilities(self) -> Callable[[Any], Matrix]:
        return partial(calibrated, self._decision(), self._held_back.temperature())

    def _remember(self, data: TrainingData) -> None:
        self._held_back = HeldBack(self, data)

    def _map(self, X: Any, function: Callable[[Any], AnyArray]) -> Any:
        """The values of a function of rows, which must be picklable for rows on a cluster."""
        if is_elsewhere(X):
            return read_rows(self, X, "X").map(function)
        accept_sparse: Any = "csr" if self.__sklearn_tags__().input_tags.sparse else False
        X = validate_data(self, X, reset=False, dtype=DTYPES, accept_sparse=accept_sparse)
        return function(with_short_indices(X))


class ProbableClassifier(DecisionClassifier):
    """A classifier whose `_probabilities` need no calibration by labels held back afterwards."""

    def _remember(self, data: TrainingData) -> None:
        pass


def has_own_probabilities(model: Any) -> bool:
    """Whether `predict_proba` is the model's own, and not its decisions calibrated afterwards."""
    is_ours = isinstance(model, DecisionClassifier)
    return isinstance(model, ProbableClassifier) if is_ours else hasattr(model, "predict_proba")
