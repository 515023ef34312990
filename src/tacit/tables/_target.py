"""The column of labels: which rows have one, what marks those without, and what the classes are."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask
from tacit.tables._errors import TableError
from tacit.tables._packages import import_pandas

MOST_CLASSES = 50
# What means "unlabeled" unless it is said to be a class.
USUAL = "NA"
# What people and programs write where nothing is known, in small letters. In the target each of
# them may as well be a class, such as the None of "None, Mild, Severe".
SUSPECT = frozenset(
    {
        "?", "??", "-", "--", ".", "-1", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "-nan",
        "null", "nil", "none", "missing", "unknown", "unlabeled", "unlabelled", "not labeled",
    }
)  # fmt: skip
# Those of them by which a program may print a missing value that a file has as such.
PRINTED = frozenset({"na", "<na>", "nan", "nat", "null", "none"})
BOOLEANS = ("true", "false")


@dataclass(frozen=True)
class UnlabeledMarkers:
    """What is said about the values of the target before it is read.

    `values` mean "unlabeled" besides blanks and NA; `labels` are classes even if they look like it.
    """

    values: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: str | Collection[str] | None, labels: Collection[str]) -> UnlabeledMarkers:
        """Markers from what a caller gives: one value, several, or none."""
        several = (given,) if isinstance(given, str) else tuple(given or ())
        # Blanks mean "unlabeled" anyway.
        values = tuple(dict.fromkeys(value.strip() for value in several if value.strip()))
        known = tuple(dict.fromkeys(value.strip() for value in labels))
        both = [value for value in values if value in known]
        if both:
            raise TableError(
                f"{both[0]!r} is said to mean unlabeled and to be a class; it can be only one."
            )
        return cls(values, known)

    @property
    def all(self) -> tuple[str, ...]:
        """Every value that means "unlabeled", blanks aside."""
        usual = () if USUAL in (*self.labels, *self.values) else (USUAL,)
        return (*usual, *self.values)

    def matching(self, text: str) -> str | None:
        """The marker that a value is, however its number or truth value is written."""
        return next((marker for marker in self.all if _is_same(text, marker)), None)


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of a table.

    Attributes
    ----------
    name : str
        The column.
    values : ndarray of object of shape (n,)
        A string or whole number for each labeled row, None for the others.
    is_labeled : ndarray of bool of shape (n,)
        Where the label is known.
    counts : dict
        Labels of each class, in order of the classes.
    markers : UnlabeledMarkers
        What marks rows without label.
    marked : Counter of str
        Rows with each of the markers, blanks aside.
    """

    name: str
    values: AnyArray
    is_labeled: Mask
    counts: dict[Any, int]
    markers: UnlabeledMarkers = field(default_factory=UnlabeledMarkers)
    marked: Counter[str] = field(default_factory=Counter)

    @property
    def classes(self) -> list[Any]:
        """The classes, sorted."""
        return list(self.counts)

    def notes(self) -> list[str]:
        """Sentences about what was taken as unlabeled."""
        return [
            f"{count:,} {'row' if count == 1 else 'rows'} with {marker!r} "
            f"{'was' if count == 1 else 'were'} taken as unlabeled."
            for marker in self.markers.all
            if (count := self.marked[marker])
        ]


@dataclass(frozen=True, eq=False)
class Decoded:
    """A column of labels by its different values, of which there are few."""

    codes: AnyArray  # for each row the position of its value, -1 where there is none
    texts: list[str]
    are_numbers: bool
    markers: list[str | None]  # the marker that each value is; "" for blanks

    @property
    def is_labeled(self) -> Mask:
        """Where a row has a label."""
        known = np.array([*(marker is None for marker in self.markers), False], dtype=bool)
        return known[self.codes]

    @property
    def marked(self) -> Counter[str]:
        """Rows with each marker."""
        rows = np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))
        found: Counter[str] = Counter()
        for marker, count in zip(self.markers, rows.tolist(), strict=True):
            if marker:
                found[marker] += count
        return found


def decode(column: Any, markers: UnlabeledMarkers) -> Decoded:
    """Tell labels from blanks and markers."""
    codes, values = import_pandas().factorize(column)
    known = list(values)
    numeric = [isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in known]
    texts = [_as_text(value) for value in known]
    found = ["" if not text else markers.matching(text) for text in texts]
    return Decoded(np.asarray(codes), texts, all(numeric), found)


def read_target(
    column: Any,
    name: str,
    markers: UnlabeledMarkers,
    table: str,
    *,
    need_unlabeled: bool = True,
    marked: Counter[str] | None = None,
    parse_numbers: bool = False,
    decimal: str = ".",
) -> Target:
    """Read the labels and check that they are classes.

    `marked` counts the markers of the whole table where `column` is only a part of it. Labels that
    are all written as numbers become numbers where they are of a text (`parse_numbers`).
    """
    found = decode(column, markers)
    own = found.marked
    marked = own if marked is None else marked
    is_labeled = found.is_labeled
    texts = [t for t, marker in zip(found.texts, found.markers, strict=True) if marker is None]
    labels = _labels(
        texts, name, decimal if parse_numbers else ".", found.are_numbers or parse_numbers
    )
    by_text = dict(zip(texts, labels, strict=True))
    of_value = np.array([*(by_text.get(text) for text in found.texts), None], dtype=object)
    values = of_value[found.codes]
    tally = Counter(values[is_labeled].tolist())
    counts = {label: tally[label] for label in sorted(tally)}
    n_labels = int(is_labeled.sum())
    if not counts:
        blank = " or ".join(["blank", *markers.all])
        raise TableError(
            f"Column {name!r} of {table} has no labels: every row is {blank}; fill in the labels "
            "that you know, at least two of each class."
        )
    has_blanks = len(values) - n_labels > own.total()
    _check_markers_occur(markers, marked, name, table, counts, has_blanks)
    _check_suspects(markers, name, table, counts, n_labels < len(values))
    _check_classes(name, table, counts, n_labels)
    if need_unlabeled and n_labels == len(values):
        raise TableError(
            f"Column {name!r} of {table} has a label in every row, so there is no unlabeled data; "
            f"name the value that marks rows without label, one of {shown(list(counts))}, with "
            "--unlabeled, or leave their labels blank."
        )
    return Target(name, values, is_labeled, counts, markers, marked)


def find_column(name: str, columns: list[str], table: str) -> str:
    """The column of that name, or an error with the names that come near."""
    if name in columns:
        return name
    folded = {column.casefold(): column for column in columns}
    near = folded.get(name.casefold().strip())
    if near is None:
        matches = get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
        near = folded[matches[0]] if matches else None
    if near is not None:
        raise TableError(f"{table} has no column {name!r}; did you mean {near!r}?")
    raise TableError(f"{table} has no column {name!r}; its columns are {shown(columns, 12)}.")


def shown(values: list[Any], most: int = 6) -> str:
    """Some values for a message, and how many there are."""
    text = ", ".join(repr(value) for value in values[:most])
    return f"{text}, ... ({len(values)} in all)" if len(values) > most else text


def _as_text(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if np.isnan(number) else number


def _is_same(text: str, marker: str) -> bool:
    if text == marker:
        return True
    if marker.casefold() in BOOLEANS:
        return text.casefold() == marker.casefold()
    number = _number(marker)
    return number is not None and _number(text) == number


def _labels(texts: list[str], name: str, decimal: str, may_be_numbers: bool) -> list[Any]:
    """A label for each different value: whole numbers if all of them are, texts otherwise."""
    numbers = [_number(text.replace(decimal, ".")) for text in texts] if may_be_numbers else []
    known = [number for number in numbers if number is not None]
    if may_be_numbers and len(known) == len(texts):
        return [_whole_number(number, name) for number in known]
    if len(texts) > 2 and all(text.casefold() in BOOLEANS for text in texts):
        return [text.capitalize() for text in texts]  # true and TRUE are one class
    return texts


def _whole_number(number: float, name: str) -> int:
    if not np.isfinite(number):
        raise TableError(
            f"Column {name!r} has an infinite number for a label; labels must be classes."
        )
    if number != round(number):
        raise TableError(
            f"Column {name!r} has numbers with decimals, such as {number:g}, so it looks like a "
            "measurement and not like classes; make classes of it first, such as high and low."
        )
    return int(number)


def _check_markers_occur(
    markers: UnlabeledMarkers,
    marked: Counter[str],
    name: str,
    table: str,
    counts: dict[Any, int],
    has_blanks: bool,
) -> None:
    """An error for a marker that no row has, which would leave rows meant by it as a class."""
    for marker in markers.values:
        if marked[marker] or (has_blanks and marker.casefold() in PRINTED):
            continue
        folded = {str(value).casefold(): str(value) for value in counts}
        near = get_close_matches(marker.casefold(), list(folded), n=1, cutoff=0.7)
        hint = (
            f"did you mean {folded[near[0]]!r}?"
            if near
            else f"its labels are {', '.join(repr(value) for value in list(counts)[:6])}"
            f"{', ...' if len(counts) > 6 else ''}. Correct --unlabeled, or leave it out."
        )
        raise TableError(f"Column {name!r} of {table} has no row with the mark {marker!r}; {hint}")


def _check_suspects(
    markers: UnlabeledMarkers, name: str, table: str, counts: dict[Any, int], has_blank: bool
) -> None:
    """Ask about a class that looks like a marker, where classes enough are left without it."""
    answered = {label.casefold() for label in markers.labels}
    looks = {value: str(value).casefold() for value in counts}
    strange = [v for v, text in looks.items() if text in SUSPECT and text not in answered]
    if not strange or len(counts) - len(strange) < 2:
        return
    value = str(strange[0])
    besides = " besides rows without label" if has_blank else ""
    raise TableError(
        f"Column {name!r} of {table} has {counts[strange[0]]:,} rows with {value!r}{besides}; say "
        f"whether they are unlabeled (--unlabeled {shlex.quote(value)}) or a class "
        f"(--label {shlex.quote(value)})."
    )


def _check_classes(name: str, table: str, counts: dict[Any, int], n_labels: int) -> None:
    classes = list(counts)
    if len(classes) == 1:
        raise TableError(
            f"Column {name!r} of {table} has labels of only one class, {classes[0]!r}; label some "
            "rows of another class too."
        )
    if len(classes) > MOST_CLASSES or (len(classes) > 10 and len(classes) > n_labels / 2):
        raise TableError(
            f"Column {name!r} of {table} has {len(classes):,} different values in {n_labels:,} "
            f"labels ({shown(classes, 3)}), so it does not look like classes; choose another "
            "--target."
        )
