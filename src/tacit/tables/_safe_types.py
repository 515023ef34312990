"""Which types a saved model may contain: those that our own models need, and no others."""

from __future__ import annotations

from typing import Any

# By package, because packages move their types from module to module between releases. Every one
# of them only computes with what it is given; none opens files, imports or runs anything by name.
SAFE: dict[str, frozenset[str]] = {
    "builtins": frozenset({"bool", "dict", "float", "int", "list", "str", "tuple"}),
    "numpy": frozenset({"bool", "dtype", "float32", "float64", "int32", "int64", "ndarray"}),
    # What a TfidfTransformer holds in some releases of scikit-learn.
    "scipy": frozenset({"csr_array", "csr_matrix", "dia_array", "dia_matrix"}),
    "sklearn": frozenset(
        {
            "LogisticRegression",
            "MissingIndicator",
            "OneHotEncoder",
            "Pipeline",
            "SimpleImputer",
            "StandardScaler",
            "TfidfTransformer",
            "TfidfVectorizer",
            "TruncatedSVD",
        }
    ),
    # The table vectorizer, the steps that it is made of, and the selectors and predicates by which
    # it sends columns to them.
    "skrub": frozenset(
        {
            "All",
            "And",
            "ApplyToEachCol",
            "CheckInputDataFrame",
            "CleanCategories",
            "CleanNullStrings",
            "Cols",
            "DatetimeEncoder",
            "DropUninformative",
            "DurationToFloat",
            "Filter",
            "PassThrough",
            "ShortReprDict",
            "StringEncoder",
            "Sub",
            "TableVectorizer",
            "ToDatetime",
            "ToFloat",
            "ToStr",
            "_cardinality_below",
            "_created_by_predicate",
            "is_any_date",
            "is_categorical",
            "is_numeric",
        }
    ),
    "tacit": frozenset(
        {
            "Certificate",
            "ICLSClassifier",
            "LeastSquaresClassifier",
            "ProjectedLeastSquaresClassifier",
            "StandardisedNumbers",
            "TunedLogisticRegression",
            "TypedColumns",
            "WithoutFaintColumns",
        }
    ),
}
# The ways of building an object that our models need. Others, such as those that call methods or
# operators by name, have no business in them.
LOADERS = frozenset(
    {
        "CachedNode",
        "DTypeNode",
        "DictNode",
        "FunctionNode",
        "JsonNode",
        "ListNode",
        "NdArrayNode",
        "ObjectNode",
        "SparseMatrixNode",
        "TupleNode",
        "TypeNode",
    }
)


def sort_types(schema: Any) -> tuple[list[str], list[str]]:
    """The types in the schema of a skops file: those known to be safe, and all others.

    Parameters
    ----------
    schema : dict or list
        As the file has it.

    Returns
    -------
    safe, unsafe : list of str
        Full names, sorted. A type that is safe but built in an unknown way is not.
    """
    safe, unsafe = set(), set()
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
        if not isinstance(node, dict):
            continue
        todo.extend(node.values())
        if "__class__" not in node and "__loader__" not in node:
            continue
        module, name = str(node.get("__module__")), str(node.get("__class__"))
        loader = str(node.get("__loader__"))
        if name not in SAFE.get(module.partition(".")[0], ()):
            unsafe.add(f"{module}.{name}")
        elif loader not in LOADERS:
            unsafe.add(f"{module}.{name} (by {loader})")
        else:
            safe.add(f"{module}.{name}")
    return sorted(safe), sorted(unsafe)
