"""The safe semi-supervised support vector machine."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from tacit._typing import AnyArray, Vector
from tacit.estimators._parameters import POSITIVE_INTEGER, Number
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._margin import MarginClassifier, MarginRows
from tacit.family._s4vm_solver import (
    SeparatorProblem,
    Separators,
    WorstCase,
    label_bounds,
    representatives,
    sample_separators,
    worst_case,
)
from tacit.family._svm import HingeSolution
from tacit.family._svm_newton import solve_hinge


class S4VMClassifier(MarginClassifier):
    r"""Safe semi-supervised support vector machine (Li & Zhou 2015).

    Many separators of low density may agree with the labels, and only one of them, if any, is the
    truth. This method samples many, keeps a diverse few with labels :math:`\hat y_t`, and labels
    the unlabeled rows so that the improvement on the supervised machine's labels :math:`y^0` is the
    largest for the worst of them:

    .. math:: \max_{y \in \{-1, 1\}^U} \min_t \;
        \#\{j : y_j = \hat y_{tj} \ne y^0_j\} - \lambda\,\#\{j : y_j \ne \hat y_{tj} = y^0_j\}.

    Labels with a negative value are never chosen, as :math:`y^0` itself has the value zero. So if
    one of the separators is the truth and :math:`\lambda \ge 1`, the labels are at least as
    accurate as the supervised ones. If none is, nothing is promised.

    Parameters
    ----------
    C : float, default=100.0
        Cost of the loss of a labeled row.
    C_unlabeled : float, default=0.1
        Cost of the loss of an unlabeled row.
    $margin_kernel
    n_samples : int, default=100
        Starts of the search for separators.
    n_clusters : int or None, default=10
        Into how many clusters their labelings are put; the best of each enters the program. None:
        all distinct ones do.
    loss_weight : float, default=3.0
        The weight lambda of a label made wrong against one made right, at least 1.
    balance_tolerance : float, default=0.1
        By how much the mean label, -1 and 1, of the unlabeled rows may differ from that of the
        labeled ones in a separator.
    tol : float, default=1e-8
        The relative duality gap to which the supervised and the final machine are solved.
    max_iter : int, default=100
        Rounds of one local search at the most.
    random_state : int, RandomState instance or None, default=None
        Where the starts come from; an integer makes the fit repeatable.
    $unlabeled

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    transductive_labels_ : ndarray of shape (U,)
        The classes given to the unlabeled rows by the program: those marked in y, in order, then
        those of X_unlabeled. The safety is theirs.
    soft_labels_ : ndarray of shape (U,)
        The same as numbers, 1 for `classes_[1]` and 0 for the other.
    supervised_labels_ : ndarray of shape (U,)
        The classes that the supervised machine gives them.
    coef_, X_fit_, dual_coef_, intercept_ : ndarray
        The machine that `predict` uses on new rows, as in :class:`S3VMClassifier`: the supervised
        one where the program chose its labels, and otherwise one fitted to labeled rows and
        chosen labels.
    separators_ : tacit.family.Separators
        The labelings, -1 and 1, that entered the program, of unlabeled rows with a weight above
        zero.
    solution_ : tacit.family.WorstCase
        The program's answer: its value, the bound that no labels can exceed, and whether the
        supervised labels were kept.
    n_iter_ : int
        Support vector machines fitted in the search; 0 without unlabeled rows.
    $features_

    See Also
    --------
    S3VMClassifier : One such separator, the best found.
    sklearn.svm.SVC : The supervised twin, with the same decisions where no row is unlabeled.

    Notes
    -----
    Rows that agree in all separators are interchangeable, so that the program has one integer
    variable for each pattern of labels; HiGHS solves it exactly by branch and bound. The search for
    separators is the heuristic part: alternately, the machine for given labels and the best labels
    for a given machine under the balance, from random starts.

    References
    ----------
    Li & Zhou, Towards Making Unlabeled Data Never Hurt, IEEE Transactions on Pattern Analysis and
    Machine Intelligence 37, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import S4VMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[40:] = -1  # 40 labels, 529 unlabeled rows
    >>> model = S4VMClassifier(n_samples=20, random_state=0).fit(X, partly)
    >>> model.solution_.value >= 0
    True
    """

    transductive_labels_: AnyArray
    supervised_labels_: AnyArray
    soft_labels_: Vector
    separators_: Separators
    solution_: WorstCase
    n_iter_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MarginClassifier._parameter_constraints,
        "n_samples": POSITIVE_INTEGER,
        "n_clusters": [*POSITIVE_INTEGER, None],
        "loss_weight": [Number(Real, 1, None, closed="left")],
        "balance_tolerance": [Number(Real, 0, 2, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 100.0,
        C_unlabeled: float = 0.1,
        kernel: Any = "linear",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_samples: int = 100,
        n_clusters: int | None = 10,
        loss_weight: float = 3.0,
        balance_tolerance: float = 0.1,
        tol: float = 1e-8,
        max_iter: int = 100,
        random_state: Any = None,
        unlabeled: Any = -1,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_samples = n_samples
        self.n_clusters = n_clusters
        self.loss_weight = loss_weight
        self.balance_tolerance = balance_tolerance
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.unlabeled = unlabeled

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            machine = self._choose(self._margin_rows(data))
        self._warn_if_unfinished(machine)

    def _choose(self, rows: MarginRows) -> HingeSolution:
        counted = rows.without_zero_weights()
        origin = counted.origin(of_unlabeled=False)
        machine = counted.supervised(None, origin, self.tol)
        geometry = counted.geometry(origin)
        values = counted.supervised_values(machine, geometry, None)
        baseline = np.where(values > 0, 1.0, -1.0)
        beta = np.concatenate([rows.y * machine.alpha, np.zeros(len(baseline))])
        before = self._all_labels(rows, beta, machine.b, baseline)
        if rows.has_unlabeled:
            bounds = label_bounds(len(baseline), rows.mean_label, self.balance_tolerance)
            problem = SeparatorProblem(geometry, rows.y, counted.costs, *bounds)
            seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            random = np.random.default_rng(seed)
            found = sample_separators(problem, values, self.n_samples, random, self.max_iter)
            if self.n_clusters is not None:
                found = representatives(found, self.n_clusters, random)
            weights = counted.unlabeled_weights
            answer = worst_case(found.labels, baseline, float(self.loss_weight), weights)
            if not answer.is_baseline:
                machine = solve_hinge(problem.with_labels(answer.labels), tol=self.tol)
                beta = np.concatenate([rows.y, answer.labels]) * machine.alpha
        else:
            found = Separators(np.zeros((0, len(baseline))), np.zeros(0), 0, 0)
            answer = WorstCase(baseline, 0.0, 0.0, 0.0, True)
        after = self._all_labels(rows, beta, machine.b, answer.labels)
        self._store(counted, origin, beta, machine.b)
        self.soft_labels_ = np.asarray(after > 0, dtype=np.float64)
        self.transductive_labels_ = self.classes_[(after > 0).astype(np.intp)]
        self.supervised_labels_ = self.classes_[(before > 0).astype(np.intp)]
        self.separators_ = found
        self.solution_ = answer
        self.n_iter_ = found.n_iter
        return machine

    def _all_labels(self, rows: MarginRows, beta: Vector, b: float, labels: Vector) -> Vector:
        """The labels of the rows with a weight, and those that the machine gives to the others."""
        counts = rows.unlabeled_weights > 0
        if counts.all():
            return labels
        everywhere = np.zeros(len(rows.y) + len(counts))
        everywhere[np.append(np.ones(len(rows.y), dtype=bool), counts)] = beta
        geometry = rows.geometry(rows.origin(of_unlabeled=False))
        values = geometry.values(geometry.combine(everywhere))[len(rows.y) :] + b
        following = np.where(values > 0, 1.0, -1.0)
        following[counts] = labels
        return np.asarray(following)

    def _warn_if_unfinished(self, machine: HingeSolution) -> None:
        if not machine.status.is_success:
            self._warn(
                f"stopped at a relative duality gap of {machine.relative_gap():.2g}, above the "
                f"tolerance tol={self.tol:g}; raise tol, scale the features or lower C"
            )
        if self.separators_.n_unsettled:
            self._warn(
                f"stopped {self.separators_.n_unsettled} of {self.n_samples} local searches with "
                f"labels that still change; raise max_iter (now {self.max_iter})"
            )
        if not self.solution_.is_exact:
            self._warn(
                f"stopped the program at the value {self.solution_.value:g} with the bound "
                f"{self.solution_.bound:g}; lower n_clusters (now {self.n_clusters}) to solve it "
                "to the end"
            )
