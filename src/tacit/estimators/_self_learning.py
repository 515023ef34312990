"""The paper's baseline: learn from your own predictions."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from tacit._typing import AnyArray, Index, Matrix
from tacit.estimators._base import (
    DecisionClassifier,
    SemiSupervisedClassifier,
    has_own_probabilities,
    winner,
)
from tacit.estimators._held_back import HeldBack, calibrated
from tacit.estimators._linear import LeastSquaresClassifier, LinearClassifier, SupervisedFit
from tacit.estimators._training import DTYPES, TrainingData, indicators, is_elsewhere, stack
from tacit.rows import CentredRows, CsrRows, NumpyRows
from tacit.solver import Coefficients, certify
from tacit.solver._certificate import Predictor
from tacit.solver._label_sets import label_set
from tacit.solver._labeling import Labeling
from tacit.solver._least_squares import FEW_COLUMNS, RowsRidge
from tacit.solver._many_columns import all_weights
from tacit.solver._solution import StopReason

# How far values may be from labels by rounding: several classes add up to one only so exactly.
ROUNDING = 1e-9
# From labels of the unlabeled rows to the model fitted on all; None: on the labeled rows alone.
Fits = Callable[[Index | None], Any]


class SelfLearningStatus(StopReason):
    """Why self-learning stopped."""

    FIXED_POINT = "fixed_point"
    """No label changed."""
    CYCLE = "cycle"
    """The labels came back to those of an earlier round, and would for ever."""
    MAX_ITERATIONS = "max_iterations"
    EMPTY = "empty"
    """There were no unlabeled rows."""

    @property
    def is_success(self) -> bool:
        """Whether the labels settled."""
        return self in (SelfLearningStatus.FIXED_POINT, SelfLearningStatus.EMPTY)


@dataclass(frozen=True)
class SelfLearningResult:
    """How self-learning ended."""

    labels: Index  # that the last model was fitted on
    status: SelfLearningStatus
    n_iter: int  # refits
    changes: tuple[int, ...]  # how many labels each refit changed
    cycle_length: int = 0  # rounds after which the labels repeat; 0 without a cycle


def _base_has(*names: str) -> Any:
    def check(self: SelfLearningClassifier) -> bool:
        base = getattr(self, "estimator_", self._base())
        if not any(hasattr(base, name) for name in names):
            getattr(base, names[0])  # its error says what is missing
        return True

    return check


class SelfLearningClassifier(SemiSupervisedClassifier):
    """Self-learning (McLachlan 1975): refit on all rows with the predicted labels.

    Fit on the labeled rows, label the unlabeled rows with the prediction, refit on all rows, and
    repeat until no label changes. Simple, popular, and without any guarantee: `certificate_` shows
    by how much it can raise the squared loss.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        What to refit; `predict` is all it needs. The default is LeastSquaresClassifier, for which
        the factorisation of all rows is computed once; with `alpha="loo"` its penalty is chosen
        once, on the labeled rows, and not again on labels that were made up.
    max_iter : int, default=100
        Refits at the most.
    $unlabeled
    $class_weight
        Labels that are made up have the weight of their rows; a `class_weight` of the estimator
        counts for these too.

    Attributes
    ----------
    $classes_
    estimator_ : scikit-learn classifier
        The last fit.
    coef_, intercept_ : ndarray
        Those of `estimator_`, where it has them.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The labels that the last fit was given for the unlabeled rows: 1 for `classes_[1]` and 0 for
        `classes_[0]`, or one indicator a class for more than two.
    solution_ : SelfLearningResult
        Why it stopped, the number of labels that each refit changed, the length of a cycle.
    certificate_ : tacit.solver.Certificate or None
        Best and worst change of the squared loss over all labelings against the supervised fit.
        For other bases than least squares, of the squared loss of their probabilities; None for a
        base without probabilities of its own.
    n_iter_ : int
        Refits; 0 without unlabeled rows.
    $features_

    References
    ----------
    McLachlan, Iterative reclassification procedure for constructing an asymptotically optimal rule
    of allocation in discriminant analysis, JASA 70, 1975.

    Examples
    --------
    $partly_labeled
    >>> from tacit import SelfLearningClassifier
    >>> model = SelfLearningClassifier().fit(X, partly)
    >>> model.certificate_.worst_change > 0  # it may have made things worse
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None]
    }

    def __init__(
        self,
        estimator: Any = None,
        max_iter: int = 100,
        unlabeled: Any = -1,
        class_weight: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_iter = max_iter
        self.unlabeled = unlabeled
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = self._base()
        if isinstance(base, BaseEstimator):
            tags.input_tags.sparse = get_tags(base).input_tags.sparse
        return tags

    def predict(self, X: Any) -> Any:
        """The class of each row of X by the last fit, a member of `classes_`."""
        return self._delegate("predict", X)

    @available_if(_base_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The decision of the last fit on each row of X, in the shape that the base gives it."""
        return self._delegate("decision_function", X)

    @available_if(_base_has("predict_proba", "decision_function"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The class probabilities of the last fit on each row of X, of shape (n, K).

        For a base without probabilities of its own its decisions, calibrated on labels that were
        held back from self-learning, as `LeastSquaresClassifier.predict_proba` does.
        """
        check_is_fitted(self)
        if hasattr(self.estimator_, "predict_proba"):
            return self._delegate("predict_proba", X)
        decision = partial(self._delegate, "decision_function")
        return calibrated(decision, self._held_back.temperature(), X)

    def _delegate(self, name: str, X: Any) -> Any:
        check_is_fitted(self)
        if is_elsewhere(X):
            if isinstance(self.estimator_, LinearClassifier):
                return getattr(self.estimator_, name)(X)
            raise TypeError(
                f"X is a {type(X).__name__}; a {type(self.estimator_).__name__} needs the rows in "
                "memory, as an array."
            )
        X = validate_data(self, X, reset=False, dtype=DTYPES, accept_sparse="csr")
        return getattr(self.estimator_, name)(X)

    def _decision(self) -> Callable[[Any], Matrix]:
        decision: Callable[[Any], Matrix] = self.estimator_.decision_function
        return decision

    def _remember(self, data: TrainingData) -> None:
        own = has_own_probabilities(self.estimator_)
        if not own:
            self._held_back = HeldBack(self, data)
        if isinstance(self.estimator_, DecisionClassifier) and not own:
            # In place of its own, which would hold back labels that were made up.
            self.estimator_._held_back = self._held_back

    def _base(self) -> Any:
        return LeastSquaresClassifier() if self.estimator is None else self.estimator

    def _fit(self, data: TrainingData) -> None:
        pool = data.in_memory("self-learning refits on labels of single rows")
        base, n_classes = self._base(), len(data.classes)
        is_least_squares = type(base) is LeastSquaresClassifier and base.class_weight is None
        fitted = (
            _least_squares_fits(base, data, pool) if is_least_squares else _fits(base, data, pool)
        )

        def predicted(model: Any) -> Index:
            if is_least_squares:  # without checking the rows again, which takes longer
                return winner(model._decision(), np.arange(n_classes), pool.X)
            if pool.n_rows == 0:  # which scikit-learn's classifiers refuse to judge
                return np.zeros(0, dtype=np.intp)
            return _positions(model.predict(pool.X), data.classes, type(base).__name__)

        def refit(labels: Index) -> Index:
            self.estimator_ = fitted(labels)
            return predicted(self.estimator_)

        supervised = self.estimator_ = fitted(None)
        self.solution_ = self_learn(refit, predicted(supervised), self.max_iter)
        self.certificate_ = None
        if has_own_probabilities(supervised) or isinstance(supervised, LinearClassifier):
            before, after = _values(supervised, n_classes), _values(self.estimator_, n_classes)
            # Values that are labels lead to themselves. Of others it would take the solution of a
            # quadratic program to know.
            in_set = True if is_least_squares and _are_labels(before(pool.X)) else None
            self.certificate_ = certify(
                before, after, data.X, data.targets, data.weights, pool, supervised_in_set=in_set
            )
        result = self.solution_
        self.n_iter_, self.soft_labels_ = result.n_iter, indicators(result.labels, n_classes)
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another base
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        if result.status is SelfLearningStatus.CYCLE:
            self._warn(
                f"went round in a cycle of {result.cycle_length} labelings after {result.n_iter} "
                f"refits, the last of which changed {result.changes[-1]} labels; the labels do not "
                "settle on these data and more refits would not help"
            )
        elif not result.status.is_success:
            self._warn(
                f"stopped after {result.n_iter} refits, the last of which changed "
                f"{result.changes[-1]} labels, where 0 was wanted; raise max_iter"
            )


def _least_squares_fits(
    base: LeastSquaresClassifier, data: TrainingData, pool: NumpyRows | CsrRows
) -> Fits:
    """Least squares on the labeled rows, or on all with these labels of the others.

    All fits share one factorisation and one penalty, which is chosen on labels that are known.
    """
    base = clone(base)  # for the supervised fit leaves its penalty behind
    base._validate_params()
    supervised = base._fit_supervised(data)
    refit, rank = _refits(supervised, pool)

    def fitted(labels: Index | None) -> LeastSquaresClassifier:
        coefficients = supervised.coefficients
        if labels is not None:
            coefficients = refit(indicators(labels, len(data.classes)))
        model = copy(base)
        model._store(coefficients)
        model.classes_, model.n_features_in_ = data.classes, data.X.shape[1]
        model.alpha_, model.rank_ = supervised.alpha, rank
        return model

    return fitted


def _refits(
    supervised: SupervisedFit, pool: NumpyRows | CsrRows
) -> tuple[Callable[[Matrix], Coefficients], int]:
    """From labels of the unlabeled rows to coefficients, and how many of these are determined.

    With a penalty, of many columns and fewer rows in the space of the rows, as supervised fits are.
    """
    data, alpha, n_columns = supervised.data, supervised.alpha, pool.n_features
    is_wide = len(data.codes) + pool.n_rows < n_columns and n_columns > FEW_COLUMNS
    if is_wide and alpha > 0.0:
        intercept, weights = supervised.fit_intercept, all_weights(data, pool)
        rows = CentredRows(stack(data.X, pool.X), weights, intercept)
        ridge = RowsRidge(rows.gram(), rows.roots, alpha, intercept, rows)
        return lambda Y: ridge.coefficients(np.concatenate([data.targets, Y])), supervised.rank
    asking = {} if alpha > 0.0 else {"alpha=0": 'alpha="loo"'}
    constraints = supervised.constraint_set(alpha, asking=asking)

    def refit(Y: Matrix) -> Coefficients:
        return constraints.coefficients(constraints.member(Labeling.of_values(pool, Y)))

    return refit, constraints.basis.rank


def _fits(base: Any, data: TrainingData, pool: NumpyRows | CsrRows) -> Fits:
    """Fits of any base on the labeled rows, or on all with these labels of the others."""
    X = stack(data.X.astype(pool.X.dtype, copy=False), pool.X)
    weights = all_weights(data, pool)
    if weights is not None and not has_fit_parameter(base, "sample_weight"):
        raise ValueError(
            "class_weight or sample_weight was given, but the base estimator "
            f"{type(base).__name__} does not take weights; choose another base estimator or "
            "leave the weights out."
        )

    def fitted(labels: Index | None) -> Any:
        codes = data.codes if labels is None else np.concatenate([data.codes, labels])
        n = len(codes)
        model = clone(base)
        if "unlabeled" in model.get_params(deep=False):
            model.set_params(unlabeled=None)  # every row has a label here, -1 among them
        extra = {} if weights is None else {"sample_weight": weights[:n]}
        return model.fit(X[:n], data.classes[codes], **extra)

    return fitted


def _are_labels(values: Matrix) -> bool:
    values = values[:, None] if values.ndim == 1 else values
    return bool((np.abs(values - label_set(values).project(values)) <= ROUNDING).all())


def _positions(predictions: AnyArray, classes: AnyArray, base: str) -> Index:
    codes = np.minimum(np.searchsorted(classes, predictions), len(classes) - 1)
    unknown = classes[codes] != predictions
    if np.any(unknown):
        raise ValueError(
            f"estimator is a {base}, which predicted {predictions[unknown].tolist()[0]!r}, none "
            "of the classes in y; it must be a classifier."
        )
    return np.asarray(codes, dtype=np.intp)


def _values(model: Any, n_classes: int) -> Predictor:
    """Regression values, or the probabilities of a base that has none."""

    def values(X: Any) -> Matrix:
        if X.shape[0] == 0:  # scikit-learn's classifiers refuse to judge no rows
            return np.zeros(0 if n_classes == 2 else (0, n_classes))
        if not has_own_probabilities(model):
            return np.asarray(model.decision_function(X) + 0.5)
        probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
        return probabilities[:, 1] if n_classes == 2 else probabilities

    return values


def self_learn(refit: Callable[[Index], Index], labels: Index, max_iter: int) -> SelfLearningResult:
    """Iterate labels -> refit(labels) until a fixed point, a cycle, or `max_iter` refits.

    The next labeling follows from the last, so that the sequence always ends in a cycle, usually of
    length one. Hashes of all labelings seen so far tell the others.
    """
    if len(labels) == 0:
        return SelfLearningResult(labels, SelfLearningStatus.EMPTY, 0, ())
    seen = {hash(labels.tobytes()): 0}
    changes: list[int] = []
    status, length = SelfLearningStatus.MAX_ITERATIONS, 0
    for n_iter in range(1, max_iter + 1):
        refitted = refit(labels)
        changes.append(int((refitted != labels).sum()))
        if changes[-1] == 0:
            status = SelfLearningStatus.FIXED_POINT
            break
        length = n_iter - seen.setdefault(hash(refitted.tobytes()), n_iter)
        if length > 0:
            status = SelfLearningStatus.CYCLE
            break
        if n_iter < max_iter:
            labels = refitted
    return SelfLearningResult(labels, status, len(changes), tuple(changes), length)
