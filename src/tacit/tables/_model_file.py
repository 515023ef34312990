"""Models on disk: written by skops, never by pickle, and read only if every type is known."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from tacit._files import check_can_write, written_whole
from tacit._words import listed
from tacit.tables._columns import DATE
from tacit.tables._errors import ModelFileError, import_skops
from tacit.tables._model_card import ModelCard, check_card, damaged, read_card_text
from tacit.tables._text import ReadOptions

CARD = "tacit.json"
SCHEMA = "schema.json"
# A model of ours has a few megabytes; a file that is or unpacks to more than this is a trap. Its
# texts, which are taken apart in memory, are smaller still.
MOST_BYTES, MOST_TEXT_BYTES = 2**29, 2**26
# By module and name, exactly: a module that is named is imported, which runs it.
_LIST = (files("tacit.tables") / "safe_types.txt").read_text("utf-8").splitlines()
SAFE = frozenset(tuple(line.split()) for line in _LIST if line and not line.startswith("#"))
# The ways of building an object that our models need. Others, such as those that call methods or
# operators by name, have no business in them.
LOADERS = frozenset(
    {
        "CachedNode", "DTypeNode", "DictNode", "FunctionNode", "JsonNode", "ListNode",
        "NdArrayNode", "ObjectNode", "SparseMatrixNode", "TreeNode", "TupleNode", "TypeNode",
    }
)  # fmt: skip

Nodes = list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted pipeline and what it says about itself."""

    #: From a table to classes; the last step is a classifier of `MODELS`, or has it in it, with a
    #: threshold. Unless it is supervised, it has `supervised_`, the classifier that it would be
    #: without the unlabeled rows.
    pipeline: Any
    card: ModelCard  #: Where it comes from and what holds of it.

    @property
    def classifier(self) -> Any:
        """The classifier; the last step, but for its threshold."""
        last = self.pipeline[-1]
        return last if self.card.threshold is None else last.estimator_

    def with_options(self, options: ReadOptions) -> Model:
        """The same model for tables that are written otherwise."""
        from tacit.tables._features import typing_step

        columns = self.card.columns
        if options.date_format != self.card.options.date_format:
            columns = [
                replace(c, format=options.date_format) if c.kind == DATE else c for c in columns
            ]
        steps = [("columns", typing_step(columns, options)), *self.pipeline.steps[1:]]
        card = replace(self.card, columns=columns, options=options)
        return Model(type(self.pipeline)(steps), card)


def save_model(model: Model, path: str | Path) -> None:
    """Write a model, whole or not at all.

    The file is one that `skops.io.load` reads, with the description beside the pipeline.

    Parameters
    ----------
    model : Model
        What `fit_table` returns.
    path : str or Path
        The file; the usual suffix is `.skops`. One that is there is replaced.
    """
    path = Path(path)
    check_can_write(path, "The model file")
    with zipfile.ZipFile(io.BytesIO(import_skops().dumps(model.pipeline))) as archive:
        members: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    unsafe = _strangers(_nodes(members[SCHEMA]))
    if unsafe:
        raise ModelFileError(
            f"The model cannot be saved, because it could not be loaded again: {listed(unsafe, 5)} "
            "would be refused."
        )
    # skops indents its schema, so that four fifths of it would be blanks.
    members[SCHEMA] = json.dumps(json.loads(members[SCHEMA]), separators=(",", ":"))
    members[CARD] = json.dumps(asdict(model.card), indent=1, ensure_ascii=False)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    with written_whole(path) as partial:
        partial.write_bytes(content.getvalue())


def load_model(path: str | Path) -> Model:
    """Read a model, after a look at every type that it contains.

    Parameters
    ----------
    path : str or Path
        A file that `save_model` wrote.

    Returns
    -------
    Model
        Ready to predict.

    Raises
    ------
    ModelFileError
        If the file is not there, is damaged, or contains a type that none of our models needs; that
        type is named and nothing of it is built.
    """
    path = Path(path)
    name = repr(str(path))
    card, nodes, content = _open(path, name)
    unsafe = _strangers(nodes)
    if unsafe:
        raise ModelFileError(
            f"{name} was refused: it contains {listed(unsafe, 5)}, which no model of tacit needs "
            "and which could run code of a stranger; use a model that you have fitted yourself."
        )
    try:
        with warnings.catch_warnings():
            # Other versions are told by the card, in our own words.
            warnings.simplefilter("ignore")
            pipeline = import_skops().loads(content, trusted=[".".join(each) for each in SAFE])
    except Exception as error:  # a damaged file can fail anywhere in there
        raise damaged(name, "is damaged and cannot be loaded", error) from error
    if not hasattr(pipeline, "steps") or not hasattr(pipeline, "decision_function"):
        raise ModelFileError(f"{name} holds no classifier of tacit; name another file.")
    _check_structures(pipeline, name)
    check_card(card, pipeline, name)
    return Model(pipeline, card)


def read_card(path: str | Path) -> ModelCard:
    """The description alone; nothing is built from the file.

    Parameters
    ----------
    path : str or Path
        A file that `save_model` wrote.

    Returns
    -------
    ModelCard
        As it was saved.
    """
    return _open(Path(path), repr(str(path)))[0]


def is_model_file(path: str | Path) -> bool:
    """Whether a file has the description that every model file has."""
    try:
        with zipfile.ZipFile(path) as archive:
            return CARD in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _open(path: Path, name: str) -> tuple[ModelCard, Nodes, bytes]:
    """The description, the parts of the schema by which skops builds, and the whole file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelFileError(f"{name} is far larger than a model; it was refused.")
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise ModelFileError(
            f"There is no model file {name}; make one with `tacit fit TABLE --target COLUMN -o "
            f"{path.name}`."
        ) from error
    except OSError as error:
        raise ModelFileError(f"{name} cannot be read: {error.strerror}.") from error
    if content[:2] != b"PK":
        raise ModelFileError(
            f"{name} is not a model file of tacit; name a file that `tacit fit` wrote. (Pickle "
            "files are never opened.)"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # No reader of zip files unpacks more of a member than it is said to have.
            sizes = {member.filename: member.file_size for member in archive.infolist()}
            _check_sizes(name, sum(sizes.values()), sizes.get(SCHEMA, 0) + sizes.get(CARD, 0))
            broken = archive.testzip()
            if broken is not None:
                raise zipfile.BadZipFile(f"{broken} is damaged")
            nodes = _nodes(archive.read(SCHEMA))
            # An array that is named twice is read twice.
            _check_sizes(name, sum(sizes.get(str(node.get("file")), 0) for node in nodes))
            text = archive.read(CARD).decode()
    except KeyError as error:
        raise ModelFileError(
            f"{name} is not a model file of tacit; name a file that `tacit fit` wrote."
        ) from error
    except ModelFileError:
        raise
    except Exception as error:
        raise damaged(name, "is damaged and cannot be loaded", error) from error
    return read_card_text(text, name), nodes, content


def _check_sizes(name: str, n_bytes: int, n_text_bytes: int = 0) -> None:
    if n_bytes > MOST_BYTES or n_text_bytes > MOST_TEXT_BYTES:
        raise ModelFileError(f"{name} unpacks to far more than a model; it was refused.")


def _nodes(schema: str | bytes) -> Nodes:
    """All parts of the schema of a skops file, however deep."""
    nodes: Nodes = []
    json.loads(schema, object_hook=nodes.append)
    return nodes


def _strangers(nodes: Nodes) -> list[str]:
    """The types that are not known to be safe, or that are built in an unknown way."""
    found = set()
    for node in nodes:
        if "__class__" in node or "__loader__" in node:
            module, name, loader = (
                str(node.get(f"__{k}__")) for k in ("module", "class", "loader")
            )
            if (module, name) not in SAFE or loader not in LOADERS:
                how = "" if loader in LOADERS else f" (by {loader})"
                found.add(f"{module}.{name}{how}")
    return sorted(found)


def _check_structures(pipeline: Any, name: str) -> None:
    """An error where compiled code would read beyond a tree or a sparse matrix, or never end.

    scikit-learn and SciPy follow the indices in them without a look, for speed.
    """
    from scipy import sparse
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    todo, seen = [pipeline], set()
    while todo:
        value: Any = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        try:
            if isinstance(value, sparse.csr_array):
                value.check_format(full_check=True)
            elif isinstance(value, RandomForestClassifier):
                for tree in getattr(value, "estimators_", ()):  # none in one that is a parameter
                    _check_tree(tree, value.n_features_in_)
            elif isinstance(value, DecisionTreeClassifier) and hasattr(value, "tree_"):
                _check_tree(value, value.n_features_in_)
        except (AttributeError, TypeError, ValueError) as error:
            raise damaged(name, "is damaged and cannot be loaded", error) from error
        if isinstance(value, list | tuple | dict):
            todo.extend(value.values() if isinstance(value, dict) else value)
        else:
            todo.extend(getattr(value, "__dict__", {}).values())


def _check_tree(classifier: Any, n_features: int) -> None:
    """Children come after their node, and nodes ask for features that there are."""
    import numpy as np

    tree = classifier.tree_
    inner = np.flatnonzero(tree.children_left != -1)
    children = np.stack([tree.children_left[inner], tree.children_right[inner]])
    features = tree.feature[inner]
    if not (
        tree.node_count > 0
        and (children > inner).all()
        and (children < tree.node_count).all()
        and (features >= 0).all()
        and (features < n_features).all()
    ):
        raise ValueError("a tree leads to nodes or features that it has not")
