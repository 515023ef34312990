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

from tacit import views
from tacit._typing import Index, Matrix, Vector
from tacit.estimators._tacit_model import ReferenceRows, ScoredEstimator, TacitModel, decisions_of
from tacit.estimators._training import TrainingData
from tacit.evidence import Candidate, RidgePath, kernel_scale, ridge_path
from tacit.views._embedding import seeded

ANCHOR_KERNELS = {
    "linear": (views.Kernel("linear"),),
    # From a tenth of the median squared distance, for detail, to nearly linear.
    "rbf": tuple(views.Kernel("gaussian", w, label=f"width {w:g}") for w in (0.1, 0.3, 1.0, 4.0)),
    "laplacian": tuple(views.Kernel("laplacian", w, label=f"width {w:g}") for w in (0.3, 1.0, 4.0)),
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
# Of a kernel, what may be rounding.
CONSTANT = 1e-9


@dataclass(frozen=True, eq=False)
class Source:
    """A fitted view, or the kernels of an anchor, which have the same form."""

    name: str
    view: views.View
    is_view: bool


Part = tuple[Source, str, float]  # a kernel of a source, and its factor


@dataclass(frozen=True)
class Term:
    """A kernel, or the sum of two, with its fits for all penalties; or a classifier."""

    name: str
    source: str  # the anchor or view that it belongs to
    is_view: bool
    left_out: Matrix  # (A, L, C), by penalty, of labeled rows that the fit has not seen
    scored: ScoredEstimator | None = None  # the classifier
    path: RidgePath | None = None  # the fits of the kernel
    parts: tuple[Part, ...] = ()  # the kernels of the sum
    block: Matrix | None = None  # between labeled rows, of an anchor only: views are added to it


def kernel_terms(source: Source, data: TrainingData, base: Term | None = None) -> list[Term]:
    """The kernels of a source, each scaled to the same variance, alone and added to the base's.

    The base, an anchor, is nested in such a sum.
    """

    def term(name: str, block: Matrix, kept: Matrix | None, *parts: Part) -> Term:
        path = ridge_path(block, data.signs, data.unit_weights)
        return Term(name, source.name, source.is_view, path.left_out, None, path, parts, kept)

    alone, added = [], []
    for kernel, block in source.view.blocks().items():
        name = kernel if kernel == source.name else f"{source.name} ({kernel})"
        if not np.isfinite(block).all():
            raise ValueError(f"The kernel {name!r} has NaN or infinity; leave it out, or scale X.")
        if source.is_view and np.ptp(block) <= CONSTANT * np.abs(block).max():
            continue  # all rows are alike in it: it would be the base once more, or nothing
        factor = 1.0 / kernel_scale(block)
        block = factor * block
        part = (source, kernel, factor)
        alone.append(term(name, block, None if source.is_view else block, part))
        if base is not None and base.block is not None:
            halves = [(s, k, 0.5 * f) for s, k, f in (*base.parts, part)]
            both = 0.5 * (base.block + block)
            added.append(term(f"{name} with {base.name}", both, None, *halves))
    return alone + added


def best_anchor(terms: Sequence[Term], data: TrainingData) -> Term | None:
    """The kernel with the lowest leave-one-out loss at its best penalty."""

    def loss(term: Term) -> float:
        squares = ((term.left_out - data.signs) ** 2).sum(axis=2)
        return float((squares @ data.unit_weights).min())

    return min((term for term in terms if term.path is not None), key=loss, default=None)


def forest_term(data: TrainingData, seed: int, n_jobs: int | None) -> Term:
    """A random forest; trees vote on the labeled rows that they have not seen."""
    forest = RandomForestClassifier(N_TREES, oob_score=True, random_state=seed, n_jobs=n_jobs)
    with warnings.catch_warnings():
        # A row that is in every bag has no votes: even shares then.
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        # Of equal weights it would draw its bags in another way than of none.
        is_even = data.weights is None or np.ptp(data.weights) == 0.0
        forest.fit(data.X, data.codes, None if is_even else data.weights)
    n_classes = len(data.classes)
    votes = forest.oob_decision_function_
    votes = np.where(np.isfinite(votes), votes, 1.0 / n_classes)
    # In several threads the votes of new rows would be added in any order.
    forest.set_params(n_jobs=1)
    scored = ScoredEstimator(forest, n_classes)
    return Term("forest", "forest", False, decisions_of(votes)[None], scored)


def out_of_fold_term(
    name: str, estimator: Any, data: TrainingData, seed: int, n_jobs: int | None
) -> Term:
    """A classifier of the user, fitted on all labels, and without each fold to judge it."""
    X, codes, weights = data.X, data.codes, data.weights
    if weights is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"class_weight or sample_weight is given, and the anchor {name!r} takes none; leave "
            "it out, or give a classifier whose fit has sample_weight (a Pipeline has not)."
        )
    options = {} if weights is None else {"sample_weight": weights}
    n_folds = min(N_FOLDS, len(codes))
    kind = StratifiedKFold if np.bincount(codes).min() >= n_folds else KFold
    folds = list(kind(n_folds, shuffle=True, random_state=seed).split(X, codes))
    estimator = seeded(estimator, seed)
    models = Parallel(n_jobs=n_jobs)(
        delayed(_fitted)(estimator, X[rows], codes[rows], {k: w[rows] for k, w in options.items()})
        for rows in [np.arange(len(codes)), *(train for train, _ in folds)]
    )
    fits = [ScoredEstimator(model, len(data.classes)) for model in models]
    left_out = np.zeros_like(data.signs)
    for fitted, (_, test) in zip(fits[1:], folds, strict=True):
        left_out[test] = fitted(X[test])
    return Term(name, name, False, left_out[None], fits[0])


def _fitted(estimator: Any, X: Any, codes: Index, options: dict[str, Vector]) -> Any:
    """A fit on codes rather than labels: classes are positions wherever a fold lacks one."""
    is_single = len(np.unique(codes)) == 1  # in a fold without the rarest class
    model = DummyClassifier() if is_single else clone(estimator)
    return model.fit(X, codes, **options)


def fitted_source(
    name: str, given: Any, rows: ReferenceRows, seed: int, is_view: bool
) -> Source | None:
    """What is given, or what the name stands for, fitted; None where these rows have no such."""
    space = rows.space
    if given is None and name in DENSE_ONLY and space.svd is not None:
        return None
    X = space.coordinates(rows.scaled) if is_view else rows.scaled
    if given is None:
        view = _named_view(name, X.shape, space.scaler)
    else:
        view = copy(given) if isinstance(given, views.View) else views.EmbeddingView(given)
    return Source(name, view.fit(rows.reference(X, seed)), is_view)


def _named_view(name: str, shape: tuple[int, int], scaler: Any) -> views.View:
    if name in ANCHOR_KERNELS:
        return views.EmbeddingView(None, ANCHOR_KERNELS[name])
    if name == "ranks":
        return views.ranks_view()
    if name == "components":
        return views.components_view(*shape)
    if name == "clusters":
        return views.clusters_view()
    if name == "unscaled graph":
        return views.GraphView(views.Rescaled(scaler.scale_))
    return views.GraphView(views.AveragedRanks() if name == "rank graph" else None)


def read_specs(
    given: Any, known: tuple[str, ...], parameter: str, suits: Callable[[Any], bool], what: str
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
    return isinstance(given, views.View) or (hasattr(given, "fit") and hasattr(given, "transform"))


def candidates_of(terms: Sequence[Term]) -> list[Candidate]:
    """All terms with all penalties; views together weigh `VIEWS_PRIOR` times what anchors do."""
    n_views = sum(term.is_view for term in terms)
    candidates = []
    for term in terms:
        # Anchors are not divided further, so that theirs are the same bits without any views.
        prior = VIEWS_PRIOR / n_views if term.is_view else 1.0 / (len(terms) - n_views)
        prior /= len(term.left_out)
        candidates += [
            Candidate(term.name, fit, prior, term.is_view, term.source) for fit in term.left_out
        ]
    return candidates


def averaged(
    terms: Sequence[Term], weights: Vector, rows: ReferenceRows, data: TrainingData
) -> tuple[TacitModel, Matrix]:
    """The weighted average, and its decisions on the reference rows.

    Kernels of one source are added up first; what has no weight is left out.
    """
    kernels: dict[Source, dict[str, Matrix]] = defaultdict(dict)
    intercept = np.zeros(data.signs.shape[1])
    estimators, position = [], 0
    for term in terms:
        own = weights[position : position + len(term.left_out)]
        position += len(term.left_out)
        if not own.any():
            continue
        if term.scored is not None:
            estimators.append((float(own[0]), term.scored))
        if term.path is None:
            continue
        dual = np.tensordot(own, term.path.dual, 1)
        intercept = intercept + own @ term.path.intercept
        for source, kernel, factor in term.parts:
            before = kernels[source].get(kernel, 0.0)
            kernels[source][kernel] = before + factor * dual
    functions: dict[bool, list[Any]] = {False: [], True: []}
    values = np.tile(intercept, (len(rows.position), 1))
    for source, by_kernel in kernels.items():
        on_reference, function = source.view.functions(by_kernel)
        values += on_reference
        functions[source.is_view].append(function)
    for weight, estimator in estimators:
        values += weight * estimator(rows.X)
    return TacitModel(rows.space, intercept, functions[False], functions[True], estimators), values
