"""The semi-supervised support vector machine."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tacit._typing import Vector
from tacit.estimators._parameters import Number
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._margin import MarginClassifier, MarginRows
from tacit.family._s3vm_solver import (
    TransductiveProblem,
    TransductiveSolution,
    TransductiveStatus,
    descend,
    minimise,
)


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
    $margin_kernel
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
    $unlabeled

    Attributes
    ----------
    $margin_
    soft_labels_ : ndarray of shape (U,)
        The labels of the unlabeled rows, 1 for `classes_[1]` and 0 for the other: those marked in
        y, in order, then those of X_unlabeled.
    objective_ : float
        The objective above.
    solution_ : tacit.family.TransductiveSolution
        The solver's result: status, the objective after every round, the duality gap of the last.
    n_iter_ : int
        Convex problems solved, over all starts and trials; 0 without unlabeled rows.
    $features_

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MarginClassifier._parameter_constraints,
        "balance": ["boolean", Number(Real, 0, 1, closed="neither")],
        "n_switches": [Number(Integral, 0, None, closed="left")],
    }

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

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            self._minimise(self._margin_rows(data))
        self._warn_if_unfinished()

    def _minimise(self, rows: MarginRows) -> None:
        mean = self._mean(rows)
        origin = rows.origin(of_unlabeled=mean is not None)
        problem = TransductiveProblem(rows.geometry(origin), rows.y, rows.costs, mean)
        if rows.has_unlabeled:
            starts = []
            for name, constraint in (("balanced", mean), ("supervised", None)):
                if name == "supervised" or mean is not None:
                    start = rows.supervised(constraint, origin, self.tol)
                    values = rows.supervised_values(start, problem.geometry, constraint)
                    starts.append((name, np.where(values > 0, 1.0, -1.0)))
            solution = minimise(problem, starts, self.n_switches, self.tol, self.max_iter)
        else:
            nothing = -np.ones(len(rows.unlabeled_weights))
            solution = descend(problem, nothing, None, self.tol, self.max_iter, start="supervised")
            solution = replace(solution, n_iter=0)
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
        self._warn(what)
