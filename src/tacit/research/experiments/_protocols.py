"""The protocols: which rows are labeled, unlabeled and tested, in which repeat."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from tacit._typing import Index
from tacit.estimators._labels import read_labels
from tacit.research.experiments._measures import MEASURES
from tacit.selection._contestants import seed_of
from tacit.selection._evaluate import Split
from tacit.selection._labeled_table import LabeledTable

# Sizes of Figure 2 of the paper.
POWERS_OF_TWO = tuple(2**k for k in range(1, 11))


@dataclass(frozen=True)
class Protocol(ABC):
    """Repeated random splits of a table."""

    n_repeats: int  # How often everything is drawn anew
    # Labeled rows L, at least one of each class among them; None is the paper's max(d + 5, 20).
    n_labeled: int | None = None
    name: ClassVar[str]
    measures: ClassVar[tuple[str, ...]] = MEASURES

    def __post_init__(self) -> None:
        self._check_count("n_repeats", 1)
        if self.n_labeled is not None:
            self._check_count("n_labeled", 2)

    def labels(self, table: LabeledTable) -> int:
        """L for this table."""
        return paper_labels(table.X.shape[1]) if self.n_labeled is None else self.n_labeled

    def check(self, table: LabeledTable) -> None:
        """Raise an error that says why, if some repeat cannot be drawn from `table`."""
        for repeat in range(self.n_repeats):
            self.splits(table, repeat)

    @abstractmethod
    def splits(self, table: LabeledTable, repeat: int) -> list[list[Split]]:
        """The splits of one repeat, in groups; the tests of a group are taken together.

        They depend on the name of the table, L and the number of the repeat alone.
        """

    def _check_count(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name} is {value!r}; it must be an integer from {least} on.")
        # A plain one, whose description does not depend on who has counted.
        object.__setattr__(self, name, int(value))

    def _random(self, table: LabeledTable, repeat: int) -> np.random.Generator:
        key = f"{table.name}|{self.name}|{self.labels(table)}|{repeat}"
        return np.random.default_rng(seed_of(key))


@dataclass(frozen=True)
class LearningCurves(Protocol):
    """Draw L labeled rows and shuffle the rest: the first U are unlabeled, all others tested."""

    n_repeats: int = 100
    n_unlabeled: tuple[int, ...] = POWERS_OF_TWO  # The sizes U; those without a test are left out
    name: ClassVar[str] = "learning curves"

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = self.n_unlabeled
        if not sizes or min(sizes) < 0 or len(set(sizes)) < len(sizes):
            raise ValueError(f"n_unlabeled is {sizes}; it must be some sizes, each of them once.")

    def splits(self, table: LabeledTable, repeat: int) -> list[list[Split]]:
        """One group for each size."""
        labeled, rest = draw_labeled(
            table, np.arange(len(table.y)), self.labels(table), self._random(table, repeat)
        )
        sizes = [size for size in self.n_unlabeled if size < len(rest)]
        if not sizes:
            raise ValueError(
                f"Dataset {table.name!r} has {len(rest)} rows beside the {len(labeled)} labeled "
                f"ones, too few for any size of n_unlabeled={self.n_unlabeled} and a test."
            )
        return [[Split(labeled, rest[:size], rest[size:], repeat)] for size in sizes]


@dataclass(frozen=True)
class CrossValidation(Protocol):
    """Folds; of the other folds' rows L are labeled and the rest unlabeled.

    Every row is tested exactly once in a repeat, so that a repeat's error is over all n rows.
    """

    n_repeats: int = 20
    n_folds: int = 10  # Of sizes that differ by one at most
    name: ClassVar[str] = "cross-validation"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_count("n_folds", 2)

    def splits(self, table: LabeledTable, repeat: int) -> list[list[Split]]:
        """One group, of one split for each fold."""
        random, n_rows = self._random(table, repeat), len(table.y)
        if self.n_folds > n_rows:
            raise ValueError(
                f"n_folds is {self.n_folds}; it must be from 2 to the {n_rows} rows of dataset "
                f"{table.name!r}."
            )
        group: list[Split] = []
        for tested in np.array_split(random.permutation(n_rows), self.n_folds):
            training = np.setdiff1d(np.arange(n_rows), tested)
            labeled, unlabeled = draw_labeled(table, training, self.labels(table), random)
            group.append(Split(labeled, unlabeled, tested, repeat, len(group)))
        return [group]


def paper_labels(n_features: int) -> int:
    """The number of labeled rows in the paper's experiments."""
    return max(n_features + 5, 20)


def draw_labeled(
    table: LabeledTable, rows: Index, n_labeled: int, random: np.random.Generator
) -> tuple[Index, Index]:
    """Draw one row of each class, then others from all that remain; the rest comes shuffled.

    Drawing all of them at once until no class is missing would give rare classes fewer labels. On
    unbalanced data that shifts errors by up to 0.02, away from the published ones.
    """
    classes = np.unique(table.y)
    if not len(classes) <= n_labeled < len(rows):
        raise ValueError(
            f"n_labeled is {n_labeled}; for dataset {table.name!r} it must be at least the number "
            f"of its classes, {len(classes)}, and below the {len(rows)} rows it is drawn from."
        )
    if len(np.unique(table.y[rows])) < len(classes):
        raise ValueError(
            f"Dataset {table.name!r} has a class so rare that it is missing from a training set "
            f"of {len(rows)} rows; use more folds or fewer repeats, or leave the class out."
        )
    order = random.permutation(rows)
    firsts = [random.choice(np.flatnonzero(table.y[order] == label)) for label in classes]
    order = np.concatenate([order[firsts], np.delete(order, firsts)])
    return order[:n_labeled], order[n_labeled:]


def complete_table(name: str, X: Any, y: Any) -> LabeledTable:
    """The data of an experiment: a dense matrix of numbers, and the labels of all rows.

    The name is part of the seed of every draw. Two labels, one of them -1, are two classes; beside
    two others -1 is refused, since it may as well mark rows without label.
    """
    try:
        X = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Dataset {name!r} has an X ({type(X).__name__}) that is no dense matrix of numbers "
            f"({error}); code what is not a number as numbers first, and give X.toarray() if X is "
            "sparse, of a choice of columns if that is too large."
        ) from error
    if X.ndim != 2 or np.shape(y) != X.shape[:1]:
        raise ValueError(
            f"Dataset {name!r} has X of shape {X.shape} and y of shape {np.shape(y)}; it needs "
            "a matrix and one label for every row."
        )
    try:
        labels = read_labels(y, unlabeled=None)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Dataset {name!r} has labels that cannot be used: {error}") from error
    missing = int((~labels.is_labeled).sum())
    if missing:
        raise ValueError(
            f"Dataset {name!r} has {missing} rows without label; experiments hide labels "
            "themselves and need to know all of them, so leave these rows out."
        )
    if len(labels.classes) < 2:
        raise ValueError(f"Dataset {name!r} has one class only; at least two are needed.")
    if len(labels.classes) > 2 and {"-1", "-1.0"} & set(map(str, labels.classes)):
        raise ValueError(
            f"Dataset {name!r} has the label -1 beside {len(labels.classes) - 1} others; if it "
            "marks rows without label, leave these rows out, and if it is a class, give it "
            "another name."
        )
    return LabeledTable(X, labels.codes, labels.classes, name)
