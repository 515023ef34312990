"""The first step of every model: the right columns, of the right types."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from tacit._typing import AnyArray
from tacit.tables._columns import CATEGORY, DATE, MOST_VALUES, NUMBER, Column
from tacit.tables._dates import ISO, TIME, parse_dates, seconds_since_midnight
from tacit.tables._errors import TableError
from tacit.tables._packages import import_pandas
from tacit.tables._truth import truth_as_numbers


class TypedColumns(TransformerMixin, BaseEstimator):
    """Choose columns by name and give each the type it had when the table was judged.

    It learns nothing, so it may be fitted on any rows. A value that cannot be read as what its
    column holds becomes a missing one.

    Parameters
    ----------
    columns : sequence of (name, kind, how it is written or None, number of values)
        The features, as `specifications` makes them.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names.
    """

    n_features_in_: int
    feature_names_in_: AnyArray

    def __init__(self, columns: Any = ()) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> TypedColumns:
        """Remember the names of the columns.

        Parameters
        ----------
        X : pandas.DataFrame
            The table.
        y : ignored
            Not used.

        Returns
        -------
        TypedColumns
            Itself.
        """
        self.feature_names_in_ = np.array(list(X.columns), dtype=object)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """The chosen columns, typed.

        Parameters
        ----------
        X : pandas.DataFrame
            A table with at least these columns.

        Returns
        -------
        pandas.DataFrame
            The features in their order.
        """
        missing = [name for name, *_ in self.columns if name not in X.columns]
        if missing:
            _suggest(missing, [str(name) for name in X.columns])
            some = ", ".join(repr(name) for name in missing[:5])
            raise TableError(
                f"The table lacks {'the column' if len(missing) == 1 else 'the columns'} {some}"
                f"{', ...' if len(missing) > 5 else ''}, which the model was fitted with; add "
                f"{_them(missing)}, empty where nothing is known."
            )
        typed = {
            name: as_kind(X[name], kind, written, n_values)
            for name, kind, written, n_values in self.columns
        }
        return import_pandas().DataFrame(typed, index=X.index)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """The names of the features.

        Parameters
        ----------
        input_features : ignored
            Not used.

        Returns
        -------
        ndarray of str
            In their order.
        """
        return np.array([name for name, *_ in self.columns], dtype=object)


def _suggest(missing: list[str], given: list[str]) -> None:
    """An error if columns that are missing are there under a name that is almost the same."""
    plain = {_plain(name): name for name in given}
    near = {name: plain[_plain(name)] for name in missing if _plain(name) in plain}
    if not near:
        return
    pairs = ", ".join(f"{there!r} for {name!r}" for name, there in list(near.items())[:5])
    lacking = ", ".join(repr(name) for name in list(near)[:5])
    raise TableError(
        f"The table lacks {'the column' if len(near) == 1 else 'the columns'} {lacking}, which "
        f"the model was fitted with; did you mean {pairs}? Rename {_them(near)}."
    )


def _plain(name: str) -> str:
    """A name without what is easily mistyped: capitals, spaces and signs between words."""
    return "".join(name.casefold().replace("_", " ").replace("-", " ").split())


def _them(several: Any) -> str:
    return "it" if len(several) == 1 else "them"


def specifications(columns: tuple[Column, ...]) -> list[list[Any]]:
    """The features among judged columns, as plain lists that can be saved."""
    return [[c.name, c.kind, c.written, c.n_values] for c in columns if c.is_feature]


def as_kind(column: Any, kind: str, written: str | None, n_values: int) -> Any:
    """A column as numbers, dates, categories or text."""
    pandas = import_pandas()
    types = pandas.api.types
    if kind == NUMBER:
        return _as_numbers(column, written)
    if kind == DATE:
        if types.is_datetime64_any_dtype(column.dtype):
            aware = isinstance(column.dtype, pandas.DatetimeTZDtype)
            return column.dt.tz_convert("UTC").dt.tz_localize(None) if aware else column
        return parse_dates(column.astype("string"), written or ISO)
    if kind == CATEGORY and n_values <= MOST_VALUES:
        if isinstance(column.dtype, pandas.CategoricalDtype) and _has_text(column):
            return column
        return _as_text(column).astype("category")
    return _as_text(column)


def _as_numbers(column: Any, written: str | None) -> Any:
    pandas = import_pandas()
    types = pandas.api.types
    if column.dtype == np.float64 or column.dtype == np.float32:
        values = column
    elif types.is_timedelta64_dtype(column.dtype):
        values = column.dt.total_seconds()
    elif types.is_numeric_dtype(column.dtype):
        values = pandas.to_numeric(column).astype("Float64").astype("float64")
    else:
        texts = column.astype("string").str.strip()
        values = pandas.to_numeric(truth_as_numbers(texts), errors="coerce")
        values = values.astype("Float64").astype("float64")
        if written == TIME:
            values = values.fillna(seconds_since_midnight(texts))
    # A number that has run over is as good as none.
    return values.where(np.isfinite(values)) if np.isinf(values).any() else values


def _as_text(column: Any) -> Any:
    if column.dtype == object and all(isinstance(v, str) for v in column.head(50).dropna()):
        return column.where(column.notna(), None)
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")  # codes with gaps: 12 is not to be read as 12.0
    texts = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    return texts.where(column.notna(), None)


def _has_text(column: Any) -> bool:
    return bool(column.cat.categories.dtype == object)
