"""The safe semi-supervised support vector machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from tacit._forked import openmp_without_parent
from tacit._typing import Matrix, Vector
from tacit.estimators._parameters import POSITIVE_INTEGER, Number
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._margin import MarginClassifier, MarginProblem
from tacit.family._s3vm import TransductiveSolution, descend
from tacit.family._svm import Features, solve_hinge
from tacit.family._worst_case import WorstCase, worst_case

# The search wants labels, which settle long before digits do.
SEARCH_TOL = 1e-2


@dataclass(frozen=True)
class Separators:
    """Labelings of the unlabeled rows, each by a local minimum."""

    labels: Matrix  #: The labelings, -1 or 1.
    objectives: Vector  #: Their support vector machines' objectives.
    n_iter: int  #: Support vector machines fitted to find them.
    n_unsettled: int  #: Local searches that were stopped before their labels settled.


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

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import S4VMClassifier
    >>> model = S4VMClassifier(n_samples=20, random_state=0).fit(X, partly)
    >>> model.solution_.value >= 0
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_samples": POSITIVE_INTEGER,
        "n_clusters": [*POSITIVE_INTEGER, None],
        "loss_weight": [Number(Real, 1, None, closed="left")],
        "balance_tolerance": [Number(Real, 0, 2, closed="both")],
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
            rows = self._margin_rows(data)
            n, origin = len(rows.y), rows.origin(of_unlabeled=False)
            Z = rows.Z - origin @ rows.Z
            # Unlabeled rows of weight zero get the labels of the machine, and are not there
            # otherwise.
            counts = rows.unlabeled_weights > 0
            counted = np.append(np.ones(n, dtype=bool), counts)
            problem = MarginProblem(Features(Z[counted], True), rows.y, rows.costs[counted])
            supervised, values = problem.supervised(False, self.tol)
            baseline = np.where(values > 0, 1.0, -1.0)
            found = Separators(np.zeros((0, len(baseline))), np.zeros(0), 0, 0)
            answer, machine = WorstCase(baseline, 0.0, 0.0, 0.0, True), supervised
            if counts.any():
                found = self._separators(problem, values, rows.mean_label)
                weights = rows.unlabeled_weights[counts]
                answer = worst_case(found.labels, baseline, float(self.loss_weight), weights)
                if not answer.is_baseline:
                    machine = solve_hinge(problem.with_labels(answer.labels), tol=self.tol)
        beta = np.zeros(len(Z))
        beta[np.flatnonzero(counted)[: len(machine.alpha)]] = machine.signs * machine.alpha
        self._store(rows, origin, beta, machine.b)
        before, after = Z[n:] @ supervised.w + supervised.b, Z[n:] @ machine.w + machine.b
        before[counts], after[counts] = baseline, answer.labels
        self.soft_labels_ = np.asarray(after > 0, dtype=np.float64)
        self.transductive_labels_ = self.classes_[(after > 0).astype(np.intp)]
        self.supervised_labels_ = self.classes_[(before > 0).astype(np.intp)]
        self.separators_, self.solution_, self.n_iter_ = found, answer, found.n_iter
        self._warn_of_gap(machine)
        if found.n_unsettled:
            self._warn(
                f"stopped {found.n_unsettled} of {self.n_samples} local searches with labels that "
                f"still change; raise max_iter (now {self.max_iter})"
            )
        if not answer.is_exact:
            self._warn(
                f"stopped the program at the value {answer.value:g} with the bound "
                f"{answer.bound:g}; lower n_clusters (now {self.n_clusters}) to solve it to the end"
            )

    def _separators(self, problem: MarginProblem, values: Vector, mean_label: float) -> Separators:
        bounds = label_bounds(len(values), mean_label, self.balance_tolerance)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        random = np.random.default_rng(seed)
        found = sample_separators(problem, bounds, values, self.n_samples, random, self.max_iter)
        return found if self.n_clusters is None else representatives(found, self.n_clusters, random)


def label_bounds(n_unlabeled: int, mean: float, tolerance: float) -> tuple[int, int]:
    """How many of the unlabeled rows may be positive for a mean label near `mean`."""
    fewest = int(np.ceil(n_unlabeled * (1.0 + mean - tolerance) / 2.0 - 1e-9))
    most = int(np.floor(n_unlabeled * (1.0 + mean + tolerance) / 2.0 + 1e-9))
    if fewest > most:
        fewest = most = int(np.floor(n_unlabeled * (1.0 + mean) / 2.0 + 0.5))
    return max(fewest, 0), min(most, n_unlabeled)


def assign(problem: MarginProblem, values: Vector, bounds: tuple[int, int]) -> Vector:
    """The labels with the smallest hinge losses at these values, so many positive as allowed."""
    spared = np.maximum(1.0 + values, 0.0) - np.maximum(1.0 - values, 0.0)
    benefit = problem.costs[len(problem.y) :] * spared
    number = int(np.clip((benefit > 0.0).sum(), *bounds))
    labels = np.full(len(values), -1.0)
    labels[np.argsort(-benefit, kind="stable")[:number]] = 1.0
    return labels


def sample_separators(
    problem: MarginProblem,
    bounds: tuple[int, int],
    supervised: Vector,
    n_samples: int,
    random: np.random.Generator,
    max_iter: int = 100,
) -> Separators:
    """Distinct local minima from `n_samples` random labelings.

    A quarter of the starts are random labels, a quarter random separators through the rows, and
    half the supervised values with noise of growing size, so that both far and near minima are
    seen. From each, labels and support vector machine are optimised in turn until both stay.
    """
    Z = problem.features.Z

    def start_values(sample: int) -> Vector:
        if sample % 4 == 0:
            return np.asarray(random.normal(size=len(supervised)))
        values = Z[len(problem.y) :] @ (Z.T @ random.normal(size=len(Z)))
        values = (values - values.mean()) / (values.std() or 1.0)
        if sample % 4 == 1:
            return np.asarray(values)
        size = 2.0 * (sample + 1) / n_samples
        return np.asarray(supervised + size * (supervised.std() or 1.0) * values)

    starts = [assign(problem, start_values(sample), bounds) for sample in range(n_samples)]
    found: dict[bytes, TransductiveSolution] = {}
    n_iter = n_unsettled = 0

    def relabel(values: Vector, _: Vector) -> Vector:
        return assign(problem, values, bounds)

    for labels in {start.tobytes(): start for start in starts}.values():
        minimum = descend(problem, labels, tol=SEARCH_TOL, max_iter=max_iter, relabel=relabel)
        n_iter += minimum.n_iter
        n_unsettled += not minimum.status.is_success
        found.setdefault(minimum.labels.tobytes(), minimum)
    labelings = np.array([minimum.labels for minimum in found.values()])
    objectives = np.array([minimum.objective for minimum in found.values()])
    return Separators(labelings, objectives, n_iter, n_unsettled)


@openmp_without_parent()
def representatives(
    separators: Separators, n_clusters: int, random: np.random.Generator
) -> Separators:
    """The best separator of each of `n_clusters` clusters of labelings (k-means)."""
    labels, objectives = separators.labels, separators.objectives
    if len(labels) <= n_clusters:
        return separators
    seed = int(random.integers(np.iinfo(np.int32).max))
    clusters = KMeans(n_clusters, n_init=1, random_state=seed).fit_predict(labels)
    order = np.lexsort((objectives, clusters))
    chosen = order[np.unique(clusters[order], return_index=True)[1]]
    return replace(separators, labels=labels[chosen], objectives=objectives[chosen])
