"""Implicitly constrained least squares with a kernel."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.estimators._implicit import warn_if_unfinished
from tacit.estimators._kernel import KernelClassifier, KernelTraining
from tacit.estimators._training import all_or_nothing
from tacit.rows import NumpyRows, one_blas_thread
from tacit.solver import Certificate, Method, Solution, certify
from tacit.solver.kernel import (
    Expansion,
    KernelProjection,
    KernelTable,
    PenalisedCertificate,
    project_kernel,
)

METRICS = ("labeled", "all")
SOLVERS = ("auto", "interior-point", "lbfgsb")
# Rows up to which BLAS threads cost more than they bring, above all on a busy machine.
FEW = 3000


class KernelICLSClassifier(KernelClassifier):
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
    gamma : float, optional
        Of "rbf", exp(-gamma ||x - x'||^2), and "poly", (gamma x'x' + coef0)^degree. One over the
        number of features by default.
    degree : float, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly".
    fit_intercept : bool, default=True
        Whether to fit a constant.
    solver : {"auto", "interior-point", "lbfgsb"}, default="auto"
        "auto" is an active-set method where the kernel has many directions, and the interior-point
        method otherwise. All give the same answer. "lbfgsb" is for two classes only.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=1000
        Iterations of the solver at the most. With `metric="all"`, an answer that is so far from
        exact that it might raise the penalised loss is not used: the supervised classifier is
        kept, with a warning.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
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
    alpha_ : float
        The penalty used.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

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
    alpha_: float
    n_iter_: int

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
        self.kernel = kernel
        self.metric = metric
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "lbfgsb"
        return tags

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> KernelICLSClassifier:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled; with a precomputed kernel, the kernel between them.
        y : array-like of shape (n,)
            Labels of at least two classes, and marks for unlabeled rows.
        X_unlabeled : array-like or sparse matrix of shape (m, d), optional
            More unlabeled rows of the same features, of weight one. Not for a precomputed kernel.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        KernelICLSClassifier
            The fitted classifier.
        """
        self._check_kernel()
        self._check_parameters()
        with all_or_nothing(self):
            training = self._read(X, y, X_unlabeled, sample_weight, supervised=False)
            data = training.data
            self._check_solver_for(data.classes)
            alpha = self._read_alpha(self.alpha, training)
            unlabeled_weights = data.unlabeled.weights  # type: ignore[attr-defined]
            table = KernelTable(training.K, data.targets, data.weights, unlabeled_weights)
            method = Method(self.solver, self.tol, self.max_iter)
            with one_blas_thread() if len(table.K) <= FEW else nullcontext():
                projection = project_kernel(table, alpha, self.fit_intercept, self.metric, method)
            self.certificate_ = self._certify(projection, table, alpha)
            if self.certificate_.kept_start:
                projection = replace(projection, answer=projection.start)
            self._keep(projection, training)
            self.alpha_ = alpha
            self._warn_if_unfinished()
        return self

    def _keep(self, projection: KernelProjection, training: KernelTraining) -> None:
        start = self._arranged(projection.start, training)
        self.supervised_dual_coef_, self.supervised_intercept_ = start
        self.dual_coef_, self.intercept_ = self._arranged(projection.answer, training)
        self.classes_ = training.data.classes
        self.X_fit_ = training.rows
        self.solution_ = projection.solution
        self.n_iter_ = projection.solution.n_iter
        self.soft_labels_ = projection.solution.labels()

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
        kept = kept.kept_to(is_exact=solution.is_settled())
        improvement = kept.guaranteed_improvement or 0.0
        fields = vars(kept) | {"guaranteed_improvement": None if alpha > 0.0 else improvement}
        return PenalisedCertificate(**fields, penalised_improvement=improvement)

    def _check_solver_for(self, classes: Any) -> None:
        if len(classes) == 2 or self.solver != "lbfgsb":
            return
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f'solver is "lbfgsb", which is for two classes, and y has {len(classes)}; use "auto" '
            'or "interior-point".'
        )

    def _check_parameters(self) -> None:
        if self.metric not in METRICS:
            raise ValueError(f"metric is {self.metric!r}; it must be one of {list(METRICS)}.")
        if self.solver not in SOLVERS:
            raise ValueError(f"solver is {self.solver!r}; it must be one of {list(SOLVERS)}.")
        if not isinstance(self.tol, numbers.Real) or not 0 < self.tol < 1:
            raise ValueError(
                f"tol is {self.tol!r}; it must be a number between 0 and 1, the relative duality "
                "gap to reach."
            )
        if not isinstance(self.max_iter, numbers.Integral) or self.max_iter < 1:
            raise ValueError(f"max_iter is {self.max_iter!r}; it must be a positive integer.")

    def _warn_if_unfinished(self) -> None:
        solution = self.solution_
        advice = (
            f"lower tol (now {self.tol:g})"
            if solution.status.is_success
            else f"raise max_iter (now {self.max_iter})"
            if solution.n_iter >= self.max_iter
            else f"raise tol (now {self.tol:g}) or alpha (now {self.alpha_:g})"
        )
        warn_if_unfinished(
            type(self).__name__, solution, self.tol, self.certificate_.kept_start, advice, depth=4
        )


def _norm(function: Expansion, values: Matrix) -> float:
    """The squared norm of a function, or the sum of several, from its values on all rows."""
    return float(np.vdot(function.dual, values - function.intercept))
