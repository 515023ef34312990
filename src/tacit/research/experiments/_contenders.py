"""Who takes part in an experiment, and what each of them may see."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sklearn.base import BaseEstimator, clone

from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)

SUPERVISED = "supervised"
SELF_LEARNING = "self-learning"
ICLS = "ICLS"
PROJECTED = "projected"
ORACLE = "oracle"


class Sees(Enum):
    """What a classifier is given to fit."""

    LABELED = "the labeled rows"
    UNLABELED = "the labeled rows, and the unlabeled ones marked by -1"
    EVERYTHING = "all rows with all labels"


@dataclass(frozen=True)
class Contender:
    """A scikit-learn classifier under a name.

    Attributes
    ----------
    name : str
        Its name in all results.
    estimator : estimator
        Cloned before every fit. Parameters called `random_state` that are None get a seed that is
        a hash of the run.
    sees : Sees
        What it may use.
    twin : str
        Name of the supervised contender it is compared with, one of the same experiment. Where
        none is named and there is none called "supervised", it is compared with nobody.
    """

    name: str
    estimator: BaseEstimator
    sees: Sees = Sees.UNLABELED
    twin: str = SUPERVISED

    def unfitted(self, key: str) -> Any:
        """A fresh copy of the estimator, seeded by `key`."""
        estimator = clone(self.estimator)
        seeds = {
            name: seed_of(f"{key}|{self.name}|{name}") % 2**32
            for name, value in estimator.get_params().items()
            if value is None and name.rpartition("__")[2] == "random_state"
        }
        return estimator.set_params(**seeds)


def seed_of(key: str) -> int:
    """A seed that depends on `key` and nothing else, on any machine."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")


def paper_contenders() -> tuple[Contender, ...]:
    """The classifiers of the paper, the projection of 2017, and an oracle that sees all labels."""
    return (
        Contender(SUPERVISED, LeastSquaresClassifier(), Sees.LABELED),
        Contender(SELF_LEARNING, SelfLearningClassifier()),
        Contender(ICLS, ICLSClassifier()),
        Contender(PROJECTED, ProjectedLeastSquaresClassifier()),
        Contender(ORACLE, LeastSquaresClassifier(), Sees.EVERYTHING),
    )
