"""A table of which some rows have labels, checked once for all that follows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from tacit._cached import cached_property
from tacit._typing import AnyArray, Index
from tacit._words import listed
from tacit.estimators._labels import check_classes, read_labels
from tacit.estimators._training import check_width, is_elsewhere, stack
from tacit.rows import with_short_indices

# The mark of unlabeled rows in what estimators are given: scikit-learn's, whatever the user's is.
UNLABELED = -1


@dataclass(frozen=True, eq=False)
class LabeledTable:
    """Rows with and without labels."""

    X: Any = field(repr=False)  # As given, with the rows of X_unlabeled below
    # The labels as estimators get them, and -1 for unlabeled rows. Non-negative whole numbers stay
    # what they are; other labels become their positions among the sorted classes.
    y: AnyArray = field(repr=False)
    classes: AnyArray  # The labels as the user has them, sorted
    name: str = ""  # Of the dataset, where there is more than one

    @cached_property
    def labeled(self) -> Index:
        """Positions of the rows with a label."""
        return np.flatnonzero(self.y != UNLABELED)

    @cached_property
    def unlabeled(self) -> Index:
        """Positions of the others."""
        return np.flatnonzero(self.y == UNLABELED)

    @property
    def label_counts(self) -> dict[Any, int]:
        """The number of labels of each class."""
        _, counts = np.unique(self.y[self.labeled], return_counts=True)
        return dict(zip(self.classes.tolist(), counts.tolist(), strict=True))

    @cached_property
    def codes(self) -> set[int]:
        """The numbers that stand for the classes in `y`."""
        return set(self.y[self.labeled].tolist())


def labeled_table(X: Any, y: Any, X_unlabeled: Any = None, unlabeled: Any = -1) -> LabeledTable:
    """Check a table and its labels; X itself is left to the estimators, which know their needs."""
    X = _readable(X, "X")
    with warnings.catch_warnings():
        # "More classes than half the rows": said better later, where a class is too rare.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        labels = read_labels(y, unlabeled, X.shape[0])
    check_classes(labels.classes, not labels.is_labeled.all(), unlabeled)
    coded = np.full(X.shape[0], UNLABELED, dtype=np.intp)
    is_whole = labels.classes.dtype.kind in "iu" and bool((labels.classes >= 0).all())
    coded[labels.is_labeled] = labels.values if is_whole else labels.codes
    if X_unlabeled is not None:
        extra = _readable(X_unlabeled, "X_unlabeled")
        _check_alike(X, extra)
        X = rows_below(X, extra)
        coded = np.concatenate([coded, np.full(extra.shape[0], UNLABELED)])
    table = LabeledTable(X, coded, labels.classes)
    if len(table.unlabeled) == 0:
        raise ValueError(
            "Every row has a label, so there is no unlabeled data to judge; mark rows without "
            "label in y by -1, None or NaN, or pass them as X_unlabeled."
        )
    return table


def apart(X: Any, y: Any, target: str | None) -> tuple[Any, Any]:
    """Rows and labels, which are given each by itself or as a frame and a name in it."""
    if target is None and y is not None:
        return X, y
    if target is None or y is not None or not hasattr(X, "columns"):
        raise ValueError(
            f"X is a {type(X).__name__}, y is {'None' if y is None else 'given'} and target is "
            f"{target!r}; pass rows and labels, compare(X, y), or a frame and the name of its "
            "column of labels, compare(frame, target='churned')."
        )
    if target not in X.columns:
        raise ValueError(
            f"target is {target!r}, and X has no such column; its columns are "
            f"{listed([repr(name) for name in X.columns], 12)}."
        )
    return X[[name for name in X.columns if name != target]], X[target]


def default_preprocessing(X: Any) -> Any:
    """What the default classifiers need before them: numbers of about unit variance.

    Raises where X has columns that are not numbers, since how to turn those into features is for
    the user to say.
    """
    if sparse.issparse(X):
        return MaxAbsScaler()
    check_numbers(
        X,
        "the default estimators need numbers; use tacit.tables.compare_table(frame, "
        "target='churned'), which takes columns of any kind, or pass estimators="
        "default_contestants(preprocessing) with a transformer of your own, such as a "
        "ColumnTransformer",
    )
    if bool(np.any(X.isna() if hasattr(X, "isna") else np.isnan(X))):
        return make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return StandardScaler()


def check_numbers(X: Any, advice: str) -> None:
    """An error with advice where X has columns that are not numbers."""
    dtypes = X.dtypes.items() if hasattr(X, "iloc") else [("X", X.dtype)]
    strange = [str(name) for name, dtype in dtypes if dtype.kind not in "biuf"]
    if strange:
        raise ValueError(
            f"X has columns that are not numbers ({listed(strange, 5)}), and {advice}."
        )


def _readable(X: Any, name: str) -> Any:
    """X as something with a shape and rows that can be taken."""
    if X is None:
        raise ValueError(f"{name} is None; pass a table of rows and columns.")
    if is_elsewhere(X):
        raise TypeError(
            f"{name} is a {type(X).__name__}; a comparison fits hundreds of models and needs the "
            "rows in memory. Pass a random sample of them; some 10,000 are plenty."
        )
    if sparse.issparse(X):
        return with_short_indices(X.tocsr())  # type: ignore[attr-defined]
    if not hasattr(X, "iloc"):
        X = np.asarray(X)
    if len(X.shape) != 2 or X.shape[1] == 0:
        raise ValueError(
            f"{name} has the shape {tuple(X.shape)}; it must have two dimensions, rows and at "
            "least one column."
        )
    return X


def rows_below(first: Any, second: Any) -> Any:
    """Two tables of one kind and the same columns, one below the other."""
    if not hasattr(first, "iloc"):
        return stack(first, second)
    from pandas import concat  # there, since its frames are

    return concat([first, second], ignore_index=True)


def as_frame(rows: Sequence[dict[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """Flat rows as a pandas DataFrame, with these columns also where there are no rows."""
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ImportError("A DataFrame needs pandas: pip install 'tacit[data]'") from error
    return DataFrame(list(rows), columns=columns)


def _check_alike(X: Any, extra: Any) -> None:
    check_width(extra.shape, X.shape)
    if hasattr(X, "iloc") != hasattr(extra, "iloc"):
        raise TypeError(
            f"X is a {type(X).__name__} and X_unlabeled a {type(extra).__name__}; pass both as "
            "DataFrames or both as arrays."
        )
    if hasattr(X, "iloc") and list(X.columns) != list(extra.columns):
        raise ValueError("X_unlabeled has other column names than X; name them alike.")
