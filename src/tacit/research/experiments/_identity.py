"""What tells data and classifiers from others of the same name, before runs are resumed."""

from __future__ import annotations

import functools
import hashlib
import re
import types
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from scipy import sparse

from tacit._typing import AnyArray, Vector
from tacit.research.experiments._protocols import Table

# Bits kept of values the size of their column's spread, and what is nothing beside the largest.
PRECISION = 2.0**-20
NOTHING = 2.0**-40
SIMPLE = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice)


def digest_of(table: Table) -> str:
    """The shape of a table and a hash of its values, whatever the units of its columns.

    Sources of a dataset may differ in the last bits, so values are rounded: to a millionth of the
    spread of their column or, far from its middle, to single precision.
    """
    digest = hashlib.blake2b(digest_size=12)
    for column in np.asarray(table.X, dtype=np.float64).T:
        digest.update(_rounded(column))
    digest.update(table.y.astype(np.int64).tobytes())
    return f"{table.X.shape[0]} x {table.X.shape[1]}, {digest.hexdigest()}"


def description_of(value: Any) -> str:
    """A classifier or a setting in one line: the same in every process, another for another.

    Classes go by module and name and with all their parameters, arrays by a hash of their values,
    functions by a hash of their code, defaults and enclosed values. Neither the code of classes nor
    what a function calls is looked at.
    """
    return _described(value, ())


def _rounded(column: Vector) -> bytes:
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
        place = np.array([unit, np.round(middle / unit / PRECISION) + 0.0])
    return place.tobytes() + steps.tobytes()


def _described(value: Any, within: tuple[int, ...]) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, SIMPLE):
        return repr(value)
    if isinstance(value, type):
        return _name(value)
    if id(value) in within:  # a function that encloses itself
        return "..."
    within = (*within, id(value))
    if isinstance(value, types.MethodType):
        return f"{_described(value.__func__, within)} of {_described(value.__self__, within)}"
    if isinstance(value, types.FunctionType):
        return f"{_name(value)} {_hash(_parts(value, within))}"
    if isinstance(value, functools.partial):
        parts = (value.func, value.args, value.keywords)
        return f"partial({', '.join(_described(part, within) for part in parts)})"
    if hasattr(value, "get_params"):
        try:
            parameters = value.get_params(deep=False)
        except TypeError:  # a kernel, whose parameters have no depth
            parameters = value.get_params()
        return f"{_name(type(value))}({_pairs(parameters, within, '=')})"
    if isinstance(value, Mapping):
        return f"{{{_pairs(value, within, ': ')}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_described(each, within) for each in value)}]"
    if isinstance(value, set | frozenset):
        # Their order is another in every process.
        return f"{{{', '.join(sorted(_described(each, within) for each in value))}}}"
    if hasattr(value, "to_dict") and hasattr(value, "index"):  # a Series or a frame of pandas
        labels = [list(value.index), list(getattr(value, "columns", ()))]
        return f"{_described(labels, within)} {_described_array(np.asarray(value), within)}"
    if sparse.issparse(value):
        entries = cast("Any", value).tocoo()
        content = [entries.shape, entries.row, entries.col, entries.data]
        return f"sparse{_described(content, within)}"
    if isinstance(value, np.random.RandomState):
        return f"{_name(type(value))}({_described(value.get_state(), within)})"
    if isinstance(value, np.random.Generator):
        return f"{_name(type(value))}({_described(value.bit_generator.state, within)})"
    if hasattr(value, "__array__"):
        return _described_array(np.asarray(value), within)
    return _described_object(value, within)


def _described_array(values: AnyArray, within: tuple[int, ...]) -> str:
    if values.dtype == object:
        return f"array({_described(values.tolist(), within)})"
    content = np.ascontiguousarray(values).tobytes().hex()
    return f"array({values.dtype} {values.shape} {_hash([content])})"


def _described_object(value: Any, within: tuple[int, ...]) -> str:
    """Its text; where that is a name and an address only, the settings that it holds."""
    text = " ".join(repr(value).split())
    plain = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    if plain == text:
        return f"{type(value).__module__}.{text}"
    kinds = (*SIMPLE, np.generic, np.ndarray, list, tuple, dict, types.FunctionType)
    held = {
        name: setting if isinstance(setting, kinds) else type(setting)
        for name, setting in getattr(value, "__dict__", {}).items()
    }
    return f"{plain}({_pairs(held, within, '=')})"


def _pairs(entries: Mapping[Any, Any], within: tuple[int, ...], sign: str) -> str:
    return ", ".join(
        f"{key if sign == '=' else _described(key, within)}{sign}{_described(entry, within)}"
        for key, entry in entries.items()
    )


def _parts(function: types.FunctionType, within: tuple[int, ...]) -> Iterable[str]:
    yield from _code_parts(function.__code__, within)
    yield _described(function.__defaults__, within)
    yield _described(function.__kwdefaults__, within)
    for cell in function.__closure__ or ():
        try:
            yield _described(cell.cell_contents, within)
        except ValueError:  # not given a value yet
            yield "nothing"


def _code_parts(code: types.CodeType, within: tuple[int, ...]) -> Iterable[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):  # a function within the function
            yield _hash(_code_parts(constant, within))
        else:
            yield f"{type(constant).__name__} {_described(constant, within)}"


def _hash(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(part.encode(errors="surrogatepass") + b"\0")
    return f"#{digest.hexdigest()}"


def _name(what: Any) -> str:
    return f"{what.__module__}.{what.__qualname__}"
