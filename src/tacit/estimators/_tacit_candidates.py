"""The candidates of a TacitClassifier: anchors, views, and anchors with views."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.validation import has_fit_parameter

from tacit._typing import Index, Matrix, Vector
from tacit.estimators._tacit_model import ScoredEstimator, decisions_of
from tacit.estimators._training import TrainingData
from tacit.evidence import Candidate, RidgePath, kernel_scale, ridge_path
from tacit.views import (
    AveragedRanks,
    EmbeddingView,
    GraphView,
    Kernel,
    Rescaled,
    View,
    clusters_view,
    components_view,
    ranks_view,
)
from tacit.views._embedding import seeded

ANCHOR_KERNELS = {
    "linear": (Kernel("linear"),),
    # From a tenth of the median squared distance, for detail, to nearly linear.
    "rbf": tuple(Kernel("gaussian", w, label=f"width {w:g}") for w in (0.1, 0.3, 1.0, 4.0)),
    "laplacian": tuple(Kernel("laplacian", w, label=f"width {w:g}") for w in (0.3, 1.0, 4.0)),
}
ANCHORS = (*ANCHOR_KERNELS, "forest")
VIEWS = ("ranks", "components", "graph", "rank graph", "unscaled graph", "clusters")
# Of dense rows only: the coordinates of a truncated SVD have neither ranks nor units.
DENSE_ONLY = {"laplacian", "ranks", "rank graph", "unscaled graph"}
# Enough trees for the out-of-bag votes of single rows, of which a third of the trees have a say.
N_TREES = 200
# Nearly all labels, as the kernels and trees that they are compared with have.
N_FOLDS = 10
# The weight of all views before the labels are seen, where all anchors together have one. On the
# half of the benchmark's sets that settings were chosen on, 1 gave errors lower by half a hundredth
# of themselves and rises over the anchors three times as large, 0.2 the reverse.
VIEWS_PRIOR = 1.0 / 3.0


@dataclass(frozen=True)
class Labeled:
    """The labeled rows, with targets -1 and 1: one column for two classes, else one a class."""

    X: Any
    codes: Index
    n_classes: int
    Y: Matrix
    weights: Vector  # of mean one
    sample_weight: Vector | None  # as given

    @classmethod
    def of(cls, data: TrainingData) -> Labeled:
        """The labeled rows of what `fit` was given."""
        given, n_classes = data.weights, len(data.classes)
        weights = np.ones(len(data.codes)) if given is None else given / given.mean()
        Y = decisions_of(np.eye(n_classes)[data.codes])
        return cls(data.X, data.codes, n_classes, Y, weights, given)


@dataclass(frozen=True, eq=False)
class Source:
    """A fitted view, or the kernels of an anchor, which have the same form."""

    name: str
    view: View
    is_view: bool


@dataclass(frozen=True)
class KernelTerm:
    """A kernel, or the sum of two, with its fits for all penalties.

    Attributes
    ----------
    name : str
        For tables.
    parts : tuple of (Source, str, float)
        The kernels of the sum and their factors.
    block : ndarray of shape (L, L)
        The kernel between labeled rows, while others are added to it.
    path : RidgePath
        The fits.
    is_view : bool
        Whether the unlabeled rows have shaped it.
    """

    name: str
    parts: tuple[tuple[Source, str, float], ...]
    block: Matrix
    path: RidgePath
    is_view: bool


@dataclass(frozen=True)
class EstimatorTerm:
    """A classifier, with decisions on labeled rows that it was not fitted on."""

    name: str
    scored: ScoredEstimator
    left_out: Matrix
    is_view: bool = False


Term = KernelTerm | EstimatorTerm


def kernel_terms(source: Source, labeled: Labeled) -> list[KernelTerm]:
    """The kernels of a source, each scaled to the same variance."""
    terms = []
    for kernel, block in source.view.blocks().items():
        name = kernel if kernel == source.name else f"{source.name} ({kernel})"
        if not np.isfinite(block).all():
            raise ValueError(f"The kernel {name!r} has NaN or infinity; leave it out, or scale X.")
        factor = 1.0 / kernel_scale(block)
        path = ridge_path(factor * block, labeled.Y, labeled.weights)
        parts = ((source, kernel, factor),)
        terms.append(KernelTerm(name, parts, factor * block, path, source.is_view))
    return terms


def added_to(anchor: KernelTerm, term: KernelTerm, labeled: Labeled) -> KernelTerm:
    """The sum of an anchor's kernel and a view's: the anchor is nested in it."""
    block = 0.5 * (anchor.block + term.block)
    parts = tuple((s, kernel, 0.5 * factor) for s, kernel, factor in anchor.parts + term.parts)
    path = ridge_path(block, labeled.Y, labeled.weights)
    return KernelTerm(f"{term.name} with {anchor.name}", parts, block, path, True)


def best_anchor(terms: Sequence[Term], labeled: Labeled) -> KernelTerm | None:
    """The kernel with the lowest leave-one-out loss at its best penalty."""
    kernels = [term for term in terms if isinstance(term, KernelTerm)]
    if not kernels:
        return None

    def loss(term: KernelTerm) -> float:
        squares = ((term.path.left_out - labeled.Y) ** 2).sum(axis=2)
        return float((squares @ labeled.weights).min())

    return min(kernels, key=loss)


def forest_term(labeled: Labeled, seed: int, n_jobs: int | None) -> EstimatorTerm:
    """A random forest; trees vote on the labeled rows that they have not seen."""
    forest = RandomForestClassifier(N_TREES, oob_score=True, random_state=seed, n_jobs=n_jobs)
    with warnings.catch_warnings():
        # A row that is in every bag has no votes: even shares then.
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        forest.fit(labeled.X, labeled.codes, labeled.sample_weight)
    votes = forest.oob_decision_function_
    votes = np.where(np.isfinite(votes), votes, 1.0 / labeled.n_classes)
    # In several threads the votes of new rows would be added in any order.
    forest.set_params(n_jobs=1)
    return EstimatorTerm("forest", ScoredEstimator(forest, labeled.n_classes), decisions_of(votes))


def out_of_fold_term(
    name: str, estimator: Any, labeled: Labeled, seed: int, n_jobs: int | None
) -> EstimatorTerm:
    """A classifier of the user, fitted on all labels, and without each fold to judge it."""
    counts = np.bincount(labeled.codes)
    n_folds = min(N_FOLDS, len(labeled.codes))
    kind = StratifiedKFold if counts.min() >= n_folds else KFold
    folds = list(kind(n_folds, shuffle=True, random_state=seed).split(labeled.X, labeled.codes))
    everything = np.arange(len(labeled.codes))
    estimator = seeded(estimator, seed)
    fits = Parallel(n_jobs=n_jobs)(
        delayed(_fitted)(name, estimator, labeled, rows)
        for rows in [everything, *(t for t, _ in folds)]
    )
    left_out = np.zeros_like(labeled.Y)
    for fitted, (_, test) in zip(fits[1:], folds, strict=True):
        left_out[test] = fitted(labeled.X[test])
    return EstimatorTerm(name, fits[0], left_out)


def _fitted(name: str, estimator: Any, labeled: Labeled, rows: Any) -> ScoredEstimator:
    if len(np.unique(labeled.codes[rows])) == 1:  # in a fold without the rarest class
        estimator = DummyClassifier()
    model, options = clone(estimator), {}
    if labeled.sample_weight is not None:
        if not has_fit_parameter(model, "sample_weight"):
            raise ValueError(
                f"sample_weight is given, and the anchor {name!r} takes none; leave it out, or "
                "give a classifier whose fit has sample_weight (a Pipeline has not)."
            )
        options["sample_weight"] = labeled.sample_weight[rows]
    # Codes rather than labels, so that classes are positions wherever a fold lacks one.
    model.fit(labeled.X[rows], labeled.codes[rows], **options)
    return ScoredEstimator(model, labeled.n_classes)


def named_view(name: str, shape: tuple[int, int], scale: Any) -> View:
    """One of the views that "auto" has."""
    if name == "ranks":
        return ranks_view()
    if name == "components":
        return components_view(*shape)
    if name == "clusters":
        return clusters_view()
    if name == "unscaled graph":
        return GraphView(Rescaled(scale))
    return GraphView(AveragedRanks() if name == "rank graph" else None)


def read_specs(
    given: Any,
    known: tuple[str, ...],
    parameter: str,
    suits: Callable[[Any], bool],
    what: str,
) -> list[tuple[str, Any]]:
    """Names of known parts, and pairs of the user, as pairs; None for a known part."""
    if isinstance(given, str):
        return [(name, None) for name in known]
    specs = []
    for each in given:
        is_pair = isinstance(each, tuple | list) and len(each) == 2 and isinstance(each[0], str)
        if not (is_pair and suits(each[1])) and each not in known:
            raise ValueError(
                f"{parameter} has {each!r}; each must be one of {', '.join(known)}, or a pair of a "
                f"name and {what}."
            )
        specs.append(tuple(each) if is_pair else (each, None))
    names = [name for name, _ in specs]
    if len(set(names)) < len(names):
        raise ValueError(f"{parameter} has the names {names}; each must be there once.")
    return specs


def is_view(given: Any) -> bool:
    """Whether this is a view, or a transformer that can become one."""
    return isinstance(given, View) or (hasattr(given, "fit") and hasattr(given, "transform"))


def as_view(given: Any) -> View:
    """A copy of a view, or any transformer as a view."""
    return copy(given) if isinstance(given, View) else EmbeddingView(given)


def candidates_of(terms: Sequence[Term]) -> list[Candidate]:
    """All terms with all penalties; views together weigh `VIEWS_PRIOR` times what anchors do."""
    n_views = sum(term.is_view for term in terms)
    candidates = []
    for term in terms:
        # Anchors are not divided further, so that theirs are the same bits without any views.
        prior = VIEWS_PRIOR / n_views if term.is_view else 1.0 / (len(terms) - n_views)
        fits = term.path.left_out if isinstance(term, KernelTerm) else [term.left_out]
        source = term.parts[-1][0].name if isinstance(term, KernelTerm) else term.name
        candidates += [
            Candidate(term.name, fit, prior / len(fits), term.is_view, source) for fit in fits
        ]
    return candidates


@dataclass(frozen=True)
class Duals:
    """An average as coefficients: by source and kernel, the constant, and by estimator."""

    kernels: dict[Source, dict[str, Matrix]]
    intercept: Vector
    estimators: list[tuple[float, ScoredEstimator]]


def averaged(terms: Sequence[Term], weights: Vector, n_columns: int) -> Duals:
    """The coefficients of the weighted average; what has no weight is left out."""
    kernels: dict[Source, dict[str, Matrix]] = defaultdict(dict)
    intercept = np.zeros(n_columns)
    estimators, position = [], 0
    for term in terms:
        n_fits = len(term.path.dual) if isinstance(term, KernelTerm) else 1
        own = weights[position : position + n_fits]
        position += n_fits
        if not own.any():
            continue
        if isinstance(term, EstimatorTerm):
            estimators.append((float(own[0]), term.scored))
            continue
        dual = np.tensordot(own, term.path.dual, 1)
        intercept = intercept + own @ term.path.intercept
        for source, kernel, factor in term.parts:
            before = kernels[source].get(kernel, 0.0)
            kernels[source][kernel] = before + factor * dual
    return Duals(dict(kernels), intercept, estimators)
