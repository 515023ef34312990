"""Models that were saved by earlier versions load, and answer as they did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tacit.tables import load_model
from tests.golden.models import FOLDER, KINDS, answers

FILES = sorted(FOLDER.glob("*/*.skops"))


def test_every_kind_of_model_is_kept() -> None:
    assert {file.stem for file in FILES} == set(KINDS)
    assert sum(file.stat().st_size for file in FILES) < 300_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name} {file.stem}")
def test_a_model_of_an_earlier_version_answers_as_it_did(file: Path) -> None:
    kept = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    found = answers(load_model(file))
    assert [row.keys() for row in found] == [row.keys() for row in kept]
    for row, expected in zip(found, kept, strict=True):
        for name, value in expected.items():
            if isinstance(value, str):
                assert row[name] == value
            else:
                np.testing.assert_allclose(row[name], value, atol=1e-6)
