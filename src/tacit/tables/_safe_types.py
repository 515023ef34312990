"""Which types a saved model may contain: those that our own models need, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# By module, exactly: a module that is named is imported, which runs it. Every one of these types
# only computes with what it is given; none opens files, imports or runs anything by name.
SAFE: dict[str, tuple[str, ...]] = {
    "builtins": ("bool", "dict", "float", "int", "list", "str", "tuple"),
    "numpy": ("bool", "dtype", "float32", "float64", "int32", "int64", "ndarray"),
    "sklearn.decomposition._truncated_svd": ("TruncatedSVD",),
    "sklearn.feature_extraction.text": ("TfidfTransformer", "TfidfVectorizer"),
    "sklearn.impute._base": ("MissingIndicator", "SimpleImputer"),
    "sklearn.linear_model._logistic": ("LogisticRegression",),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing._data": ("StandardScaler",),
    "sklearn.preprocessing._encoders": ("OneHotEncoder",),
    # The table vectorizer, the steps that it is made of, and the selectors and predicates by which
    # it sends columns to them.
    "skrub._apply_to_each_col": ("ApplyToEachCol",),
    "skrub._check_input": ("CheckInputDataFrame",),
    "skrub._clean_categories": ("CleanCategories",),
    "skrub._clean_null_strings": ("CleanNullStrings",),
    "skrub._dataframe._common": ("is_any_date", "is_categorical", "is_numeric"),
    "skrub._datetime_encoder": ("DatetimeEncoder",),
    "skrub._drop_uninformative": ("DropUninformative",),
    "skrub._duration_to_float": ("DurationToFloat",),
    "skrub._string_encoder": ("StringEncoder",),
    "skrub._table_vectorizer": (
        "PassThrough",
        "ShortReprDict",
        "TableVectorizer",
        "_created_by_predicate",
    ),
    "skrub._to_datetime": ("ToDatetime",),
    "skrub._to_float": ("ToFloat",),
    "skrub._to_str": ("ToStr",),
    "skrub.selectors._base": ("All", "And", "Cols", "Filter", "Sub"),
    "skrub.selectors._selectors": ("_cardinality_below",),
}
# The ways of building an object that our models need. Others, such as those that call methods or
# operators by name, have no business in them.
LOADERS = frozenset(
    {
        "CachedNode", "DTypeNode", "DictNode", "FunctionNode", "JsonNode", "ListNode",
        "NdArrayNode", "ObjectNode", "TupleNode", "TypeNode",
    }
)  # fmt: skip


def is_safe(module: str, name: str) -> bool:
    """Whether a model may contain a type."""
    from tacit.estimators import (
        ICLSClassifier,
        LeastSquaresClassifier,
        ProjectedLeastSquaresClassifier,
        TunedLogisticRegression,
    )
    from tacit.solver import Certificate
    from tacit.tables._features import DropLowVariance, TypedColumns

    own = (
        Certificate,
        DropLowVariance,
        ICLSClassifier,
        LeastSquaresClassifier,
        ProjectedLeastSquaresClassifier,
        TunedLogisticRegression,
        TypedColumns,
    )
    if (module, name) in {(kind.__module__, kind.__name__) for kind in own}:
        return True
    return name in SAFE.get(module, ())


def sort_types(schema: Any) -> tuple[list[str], list[str]]:
    """The types in the schema of a skops file: those known to be safe, and all others.

    Full names, sorted. A type that is safe but built in an unknown way is not.
    """
    safe, unsafe = set(), set()
    for node in nodes(schema):
        if "__class__" not in node and "__loader__" not in node:
            continue
        module, name = str(node.get("__module__")), str(node.get("__class__"))
        loader = str(node.get("__loader__"))
        if not is_safe(module, name):
            unsafe.add(f"{module}.{name}")
        elif loader not in LOADERS:
            unsafe.add(f"{module}.{name} (by {loader})")
        else:
            safe.add(f"{module}.{name}")
    return sorted(safe), sorted(unsafe)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """All parts of a schema, however deep."""
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, dict):
            todo.extend(node.values())
            yield node
