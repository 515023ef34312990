"""Implicitly constrained least squares with a kernel."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from tacit._typing import Index
from tacit.estimators._implicit import (
    ProjectedLeastSquaresClassifier,
    check_solver_for,
    warn_if_unfinished,
)
from tacit.estimators._kernel import KernelRegressionClassifier, in_features
from tacit.estimators._linear import read_alpha
from tacit.estimators._parameters import POSITIVE_INTEGER
from tacit.estimators._training import TrainingData
from tacit.rows import one_blas_thread
from tacit.solver._kernel_features import KernelFeatures
from tacit.solver._many_columns import all_weights

# Rows up to which BLAS threads cost more than they bring, above all on a busy machine.
FEW = 3000


class KernelICLSClassifier(KernelRegressionClassifier):
    r"""Implicitly constrained least squares in the function space of a kernel.

    Of all functions that kernel ridge regression gives for some soft labeling of the unlabeled
    rows, with `metric="labeled"` the one with the smallest penalised loss on the labeled rows,

    .. math:: \min_{f \in C} \sum_{i=1}^{L} (f(x_i) - y_i)^2 + \alpha\|f\|^2, \qquad
        C = \Big\{\arg\min_g \sum_{i=1}^{L} (g(x_i) - y_i)^2
        + \sum_{i=1}^{U} (g(x_{u,i}) - u_i)^2 + \alpha\|g\|^2 : u \in [0, 1]^U\Big\},

    and with `metric="all"` the one nearest to the supervised solution on all rows,
    :math:`\sum_{i=1}^{N} (f(x_i) - f_{sup}(x_i))^2 + \alpha\|f - f_{sup}\|^2`, for which the
    penalised loss on all rows falls whatever the unknown labels are. For K > 2 classes there is one
    function a class, all of these are sums over the classes, and the soft labels of a row lie on
    the simplex: one joint problem, in which the classes compete for the rows.

    Parameters
    ----------
    $kernel
    metric : {"labeled", "all"}, default="labeled"
        "labeled" is ICLS with a kernel; "all" is the projection with a guarantee.
    $kernel_alpha
    $kernel_parameters
    $fit_intercept
    solver : {"auto", "interior-point", "lbfgsb"}, default="auto"
        "auto" is an active-set method where the kernel has many directions, and the interior-point
        method otherwise. All give the same answer. "lbfgsb" is for two classes only.
    $tol
    max_iter : int, default=1000
        Iterations of the solver at the most. With `metric="all"`, an answer that is so far from
        exact that it might raise the penalised loss is not used: the supervised classifier is
        kept, with a warning.
    $unlabeled
    n_landmarks : int, optional
        For many rows: only functions that so many rows span are looked at (Nystroem's method), the
        labeled rows, as far as they go, and others drawn at random. Among these functions the
        problem is solved as exactly as ever. None: all rows, N x N numbers.
    $class_weight

    Attributes
    ----------
    $classes_
    X_fit_ : ndarray, sparse matrix or None
        The labeled rows, then the unlabeled ones, or the landmarks; None for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, N) or (K, N)
        The decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`, for the linear kernel with
        an intercept on rows less the mean of `X_fit_`. For a precomputed kernel in the order of the
        rows given to `fit`.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    $projection_
    supervised_dual_coef_, supervised_intercept_ : ndarray
        The supervised classifier that was projected.
    $alpha_
    $n_iter_
    $features_

    See Also
    --------
    KernelLeastSquaresClassifier : The supervised twin.
    ICLSClassifier : The same with the linear kernel, for any number of rows.

    Notes
    -----
    The penalty alpha is in the supervised fit, in every member of C and in the metric. With
    `metric="all"`, `certificate_.penalised_improvement` is the guarantee on the penalised loss.

    Costs O(N^2) memory and O(N^3) time. For K > 2 classes and a kernel of full rank it is the same,
    as long as no more than a quarter of the soft labels are zero; in the worst case the equations
    are of order K U, which is O(K^2 N^2) memory and O(K^3 N^3) time. With m landmarks it is
    O(N m) memory and O(N m^2) time, and the guarantee of `metric="all"` is as it was, about the
    start among their functions. The linear kernel gives the answer of ICLSClassifier with the same
    alpha.

    References
    ----------
    Krijthe & Loog, Implicitly Constrained Semi-Supervised Least Squares Classification, IDA 2015.
    Krijthe & Loog, Projected estimators for robust semi-supervised classification, Machine
    Learning 106, 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from tacit import KernelICLSClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> partly = y.copy()
    >>> partly[20:] = -1  # 20 labels, 180 unlabeled rows
    >>> model = KernelICLSClassifier(gamma=2.0, alpha=0.1).fit(X, partly)
    >>> round(model.score(X, y), 2)
    0.99
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "metric": [StrOptions({"labeled", "all"})],
        "solver": [StrOptions({"auto", "interior-point", "lbfgsb"})],
        "n_landmarks": [*POSITIVE_INTEGER, None],
    }

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        metric: Literal["labeled", "all"] = "labeled",
        alpha: float | str = 1.0,
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        unlabeled: Any = -1,
        n_landmarks: int | None = None,
        class_weight: Any = None,
    ) -> None:
        common = kernel, alpha, gamma, degree, coef0, fit_intercept, unlabeled
        super().__init__(*common, class_weight)
        self.metric = metric
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_landmarks = n_landmarks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "lbfgsb"
        return tags

    def _fit(self, data: TrainingData) -> None:
        check_solver_for(self.solver, data, 'use "auto" or "interior-point"')
        rows = self._rows(data, supervised=False)
        landmarks = self._landmarks(data, rows.shape[0])
        K = self._kernel_between(rows, data, None if landmarks is None else rows[landmarks])
        with one_blas_thread() if len(K) <= FEW else nullcontext():
            if landmarks is None:
                self.alpha_ = self._read_alpha(K, data)
                sizes = self.alpha_, self.fit_intercept, len(data.codes)
                features = KernelFeatures.of_ridge(K, all_weights(data, data.unlabeled), *sizes)
            else:
                features = KernelFeatures.of_landmarks(K, landmarks)
                X, Y = features.values[: len(data.codes)], data.targets
                self.alpha_ = read_alpha(self.alpha, X, Y, data.weights, self.fit_intercept)
                rows = rows[landmarks]
            settings = self.alpha_, self.fit_intercept, self.solver, self.tol, self.max_iter
            linear = ProjectedLeastSquaresClassifier(self.metric, *settings)
            table = in_features(data, features)
            linear._project(table, self.metric, None, everywhere=True, ridge=features.ridge)
        first = linear.supervised_coef_, linear.supervised_intercept_
        start = self._as_attributes(features, *first, data)
        self.supervised_dual_coef_, self.supervised_intercept_ = start
        last = linear.coef_, linear.intercept_
        is_same = all(map(np.array_equal, first, last))
        labels = self.soft_labels_ = linear.soft_labels_
        answer = start if is_same else self._as_attributes(features, *last, data, labels)
        self.dual_coef_, self.intercept_ = answer
        self.X_fit_ = None if self.kernel == "precomputed" else rows
        self.solution_ = replace(linear.solution_, soft_labels=labels, labeling=None)
        self.n_iter_ = linear.n_iter_
        self.certificate_ = linear.certificate_
        if self.alpha_ == 0.0:  # the plain loss is the penalised one
            plain = self.certificate_.guaranteed_improvement
            self.certificate_ = replace(self.certificate_, penalised_improvement=plain)
        warn_if_unfinished(self, f"raise tol (now {self.tol:g}) or alpha (now {self.alpha_:g})")

    def _landmarks(self, data: TrainingData, n_rows: int) -> Index | None:
        """The positions of the landmarks among labeled and unlabeled rows, if there are any."""
        if self.n_landmarks is None or self.n_landmarks >= n_rows:
            return None
        if self.kernel == "precomputed":
            raise ValueError(
                f"n_landmarks is {self.n_landmarks} and the kernel is precomputed; give the kernel "
                "by name or as a function, or n_landmarks=None."
            )
        random = np.random.default_rng(0)
        order = np.arange(n_rows)
        random.shuffle(order[len(data.codes) :])
        if self.n_landmarks < len(data.codes):
            random.shuffle(order)
        return np.sort(order[: self.n_landmarks])
