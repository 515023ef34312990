"""TacitClassifier, its anchors, and its peers as a careful user would tune them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from tacit._typing import AnyArray, Matrix
from tacit.estimators import ICLSClassifier, TacitClassifier, TunedLogisticRegression
from tacit.evidence import winners
from tacit.selection import Contestant, LabeledKFold
from tacit.selection._contestants import Sees
from tacit.selection._labeled_table import UNLABELED

TACIT, ANCHORS, FOREST, BEST = "TacitClassifier", "anchors' average", "forest", "best anchor"
# Rows with fewer entries than this share are texts, and are given as sparse rows.
SPARSE_SHARE = 0.05
SPARSE_COORDINATES = 100


class AsGiven(TransformerMixin, BaseEstimator):
    """Rows that are mostly zeros as sparse rows, others as they are.

    To `scale`, for linear models, sets columns to unit variance and sparse rows to length one;
    `dense` is for methods without sparse rows, which get these through a truncated SVD.
    """

    def __init__(self, scale: bool = False, dense: bool = False) -> None:
        self.scale = scale
        self.dense = dense

    def fit(self, X: Matrix, y: Any = None) -> AsGiven:
        """Look at the rows."""
        self.is_sparse_ = X.shape[1] > 1000 and np.count_nonzero(X) < SPARSE_SHARE * X.size
        steps: list[Any] = []
        if self.scale:
            steps.append(Normalizer() if self.is_sparse_ else StandardScaler())
        if self.dense and self.is_sparse_:
            steps.append(TruncatedSVD(min(SPARSE_COORDINATES, len(X) - 1), random_state=0))
        self.steps_ = make_pipeline(*steps).fit(self._rows(X)) if steps else None
        return self

    def transform(self, X: Matrix) -> Any:
        """The rows."""
        return self._rows(X) if self.steps_ is None else self.steps_.transform(self._rows(X))

    def _rows(self, X: Matrix) -> Any:
        return sparse.csr_array(X) if self.is_sparse_ else X


class _PoissonLearning(ClassifierMixin, BaseEstimator):
    """Poisson learning (Calder et al. 2020) by graphlearning; new rows are as their nearest row."""

    def __init__(self, n_neighbors: int = 10) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Matrix, y: AnyArray) -> _PoissonLearning:
        import graphlearning

        labeled = np.flatnonzero(y != UNLABELED)
        self.classes_, codes = np.unique(y[labeled], return_inverse=True)
        k = min(self.n_neighbors, len(X) - 1)
        distances, index = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(X)
        graph = graphlearning.weightmatrix.knn(X, k, knn_data=(index, distances))
        # Its other solver does not end where the graph is in several pieces.
        model = graphlearning.ssl.poisson(graph, solver="gradient_descent")
        found = model.fit_predict(labeled, codes)
        self.nearest_ = KNeighborsClassifier(1).fit(X, self.classes_[found.astype(np.intp)])
        return self

    def predict(self, X: Matrix) -> AnyArray:
        return np.asarray(self.nearest_.predict(X))


class _Part(ClassifierMixin, BaseEstimator):
    """TacitClassifier or a part of it; all parts on the same rows come from one fit.

    So they differ in what they use and not in the seed of the forest, and are fitted once: the
    seconds of a run say nothing here. `part` is `TACIT`, `ANCHORS`, `BEST` (the anchor with the
    lowest leave-one-out loss) or an anchor.
    """

    def __init__(self, part: str = TACIT) -> None:
        self.part = part

    def fit(self, X: Any, y: AnyArray) -> _Part:
        key = joblib.hash((X, y))
        if key not in _LAST:
            _LAST.clear()
            _LAST[key] = _parts(X, y)
        if self.part not in _LAST[key]:
            raise ValueError("sparse rows have none")
        self.classes_ = np.unique(y[y != UNLABELED])
        self.decision_ = _LAST[key][self.part]
        return self

    def predict(self, X: Any) -> AnyArray:
        return np.asarray(self.classes_[winners(self.decision_(X)).astype(np.intp)])


# The parts that were fitted last, by a hash of the rows.
_LAST: dict[str, dict[str, Any]] = {}


def _parts(X: Any, y: AnyArray) -> dict[str, Any]:
    """The decision functions of TacitClassifier and of its parts."""
    whole = TacitClassifier(random_state=0).fit(X, y)
    [(_, forest)] = whole.supervised_model_.estimators
    parts = {TACIT: whole.model_, ANCHORS: whole.supervised_model_, FOREST: forest}
    losses = {s["name"]: s["loss"] for s in whole.evidence_.scores if s["name"] == FOREST}
    for name in ("linear", "rbf") if sparse.issparse(X) else ("linear", "rbf", "laplacian"):
        single = TacitClassifier([name], []).fit(X, y)
        parts[name], losses[name] = single.model_, single.evidence_.anchors_loss
    return parts | {BEST: parts[min(losses, key=losses.__getitem__)]}


def evidence_contestants() -> tuple[Contestant, ...]:
    """Anchors, supervised and semi-supervised peers as a careful user would tune them, and ours.

    Anchors see the unlabeled rows through the scale of columns only.
    """
    sees: dict[str, Any] = {"twin": ANCHORS, "sees": Sees.UNLABELED}
    folds = LabeledKFold(3, shuffle=True, random_state=0)

    def tuned(model: Any, dense: bool = False, **grid: Any) -> Any:
        return make_pipeline(AsGiven(True, dense), GridSearchCV(model, grid, cv=folds))

    spreading = LabelSpreading("knn", max_iter=200)
    training = SelfTrainingClassifier(LogisticRegression(max_iter=1000))
    peers = {
        "LabelSpreading": tuned(spreading, n_neighbors=[5, 10, 20], alpha=[0.2, 0.8]),
        "SelfTrainingClassifier": tuned(training, threshold=[0.75, 0.95]),
        "ICLS": make_pipeline(AsGiven(scale=True), ICLSClassifier("loo")),
    }
    # Where they are installed.
    if find_spec("graphlearning"):
        peers["Poisson learning"] = tuned(_PoissonLearning(), True, n_neighbors=[5, 10, 20])
    if find_spec("sslearn"):
        from sslearn.wrapper import CoForest

        peers["Co-Forest"] = make_pipeline(AsGiven(dense=True), CoForest(n_estimators=10))
    logistic = make_pipeline(AsGiven(True), TunedLogisticRegression())
    # Some columns for each split, as forests do: better on few labels, and faster.
    boosting = make_pipeline(AsGiven(), GradientBoostingClassifier(max_features="sqrt"))
    ours = (TACIT, BEST, "linear", "rbf", "laplacian", FOREST)
    return (
        Contestant(ANCHORS, make_pipeline(AsGiven(), _Part(ANCHORS)), sees=Sees.UNLABELED),
        *(Contestant(part, make_pipeline(AsGiven(), _Part(part)), **sees) for part in ours),
        Contestant("tuned logistic regression", logistic),
        Contestant("gradient boosting", boosting),
        *(Contestant(name, model, **sees) for name, model in peers.items()),
    )
