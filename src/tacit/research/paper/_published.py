"""The numbers that Krijthe & Loog (2015) print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.research.experiments._contestants import ICLS, ORACLE, SELF_LEARNING, SUPERVISED

CITATION = (
    "J. H. Krijthe and M. Loog, Implicitly Constrained Semi-Supervised Least Squares "
    "Classification, Advances in Intelligent Data Analysis XIV, 2015."
)


@dataclass(frozen=True)
class Published:
    """A cell of Table 2: mean error, and in how many of 20 repeats it was above supervised."""

    error: float
    times_worse: int | None = None


# Of each dataset: objects and features, as counted here (the paper prints 118 for BCI, intercept
# included); and the errors of supervised, self-learning, ICLS and the oracle, with times worse.
_TABLES: dict[str, tuple[Any, ...]] = {
    "Ionosphere": ((351, 33), (0.29,), (0.24, 1), (0.19, 0), (0.13,)),
    "Parkinsons": ((195, 22), (0.33,), (0.29, 3), (0.27, 0), (0.11,)),
    "Diabetes": ((768, 8), (0.32,), (0.33, 16), (0.31, 2), (0.23,)),
    "Sonar": ((208, 60), (0.42,), (0.37, 1), (0.32, 1), (0.25,)),
    "SPECT": ((267, 22), (0.42,), (0.40, 7), (0.33, 0), (0.17,)),
    "SPECTF": ((267, 44), (0.44,), (0.41, 3), (0.36, 0), (0.22,)),
    "WDBC": ((569, 30), (0.27,), (0.17, 0), (0.12, 0), (0.04,)),
    "Digit1": ((1500, 241), (0.41,), (0.34, 0), (0.20, 0), (0.06,)),
    "USPS": ((1500, 241), (0.42,), (0.35, 0), (0.20, 0), (0.09,)),
    "COIL2": ((1500, 241), (0.40,), (0.27, 0), (0.19, 0), (0.10,)),
    "BCI": ((400, 117), (0.40,), (0.35, 0), (0.28, 0), (0.16,)),
    "g241d": ((1500, 241), (0.45,), (0.39, 0), (0.29, 0), (0.13,)),
}
_COLUMNS = (SUPERVISED, SELF_LEARNING, ICLS, ORACLE)
TABLE_1 = {name: size for name, (size, *_) in _TABLES.items()}
TABLE_2: dict[str, dict[str, Published]] = {
    name: {column: Published(*cell) for column, cell in zip(_COLUMNS, cells, strict=True)}
    for name, (_, *cells) in _TABLES.items()
}
# Repeats of the published table.
N_REPEATS = 20
# ICLS is printed in bold on all datasets but this one, and self-learning is underlined on one.
NOT_BOLD, UNDERLINED = "Parkinsons", "Diabetes"
