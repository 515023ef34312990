"""Why a solver stopped, as a value that survives storage."""

from __future__ import annotations

from enum import Enum
from typing import Any


class StopReason(Enum):
    """A named reason with a string as its value.

    Some formats, skops among them, build what they read without arguments unless `__reduce__` says
    otherwise, which a member of an enumeration cannot be. Pickle knows enumerations anyway.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """The member by its value."""
        return type(self), (self.value,)
