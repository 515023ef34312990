"""A property that is computed once, without a lock."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """As in Python 3.12.

        That of 3.11 has one lock for all instances: a process that is forked while another thread
        computes would wait for it for ever.
        """

        def __init__(self, compute: Any) -> None:
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value
