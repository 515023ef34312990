"""What is known about the shares of the classes among the unlabeled rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit._typing import Vector
from tacit.estimators._training import TrainingData, shorten

# Shares given as decimal numbers need not add up to one to the last digit.
ROUNDING = 1e-6


def read_class_prior(class_prior: Any, data: TrainingData) -> Vector | None:
    """The share of each class that the parameter `class_prior` stands for, or None.

    It is given in the order of the sorted classes, by class (a mapping, or a pandas Series with the
    classes in its index), or as "labeled": the weighted shares among the labeled rows.
    """
    if class_prior is None:
        return None
    if isinstance(class_prior, str):
        if class_prior != "labeled":
            raise ValueError(
                f'class_prior is {class_prior!r}; it must be "labeled", one share for each class, '
                "or None."
            )
        counts = np.bincount(data.codes, data.weights, minlength=len(data.classes))
        return np.asarray(counts / counts.sum(), dtype=np.float64)
    classes = data.classes.tolist()
    # A Series without an index of its own is numbered, which is an index by class for classes
    # 0, 1, ... and refused for others: its order is never taken for that of the classes.
    if hasattr(class_prior, "index") and hasattr(class_prior, "to_dict"):
        _check_series(class_prior)
        class_prior = class_prior.to_dict()
    if isinstance(class_prior, Mapping):
        missing = [f"no share for the class {c!r}" for c in classes if c not in class_prior]
        others = [c for c in class_prior if c not in classes]
        strange = [f"a share for {c!r}, which is no class of y" for c in others]
        if missing or strange:
            problems = " and ".join(missing[:1] + strange[:1])
            raise ValueError(f"class_prior has {problems}; the classes are {shorten(classes)}.")
        class_prior = [class_prior[c] for c in classes]
    try:
        shares = np.asarray(class_prior, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"class_prior is {class_prior!r}; it must be numbers: {error}") from error
    if shares.shape != (len(classes),):
        raise ValueError(
            f"class_prior has shape {shares.shape}; it must have one share for each of the "
            f"{len(classes)} classes, in their order {shorten(classes)}."
        )
    if not ((shares >= 0.0) & (shares <= 1.0)).all():
        raise ValueError(
            f"class_prior is {shares.tolist()}; every share must lie between 0 and 1, for no "
            "labels have another."
        )
    if abs(float(shares.sum()) - 1.0) > ROUNDING:
        raise ValueError(
            f"class_prior is {shares.tolist()} with a sum of {shares.sum():g}; the shares of all "
            "classes must add up to 1."
        )
    return np.asarray(shares / shares.sum())


def _check_series(series: Any) -> None:
    """Refuse a table, and an index that has a class twice."""
    if getattr(series, "ndim", 1) != 1:
        raise ValueError(
            "class_prior is a table with rows and columns; it must be one share for each class: a "
            "list, a mapping or a Series with the classes as its index."
        )
    twice = series.index[series.index.duplicated()].tolist()
    if twice:
        raise ValueError(
            f"class_prior has the class {twice[0]!r} in its index more than once; give one share "
            "for each class."
        )
