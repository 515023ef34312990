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
from tacit.tables._model_structures import Nodes, check_nodes, check_structures, strangers
from tacit.tables._text import ReadOptions

CARD = "tacit.json"
SCHEMA = "schema.json"
# A model of ours has a few megabytes; a file that is or unpacks to more than this is a trap. Its
# texts, which are taken apart in memory, are smaller still: one for 5,000 rows with 8 columns of
# free text has 79 MB of them, with 4.2 million values, each of which may take 100 bytes.
MOST_BYTES, MOST_TEXT_BYTES, MOST_VALUES = 2**29, 2**28, 2**24
# By module and name, exactly: a module that is named is imported, which runs it.
_LIST = (files("tacit.tables") / "safe_types.txt").read_text("utf-8").splitlines()
SAFE = frozenset(tuple(line.split()) for line in _LIST if line and not line.startswith("#"))


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
    unsafe = strangers(_nodes(members[SCHEMA]), SAFE)
    if unsafe:
        raise ModelFileError(
            f"The model cannot be saved, because it could not be loaded again: {listed(unsafe, 5)} "
            "would be refused."
        )
    # skops indents its schema, so that four fifths of it would be blanks.
    schema = json.dumps(json.loads(members[SCHEMA]), separators=(",", ":")).encode()
    card = json.dumps(asdict(model.card), indent=1, ensure_ascii=False).encode()
    if len(schema + card) > MOST_TEXT_BYTES or _most_values(schema + card) > MOST_VALUES:
        raise ModelFileError(
            "The model cannot be saved, because it is so large that it could not be loaded again; "
            "leave out columns with very many words with --drop."
        )
    members |= {SCHEMA: schema, CARD: card}
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
    unsafe = strangers(nodes, SAFE)
    if unsafe:
        raise ModelFileError(
            f"{name} was refused: it contains {listed(unsafe, 5)}, which no model of tacit needs "
            "and which could run code of a stranger; use a model that you have fitted yourself."
        )
    try:
        check_nodes(nodes)
        with warnings.catch_warnings():
            # Other versions are told by the card, in our own words.
            warnings.simplefilter("ignore")
            pipeline = import_skops().loads(content, trusted=[".".join(each) for each in SAFE])
    except Exception as error:  # a damaged file can fail anywhere in there
        raise damaged(name, "is damaged and cannot be loaded", error) from error
    if not hasattr(pipeline, "steps") or not hasattr(pipeline, "decision_function"):
        raise ModelFileError(f"{name} holds no classifier of tacit; name another file.")
    try:
        check_structures(pipeline, SAFE, MOST_BYTES)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise damaged(name, "is damaged and cannot be loaded", error) from error
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
            sizes = _sizes(archive)
            _check_size(name, sum(sizes.values()), MOST_BYTES)
            _check_size(name, sizes[SCHEMA] + sizes[CARD], MOST_TEXT_BYTES)
            for member in sizes:
                sizes[member] += _inner_size(archive.read(member))
            texts = archive.read(SCHEMA), archive.read(CARD)
            _check_size(name, sum(map(_most_values, texts)), MOST_VALUES)
            nodes = _nodes(texts[0])
            # An array that is named twice is read twice.
            read = sum(sizes.get(str(node.get("file")), 0) for node in nodes)
            _check_size(name, read, MOST_BYTES)
            text = texts[1].decode()
    except KeyError as error:
        raise ModelFileError(
            f"{name} is not a model file of tacit; name a file that `tacit fit` wrote."
        ) from error
    except ModelFileError:
        raise
    except Exception as error:
        raise damaged(name, "is damaged and cannot be loaded", error) from error
    return read_card_text(text, name), nodes, content


def _sizes(archive: zipfile.ZipFile) -> dict[str, int]:
    """What each member says that it unpacks to; no reader of zip files unpacks more of it."""
    members = archive.infolist()
    sizes = {member.filename: member.file_size for member in members}
    if len(sizes) < len(members):
        raise zipfile.BadZipFile("two members have the same name")
    return sizes


def _inner_size(content: bytes) -> int:
    """What a member unpacks to that is an archive itself, as sparse matrices are."""
    if content[:2] != b"PK":
        return 0
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(_sizes(archive).values())


def _most_values(text: bytes) -> int:
    """No fewer than there are values in a text of JSON."""
    return sum(text.count(sign) for sign in (b",", b"{", b"["))


def _check_size(name: str, size: int, most: int) -> None:
    if size > most:
        raise ModelFileError(f"{name} unpacks to far more than a model; it was refused.")


def _nodes(schema: str | bytes) -> Nodes:
    """All parts of the schema of a skops file, however deep."""
    nodes: Nodes = []

    def keep(node: dict[str, Any]) -> dict[str, Any]:
        nodes.append(node)
        return node

    json.loads(schema, object_hook=keep)
    return nodes
