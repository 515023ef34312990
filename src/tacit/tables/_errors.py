"""What can be wrong with the files that people bring, and with what is installed."""

from __future__ import annotations

import importlib
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tacit._words import spelled_out

# What a table in a frame, which has no name, is called where a sentence begins.
FRAME = "The table"


class _FileError(ValueError):
    """Wherever it is shown, what a file brought into it cannot steer a terminal."""

    def __init__(self, sentence: str) -> None:
        super().__init__(spelled_out(sentence))


class TableError(_FileError):
    """A table that cannot be used, in one sentence that says what to do about it."""


class ModelFileError(_FileError):
    """A saved model that cannot be used, in one sentence that says what to do about it."""


class TableWarning(UserWarning):
    """Something about a table that a reader should know."""


def _import(
    module: str, *parts: str, needs: str = "Tables and saved models need", extra: str = "tables"
) -> Any:
    """A module that an extra brings, when it is needed, and parts of its package."""
    try:
        for part in parts:
            importlib.import_module(part)
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{needs} {module.partition('.')[0]}, which cannot be imported; install it with: "
            f"pip install 'tacit[{extra}]'"
        ) from error


def installed_version(package: str) -> str | None:
    """The version of a package, looked up and not imported; None where it is not installed."""
    with suppress(PackageNotFoundError):
        return version(package)
    return None


import_openpyxl = partial(_import, "openpyxl", needs="Excel files need", extra="excel")
import_pandas = partial(_import, "pandas")
import_pyarrow = partial(_import, "pyarrow", "pyarrow.csv", "pyarrow.parquet")
import_skops = partial(_import, "skops.io")
import_skrub = partial(_import, "skrub")
