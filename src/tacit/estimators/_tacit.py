"""The flagship: unlabeled rows that help, used only as far as the labels prove it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tacit._typing import Matrix, Vector
from tacit.estimators._base import ProbableClassifier
from tacit.estimators._held_back import HeldBack, LeftOut, calibrated
from tacit.estimators._parameters import POSITIVE_INTEGER, Number
from tacit.estimators._tacit_candidates import (
    ANCHORS,
    VIEWS,
    Term,
    averaged,
    best_anchor,
    candidates_of,
    fitted_source,
    forest_term,
    is_view,
    kernel_terms,
    out_of_fold_term,
    read_specs,
)
from tacit.estimators._tacit_model import ReferenceRows, TacitModel
from tacit.estimators._training import TrainingData, threads_for
from tacit.evidence import Weighing, calibrated_temperature, weigh, winners
from tacit.rows import CsrRows, NumpyRows
from tacit.solver import Certificate, certify


def _regression(model: TacitModel, X: Any) -> Matrix:
    """The regression value of the label: 0 or 1, or an indicator a class."""
    return _regression_values(model(X))


def _decision(model: TacitModel, X: Any) -> Matrix:
    return _regression_values(model(X)) - 0.5


class TacitClassifier(ProbableClassifier):
    """Learns from unlabeled rows as far as the labels prove that it helps, and no further.

    The unlabeled rows give *views*: kernels that know no label, from ranks, principal components,
    neighbour graphs and clusters of all rows. Each view, and each supervised *anchor*, is judged
    by how well it predicts every label from the others; for kernels this leave-one-out is exact
    and costs one decomposition of a matrix of the labeled rows. All are averaged with weights by
    this evidence. Views are used only if they lower the leave-one-out loss of the average and its
    smoothed error by `caution` standard errors and do not raise its error; otherwise the answer is
    the average of the anchors, the same to the last bit as without any view.

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
        About the most unlabeled rows that views are learned from and that are kept for predictions.
        Of more rows a random sample is taken, and all others are predicted like new rows.
    random_state : int, RandomState instance or None, default=None
        Seed of forest, clusters, folds and sample. The same seed gives the same bits whatever
        `n_jobs`.
    n_jobs : int or None, default=None
        Processes and threads for the forest and for classifiers in `anchors`.
    $unlabeled
    verbose : int, default=0
        Above zero, the steps of a fit are told on the standard error.
    $class_weight

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
    temperature_, supervised_temperature_ : float
        The factor of the decisions in `predict_proba`, calibrated on left-out labels, and what it
        would be without any view.
    model_, supervised_model_ : object
        What predictions are made with, and what they would be made with without any view: the same
        where views are not used. `without_views()` predicts with the second.
    $features_

    Notes
    -----
    Leave-one-out is unbiased for fits on L - 1 labels drawn at random, and the gate is a paired
    comparison of it: a small risk to choose a view that is worse remains, and no method without
    further assumptions can do without it. Columns are standardised with the mean and deviation of
    all rows, for anchors too: so far unlabeled rows count in any case, and one of absurd values
    spoils the scale of its columns. Weights of unlabeled rows count in the certificate only, but
    rows of weight zero are left out.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "anchors": [StrOptions({"auto"}), list, tuple],
        "views": [StrOptions({"auto"}), list, tuple],
        "caution": [Number(Real, 0, None, closed="both")],
        "max_reference_rows": POSITIVE_INTEGER,
        "n_jobs": [*POSITIVE_INTEGER, Number(Integral, None, -1, closed="right"), None],
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
        class_weight: Any = None,
    ) -> None:
        self.anchors = anchors
        self.views = views
        self.caution = caution
        self.max_reference_rows = max_reference_rows
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.verbose = verbose
        self.class_weight = class_weight

    def without_views(self) -> Self:
        """A copy that predicts as this classifier does when it is fitted with `views=[]`.

        No fit is needed: the average of the anchors is a part of every fit. What tells of the fit,
        such as `evidence_` and `certificate_`, is still that of this classifier.

        Returns
        -------
        TacitClassifier
            The fitted copy; it shares all that is large with this one.
        """
        check_is_fitted(self)
        shut = copy(self)
        shut.views, shut.model_ = [], self.supervised_model_
        shut.temperature_ = self.supervised_temperature_
        shut._held_back = self._supervised_held_back
        return shut

    def _decision(self) -> Callable[[Any], Matrix]:
        return partial(_decision, self.model_)

    def _probabilities(self) -> Callable[[Any], Matrix]:
        return partial(calibrated, self.model_, self.temperature_)

    def _fit(self, data: TrainingData) -> None:
        anchor_specs = read_specs(
            self.anchors, ANCHORS, "anchors", is_classifier, "a scikit-learn classifier"
        )
        view_specs = read_specs(
            self.views, VIEWS, "views", is_view, "a view (tacit.views has some), or a transformer"
        )
        random = check_random_state(self.random_state)
        n_seeds = 1 + len(anchor_specs) + len(view_specs)
        seeds = iter(random.randint(2**31 - 1, size=n_seeds).tolist())
        say = self._progress()
        with threads_for(data):
            rows = ReferenceRows.of(data, self.max_reference_rows, next(seeds))
            kept = f"{rows.n_kept:,} of {rows.n_unlabeled:,}"
            say(f"{rows.n_labeled:,} labeled rows, {kept} unlabeled rows kept")
            # Anchors draw their seeds first, so that they are the same whatever the views are.
            anchors: list[Term] = []
            for name, given in anchor_specs:
                seed = next(seeds)
                if given is not None:
                    anchors.append(out_of_fold_term(name, given, data, seed, self.n_jobs))
                elif name == "forest":
                    anchors.append(forest_term(data, seed, self.n_jobs))
                elif source := fitted_source(name, None, rows, seed, is_view=False):
                    anchors += kernel_terms(source, data)
            if not anchors:
                raise ValueError(
                    f"anchors is {self.anchors!r}, none of which suits these rows; give at least "
                    "one, as 'linear'."
                )
            say(f"{len(anchors)} anchors")
            terms, base = list(anchors), best_anchor(anchors, data)
            for name, given in view_specs if rows.n_unlabeled else []:
                if source := fitted_source(name, given, rows, next(seeds), is_view=True):
                    terms += kernel_terms(source, data, base)
                say(f"view {name}")
            weighing = weigh(
                candidates_of(terms), data.signs, data.unit_weights, self.caution, rows.n_unlabeled
            )
            self._store(weighing, terms, rows, data)
            say(f"views {'' if self.evidence_.uses_views else 'not '}used")

    def _store(
        self, weighing: Weighing, terms: list[Term], rows: ReferenceRows, data: TrainingData
    ) -> None:
        """Make the models of the chosen average and of the anchors', and compare them."""
        self.evidence_ = weighing.evidence
        self.temperature_, self.supervised_temperature_ = (
            calibrated_temperature(average.left_out, data.signs, data.unit_weights)
            for average in (weighing.chosen, weighing.anchors)
        )
        n_classes, weights = len(data.classes), data.unit_weights
        self._held_back, self._supervised_held_back = (
            # On the scale of the decision function.
            HeldBack.of(LeftOut(0.5 * average.left_out, data.codes, weights, n_classes))
            for average in (weighing.chosen, weighing.anchors)
        )
        anchors, before = averaged(terms, weighing.anchors.weights, rows, data)
        self.model_, self.supervised_model_, after = anchors, anchors, before
        uses_views = self.evidence_.uses_views
        if uses_views:
            self.model_, after = averaged(terms, weighing.chosen.weights, rows, data)
        unlabeled, n = data.unlabeled, rows.n_labeled
        if not isinstance(unlabeled, NumpyRows | CsrRows):
            self.transduction_ = self.predict(unlabeled)
            supervised, chosen = (partial(_regression, m) for m in (anchors, self.model_))
            labeled = (data.X, data.targets, data.weights)
            self.certificate_ = certify(supervised, chosen, *labeled, unlabeled)
            return
        if rows.n_kept < unlabeled.n_rows:
            before = np.concatenate([before[:n], unlabeled.map(anchors)])
            others = unlabeled.map(self.model_) if uses_views else before[n:]
            after = np.concatenate([after[:n], others])
        self.transduction_ = self.classes_[winners(after[n:]).astype(np.intp)]
        self.certificate_ = _certificate(before, after, data, unlabeled.weights)


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
