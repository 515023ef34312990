"""Check that a table is the dataset it claims to be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit._typing import AnyArray
from tacit.research.datasets._dataset import Dataset
from tacit.research.datasets._entry import Entry, Label
from tacit.research.datasets.sources._protocol import Table


class MismatchError(ValueError):
    """A copy of a dataset differs from what is known about it."""


def as_dataset(entry: Entry, table: Table, where: str) -> Dataset:
    """Turn a source's table into a dataset, with the labels of the registry.

    Parameters
    ----------
    entry : Entry
        What is known about the dataset.
    table : Table
        What a source has.
    where : str
        The source, for a person.

    Returns
    -------
    Dataset
        Raises `MismatchError` where shape, labels or class counts are not as they should be, or
        where a value is missing.
    """
    copy = where.rstrip(".")
    expected = (entry.n_rows, entry.n_features)
    if table.X.shape != expected:
        raise MismatchError(
            f"{copy}: {_size(table.X.shape)}, but {entry.name} has {_size(expected)}; this is "
            "another version or another dataset."
        )
    if not np.isfinite(table.X).all():
        raise MismatchError(f"{copy}: {entry.name} has no missing values, but this copy has some.")
    y = _labels(entry, table.labels, copy)
    counts = {known.label: int(np.sum(y == known.label)) for known in entry.classes}
    if counts != {known.label: known.count for known in entry.classes}:
        raise MismatchError(
            f"{copy}: the classes have {_counts(counts)} rows, but in {entry.name} they have "
            f"{_counts({known.label: known.count for known in entry.classes})}; this is another "
            "version or another dataset."
        )
    return Dataset(
        name=entry.name,
        X=table.X,
        y=y,
        feature_names=entry.feature_names,
        class_names=tuple(known.name for known in entry.classes),
        source=where,
        licence=entry.licence,
        citation=entry.citation,
        zero_is_missing=entry.zero_is_missing,
    )


def _labels(entry: Entry, given: AnyArray, copy: str) -> AnyArray:
    """The labels of the registry, from any of their spellings."""
    known: dict[str, Label] = {str(each.label): each.label for each in entry.classes}
    known = {**entry.spellings, **known}
    texts, inverse = np.unique(np.asarray(given).astype(str), return_inverse=True)
    labels = []
    for text in texts.tolist():
        label = _lookup(text, known)
        if label is None:
            raise MismatchError(
                f"{copy}: the class {text!r} is not one of {entry.name}, which are "
                f"{', '.join(str(each.label) for each in entry.classes)}."
            )
        labels.append(label)
    return np.array(labels)[inverse]


def _lookup(text: str, known: Mapping[str, Label]) -> Label | None:
    """The label that `text` spells; whole numbers may be written as 1, 1.0 or +1."""
    if text in known:
        return known[text]
    try:
        return known.get(str(int(text) if "." not in text else _whole(float(text))))
    except ValueError:
        return None


def _whole(value: float) -> int:
    if value != int(value):
        raise ValueError(value)
    return int(value)


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _counts(counts: Mapping[Label, int]) -> str:
    return ", ".join(f"{count} ({label})" for label, count in counts.items())
