"""What a classifier answers, as one class for each row."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from tacit._typing import AnyArray


def answers(model: Any, X: Any, classes: Collection[Any]) -> AnyArray:
    """One of the `classes` for each row of X, or an error.

    Some classifiers answer with a column, which NumPy would compare with every row of a vector; and
    probabilities, compared with classes, would all be wrong.
    """
    found, n_rows = np.asarray(model.predict(X)), X.shape[0]
    if found.shape == (n_rows, 1):
        found = found[:, 0]
    if found.shape != (n_rows,):
        raise ValueError(
            f"predict gave an array of the shape {found.shape} for {n_rows:,} rows; it must give "
            "one class for each row."
        )
    strange = [answer for answer in found.tolist() if answer not in classes]
    if strange:
        shown = ", ".join(map(str, sorted(classes)[:5])) + (", ..." if len(classes) > 5 else "")
        raise ValueError(
            f"predict answered {strange[0]!r}, which is none of the classes that it was given "
            f"({shown}); it must answer with one of them."
        )
    return found
