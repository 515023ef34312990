"""Problems for the soak: hypothesis draws what kind of table it is, NumPy draws the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from tacit._typing import Index, Matrix, Vector

try:
    import pandas as pd
    import pyarrow as pa
except ImportError:  # without the extras these kinds of rows are left out
    pd = pa = None

# The numbers of a table in the containers that people have them in. All hold the same numbers.
CONTAINERS: dict[str, Callable[[Matrix], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "negative strides": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda X: _read_only(X),
    "big-endian": lambda X: X.astype(">f8"),
    "memory map": lambda X: _memory_map(X),
    "list": lambda X: X.tolist(),
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
}
if pd is not None:
    CONTAINERS |= {
        "data frame": pd.DataFrame,
        "nullable data frame": lambda X: pd.DataFrame(X).astype("Float64"),
        "Arrow-backed data frame": lambda X: pd.DataFrame(X).astype(pd.ArrowDtype(pa.float64())),
    }
SPARSE = ("CSR", "CSC")


def _read_only(X: Matrix) -> Matrix:
    X = X.copy()
    X.flags.writeable = False
    return X


def _memory_map(X: Matrix) -> Any:
    """A map without a file of its own name, which is gone when nobody looks at it any more."""
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        rows: Any = np.memmap(file.name, X.dtype, "w+", shape=X.shape)
        rows[:] = X
    return rows


@dataclass(frozen=True)
class Recipe:
    """What kind of table it is. The same recipe always gives the same numbers."""

    seed: int
    n_features: int
    n_classes: int
    n_labeled: int
    n_unlabeled: int
    exponent: int  # of ten, the scale of the numbers
    is_mixed: bool  # whether that exponent is of one column only
    condition: int  # the exponent of the condition number of the columns
    shift: float  # the mean of the columns, in units of their spread
    columns: str  # "normal", "discrete" or "heavy"
    has_twins: bool  # the first column is the last one too
    has_constant: bool
    has_equal_rows: bool  # equal labeled rows have different labels
    weights: str  # "none", "random", "zeros" or "huge"
    is_single: bool  # numbers are those of single precision
    container: str
    is_apart: bool  # unlabeled rows come as X_unlabeled
    fit_intercept: bool
    alpha: float

    @cached_property
    def table(self) -> Table:
        """The numbers."""
        return _table(self)


@dataclass(frozen=True)
class Table:
    """Labeled rows first; the classes are 0, 1, ... and -1 is what nobody knows."""

    X: Matrix
    y: Index
    weights: Vector | None
    n_labeled: int

    @property
    def w(self) -> Vector:
        return np.ones(len(self.X)) if self.weights is None else self.weights


def _table(recipe: Recipe) -> Table:
    random = np.random.default_rng(recipe.seed)
    n, d = recipe.n_labeled + recipe.n_unlabeled, recipe.n_features
    if recipe.columns == "discrete":
        X = random.integers(0, 2, size=(n, d)).astype(float)
    elif recipe.columns == "heavy":
        X = random.standard_t(2, size=(n, d))
    else:
        X = random.normal(size=(n, d))
    if recipe.condition and d > 1:
        turn = np.linalg.qr(random.normal(size=(d, d)))[0]
        X = X @ (turn * np.logspace(0, -recipe.condition, d)) @ turn.T
    signal = X @ random.normal(size=(d, recipe.n_classes)) + random.gumbel(
        size=(n, recipe.n_classes)
    )
    y = signal.argmax(axis=1)
    y[: recipe.n_classes] = np.arange(recipe.n_classes)
    if recipe.has_twins:
        X[:, -1] = X[:, 0]
    if recipe.has_constant:
        X[:, d // 2] = 1.0
    if recipe.has_equal_rows:
        X[1] = X[0]  # the first two rows are of different classes
    X = X + recipe.shift * random.choice([-1.0, 1.0], size=d)
    scale = np.ones(d)
    scale[0 if recipe.is_mixed else slice(None)] = 10.0**recipe.exponent
    X = X * scale
    if recipe.is_single:
        X = X.astype(np.float32).astype(float)
    y[recipe.n_labeled :] = -1
    return Table(X, y, _weights(recipe, random, n), recipe.n_labeled)


def _weights(recipe: Recipe, random: np.random.Generator, n: int) -> Vector | None:
    if recipe.weights == "none":
        return None
    w = random.uniform(0.5, 2.0, size=n)
    # Two rows of each class keep their weight, so that there is something to learn from.
    free = np.flatnonzero(random.random(n) < 0.3)
    free = free[free >= 2 * recipe.n_classes]
    if recipe.weights == "zeros":
        w[free] = 0.0
    if recipe.weights == "huge":
        w[free] = 1e12
    return w


@st.composite
def recipes(
    draw: st.DrawFn, most_unlabeled: int = 300, wild: bool = True, classes: tuple[int, ...] = (2, 3)
) -> Recipe:
    """Recipes with unlabeled rows up to that number; those not `wild` have tame numbers."""
    often = st.sampled_from([False, False, False, True])
    n_features = draw(st.integers(1, 8))
    n_classes = draw(st.sampled_from((2, *classes)))
    exponents = [0, 0, 0, 0, -3, 3, -8, 8, -20, 20, -75, 75, -145, 145, -150, 150]
    exponent = draw(st.sampled_from(exponents)) if wild else 0
    is_single = draw(often) and abs(exponent) <= 20
    conditions = [0, 0, 0, 1, 3, 6, 10, 14]
    shifts = [0.0, 0.0, 0.0, 1.0, 1e2, 1e5, 1e8]
    counts = [count for count in (0, 1, 3, 10, 40, 100, 300) if count <= most_unlabeled]
    p = n_features + 1
    return Recipe(
        seed=draw(st.integers(0, 2**32 - 1)),
        n_features=n_features,
        n_classes=n_classes,
        n_labeled=draw(st.integers(n_classes, max(5 * p, n_classes))),
        n_unlabeled=draw(st.sampled_from(counts)),
        exponent=exponent,
        is_mixed=draw(st.booleans()),
        condition=draw(st.sampled_from(conditions)) if wild else 0,
        shift=draw(st.sampled_from(shifts if wild else [0.0, 1.0])),
        columns=draw(st.sampled_from(["normal", "normal", "discrete", "heavy"])),
        has_twins=draw(often) and n_features > 1,
        has_constant=draw(often) and n_features > 2,
        has_equal_rows=draw(often),
        weights=draw(st.sampled_from(["none", "none", "random", "zeros", "huge"])),
        is_single=is_single,
        container=draw(st.sampled_from(list(CONTAINERS))),
        is_apart=draw(st.booleans()),
        fit_intercept=draw(st.sampled_from([True, True, True, False])),
        alpha=draw(st.sampled_from([0.0, 0.0, 0.1, 10.0])),
    )


def fit(model: Any, recipe: Recipe) -> Any:
    """Fit the model on the table in its container, with its weights where it takes them."""
    table = recipe.table
    X, y = table.X, table.y
    hold = CONTAINERS[recipe.container]
    if not model.__sklearn_tags__().input_tags.sparse and recipe.container in SPARSE:
        hold = np.ascontiguousarray
    if (
        recipe.is_single
        and isinstance(hold(X[:1]), np.ndarray)
        and recipe.container != "big-endian"
    ):
        X = X.astype(np.float32)
    # A list of no rows does not say how many columns it has.
    if recipe.is_apart and table.weights is None and recipe.n_unlabeled:
        L = table.n_labeled
        return model.fit(hold(X[:L]), y[:L], X_unlabeled=hold(X[L:]))
    return model.fit(hold(X), y, sample_weight=table.weights)
