"""Packages whose public names are loaded when first asked for (PEP 562).

scikit-learn takes a second to import, and the command line must be able to answer, or to be
interrupted, before that. So a package that the command line passes through imports nothing heavy
itself. It writes its imports under TYPE_CHECKING, where type checkers read them, and ends with::

    __getattr__, __dir__ = public_names(__name__, {"module": ("name", "other_name")})
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any


def public_names(
    package: str, homes: Mapping[str, Collection[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions by which a package finds its public names when they are asked for.

    Parameters
    ----------
    package : str
        Its name, `__name__` in its own module.
    homes : mapping of str to collection of str
        By the name of each module in the package, the public names that come from it.

    Returns
    -------
    get : callable
        For `__getattr__`: loads a name and keeps it, or raises AttributeError.
    names : callable
        For `__dir__`: all names, loaded or not.
    """
    home_of = {name: module for module, names in homes.items() for name in names}
    namespace = vars(sys.modules[package])

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = importlib.import_module(f"{package}.{home_of[name]}")
        value = namespace[name] = getattr(home, name)
        return value

    def names() -> list[str]:
        return sorted({*namespace, *home_of})

    return get, names
