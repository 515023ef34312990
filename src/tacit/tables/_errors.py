"""What can be wrong with the files that people bring."""

from __future__ import annotations


class TableError(ValueError):
    """A table that cannot be used, in one sentence that says what to do about it."""


class ModelFileError(ValueError):
    """A saved model that cannot be used, in one sentence that says what to do about it."""


class TableWarning(UserWarning):
    """Something about a table that a reader should know."""
