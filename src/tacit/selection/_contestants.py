"""Who is compared: semi-supervised classifiers, each beside its supervised twin."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from numbers import Integral
from typing import Any

import joblib
from sklearn.base import clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from tacit import estimators as classifiers
from tacit.estimators import TacitClassifier
from tacit.family import LDAClassifier, NearestMeanClassifier

# Those of Tacit's classifiers that learn from labels alone.
SUPERVISED = (
    classifiers.KernelLeastSquaresClassifier,
    LDAClassifier,
    classifiers.LeastSquaresClassifier,
    NearestMeanClassifier,
    classifiers.TunedLogisticRegression,
)
# Of more unlabeled rows tacit learns from a sample, so that a fit takes seconds: a comparison makes
# dozens of them.
REFERENCE_ROWS = 5_000
# Of more labels a fit of tacit takes more than ten seconds, and a comparison many minutes.
MOST_LABELS = 500
WITHOUT_TACIT = (
    f"Above {MOST_LABELS} labels tacit takes long to fit dozens of times and is left out; pass it "
    "among the estimators of tacit.selection.compare to have it."
)


class Sees(Enum):
    """What a contestant is given to fit."""

    LABELED = "the labeled rows"
    UNLABELED = "the labeled rows, and the unlabeled ones marked by -1"
    EVERYTHING = "all rows with all labels"


@dataclass(frozen=True)
class Contestant:
    """One classifier of a comparison or an experiment.

    A Pipeline is fitted step by step: preprocessing on all training rows, labeled and unlabeled,
    for supervised and semi-supervised contestants alike. A supervised classifier, without `twin`,
    is fitted on the labeled rows only; a `TacitClassifier` without views gets the unlabeled ones
    too, to scale its columns as its twin does. Parameters called `random_state` that are None get a
    seed that is a hash of the run.
    """

    name: str  #: What tables and figures call it.
    estimator: Any  #: A classifier of scikit-learn's kind, not fitted.
    #: For a semi-supervised classifier, the name of the supervised one it would replace.
    twin: str | None = None
    description: str = ""  #: What it is, for readers who do not know its name.
    #: What it may use, where that does not follow from `twin`; for experiments, in which all labels
    #: are known.
    sees: Sees | None = None

    @property
    def training(self) -> Sees:
        """What it is fitted on."""
        alone = self.twin is None and not _is_without_views(self.classifier)
        return self.sees or (Sees.LABELED if alone else Sees.UNLABELED)

    @property
    def is_semi_supervised(self) -> bool:
        """Whether it learns from unlabeled rows."""
        return self.twin is not None and self.training is Sees.UNLABELED

    @property
    def preprocessing(self) -> Pipeline | None:
        """All steps of a pipeline but the last."""
        if isinstance(self.estimator, Pipeline) and len(self.estimator.steps) > 1:
            return self.estimator[:-1]
        return None

    @property
    def preprocessing_key(self) -> str | None:
        """The same for the same preprocessing; None where that cannot be told."""
        if self.preprocessing is None:
            return ""
        try:
            return str(joblib.hash(self.preprocessing))
        except Exception:  # what cannot be pickled, such as a lambda
            return None

    @property
    def classifier(self) -> Any:
        """The last step of a pipeline, or the estimator itself."""
        return _last_step(self.estimator)


def contained_in(twin: Contestant, contestants: Iterable[Contestant]) -> Contestant | None:
    """The contestant whose fit has that of its supervised twin inside, if there is one.

    A `TacitClassifier` has: its anchors' average is what the same classifier without views is.
    """
    classifier, key = twin.classifier, twin.preprocessing_key
    if not _is_without_views(classifier) or not isinstance(classifier.random_state, Integral):
        return None
    for contestant in contestants:
        whole = contestant.classifier
        if contestant.twin != twin.name or not isinstance(whole, TacitClassifier):
            continue
        without = clone(whole).set_params(views=classifier.views)
        is_prepared_alike = key is not None and contestant.preprocessing_key == key
        if is_prepared_alike and joblib.hash(without) == joblib.hash(classifier):
            return contestant
    return None


def seed_of(key: str) -> int:
    """A seed that depends on `key` and nothing else, on any machine."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")


def seeded(estimator: Any, key: str) -> Any:
    """A fresh copy, with a seed that is a hash of `key` for every `random_state` that is None."""
    copy = clone(estimator)
    seeds = {
        name: seed_of(f"{key}|{name}") % 2**32
        for name, value in copy.get_params().items()
        if value is None and name.rpartition("__")[2] == "random_state"
    }
    return copy.set_params(**seeds) if seeds else copy


Estimators = Mapping[str, Any] | Iterable[Contestant]


def default_contestants(
    preprocessing: Any = None, n_labels: int | None = None
) -> dict[str, Contestant]:
    """The usual comparison: what to use without the unlabeled rows, and what with them.

    The supervised side is a ridge tuned by leave-one-out, a tuned logistic regression, a random
    forest, and the average of kernels and a forest that tacit starts from: its anchors. A
    method that only beats an untuned or a poor classifier has not shown that unlabeled rows are
    worth anything. The semi-supervised side is tacit, which uses views of at most 5,000 unlabeled
    rows as far as the labels prove them, and three that start from the ridge: ICLS and the
    projection with the guarantee, which do not move without a reason, and self-learning, which
    does.

    `preprocessing`, a transformer of scikit-learn's kind, is put before each classifier; it must
    give numbers, best of about unit variance. Where there are more than 500 labels and `n_labels`
    says so, tacit and its anchors, which then take long to fit, are left out.

    They come by name, so that your own can stand beside them:
    ``{**default_contestants(), "mine": MyClassifier()}``, or ``"mine": (MyClassifier(), "ridge")``
    for a semi-supervised one that would replace the ridge.
    """
    ridge = classifiers.LeastSquaresClassifier(alpha="loo")
    tacit = TacitClassifier(max_reference_rows=REFERENCE_ROWS, random_state=0)
    usual: tuple[tuple[str, Any, str | None, str], ...] = (
        ("ridge", ridge, None,
         "least squares on the labels, with a penalty chosen by leave-one-out"),
        ("logistic", classifiers.TunedLogisticRegression(), None,
         "logistic regression on the labels, its penalty chosen by cross-validation"),
        # A point better than extremely randomised trees with 60 labels, by `make tables`.
        ("forest", RandomForestClassifier(random_state=0), None,
         "a random forest of a hundred trees on the labels"),
        ("anchors", clone(tacit).set_params(views=[]), None,
         "the average of kernels and a random forest on the labels, from which tacit starts"),
        ("tacit", tacit, "anchors",
         "the same average, with what views of the unlabeled rows add where the labels prove it"),
        ("ICLS", classifiers.ICLSClassifier(alpha="loo"), "ridge",
         "the ridge, moved only where no labeling of the unlabeled rows would leave it"),
        ("projected", classifiers.ProjectedLeastSquaresClassifier(alpha="loo"), "ridge",
         "the same, moved so that the penalised squared loss on this table cannot rise"),
        ("self-learning", classifiers.SelfLearningClassifier(ridge), "ridge",
         "the ridge, refitted on its own predictions until they settle; nothing is guaranteed"),
    )  # fmt: skip
    before = [] if preprocessing is None else [clone(preprocessing)]
    return {
        name: Contestant(name, make_pipeline(*before, model) if before else model, twin, words)
        for name, model, twin, words in usual
        if (n_labels or 0) <= MOST_LABELS or not isinstance(model, TacitClassifier)
    }


def read_contestants(estimators: Estimators) -> tuple[Contestant, ...]:
    """Check who is given: a mapping of names, or contestants."""
    contestants: tuple[Any, ...]
    if isinstance(estimators, Mapping):
        contestants = tuple(_of_entry(name, entry) for name, entry in estimators.items())
    else:
        contestants = tuple(estimators)
    for contestant in contestants:
        _check(contestant)
    names = [contestant.name for contestant in contestants]
    if len(set(names)) < len(names):
        raise ValueError("estimators has two contestants of one name; give each a name of its own.")
    supervised = [c.name for c in contestants if c.twin is None]
    if len(supervised) == len(contestants):
        raise ValueError(
            "estimators has no semi-supervised classifier, so there is nothing to compare; give "
            'at least one with the name of its supervised twin: {"ridge": ridge, "ICLS": (icls, '
            '"ridge")}.'
        )
    for name, twin in ((c.name, c.twin) for c in contestants if c.twin not in [None, *supervised]):
        fault = "has a twin itself" if twin in names else "is not among the estimators"
        raise ValueError(
            f"estimators[{name!r}] has the twin {twin!r}, which {fault}; a twin must be "
            f"supervised: one of {supervised}."
        )
    return contestants


def _of_entry(name: str, entry: Any) -> Contestant:
    if isinstance(entry, tuple) and len(entry) != 2:
        raise ValueError(
            f"estimators[{name!r}] is a tuple of {len(entry)}; it must be an estimator, or a "
            "pair of an estimator and the name of its supervised twin."
        )
    if isinstance(entry, Contestant):
        return replace(entry, name=name)
    return Contestant(name, *entry) if isinstance(entry, tuple) else Contestant(name, entry)


def _check(contestant: Any) -> None:
    if not isinstance(contestant, Contestant):
        raise TypeError(
            f"estimators has a {type(contestant).__name__}; pass a dictionary from names to "
            "estimators, or a list of Contestant."
        )
    name: Any = contestant.name
    estimator = contestant.estimator
    if not isinstance(name, str) or not name:
        raise ValueError(f"estimators has the name {name!r}; names must be non-empty strings.")
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise TypeError(
            f"estimators[{name!r}] is {estimator!r}, which is not a classifier; it must be one of "
            "scikit-learn's kind, made but not fitted."
        )
    if contestant.twin is None and _is_known_as_semi_supervised(contestant.classifier):
        raise ValueError(
            f"estimators[{name!r}] is semi-supervised and has no twin; pass it with the name of "
            f'the supervised classifier it would replace: "{name}": (estimator, "name of twin").'
        )
    if contestant.training is not replace(contestant, sees=None).training:
        raise ValueError(
            f"estimators[{name!r}] sees {contestant.training.value}, but in a comparison that "
            "follows from its twin; leave `sees` out."
        )


def _is_known_as_semi_supervised(classifier: Any) -> bool:
    modules = [base.__module__ for base in type(classifier).__mro__]
    if any(name.startswith(("tacit.", "sklearn.semi_supervised")) for name in modules):
        return not (isinstance(classifier, SUPERVISED) or _is_without_views(classifier))
    # A grid search, a calibration or the like learns from what the classifier in it learns from.
    inner = getattr(classifier, "estimator", None)
    return inner is not None and _is_known_as_semi_supervised(_last_step(inner))


def _is_without_views(classifier: Any) -> bool:
    return isinstance(classifier, TacitClassifier) and classifier.views in ([], ())


def _last_step(estimator: Any) -> Any:
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator
