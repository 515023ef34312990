"""True and false, however they are written."""

from __future__ import annotations

from typing import Any

# How a column of them is marked: it is one of numbers, with 1 for true.
TRUTH = "true or false"
# In small letters. With gaps pandas reads them as objects, as text it leaves them as they are
# written, and Parquet files have them as such; all of these must come to the same.
NUMBERS = {"true": "1", "false": "0"}


def is_truth(texts: Any) -> Any:
    """Where a text means true or false."""
    return texts.str.lower().isin(NUMBERS)


def truth_as_numbers(texts: Any) -> Any:
    """Texts with 1 for true and 0 for false; others as they are."""
    lower = texts.str.lower()
    return texts.where(~lower.isin(NUMBERS), lower.map(NUMBERS))
