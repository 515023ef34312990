"""Model files that were tampered with: a model or one sentence, and nothing else is imported."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.bounds import bounded, examples, mutated

pytest.importorskip("skops", reason="saved models need the extra tables")
pytest.importorskip("skrub", reason="saved models need the extra tables")

from tacit.tables import Model, ModelFileError, load_model, predict_frame
from tests.golden.models import FOLDER, KINDS, table

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux says what a process uses"
)

# What a hostile file would name: modules that run something when imported, and calls.
NAMES = ["this", "antigravity", "numpy.f2py.__main__", "tacit.__main__", "os", "builtins"]
CLASSES = ["system", "eval", "Popen", "__import__", "object", "ndarray", "Pipeline", "\x1b[31m"]
VALUES: list[Any] = [None, -1, 10**30, "", "x" * 10_000, [], {}, True, 1e308, [[[]]]]
TOKENS = [b'"', b"{", b"}", b"null", b"\x00", b"PK\x01\x02", b"..", b"/etc/passwd", b"1e999"]


# Rows as every one of the models takes them.
ROWS: pd.DataFrame = table().tail(3)


@cache
def saved() -> list[bytes]:
    """A model of each kind, among them trees, texts, dates and categories."""
    contents = [path.read_bytes() for path in sorted(FOLDER.glob("*/*.skops"))]
    assert len(contents) >= len(KINDS)
    for path in FOLDER.glob("*/*.skops"):
        predict_frame(load_model(path), ROWS)  # so that what a good file needs is imported by now
    return contents


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a tree of JSON."""
    keys: Any = tree.keys() if isinstance(tree, dict) else range(len(tree))
    found = [(tree, key) for key in keys]
    for key in keys:
        if isinstance(tree[key], dict | list):
            found += places(tree[key])
    return found


def tampered_tree(content: bytes, random: np.random.Generator) -> bytes:
    """A tree of JSON in which a few names and values are others."""
    tree = json.loads(content)
    for _ in range(int(random.integers(1, 4))):
        every = places(tree)
        container, key = every[int(random.integers(len(every)))]
        other = every[int(random.integers(len(every)))]
        value = [
            NAMES[int(random.integers(len(NAMES)))],
            CLASSES[int(random.integers(len(CLASSES)))],
            VALUES[int(random.integers(len(VALUES)))],
            json.loads(json.dumps(other[0][other[1]])),
        ][int(random.integers(4))]
        if isinstance(container, dict) and random.random() < 0.2:
            del container[key]
        else:
            container[key] = value
    return json.dumps(tree).encode()


def tampered(content: bytes, seed: int) -> bytes:
    """The file with bytes changed, or with members changed, left out or added."""
    random = np.random.default_rng(seed)
    if random.random() < 0.3:
        return mutated(content, seed, TOKENS)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as target:
        names = source.namelist()
        chosen = names[int(random.integers(len(names)))]
        if random.random() < 0.5:
            chosen = next(name for name in names if name.endswith("schema.json"))
        for name in names:
            member = source.read(name)
            if name == chosen and name.endswith(".json"):
                member = tampered_tree(member, random)
            elif name == chosen:
                member = mutated(member, seed, TOKENS)
            if name != chosen or random.random() > 0.1:
                target.writestr(name, member)
        if random.random() < 0.1:
            target.writestr("../outside.txt", b"x")
    return out.getvalue()


def loaded(path: Path) -> Model | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return load_model(path)
        except ModelFileError as error:
            text = str(error)
            if "\n" in text or "\x1b" in text:
                raise AssertionError(f"not one clean sentence: {text!r}") from error
    return None


@given(seed=st.integers(0, 2**32 - 1))
@examples(test=12, fuzz=5_000)
def test_a_model_that_was_tampered_with_is_a_model_or_one_sentence(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    path = folder / "tampered.skops"
    kept = saved()
    path.write_bytes(tampered(kept[seed % len(kept)], seed))
    before = set(sys.modules)
    with bounded():
        model = loaded(path)
        if model is not None:
            # It may say anything and fail with any error, which `tacit predict` says in a sentence;
            # what crashes, never ends or fills the memory is found out.
            with warnings.catch_warnings(), contextlib.suppress(Exception):
                warnings.simplefilter("ignore")
                predict_frame(model, ROWS)
    imported = set(sys.modules) - before
    assert not imported & set(NAMES)
    assert not [name for name in imported if name.rpartition(".")[2].startswith("__main__")]
    assert not (folder.parent / "outside.txt").exists()
