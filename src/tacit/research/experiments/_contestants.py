"""The contestants of the paper, and those that it should have had."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from sklearn.linear_model import LogisticRegressionCV

from tacit import estimators
from tacit.selection import Contestant
from tacit.selection._contestants import Sees

SUPERVISED = "supervised"
SELF_LEARNING = "self-learning"
ICLS = "ICLS"
PROJECTED = "projected"
ORACLE = "oracle"
RIDGE = "supervised, ridge"
RIDGE_ICLS = "ICLS, ridge"
RIDGE_PROJECTED = "projected, ridge"
LOGISTIC = "logistic regression, tuned"
# A decade apart. scikit-learn's own go up to 1e4; on columns of unit variance the largest hardly
# regularise, and take most of the time.
LOGISTIC_CS = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]


def paper_contestants() -> tuple[Contestant, ...]:
    """The classifiers of the paper, the projection of 2017, and an oracle that sees all labels."""
    return (
        Contestant(SUPERVISED, estimators.LeastSquaresClassifier()),
        Contestant(SELF_LEARNING, estimators.SelfLearningClassifier(), SUPERVISED),
        Contestant(ICLS, estimators.ICLSClassifier(), SUPERVISED),
        Contestant(PROJECTED, estimators.ProjectedLeastSquaresClassifier(), SUPERVISED),
        Contestant(ORACLE, estimators.LeastSquaresClassifier(), SUPERVISED, sees=Sees.EVERYTHING),
    )


def regularised_contestants() -> tuple[Contestant, ...]:
    """What a careful user would have done without unlabeled rows, and ICLS on top of it."""
    # scoring is named since its default changes with the version of scikit-learn.
    logistic = LogisticRegressionCV(Cs=LOGISTIC_CS, cv=5, scoring="accuracy", max_iter=1000)
    ridge = estimators.LeastSquaresClassifier(alpha="loo")
    projected = estimators.ProjectedLeastSquaresClassifier(alpha="loo", penalty="start")
    return (
        Contestant(RIDGE, ridge, SUPERVISED, sees=Sees.LABELED),
        Contestant(RIDGE_ICLS, estimators.ICLSClassifier(alpha="loo"), RIDGE),
        Contestant(RIDGE_PROJECTED, projected, RIDGE),
        Contestant(LOGISTIC, logistic, RIDGE, sees=Sees.LABELED),
    )


def own_contestants(given: Iterable[str], twin: str) -> tuple[Contestant, ...]:
    """Methods of the user, each by the file and the name of a class, a classifier or a Contestant.

    They are compared with `twin` and see rows without label, marked by -1, unless a Contestant says
    otherwise by `sees`.
    """
    return tuple(_own_contestant(text, twin) for text in given)


def _own_contestant(text: str, twin: str) -> Contestant:
    file, _, name = text.rpartition(":")
    path = Path(file).resolve()
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(
            f"--method was {text!r}, which names no Python file; write mine.py:MyClassifier."
        )
    # Where other processes, too, find it.
    sys.path.insert(0, str(path.parent))
    try:
        found = getattr(import_module(path.stem), name)
        found = found() if isinstance(found, type) else found
    except Exception as error:
        raise ValueError(
            f"--method was {text!r}, but {name!r} could not be made from that file: {error!r}."
        ) from error
    if not isinstance(found, Contestant) and not hasattr(found, "fit"):
        raise ValueError(
            f"--method was {text!r}, and {name!r} is a {type(found).__name__} without fit; name a "
            "classifier, a class of one, or a Contestant."
        )
    if isinstance(found, Contestant):
        own = replace(found, twin=twin, sees=found.sees or Sees.UNLABELED)
    else:
        own = Contestant(name, found, twin)
    # The code is a part of what it is: runs of an earlier version are not mixed with new ones.
    code = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return replace(own, description=f"{path.name} #{code}")
