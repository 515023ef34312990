"""Whether the description in a model file can be believed: types, and shapes against the model."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_number(value: Any) -> bool:
    if _is_whole(value):
        return bool(abs(value) <= sys.float_info.max)
    return isinstance(value, float) and math.isfinite(value)


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(one) for one in value)


def _dict(entries: dict[str, Check]) -> Check:
    return lambda value: (
        isinstance(value, dict)
        and set(value) == set(entries)
        and all(check(value[name]) for name, check in entries.items())
    )


def _is_classes(value: Any) -> bool:
    if not isinstance(value, list) or len(value) < 2 or len(set(map(str, value))) < len(value):
        return False
    return all(_is_text(one) or _is_whole(one) for one in value)


def _is_versions(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, [*value.keys(), *value.values()]))


_COLUMN: dict[str, Check] = {
    "name": _is_text,
    "kind": _is_text,
    "note": _is_text,
    "written": _or_none(_is_text),
    "n_missing": _is_count,
    "n_values": _is_count,
    "n_words": _is_count,
}
_SURENESS: dict[str, Check] = {
    "slope": _is_number,
    "offset": _is_number,
    "n_labels": lambda value: _is_count(value) and value > 0,
    "n_right": _is_count,
}
CHECKS: dict[str, Check] = {
    "model": _is_text,
    "target": _is_text,
    "classes": _is_classes,
    "label_counts": _list(_is_count),
    "n_unlabeled": _is_count,
    "marks": _list(_is_text),
    "table": _is_text,
    "columns": _list(_dict(_COLUMN)),
    "feature_names": _list(_is_text),
    "alpha": _is_number,
    "certificate": _or_none(lambda value: isinstance(value, dict)),
    "certificate_words": _is_text,
    "supervised": _dict({"coef": _list(_list(_is_number)), "intercept": _list(_is_number)}),
    "sureness": _or_none(_dict(_SURENESS)),
    "notes": _list(_is_text),
    "streamed": lambda value: isinstance(value, bool),
    "separator": _or_none(lambda value: _is_text(value) and len(value) == 1),
    "command": _is_text,
    "versions": _is_versions,
    "format": _is_count,
}


def first_wrong(values: dict[str, Any]) -> str | None:
    """What is wrong with the first entry that cannot be right, or None."""
    for name, check in CHECKS.items():
        if not check(values[name]):
            return f"{name!r} is not what it should be"
    if len(values["label_counts"]) != len(values["classes"]):
        return "'label_counts' and 'classes' are not of one length"
    return None


def first_misfit(values: dict[str, Any], pipeline: Any) -> str | None:
    """The first entry that does not fit the classifier and the columns of a model, or None."""
    try:
        classifier, columns = pipeline[-1], pipeline[0].columns
        n_rows, n_features = classifier.coef_.shape
        n_intercepts = classifier.intercept_.size
        classes = classifier.classes_.tolist()
        names = {name for name, *_ in columns}
    except (AttributeError, TypeError, ValueError, IndexError):
        return "the model lacks what it describes"
    supervised = values["supervised"]
    lengths = {len(row) for row in supervised["coef"]}
    if classes != values["classes"]:
        return "'classes' are not those of the model"
    if (
        len(supervised["coef"]) != n_rows
        or lengths != {n_features}
        or len(supervised["intercept"]) != n_intercepts
    ):
        return "'supervised' has not the shape of the model"
    if len(values["feature_names"]) != n_features:
        return "'feature_names' are not as many as those of the model"
    if not names <= {column["name"] for column in values["columns"]}:
        return "'columns' are not those of the model"
    return None


def dict_of(value: Any) -> dict[str, Any]:
    """A dictionary, empty if the value is none."""
    return value if isinstance(value, dict) else {}
