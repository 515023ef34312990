"""Which rows are labeled, and with what."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from tacit._typing import AnyArray, Index, Mask
from tacit._words import listed


@dataclass(frozen=True)
class Labels:
    """The labels of a table, some of them unknown."""

    is_labeled: Mask
    classes: AnyArray  # the sorted labels that occur
    codes: Index  # for every labeled row, in order, the position of its label in `classes`

    @property
    def values(self) -> AnyArray:
        """The labels of the labeled rows."""
        return np.asarray(self.classes[self.codes])


def read_labels(y: Any, unlabeled: Any = -1, n_rows: int | None = None) -> Labels:
    """Tell labels from marks, of `n_rows` rows.

    Missing values (None, NaN, pandas NA and NaT) always mean "unlabeled"; so does the value
    `unlabeled`, unless it is None, so that -1 can be a class. Labels are strings, booleans, numbers
    or a pandas categorical.
    """
    values = _as_column(y)
    if n_rows not in (None, len(values)):
        raise ValueError(
            f"y has {len(values)} values and X has {n_rows} rows; y needs one value for every row "
            "of X, a label or a mark."
        )
    marked = _is_missing(values) | _equals(values, unlabeled)
    known = values[~marked]
    if known.dtype == object:
        known = _natural(known)
    if known.dtype.kind == "f" and np.isinf(known).any():
        raise ValueError("Input y contains infinity; labels must be finite.")
    if known.dtype.kind == "f" and (known % 1.0 != 0.0).any():
        raise ValueError(
            "Unknown label type: continuous. y has numbers with decimals, so it looks like a "
            "measurement and not like classes; make classes of it, for example with y > threshold "
            "(and marks where y is unknown)."
        )
    if len(known):
        check_classification_targets(known)
    _check_mark_as_string(known, unlabeled)
    classes, codes = np.unique(known, return_inverse=True)
    return Labels(~marked, classes, codes.reshape(-1).astype(np.intp))


def check_classes(classes: AnyArray, some_marked: bool, unlabeled: Any) -> None:
    """Refuse labels of fewer than two classes."""
    if len(classes) == 0:
        mark = "None, NaN" if unlabeled is None else f"{unlabeled!r}, None, NaN"
        raise ValueError(
            f"y has no labels: every row is marked as unlabeled ({mark}) or has weight zero, but "
            "at least one labeled row of each of two classes is needed."
        )
    if len(classes) == 1:
        hint = ""
        if isinstance(unlabeled, int | float) and unlabeled == -1 and some_marked:
            hint = " If -1 is a class of yours and not a mark, set unlabeled=None."
        raise ValueError(
            f"y has labels of only one class, {classes.tolist()[0]!r}; at least two classes are "
            f"needed among the labeled rows.{hint}"
        )


def _check_mark_as_string(known: AnyArray, unlabeled: Any) -> None:
    """NumPy turns ["yes", "no", -1] into strings; the mark would be a class without a word."""
    is_number = isinstance(unlabeled, numbers.Number) and not isinstance(unlabeled, bool)
    if is_number and known.dtype.kind in "UO" and (known == str(unlabeled)).any():
        raise ValueError(
            f'y has the label "{unlabeled}", a string, and unlabeled is the number {unlabeled}. '
            f'Set unlabeled="{unlabeled}" if it marks unlabeled rows, or unlabeled=None if it is '
            "a class."
        )


def _as_column(y: Any) -> AnyArray:
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None. "
            "Mark single unlabeled rows by -1 or NaN, or pass them as X_unlabeled."
        )
    values = np.asarray(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if isinstance(y, list | tuple):
        # One such as ["a", "b", -1] or [True, None] must not be turned into strings or floats.
        kinds = {_kind(v) for v in values.ravel()}
        values = values if len(kinds) > 1 or kinds == {type(None)} else np.asarray(y)
    if values.dtype.kind == "f" and not isinstance(getattr(y, "dtype", values.dtype), np.dtype):
        # pandas' nullable integers with NA among them would become floats.
        values = np.asarray(y, dtype=object)
    if values.dtype.kind == "T":
        values = values.astype(object)
    return np.asarray(column_or_1d(values, warn=True))


def _kind(value: Any) -> type:
    if isinstance(value, bool | np.bool_):
        return bool
    if isinstance(value, str):
        return str
    if isinstance(value, numbers.Number):
        return float
    return type(value)


def _is_missing(values: AnyArray) -> Mask:
    if values.dtype == object:
        return np.fromiter(map(_is_missing_value, values), dtype=bool, count=len(values))
    return np.asarray(values != values)  # as NaN and NaT are not what they are


def _is_missing_value(value: Any) -> bool:
    # pandas' NA and NaT are known by the names of their types, so that pandas is not imported.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def _equals(values: AnyArray, mark: Any) -> Mask:
    """Where a value is the mark, and of its kind: "-1" is not -1, False is not 0."""
    if mark is None or _is_missing_value(mark):
        return np.zeros(len(values), dtype=bool)
    kind = _kind(mark)
    if values.dtype == object:
        same = (_kind(v) is kind and bool(v == mark) for v in values)
        return np.fromiter(same, dtype=bool, count=len(values))
    if len(values) == 0 or _kind(values[0]) is not kind:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(values == mark)


def _natural(known: AnyArray) -> AnyArray:
    """An object array of labels as an array of booleans or numbers; strings stay objects."""
    kinds = {_kind(v) for v in known}
    if len(kinds) > 1:
        names = listed(sorted({type(value).__name__ for value in known}))
        raise TypeError(
            f"y mixes labels of the kinds {names}; give all labels one type, for example with "
            "y.astype(str) on the labeled rows."
        )
    if kinds <= {bool, float}:
        return np.array(known.tolist())
    return known
