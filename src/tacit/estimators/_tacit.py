"""The flagship: unlabeled rows that help, used only as far as the labels prove it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tacit._typing import AnyArray, Matrix, Vector
from tacit.estimators._base import DecisionClassifier, Winner
from tacit.estimators._parameters import POSITIVE_INTEGER, Number
from tacit.estimators._tacit_candidates import (
    ANCHOR_KERNELS,
    ANCHORS,
    DENSE_ONLY,
    VIEWS,
    Duals,
    KernelTerm,
    Labeled,
    Source,
    Term,
    added_to,
    as_view,
    averaged,
    best_anchor,
    candidates_of,
    forest_term,
    is_view,
    kernel_terms,
    named_view,
    out_of_fold_term,
    read_specs,
)
from tacit.estimators._tacit_model import ReferenceRows, TacitModel
from tacit.estimators._training import TrainingData, threads_for
from tacit.evidence import (
    Evidence,
    Weighing,
    calibrated_temperature,
    probabilities,
    weigh,
    winners,
)
from tacit.rows import CsrRows, NumpyRows
from tacit.solver import Certificate, certify
from tacit.views import EmbeddingView


@dataclass(frozen=True)
class _Regression:
    """The regression value of the label: 0 or 1, or an indicator a class."""

    model: TacitModel

    def __call__(self, X: Any) -> Matrix:
        return _regression_values(self.model(X))


@dataclass(frozen=True)
class _Decision:
    """The regression value minus one half."""

    model: TacitModel

    def __call__(self, X: Any) -> Matrix:
        return _regression_values(self.model(X)) - 0.5


@dataclass(frozen=True)
class _Probabilities:
    model: TacitModel
    temperature: float

    def __call__(self, X: Any) -> Matrix:
        return probabilities(self.model(X), self.temperature)


class TacitClassifier(DecisionClassifier):
    """Learns from unlabeled rows as far as the labels prove that it helps, and no further.

    The unlabeled rows give *views*: kernels that know no label, from ranks, principal components,
    neighbour graphs and clusters of all rows. Each view, and each supervised *anchor*, is judged
    by how well it predicts every label from the others; for kernels this leave-one-out is exact
    and costs one decomposition of a matrix of the labeled rows. All are averaged with weights by
    this evidence. Views are used only if they lower the leave-one-out loss of the average by
    `caution` standard errors and do not raise its error; otherwise the answer is the average of
    the anchors, the same to the last bit as without any view.

    Parameters
    ----------
    anchors : "auto" or list, default="auto"
        Supervised candidates: "linear", "rbf", "laplacian" (kernel ridge regression on
        standardised columns), "forest" (a random forest, judged by its out-of-bag votes), and
        pairs (name, classifier) of any scikit-learn classifiers, judged out of fold; they see the
        rows as an array, so that a ColumnTransformer chooses columns by position. "auto" is the
        first four; sparse rows have no "laplacian".
    views : "auto" or list, default="auto"
        What unlabeled rows may add: "ranks", "components", "graph", "rank graph", "unscaled graph",
        "clusters", and pairs (name, view) of objects with the methods of `tacit.views.View` or of
        scikit-learn transformers that need no labels; they see standardised columns, and of sparse
        rows, scaled to length one, a truncated SVD. "auto" is the first six; sparse rows have
        neither ranks nor units. An empty list leaves the anchors.
    caution : float, default=0.5
        How many standard errors the views must gain to be used. Infinite: never.
    max_reference_rows : int, default=20000
        The most unlabeled rows that views are learned from and that are kept for predictions. Of
        more rows a random sample is taken, and all others are predicted like new rows.
    random_state : int, RandomState instance or None, default=None
        Seed of forest, clusters, folds and sample. The same seed gives the same bits whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Processes and threads for the forest and for classifiers in `anchors`.
    $unlabeled
    verbose : int, default=0
        Above zero, the steps of a fit are told on the standard error.

    Attributes
    ----------
    $classes_
    evidence_ : tacit.evidence.Evidence
        What the labels say of anchors and views, and what was therefore done; print it.
    certificate_ : tacit.solver.Certificate
        The worst and best change of the squared loss against the anchors' average over every
        labeling of the unlabeled rows.
    transduction_ : ndarray of shape (U,)
        The classes of the unlabeled rows: those marked in y, in order, then those of X_unlabeled.
        For rows on disk or on a cluster computed on demand.
    temperature_ : float
        The factor of the decisions in `predict_proba`, calibrated on left-out labels.
    model_, supervised_model_ : object
        What predictions are made with, and what they would be made with without any view: the same
        where views are not used.
    $features_

    Notes
    -----
    Leave-one-out is unbiased for fits on L - 1 labels drawn at random, and the gate is a paired
    comparison of it: a small risk to choose a view that is worse remains, and no method without
    further assumptions can do without it. Columns are standardised with the mean and deviation of
    all rows, for anchors too. Weights of unlabeled rows count in the certificate only.

    Time is O(N log N d) for neighbours of the N reference rows, O(N L) for the graph filters of L
    labeled rows, and O(L^3) for each kernel. Nothing of N x N is ever formed.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from tacit import TacitClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[60:] = -1  # 60 labels, 1737 unlabeled rows
    >>> model = TacitClassifier(random_state=0).fit(X, partly)
    >>> supervised = TacitClassifier(views=[], random_state=0).fit(X, partly)
    >>> bool(model.score(X[60:], y[60:]) > supervised.score(X[60:], y[60:]) + 0.05)
    True
    """

    evidence_: Evidence
    certificate_: Certificate
    transduction_: AnyArray
    temperature_: float
    model_: TacitModel
    supervised_model_: TacitModel

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **DecisionClassifier._parameter_constraints,
        "anchors": [StrOptions({"auto"}), list, tuple],
        "views": [StrOptions({"auto"}), list, tuple],
        "caution": [Number(Real, 0, None, closed="both")],
        "max_reference_rows": POSITIVE_INTEGER,
        "random_state": ["random_state"],
        "n_jobs": [Number(Integral, None, None, closed="neither"), None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        anchors: Any = "auto",
        views: Any = "auto",
        caution: float = 0.5,
        max_reference_rows: int = 20_000,
        random_state: Any = None,
        n_jobs: int | None = None,
        unlabeled: Any = -1,
        verbose: int = 0,
    ) -> None:
        self.anchors = anchors
        self.views = views
        self.caution = caution
        self.max_reference_rows = max_reference_rows
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.verbose = verbose

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, calibrated on left-out labels.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n, K)
            In the order of `classes_`. For a Dask array a Dask array, for Parquet files an object
            that writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, _Probabilities(self.model_, self.temperature_))

    def _decision(self) -> Callable[[Any], Matrix]:
        return _Decision(self.model_)

    def _fit(self, data: TrainingData) -> None:
        anchor_specs = read_specs(
            self.anchors, ANCHORS, "anchors", is_classifier, "a scikit-learn classifier"
        )
        view_specs = read_specs(
            self.views, VIEWS, "views", is_view, "a view, or a transformer with fit and transform"
        )
        random = check_random_state(self.random_state)
        seeds = iter(
            random.randint(2**31 - 1, size=1 + len(anchor_specs) + len(view_specs)).tolist()
        )
        progress = _Progress(self.verbose)
        with threads_for(data):
            labeled = Labeled.of(data)
            rows = ReferenceRows.of(data, self.max_reference_rows, next(seeds))
            kept = f"{len(rows.position) - rows.n_labeled:,} of {rows.n_unlabeled:,}"
            progress.say(f"{rows.n_labeled:,} labeled rows, {kept} unlabeled rows kept")
            # Anchors draw their seeds first, so that they are the same whatever the views are.
            anchors: list[Term] = []
            for spec in anchor_specs:
                anchors += self._anchor_terms(*spec, labeled, rows, next(seeds))
            if not anchors:
                raise ValueError(
                    f"anchors is {self.anchors!r}, none of which suits these rows; give at least "
                    "one, as 'linear'."
                )
            progress.say(f"{len(anchors)} anchors")
            terms = list(anchors)
            base = best_anchor(anchors, labeled)
            for name, view in view_specs if data.unlabeled.n_rows else []:
                new = self._view_terms(name, view, labeled, rows, next(seeds))
                new += [added_to(base, term, labeled) for term in new] if base else []
                # Their fits are kept, and not the L x L kernels, which nobody asks for again.
                terms += [replace(term, block=np.empty((0, 0))) for term in new]
                progress.say(f"view {name}")
            weighing = weigh(
                candidates_of(terms), labeled.Y, labeled.weights, self.caution, rows.n_unlabeled
            )
            self._store(weighing, terms, labeled, rows, data)
            progress.say(f"views {'' if self.evidence_.uses_views else 'not '}used")

    def _anchor_terms(
        self, name: str, estimator: Any, labeled: Labeled, rows: ReferenceRows, seed: int
    ) -> list[Any]:
        if estimator is not None:
            return [out_of_fold_term(name, estimator, labeled, seed, self.n_jobs)]
        if name == "forest":
            return [forest_term(labeled, seed, self.n_jobs)]
        if name in DENSE_ONLY and rows.space.svd is not None:
            return []
        kernels = EmbeddingView(None, ANCHOR_KERNELS[name])
        view = kernels.fit(rows.reference(rows.scaled, seed))
        return kernel_terms(Source(name, view, is_view=False), labeled)

    def _view_terms(
        self, name: str, given: Any, labeled: Labeled, rows: ReferenceRows, seed: int
    ) -> list[KernelTerm]:
        space = rows.space
        if given is None and name in DENSE_ONLY and space.svd is not None:
            return []
        X = space.coordinates(rows.scaled)
        scale = getattr(space.scaler, "scale_", None)
        view = named_view(name, (len(X), X.shape[1]), scale) if given is None else as_view(given)
        reference = rows.reference(X, seed)
        return kernel_terms(Source(name, view.fit(reference), is_view=True), labeled)

    def _store(
        self,
        weighing: Weighing,
        terms: list[Term],
        labeled: Labeled,
        rows: ReferenceRows,
        data: TrainingData,
    ) -> None:
        """Make the models of the chosen average and of the anchors', and compare them."""
        self.evidence_ = weighing.evidence
        self.temperature_ = calibrated_temperature(
            weighing.chosen.left_out, labeled.Y, labeled.weights
        )
        n_columns = labeled.Y.shape[1]
        anchors, before = _model(averaged(terms, weighing.anchors.weights, n_columns), rows)
        self.model_, self.supervised_model_, after = anchors, anchors, before
        if self.evidence_.uses_views:
            self.model_, after = _model(averaged(terms, weighing.chosen.weights, n_columns), rows)
        unlabeled, n = data.unlabeled, rows.n_labeled
        if not isinstance(unlabeled, NumpyRows | CsrRows):
            self.transduction_ = self._map(unlabeled, Winner(self._decision(), self.classes_))
            self.certificate_ = certify(
                _Regression(anchors),
                _Regression(self.model_),
                data.X,
                data.targets,
                data.weights,
                unlabeled,
            )
            return
        if not rows.is_complete:
            before = np.concatenate([before[:n], unlabeled.map(anchors)])
            uses_views = self.evidence_.uses_views
            after = (
                np.concatenate([after[:n], unlabeled.map(self.model_)]) if uses_views else before
            )
        decided = winners(after[n:]).astype(np.intp)
        self.transduction_ = self.classes_[decided]
        self.certificate_ = _certificate(before, after, data, unlabeled.weights)


@dataclass(frozen=True)
class _Progress:
    """Tells what is done and when, on the standard error."""

    verbose: int
    start: float = field(default_factory=time.perf_counter)

    def say(self, what: str) -> None:
        if self.verbose:
            seconds = time.perf_counter() - self.start
            sys.stderr.write(f"[TacitClassifier] {seconds:6.1f} s: {what}\n")
            sys.stderr.flush()


def _model(duals: Duals, rows: ReferenceRows) -> tuple[TacitModel, Matrix]:
    """A model, and its decisions on the reference rows."""
    functions: dict[bool, list[Any]] = {False: [], True: []}
    values = np.tile(duals.intercept, (len(rows.position), 1))
    for source, by_kernel in duals.kernels.items():
        own, function = source.view.functions(by_kernel)
        values += own
        functions[source.is_view].append(function)
    for weight, estimator in duals.estimators:
        values += weight * estimator(rows.X)
    model = TacitModel(
        rows.space, duals.intercept, functions[False], functions[True], duals.estimators
    )
    return model, values


def _certificate(
    before: Matrix, after: Matrix, data: TrainingData, weights: Vector | None
) -> Certificate:
    """The certificate from decisions on all rows, labeled ones first."""
    n_columns, n = before.shape[1], len(data.codes)
    both = np.hstack([before, after])
    return certify(
        lambda rows: _regression_values(rows[:, :n_columns]),
        lambda rows: _regression_values(rows[:, n_columns:]),
        both[:n],
        data.targets,
        data.weights,
        NumpyRows(both[n:], weights),
    )


def _regression_values(decisions: Matrix) -> Matrix:
    """Decisions of targets -1 and 1 as values of targets 0 and 1, in the shape of the targets."""
    values = 0.5 * (decisions + 1.0)
    return values[:, 0] if values.shape[1] == 1 else values
