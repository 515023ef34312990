"""Implicitly constrained least squares with a kernel."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from tacit._typing import Matrix, Vector
from tacit.estimators._implicit import check_solver_for, warn_if_unfinished
from tacit.estimators._kernel import KernelRegressionClassifier
from tacit.estimators._parameters import POSITIVE_INTEGER, TOL
from tacit.estimators._training import TrainingData
from tacit.rows import NumpyRows, one_blas_thread
from tacit.solver import Certificate, Method, Solution, certify
from tacit.solver._kernel_projection import (
    KernelProjection,
    KernelTable,
    PenalisedCertificate,
    project_kernel,
)
from tacit.solver._kernel_ridge import Expansion

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
    kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="rbf"
        A function takes two tables and returns one number for each pair of rows. With
        "precomputed", X is the kernel between all rows, and unlabeled rows are marked in y.
    metric : {"labeled", "all"}, default="labeled"
        "labeled" is ICLS with a kernel; "all" is the projection with a guarantee.
    alpha : float or "loo", default=1.0
        Penalty on the squared norm of the function, never on the constant, in the supervised fit,
        in every member of C and in the metric. "loo" chooses it by leave-one-out on the labeled
        rows. With zero, principal components of the kernel below the square root of the machine
        precision are left out.
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

    Attributes
    ----------
    $classes_
    X_fit_ : ndarray, sparse matrix or None
        The labeled rows, then the unlabeled ones; None for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, N) or (K, N)
        The decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`. For a precomputed kernel
        in the order of the rows given to `fit`.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The imputed labels of the unlabeled rows, 1 for `classes_[1]`: those marked in y, in order,
        then those of X_unlabeled. For more than two classes, one column a class, adding up to one.
        Where `certificate_.kept_start` is true, they are those of the answer that was not used.
    solution_ : tacit.solver.Solution
        The solver's result, with status and duality gap.
    certificate_ : tacit.solver.Certificate
        What holds for every labeling of the unlabeled rows; print it. With `metric="all"`, its
        `penalised_improvement` is the guarantee on the penalised loss.
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
    Costs O(N^2) memory and O(N^3) time. For K > 2 classes and a kernel of full rank it is the same,
    as long as no more than a quarter of the soft labels are zero; in the worst case the equations
    are of order K U, which is O(K^2 N^2) memory and O(K^3 N^3) time. For many rows, approximate the
    kernel by `sklearn.kernel_approximation.Nystroem` and fit ICLSClassifier on its features. The
    linear kernel gives the answer of ICLSClassifier with the same alpha.

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

    soft_labels_: Matrix
    solution_: Solution
    certificate_: Certificate
    supervised_dual_coef_: Matrix
    supervised_intercept_: Vector
    n_iter_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **KernelRegressionClassifier._parameter_constraints,
        "metric": [StrOptions({"labeled", "all"})],
        "solver": [StrOptions({"auto", "interior-point", "lbfgsb"})],
        "tol": TOL,
        "max_iter": POSITIVE_INTEGER,
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
    ) -> None:
        super().__init__(kernel, alpha, gamma, degree, coef0, fit_intercept, unlabeled)
        self.metric = metric
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "lbfgsb"
        return tags

    def _fit(self, data: TrainingData) -> None:
        check_solver_for(self.solver, data, 'use "auto" or "interior-point"')
        rows = self._rows(data, supervised=False)
        K = self._kernel_between(rows, data)
        self.alpha_ = self._read_alpha(K, data)
        unlabeled_weights = data.unlabeled.weights  # type: ignore[attr-defined]
        table = KernelTable(K, data.targets, data.weights, unlabeled_weights)
        method = Method(self.solver, self.tol, self.max_iter)
        with one_blas_thread() if len(K) <= FEW else nullcontext():
            projection = project_kernel(table, self.alpha_, self.fit_intercept, self.metric, method)
        self.certificate_ = self._certify(projection, table, self.alpha_)
        answer = projection.start if self.certificate_.kept_start else projection.answer
        start = self._as_attributes(projection.start, data)
        self.supervised_dual_coef_, self.supervised_intercept_ = start
        self.dual_coef_, self.intercept_ = self._as_attributes(answer, data)
        self.X_fit_ = None if self.kernel == "precomputed" else rows
        self.solution_ = projection.solution
        self.n_iter_ = projection.solution.n_iter
        self.soft_labels_ = projection.solution.labels()
        warn_if_unfinished(self, f"raise tol (now {self.tol:g}) or alpha (now {self.alpha_:g})")

    def _certify(
        self, projection: KernelProjection, table: KernelTable, alpha: float
    ) -> Certificate:
        before, after = projection.start.values(table.K), projection.answer.values(table.K)
        # Both functions are known on all rows, so their values are all there is to sweep.
        values = np.column_stack([before, after])
        n, n_classes = table.n_labeled, values.shape[1] // 2
        shape = (-1, *table.y.shape[1:])
        plain = certify(
            lambda rows: np.reshape(rows[:, :n_classes], shape),
            lambda rows: np.reshape(rows[:, n_classes:], shape),
            values[:n],
            table.y,
            table.weights,
            NumpyRows(values[n:], table.unlabeled_weights),
            supervised_in_set=projection.inside,
        )
        if self.metric == "labeled":
            return plain
        solution, share = projection.solution, 1.0 if table.y.ndim == 1 else 0.5
        # What the worst case of the squared loss and the change of the penalty come to.
        penalty = (
            share * alpha * (_norm(projection.answer, after) - _norm(projection.start, before))
        )
        improvement = -plain.worst_change - penalty / table.total_weight
        if solution.is_settled():
            # Pythagoras, less what the duality gap leaves open: the same without rounding.
            squared = projection.squared_distance - 2.0 * solution.gap()
            # The loss of several classes is half its sum over them, as for either one of two.
            promised = squared / table.total_weight * share
            # Where the kernel matrix is nearly singular, what the rank rule leaves out may make
            # the worst case a little worse than Pythagoras has it.
            improvement = promised if alpha > 0.0 else min(improvement, promised)
        kept = replace(plain, guaranteed_improvement=improvement)
        kept = kept.or_supervised(is_exact=solution.is_settled())
        improvement = kept.guaranteed_improvement or 0.0
        fields = vars(kept) | {"guaranteed_improvement": None if alpha > 0.0 else improvement}
        return PenalisedCertificate(**fields, penalised_improvement=improvement)


def _norm(function: Expansion, values: Matrix) -> float:
    """The squared norm of a function, or the sum of several, from its values on all rows."""
    return float(np.vdot(function.dual, values - function.intercept))
