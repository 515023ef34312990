"""The column of labels: which rows have one, what marks those without, and what the classes are."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask
from tacit._words import nearest, number_of
from tacit.tables._errors import FRAME, TableError, import_pandas

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
    def of(cls, given: Any, labels: Collection[Any]) -> UnlabeledMarkers:
        """Markers from what a caller gives: one value, several, or none."""
        is_one = isinstance(given, str) or not isinstance(given, Collection)
        several = () if given is None else map(str, [given] if is_one else given)
        # Blanks mean "unlabeled" anyway.
        values = tuple(dict.fromkeys(value.strip() for value in several if value.strip()))
        known = tuple(dict.fromkeys(str(value).strip() for value in labels))
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

    def decode(self, column: Any) -> tuple[AnyArray, Counter[str], type]:
        """Tell labels from blanks and markers.

        The text of each label, None for rows without; the rows with each marker; and what all
        values are: int, where they are numbers, bool or str.
        """
        # By the different values, of which there are few.
        try:
            codes, values = import_pandas().factorize(column)
        except TypeError as error:
            raise TableError(
                f"Column {column.name!r} holds lists or objects, and labels must be texts, whole "
                "numbers or truth values; make one such value of each, or choose another --target."
            ) from error
        is_number = (isinstance(v, int | float | np.number) and type(v) is not bool for v in values)
        kind: type = int if all(is_number) else str
        if len(values) and all(isinstance(value, bool | np.bool_) for value in values):
            kind = bool
        rows = np.bincount(codes[codes >= 0], minlength=len(values)).tolist()
        marked: Counter[str] = Counter()
        labels: list[str | None] = []
        marker_of = {_meaning(marker): marker for marker in self.all}
        for value, count in zip(values, rows, strict=True):
            text = _as_text(value)
            marker = marker_of.get(_meaning(text))
            labels.append(text if text and marker is None else None)
            if marker is not None:
                marked[marker] += count
        return np.array([*labels, None], dtype=object)[codes], marked, kind


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of a table."""

    name: str
    values: AnyArray  # a text, whole number or truth value for each labeled row, None for others
    is_labeled: Mask
    counts: dict[Any, int]  # labels of each class, in order of the classes
    markers: UnlabeledMarkers
    marked: Counter[str]  # rows with each of the markers, blanks aside

    @property
    def classes(self) -> list[Any]:
        """The classes, sorted."""
        return list(self.counts)

    def notes(self) -> list[str]:
        """Sentences about what was taken as unlabeled."""
        return [
            f"{number_of(count, 'row')} with {marker!r} {'was' if count == 1 else 'were'} taken as "
            "unlabeled."
            for marker in self.markers.all
            if (count := self.marked[marker])
        ]


def has_label(texts: AnyArray) -> Mask:
    """Where `UnlabeledMarkers.decode` has found a label."""
    return np.asarray(import_pandas().notna(texts))


def read_target(
    column: Any,
    name: str,
    markers: UnlabeledMarkers,
    table: str,
    *,
    need_unlabeled: bool = True,
    n_rows: int | None = None,
    marked: Counter[str] | None = None,
    decimal: str | None = None,
) -> Target:
    """Read the labels and check that they are classes.

    Where `column` is only a part of the table, with all labels, `n_rows` and `marked` count the
    rows and markers of all of it. Labels of a text, which has a `decimal` sign, become numbers
    where all of them are written as such.
    """
    texts, own, kind = markers.decode(column)
    marked = own if marked is None else marked
    codes, known = import_pandas().factorize(texts)
    labels = [text == "True" for text in known]
    if kind is not bool:
        labels = _labels(list(known), name, decimal or ".", kind is int or decimal is not None)
    values = np.array([*labels, None], dtype=object)[codes]
    is_labeled = codes >= 0
    tally = Counter(values[is_labeled].tolist())
    counts = {label: tally[label] for label in sorted(tally)}
    n_labels = tally.total()
    where = f"Column {name!r} of {table.replace(FRAME, FRAME.lower())}"
    if not counts:
        blank = " or ".join(["blank", *markers.all])
        raise TableError(
            f"{where} has no labels: every row is {blank}; fill in the labels that you know, at "
            "least two of each class."
        )
    has_blanks = len(values) - n_labels > own.total()
    has_unlabeled = n_labels < (len(values) if n_rows is None else n_rows)
    _check_markers_occur(where, markers, marked, list(counts), has_blanks)
    _check_suspects(where, markers, counts, has_unlabeled)
    _check_classes(where, counts, n_labels)
    if need_unlabeled and not has_unlabeled:
        raise TableError(
            f"{where} has a label in every row, so there is no unlabeled data; name the value that "
            f"marks rows without label, one of {shown(list(counts))}, with --unlabeled (in Python, "
            "mark), or leave their labels blank."
        )
    return Target(name, values, is_labeled, counts, markers, marked)


def find_column(name: str, columns: list[str], table: str) -> str:
    """The column of that name, or an error with the names that come near."""
    if not isinstance(name, str):
        raise TableError(
            f"The column is given as {name!r}, and columns go by their names as text here; give a "
            f"text, such as {columns[-1]!r}."
        )
    if name in columns:
        return name
    near = nearest(name, columns, 0.6)
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


def _meaning(text: str) -> str | float:
    """The same for a number or a truth value however it is written."""
    number = _number(text)
    folded = text.casefold()
    return number if number is not None else folded if folded in BOOLEANS else text


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
    where: str, markers: UnlabeledMarkers, marked: Counter[str], classes: list[Any], has_blank: bool
) -> None:
    """An error for a marker that no row has, which would leave rows meant by it as a class."""
    for marker in markers.values:
        if marked[marker] or (has_blank and marker.casefold() in PRINTED):
            continue
        near = nearest(marker, map(str, classes), 0.7)
        hint = f"its labels are {shown(classes)}. Correct --unlabeled, or leave it out."
        if near is not None:
            hint = f"did you mean {near!r}?"
        raise TableError(f"{where} has no row with the mark {marker!r}; {hint}")


def _check_suspects(
    where: str, markers: UnlabeledMarkers, counts: dict[Any, int], has_unlabeled: bool
) -> None:
    """Ask about a class that looks like a marker, where classes enough are left without it."""
    answered = {label.casefold() for label in markers.labels}
    looks = {value: str(value).casefold() for value in counts}
    strange = [v for v, text in looks.items() if text in SUSPECT and text not in answered]
    if not strange or len(counts) - len(strange) < 2:
        return
    value, quoted = str(strange[0]), shlex.quote(str(strange[0]))
    besides = " besides rows without label" if has_unlabeled else ""
    raise TableError(
        f"{where} has {counts[strange[0]]:,} rows with {value!r}{besides}; say whether they are "
        f"unlabeled (--unlabeled {quoted}) or a class (--label {quoted}); in Python, by mark or "
        "labels."
    )


def _check_classes(where: str, counts: dict[Any, int], n_labels: int) -> None:
    classes = list(counts)
    if len(classes) == 1:
        raise TableError(
            f"{where} has labels of only one class, {classes[0]!r}; label some rows of another "
            "class too."
        )
    if len(classes) > MOST_CLASSES or (len(classes) > 10 and len(classes) > n_labels / 2):
        raise TableError(
            f"{where} has {len(classes):,} different values in {n_labels:,} labels "
            f"({shown(classes, 3)}), so it does not look like classes; choose another --target."
        )
