"""What tells data and classifiers from others of the same name, before runs are resumed."""

from __future__ import annotations

import types
from copy import copy
from typing import Any

import joblib
import numpy as np
from joblib.hashing import NumpyHasher

from tacit._typing import Vector
from tacit.selection._labeled_table import LabeledTable

# Bits kept of values the size of their column's spread, and what is nothing beside the largest.
PRECISION = 2.0**-20
NOTHING = 2.0**-40
# A parameter of tacit's classifiers that is left out where it is None: it then decides nothing, and
# runs that were kept before there was one go on.
UNSET = "class_weight"


def digest_of(table: LabeledTable) -> str:
    """The shape of a table and a hash of its values, whatever the units of its columns.

    Sources of a dataset may differ in the last bits, so values are rounded: to a millionth of the
    spread of their column or, far from its middle, to single precision.
    """
    X = np.asarray(table.X, dtype=np.float64)
    values = joblib.hash([*map(_rounded, X.T), np.ascontiguousarray(table.y, dtype=np.int64)])
    return f"{X.shape[0]} x {X.shape[1]}, {values}"


def describe(estimator: Any) -> str:
    """A classifier by class, plain parameters and a hash of everything that decides its numbers.

    The same in every process. joblib's hash, with functions by their code, defaults and enclosed
    values. Neither the code of classes nor what a function calls is looked at.
    """
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    owners = {name: parameters.get(name.rpartition("__")[0], estimator) for name in parameters}
    plain = ", ".join(
        f"{name}={value!r}"
        for name, value in ((name, _by_value(value)) for name, value in parameters.items())
        if isinstance(value, bool | int | float | str | types.NoneType)
        and not (name.endswith(UNSET) and _is_unset(owners[name]))
    )
    return f"{_name(type(estimator))}({plain}) #{_Hasher().hash(estimator)}"


class _Hasher(NumpyHasher):
    """joblib's hash by value, also of what pickles by name or not at all."""

    def save(self, obj: Any) -> None:
        super().save(_by_value(obj))


def _is_unset(obj: Any) -> bool:
    ours = type(obj).__module__.startswith("tacit.")
    return ours and vars(obj).get(UNSET, "") is None


def _by_value(obj: Any) -> Any:
    """`obj` in parts that pickle by value."""
    if hasattr(obj, "__dict__") and not isinstance(obj, type) and _is_unset(obj):
        obj = copy(obj)
        delattr(obj, UNSET)
    if isinstance(obj, types.FunctionType):
        enclosed = [cell.cell_contents for cell in obj.__closure__ or ()]
        cells = [each for each in enclosed if each is not obj]  # it may call itself
        return _name(obj), obj.__code__, obj.__defaults__, obj.__kwdefaults__, cells
    if isinstance(obj, types.CodeType):
        counts = obj.co_argcount, obj.co_posonlyargcount, obj.co_kwonlyargcount
        return obj.co_code, obj.co_names, counts, obj.co_consts
    if isinstance(obj, types.MethodType):
        return obj.__func__, obj.__self__
    if isinstance(obj, type):
        return _name(obj)
    if isinstance(obj, frozenset):
        return set(obj)
    if isinstance(obj, np.generic):
        return obj.item()
    if obj is np.random.mtrand._rand:  # NumPy's own, which changes with every use
        return "numpy.random"
    return obj


def _name(what: Any) -> str:
    return f"{what.__module__}.{what.__qualname__}"


def _rounded(column: Vector) -> tuple[float, float, Any]:
    there = column[np.isfinite(column)]
    largest = float(np.abs(there).max(initial=0.0))
    middle = float(np.median(there)) if len(there) else 0.0
    away = np.abs(there - middle)
    away = away[away > NOTHING * largest]
    # The median does not follow a single value that is far away.
    spread = float(np.median(away)) if len(away) else largest
    # A power of two, which the last bits of the spread do not change: the limits between two of
    # them are no round numbers.
    unit = 2.0 ** round(np.log2(spread)) if spread > 0.0 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.round((column - middle) / unit / PRECISION)
        # Zero has a sign and NaN has many forms.
        steps = np.where(np.isnan(steps), np.nan, steps + 0.0).astype(np.float32)
        return unit, float(np.round(middle / unit / PRECISION) + 0.0), steps
