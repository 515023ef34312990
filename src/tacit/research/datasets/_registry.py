"""The datasets that Tacit knows by name, as `known.toml` describes them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit._words import nearest

Label = str | int


@dataclass(frozen=True)
class KnownClass:
    """One class of a dataset: its value in `y`, what a person calls it, and its rows."""

    label: Label
    name: str
    count: int


@dataclass(frozen=True)
class KnownDataset:
    """What is known about a dataset before it is read; `known.toml` says what the fields mean."""

    name: str
    feature_names: tuple[str, ...]
    classes: tuple[KnownClass, ...]
    licence: str
    citation: str
    spellings: Mapping[str, Label] = field(default_factory=dict)
    zero_is_missing: tuple[str, ...] = ()
    package: str | None = None
    files: tuple[str, ...] = ()
    note: str = ""
    left_out: tuple[tuple[int, float], ...] = ()
    openml: int | None = None
    openml_spellings: Mapping[str, Label] = field(default_factory=dict)
    in_paper: bool = True

    @property
    def n_rows(self) -> int:
        """Rows of the raw data."""
        return sum(each.count for each in self.classes)

    @property
    def n_features(self) -> int:
        """Columns of the raw data."""
        return len(self.feature_names)

    @property
    def file_name(self) -> str:
        """The name of its file in a folder."""
        return f"{self.name.lower()}.csv"


def _read_known() -> dict[str, KnownDataset]:
    with Path(__file__).with_name("known.toml").open("rb") as file:
        facts = tomllib.load(file)
    known = {}
    for entry in facts["dataset"]:
        columns = entry.pop("features")
        if isinstance(columns[1], int):
            letter, count = columns
            columns = [f"{letter}{k}" for k in range(1, count + 1)]
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        values["classes"] = tuple(KnownClass(*each) for each in entry["classes"])
        values["licence"] = facts["licences"].get(entry["licence"], entry["licence"])
        values["citation"] = facts["citations"].get(entry["citation"], entry["citation"])
        known[entry["name"].lower()] = KnownDataset(feature_names=tuple(columns), **values)
    return known


_KNOWN = _read_known()

PAPER = tuple(known.name for known in _KNOWN.values() if known.in_paper)
"""The twelve datasets of Krijthe & Loog (2015), in the order of their Table 1."""


def names() -> tuple[str, ...]:
    """Every dataset that can be loaded by name: the paper's twelve, then the others."""
    return tuple(known.name for known in _KNOWN.values())


def find_known(name: str) -> KnownDataset:
    """What is known about a dataset; upper and lower case are the same."""
    known = _KNOWN.get(str(name).strip().lower())
    if known is not None:
        return known
    near = nearest(str(name), names(), cutoff=0.5)
    raise ValueError(
        f"name was {name!r}, which is not a dataset that Tacit knows"
        + (f"; did you mean {near}?" if near else ".")
        + f" Known are {', '.join(names())}."
    )
