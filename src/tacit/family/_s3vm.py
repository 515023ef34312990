"""The semi-supervised support vector machine."""

from __future__ import annotations

import numbers
import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tacit._typing import Vector
from tacit.estimators._training import all_or_nothing
from tacit.family._margin import MarginClassifier, MarginRows, is_number
from tacit.family.margin import (
    TransductiveProblem,
    TransductiveSolution,
    TransductiveStatus,
    descend,
    minimise,
)
from tacit.rows._sweep import one_blas_thread

# Rows below which BLAS threads cost more than they bring, above all on a busy machine.
SMALL = 20_000


class S3VMClassifier(MarginClassifier):
    r"""Semi-supervised, or transductive, support vector machine (Bennett & Demiriz 1998).

    Looks for a wide margin on labeled and unlabeled rows alike, so that the boundary runs where
    rows are few:

    .. math:: \min_f \tfrac12\|f\|^2 + C\sum_{i=1}^{L}\max(0, 1 - y_i f(x_i))
        + C_u\sum_{j=1}^{U}\max(0, 1 - |f(x_j)|)
        \quad\text{subject to}\quad \frac1U\sum_{j=1}^U f(x_j) = r.

    The balancing constraint keeps all unlabeled rows from falling on one side. This is not convex:
    the answer is a local minimum, and nothing guarantees that it is better than the supervised
    machine. Use it where clusters are known to be classes.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the loss of a labeled row.
    C_unlabeled : float, default=0.1
        Cost of the loss of an unlabeled row. What they weigh together grows with their number.
    kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="linear"
        A function takes two tables and returns one number for each pair of rows. With
        "precomputed", X is the kernel between all rows of `fit`, labeled and unlabeled, which are
        marked in y (`X_unlabeled` is refused), and `predict` takes the kernel between new rows and
        all these, in the same order.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf" and "poly". "scale" is one over the number of features and the variance of all
        rows, "auto" one over the number of features.
    degree : float, default=3
        Of "poly".
    coef0 : float, default=0.0
        Of "poly".
    balance : bool or float, default=True
        The balancing constraint: the mean r of f over the unlabeled rows is the mean of the labels,
        -1 and 1, of the labeled ones (True), or 2p - 1 for a part p of `classes_[1]`, between 0
        and 1. False: no constraint.
    n_switches : int, default=20
        Trials at the end that switch the label of one row near the boundary; 0 for none.
    tol : float, default=1e-8
        The relative duality gap to which the convex problem of the last round is solved.
    max_iter : int, default=1000
        Rounds of one run at the most.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    coef_ : ndarray of shape (1, d)
        Coefficients, for the linear kernel.
    X_fit_ : ndarray, sparse matrix or None
        For other kernels, the labeled and then the unlabeled rows; None for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, N)
        For other kernels: the decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`.
    intercept_ : ndarray of shape (1,)
        The constant of f.
    soft_labels_ : ndarray of shape (U,)
        The labels of the unlabeled rows, 1 for `classes_[1]` and 0 for the other: those marked in
        y, in order, then those of X_unlabeled.
    objective_ : float
        The objective above.
    solution_ : tacit.family.margin.TransductiveSolution
        The solver's result: status, the objective after every round, the duality gap of the last.
    n_iter_ : int
        Convex problems solved, over all starts and trials; 0 without unlabeled rows.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    S4VMClassifier : Hedges between many such minima.
    sklearn.svm.SVC : The supervised twin, with the same decisions where no row is unlabeled.

    Notes
    -----
    Each round fits a support vector machine to the labels of the last one by a semismooth Newton
    method, O((L + U) d) a step for the linear kernel and O((L + U)^2) for others, and relabels; the
    objective falls with every change of labels. Runs begin at the supervised machine, at the
    supervised machine under the balancing constraint, and from that at small unlabeled costs that
    grow; the best one is kept and improved by switching single labels. There is no randomness.

    References
    ----------
    Bennett & Demiriz, Semi-Supervised Support Vector Machines, NIPS 1998.
    Joachims, Transductive Inference for Text Classification using Support Vector Machines, ICML
    1999.
    Collobert, Sinz, Weston & Bottou, Large Scale Transductive SVMs, JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import S3VMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[40:] = -1  # 40 labels, 529 unlabeled rows
    >>> model = S3VMClassifier(balance=0.6).fit(X, partly)
    >>> model.score(X, y) > 0.9
    True
    """

    soft_labels_: Vector
    objective_: float
    solution_: TransductiveSolution
    n_iter_: int

    def __init__(
        self,
        C: float = 1.0,
        C_unlabeled: float = 0.1,
        kernel: Any = "linear",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        balance: bool | float = True,
        n_switches: int = 20,
        tol: float = 1e-8,
        max_iter: int = 1000,
        unlabeled: Any = -1,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.balance = balance
        self.n_switches = n_switches
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> S3VMClassifier:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled; with a precomputed kernel, the kernel between them.
        y : array-like of shape (n,)
            Labels of two classes, and marks for unlabeled rows.
        X_unlabeled : array-like or sparse matrix of shape (m, d), optional
            More unlabeled rows, of weight one.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X: factors of their costs and of their part in the
            balancing constraint.

        Returns
        -------
        S3VMClassifier
            The fitted classifier.
        """
        self._check_parameters()
        with all_or_nothing(self):
            rows = self._read_margin_rows(X, y, X_unlabeled, sample_weight)
            with one_blas_thread() if len(rows.unlabeled_weights) < SMALL else nullcontext():
                self._minimise(rows)
        self._warn_if_unfinished()
        return self

    def _minimise(self, rows: MarginRows) -> None:
        mean = self._mean(rows)
        origin = rows.origin(of_unlabeled=mean is not None)
        problem = TransductiveProblem(
            rows.geometry(origin), rows.y, rows.costs(self.C, self.C_unlabeled), mean
        )
        if rows.has_unlabeled:
            starts = []
            for name, constraint in (("balanced", mean), ("supervised", None)):
                if name == "supervised" or mean is not None:
                    start = rows.supervised(self.C, constraint, origin, self.tol)
                    values = rows.supervised_values(start, problem.geometry, constraint)
                    starts.append((name, np.where(values > 0, 1.0, -1.0)))
            solution = minimise(problem, starts, self.n_switches, self.tol, self.max_iter)
        else:
            nothing = -np.ones(len(rows.unlabeled_weights))
            solution = replace(
                descend(problem, nothing, tol=self.tol, max_iter=self.max_iter, start="supervised"),
                n_iter=0,
            )
        hinge = solution.hinge
        beta = np.concatenate([rows.y, solution.labels]) * hinge.alpha
        self._store(rows, origin, beta, hinge.b if mean is None else mean)
        # Rows on the boundary belong where `predict` puts them.
        values = problem.values(hinge)[len(rows.y) :]
        self.soft_labels_ = np.asarray(values > 0, dtype=np.float64)
        self.solution_ = solution
        self.objective_ = solution.objective
        self.n_iter_ = solution.n_iter

    def _mean(self, rows: MarginRows) -> float | None:
        """The mean of the balancing constraint, or None."""
        is_switch = isinstance(self.balance, bool | np.bool_)
        if not rows.has_unlabeled or (is_switch and not self.balance):
            return None
        return rows.mean_label if is_switch else 2.0 * float(self.balance) - 1.0

    def _check_parameters(self) -> None:
        self._check_margin_parameters()
        is_part = is_number(self.balance) and 0.0 < float(self.balance) < 1.0
        if not isinstance(self.balance, bool | np.bool_) and not is_part:
            raise ValueError(
                f"balance is {self.balance!r}; it must be True, False, or a number between 0 and "
                "1, the part of the unlabeled rows in the second class."
            )
        is_integer = isinstance(self.n_switches, numbers.Integral)
        if not is_integer or isinstance(self.n_switches, bool) or self.n_switches < 0:
            raise ValueError(
                f"n_switches is {self.n_switches!r}; it must be an integer that is not negative."
            )

    def _warn_if_unfinished(self) -> None:
        solution = self.solution_
        if solution.status.is_success:
            return
        if solution.status is TransductiveStatus.MAX_ITERATIONS:
            what = (
                f"stopped after {len(solution.objectives)} rounds with labels that still change; "
                f"raise max_iter (now {self.max_iter})"
            )
        else:
            what = (
                f"stopped at a relative duality gap of {solution.hinge.relative_gap():.2g}, above "
                f"the tolerance tol={self.tol:g}; raise tol, scale the features or lower C"
            )
        warnings.warn(f"{type(self).__name__} {what}.", ConvergenceWarning, stacklevel=3)
