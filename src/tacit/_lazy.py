"""Packages whose public names are loaded when first asked for (PEP 562).

scikit-learn takes a second to import, and the command line must be able to answer, or to be
interrupted, before that. So a package that the command line passes through imports nothing heavy
itself. It writes its imports under TYPE_CHECKING, where type checkers read them, and ends with::

    __getattr__, __dir__, __all__ = public_names(__name__)
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def public_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """For `__getattr__`, `__dir__` and `__all__` of a package: what it imports for type checkers.

    The first loads a name and keeps it, or raises AttributeError; the second lists all names,
    loaded or not.
    """
    namespace = vars(sys.modules[package])
    source = ast.parse(Path(namespace["__file__"]).read_text(encoding="utf-8"))
    checked = [part for part in source.body if isinstance(part, ast.If)]
    imports = [line for part in checked for line in part.body if isinstance(line, ast.ImportFrom)]
    home_of = {alias.name: str(line.module) for line in imports for alias in line.names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(importlib.import_module(home_of[name]), name)
        return value

    return get, lambda: sorted({*namespace, *home_of}), sorted(home_of)
