"""The safe semi-supervised support vector machine."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from tacit._typing import AnyArray, Vector
from tacit.estimators._training import all_or_nothing
from tacit.family._margin import (
    MarginClassifier,
    MarginRows,
    check_positive_integer,
    is_number,
)
from tacit.family._s3vm import SMALL
from tacit.family.margin import (
    HingeSolution,
    SeparatorProblem,
    Separators,
    WorstCase,
    label_bounds,
    representatives,
    sample_separators,
    solve_hinge,
    worst_case,
)
from tacit.rows._sweep import one_blas_thread


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
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

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
    separators_ : tacit.family.margin.Separators
        The labelings, -1 and 1, that entered the program, of unlabeled rows with a weight above
        zero.
    solution_ : tacit.family.margin.WorstCase
        The program's answer: its value, the bound that no labels can exceed, and whether the
        supervised labels were kept.
    n_iter_ : int
        Support vector machines fitted in the search; 0 without unlabeled rows.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

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

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> S4VMClassifier:
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
            Non-negative weights of the rows of X: factors of their costs, and of unlabeled rows in
            gain and loss. Unlabeled rows of weight zero are only labeled, by the machine that
            `predict` uses.

        Returns
        -------
        S4VMClassifier
            The fitted classifier.
        """
        self._check_parameters()
        with all_or_nothing(self):
            rows = self._read_margin_rows(X, y, X_unlabeled, sample_weight)
            with one_blas_thread() if len(rows.unlabeled_weights) < SMALL else nullcontext():
                machine = self._choose(rows)
        self._warn_if_unfinished(machine)
        return self

    def _choose(self, rows: MarginRows) -> HingeSolution:
        counted = rows.counted()
        origin = counted.origin(of_unlabeled=False)
        machine = counted.supervised(self.C, None, origin, self.tol)
        geometry = counted.geometry(origin)
        values = counted.supervised_values(machine, geometry, None)
        baseline = np.where(values > 0, 1.0, -1.0)
        beta = np.concatenate([rows.y * machine.alpha, np.zeros(len(baseline))])
        before = self._all_labels(rows, beta, machine.b, baseline)
        if rows.has_unlabeled:
            costs = counted.costs(self.C, self.C_unlabeled)
            bounds = label_bounds(len(baseline), rows.mean_label, self.balance_tolerance)
            problem = SeparatorProblem(geometry, rows.y, costs, *bounds)
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

    def _check_parameters(self) -> None:
        self._check_margin_parameters()
        try:
            check_random_state(self.random_state)
        except ValueError as error:
            raise ValueError(
                f"random_state is {self.random_state!r}; it must be an integer between 0 and "
                "4294967295, a numpy.random.RandomState, or None."
            ) from error
        check_positive_integer("n_samples", self.n_samples)
        if self.n_clusters is not None:
            check_positive_integer("n_clusters", self.n_clusters)
        if not is_number(self.loss_weight) or not 1.0 <= float(self.loss_weight) < np.inf:
            raise ValueError(
                f"loss_weight is {self.loss_weight!r}; it must be a finite number of at least 1, "
                "below which a loss could outweigh the gain."
            )
        tolerance = self.balance_tolerance
        if not is_number(tolerance) or not 0.0 <= float(tolerance) <= 2.0:
            raise ValueError(
                f"balance_tolerance is {tolerance!r}; it must be a number between 0 and 2, where "
                "2 lets every labeling pass."
            )

    def _warn_if_unfinished(self, machine: HingeSolution) -> None:
        name = type(self).__name__
        if not machine.status.is_success:
            warnings.warn(
                f"{name} stopped at a relative duality gap of {machine.relative_gap():.2g}, above "
                f"the tolerance tol={self.tol:g}; raise tol, scale the features or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if self.separators_.n_unsettled:
            warnings.warn(
                f"{name} stopped {self.separators_.n_unsettled} of {self.n_samples} local searches "
                f"with labels that still change; raise max_iter (now {self.max_iter}).",
                ConvergenceWarning,
                stacklevel=3,
            )
        if not self.solution_.is_exact:
            warnings.warn(
                f"{name} stopped the program at the value {self.solution_.value:g} with the bound "
                f"{self.solution_.bound:g}; lower n_clusters (now {self.n_clusters}) to solve it "
                "to the end.",
                ConvergenceWarning,
                stacklevel=3,
            )
