"""What models are made of: before they are built, by names alone, and after it, by what is in them.

Nothing leads compiled code astray, and nothing does more than compute.
"""

from __future__ import annotations

from collections.abc import Collection
from types import FunctionType, NoneType
from typing import Any

import numpy as np

# What has no parts. Types and functions are there by name, and only those of the list are.
LEAVES = (NoneType, str, int, float, np.generic, np.dtype, type, FunctionType)
# skrub's two ways to find words in a text: whole words, and runs of letters. The first takes one
# pattern, which is scikit-learn's own; others could take as long as there are texts.
WAYS_TO_READ = (("word", (1, 1)), ("char_wb", (3, 4)))


# How some types are built, and the ways of the others. Loaders that call methods or operators by
# name have no business in our models, and what calls a type with a list may call lists alone.
LOADERS = {
    "Tree": "TreeNode", "csr_array": "SparseMatrixNode", "dict": "DictNode", "dtype": "DTypeNode",
    "list": "ListNode", "ndarray": "NdArrayNode", "str": "JsonNode", "tuple": "TupleNode",
}  # fmt: skip
OTHER_LOADERS = ("FunctionNode", "NdArrayNode", "ObjectNode")

Nodes = list[dict[str, Any]]


def strangers(nodes: Nodes, safe: Collection[tuple[str, ...]]) -> list[str]:
    """The types that are not known to be safe, or that are built in an unknown way."""
    found = set()
    for node in filter(_is_node, nodes):
        module, name, loader = (str(node.get(f"__{k}__")) for k in ("module", "class", "loader"))
        ways = (LOADERS[name],) if name in LOADERS else OTHER_LOADERS
        is_built = loader in (*ways, "TypeNode")
        if (module, name) not in safe or not is_built:
            found.add(f"{module}.{name}" + ("" if is_built else f" (by {loader})"))
    return sorted(found)


def check_nodes(nodes: Nodes) -> None:
    """An error where skops would build something else than what stands there, or far more.

    Of parts with the same identity it builds the first in the place of all, and NumPy unfolds lists
    of lists in arrays of objects, where each could be one that was built before.
    """
    kinds: dict[Any, Any] = {}
    for node in filter(_is_node, nodes):
        identity, is_plain = node.get("__id__"), node.get("__loader__") == "JsonNode"
        kind = [node.get(f"__{k}__") for k in ("module", "class", "loader")]
        kind.append(node.get("content") if is_plain else None)
        if identity and kinds.setdefault(identity, kind) != kind:
            raise ValueError(f"two parts have the identity {identity}")
        if kind[2] == "NdArrayNode" and node["type"] == "json" and not _is_flat(node["content"]):
            raise ValueError("an array holds more than texts and numbers")


def _is_node(entry: dict[str, Any]) -> bool:
    """Whether it is a part, and not the entries of a dict, which may be words such as __class__."""
    names = ("__class__", "__loader__", "__id__")
    return any(not isinstance(entry.get(name, {}), dict) for name in names)


def _is_flat(items: Nodes) -> bool:
    return all(
        item["__loader__"] == "JsonNode" and not item["content"].lstrip().startswith(("[", "{"))
        for item in items
    )


def check_structures(pipeline: Any, safe: Collection[tuple[str, ...]], most_bytes: int) -> None:
    """An error where predicting could read or write beyond arrays, never end, or touch files.

    scikit-learn and SciPy follow the indices in trees, matrices and vocabularies without a look,
    for speed. So every part is looked at, and one that is of an unknown type, which could hide
    others, is an error.

    Parameters
    ----------
    pipeline : Pipeline
        As skops has built it.
    safe : collection of tuple of str
        The types, by module and name, that it may be made of.
    most_bytes : int
        What an array may take.
    """
    from scipy import sparse

    todo, seen = [pipeline], set()
    while todo:
        value: Any = todo.pop()
        if isinstance(value, LEAVES) or id(value) in seen:
            continue
        seen.add(id(value))
        kind = type(value)
        if kind in (list, tuple):
            todo.extend(value)
        elif kind is dict:
            todo.extend([*value.keys(), *value.values()])
        elif kind is np.ndarray:
            # Arrays of nothing have any number of elements, and so have those that nobody filled.
            if not value.size <= value.nbytes <= most_bytes:
                raise ValueError("an array is larger than what is in it")
            todo.extend(value.ravel().tolist() if value.dtype == object else ())
        elif (kind.__module__, kind.__name__) not in safe:
            raise ValueError(f"{kind.__name__} has no place in a model")
        else:
            _check_attributes(value)
            if kind is sparse.csr_array:
                value.check_format(full_check=True)
                # That looks at no rows where the last one ends at zero.
                if (np.diff(value.indptr) < 0).any():
                    raise ValueError("a row of a sparse matrix ends before it begins")
            else:
                todo.extend(_checked_parts(value))


def _check_attributes(value: Any) -> None:
    """No method is another one than that of its class; nothing starts processes or keeps files."""
    for name in vars(value):
        if callable(getattr(type(value), name, None)):
            raise ValueError(f"{type(value).__name__}.{name} is not what it should be")
    _check_settings(value, {"memory": None, "response_method": "decision_function"})
    if vars(value).get("n_jobs") not in (None, 1):
        raise ValueError(f"{type(value).__name__} has an odd n_jobs")


def _check_settings(value: Any, expected: dict[str, Any]) -> None:
    for name, setting in expected.items():
        if vars(value).get(name, setting) != setting:
            raise ValueError(f"{type(value).__name__} has an odd {name}")


def _checked_parts(value: Any) -> list[Any]:
    """What an object has, but for a tree, which is checked here; another tree is an error."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree._tree import Tree

    parts = dict(vars(value))
    if isinstance(value, RandomForestClassifier):
        for tree in parts.get("estimators_", ()):  # none in one that is a parameter
            _check_tree(tree.tree_, value.n_features_in_)
    elif isinstance(value, DecisionTreeClassifier) and type(parts.get("tree_")) is Tree:
        _check_tree(parts.pop("tree_"), value.n_features_in_)
    elif isinstance(value, OneHotEncoder) and "categories_" in parts:
        _check_categories(value)
    elif isinstance(value, TfidfVectorizer):
        _check_vocabulary(value)
    return list(parts.values())


def _check_tree(tree: Any, n_features: Any) -> None:
    """Children come after their node, and nodes ask for features that there are."""
    inner = np.flatnonzero(tree.children_left != -1)
    children = np.stack([tree.children_left[inner], tree.children_right[inner]])
    features = tree.feature[inner]
    if not (
        tree.node_count > 0
        and (children > inner).all()
        and (children < tree.node_count).all()
        and (features >= 0).all()
        and (features < int(n_features)).all()
    ):
        raise ValueError("a tree leads to nodes or features that it has not")


def _check_categories(encoder: Any) -> None:
    """The columns of a category are as many as its values, and these are texts or missing.

    Numbers would be looked for by bisection, which errs where they are not in order.
    """
    settings = {"_infrequent_enabled": False, "_drop_idx_after_grouping": None}
    _check_settings(encoder, settings)
    lists = [values.tolist() for values in encoder.categories_]
    texts = all(isinstance(v, str) or v is None or v != v for values in lists for v in values)
    is_object = all(values.dtype == object for values in encoder.categories_)
    if not texts or not is_object or encoder._n_features_outs != [len(values) for values in lists]:
        raise ValueError("a category has other columns than values")


def _check_vocabulary(vectorizer: Any) -> None:
    """Texts are read as skrub has them read, not as names of files; each word has its column."""
    way = (vectorizer.analyzer, vectorizer.ngram_range)
    if way not in WAYS_TO_READ:
        raise ValueError("TfidfVectorizer has an odd analyzer or ngram_range")
    plain = type(vectorizer)(analyzer=way[0], ngram_range=way[1])
    _check_settings(vectorizer, plain.get_params())
    columns = getattr(vectorizer, "vocabulary_", {}).values()
    if sorted(columns) != list(range(len(columns))):
        raise ValueError("a word leads to a column that there is not")
