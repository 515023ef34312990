"""The one place of the package that imports pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_frame(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> Any:
    """Flat rows as a pandas DataFrame, with these columns also where there are no rows."""
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ImportError(
            "A DataFrame needs pandas; install it with: pip install pandas"
        ) from error
    return DataFrame(list(rows), columns=list(columns))


def concatenate_frames(first: Any, second: Any) -> Any:
    """Two DataFrames of the same columns, one below the other."""
    from pandas import concat  # there, since its frames are

    return concat([first, second], ignore_index=True)
