"""What a place that may hold datasets has to offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tacit._typing import AnyArray, Matrix
from tacit.research.datasets._entry import Entry


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers and labels as a source spells them.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        The columns in the order of the registry.
    labels : ndarray of shape (n_rows,)
        Anything whose text is a label or one of its other spellings.
    """

    X: Matrix
    labels: AnyArray


@dataclass(frozen=True)
class Copy:
    """A copy of a dataset that a source has, or can fetch.

    Attributes
    ----------
    label : str
        Two or three words for a table: "folder", a package with its version, an OpenML id.
    where : str
        One sentence for a person: the file, the package with its version, or the OpenML id.
    read : callable
        Gives the table; raises `SourceError` where that turns out to be impossible.
    is_download : bool
        Whether reading it goes over the network.
    """

    label: str
    where: str
    read: Callable[[], Table]
    is_download: bool = False


@dataclass(frozen=True)
class Absence:
    """Why a source does not have a dataset, with what to do about it.

    Attributes
    ----------
    reason : str
        One sentence for a person.
    """

    reason: str


class Source(Protocol):
    """A place that may hold datasets."""

    def find(self, entry: Entry) -> Copy | Absence:
        """Look for a dataset, without reading or downloading it."""
        ...


class SourceError(Exception):
    """A source had a copy, but it could not be used; another source may serve."""
