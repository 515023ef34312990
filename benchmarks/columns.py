"""Many columns and many classes: sparse text, dense embeddings, catalogues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_moons
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge, RidgeClassifierCV
from sklearn.pipeline import make_pipeline

from benchmarks.measure import PeakMemory, in_new_process, medians
from benchmarks.speed import Line
from tacit import (
    ICLSClassifier,
    KernelICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
)

# Rows, columns, labels, bytes a number, and the bounds on the time over Ridge.
DENSE = ((20_000, 768, 30, 8, 4.0, 1.5), (20_000, 2_000, 30, 8, 3.0, 1.2))
SINGLE = (200_000, 768, 30, 4, 3.0, 1.2)
# Classes, rows, columns, labels and bounds.
CLASSES = (
    (10, 10_000, 384, 100, 15.0, 5.0),
    (26, 15_000, 16, 260, 100.0, 30.0),
    (100, 20_000, 64, 1_000, 100.0, 30.0),
)


def sparse_table(n: int, d: int, n_entries: int = 100) -> tuple[Any, Any]:
    """Rows as of documents: frequent and rare columns, and some that go with the class."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n)
    columns = (d * random.random((n, n_entries)) ** 2).astype(np.int64)
    topical = (2 * random.integers(0, 200, (n, n_entries)) + y[:, None]) % d
    columns = np.where(random.random((n, n_entries)) < 0.15, topical, columns)
    values = np.log1p(3.0 * random.random(n * n_entries))
    X = sp.csr_array((values, (np.repeat(np.arange(n), n_entries), columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, y


def dense_table(n: int, d: int, n_classes: int, distance: float, bytes_each: int) -> Any:
    """Normal rows about one centre a class."""
    random = np.random.default_rng(0)
    y = random.integers(0, n_classes, n)
    centres = distance / np.sqrt(d) * random.standard_normal((n_classes, d))
    X = random.standard_normal((n, d), dtype=np.float32 if bytes_each == 4 else np.float64)
    X += centres.astype(X.dtype)[y]
    return X, y


def _marked(y: Any, n_labeled: int) -> Any:
    marked = y.copy()
    marked[n_labeled:] = -1
    return marked


def _note(seconds: dict[str, float], model: Any) -> str:
    solution = model.solution_
    return (
        f"{seconds['ours']:.3g} s over {seconds['theirs']:.3g} s; {solution.status.value}, gap "
        f"{solution.relative_gap():.0e}"
    )


def _bytes_of_a_fit(table: Any, n_labeled: int, *arguments: Any) -> tuple[int, int]:
    """By how much memory grows during a fit, and the size of the table."""
    X, y = table(*arguments)
    model = ICLSClassifier("loo").fit(X[:50], _marked(y[:50], 40))  # what is loaded once
    with PeakMemory() as memory:
        model.fit(X[:n_labeled], y[:n_labeled], X_unlabeled=X[n_labeled:])
    held = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return memory.growth, sum(part.nbytes for part in held)


def _memory_line(name: str, bounds: tuple[float, float], *table: Any) -> Line:
    growth, size = in_new_process(_bytes_of_a_fit, *table)
    return Line(name, *bounds, growth / size, f"{growth / 1e6:.0f} MB over {size / 1e6:.0f} MB")


def _against(
    name: str, bounds: tuple[float, float], ours: Any, theirs: Callable[[], object], model: Any
) -> Line:
    seconds = medians({"ours": ours, "theirs": theirs}, 3)
    return Line(name, *bounds, seconds["ours"] / seconds["theirs"], _note(seconds, model))


def sparse_lines() -> Iterator[Line]:
    """Text: 200,000 sparse columns and 100 labels."""
    (X, y), n = sparse_table(10_000, 200_000), 100
    marked = _marked(y, n)
    supervised, model = LeastSquaresClassifier("loo"), ICLSClassifier("loo")
    seconds = medians(
        {
            "ours": lambda: supervised.fit(X, marked),
            "theirs": lambda: RidgeClassifierCV().fit(X[:n], y[:n]),
        },
        5,
    )
    note = f"{seconds['ours']:.3g} s over {seconds['theirs']:.3g} s"
    ratio = seconds["ours"] / seconds["theirs"]
    yield Line("sparse 1e4 x 2e5, supervised: over RidgeClassifierCV", 5, 2, ratio, note)

    def ridge() -> object:
        return Ridge(solver="sparse_cg").fit(X, y)

    name = "sparse 1e4 x 2e5, ICLS: over Ridge (sparse_cg)"
    yield _against(name, (2.0 * n, n / 2), lambda: model.fit(X, marked), ridge, model)
    yield _memory_line(
        "the same, as X_unlabeled: peak memory over the input", (10, 4), sparse_table, n, *X.shape
    )


def matrix_free_lines() -> Iterator[Line]:
    """Rows and columns too many for a matrix, and a start with values that are no labels."""
    (X, y), n = sparse_table(100_000, 200_000), 1_000
    marked, model = _marked(y, n), ICLSClassifier("loo")
    seconds = medians(
        {
            "ours": lambda: model.fit(X, marked),
            "theirs": lambda: Ridge(solver="sparse_cg").fit(X, y),
        },
        1,
    )
    name = "sparse 1e5 x 2e5, 1,000 labels, start outside: over Ridge (sparse_cg)"
    yield Line(name, 40, 10, seconds["ours"] / seconds["theirs"], _note(seconds, model))
    yield _memory_line(
        "the same, as X_unlabeled: peak memory over the input", (10, 5), sparse_table, n, *X.shape
    )


def dense_lines() -> Iterator[Line]:
    """Embeddings, some of whose supervised values are no labels."""
    for n, d, n_labeled, bytes_each, *bounds in (*DENSE, SINGLE):
        X, y = dense_table(n, d, 2, 6.0, bytes_each)
        marked, model = _marked(y, n_labeled), ICLSClassifier("loo")

        def ours(X: Any = X, marked: Any = marked, model: Any = model) -> object:
            return model.fit(X, marked)

        def ridge(X: Any = X, y: Any = y) -> object:
            return Ridge(solver="cholesky").fit(X, y)

        name = f"dense {n:,} x {d:,}, float{8 * bytes_each}: over Ridge"
        yield _against(name, (bounds[0], bounds[1]), ours, ridge, model)
    name, table = (
        "the last, as X_unlabeled: peak extra memory over the input",
        (n, d, 2, 6.0, bytes_each),
    )
    yield _memory_line(name, (0.5, 0.2), dense_table, n_labeled, *table)


def class_lines() -> Iterator[Line]:
    """Catalogues of many classes beside Ridge with as many targets."""
    for n_classes, n, d, n_labeled, must, aim in CLASSES:
        X, y = dense_table(n, d, n_classes, 5.0, 8)
        marked, model, Y = _marked(y, n_labeled), ICLSClassifier("loo"), np.eye(n_classes)[y]

        def ours(X: Any = X, marked: Any = marked, model: Any = model) -> object:
            return model.fit(X, marked)

        def ridge(X: Any = X, Y: Any = Y) -> object:
            return Ridge(solver="cholesky").fit(X, Y)

        name = f"K = {n_classes}, {n:,} x {d}: over Ridge with K targets"
        yield _against(name, (must, aim), ours, ridge, model)


def wide_line() -> Line:
    """New rows that the projection judges otherwise than ridge, where columns exceed rows."""
    changed = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        X = random.standard_gamma(1.0, size=(388, 365)) ** 2
        y = (X[:, :5].sum(axis=1) + random.normal(size=388) > 10.0).astype(int)
        ridge = LeastSquaresClassifier("loo").fit(X[:60], y[:60])
        model = ProjectedLeastSquaresClassifier(alpha="loo").fit(X[:188], _marked(y[:188], 60))
        changed.append(float((model.predict(X[188:]) != ridge.predict(X[188:])).mean()))
    note = f"6 draws, worst {100 * max(changed):.1f}%, {model.solution_.status.value}"
    share = 100 * float(np.mean(changed))
    return Line(
        "projected, 188 x 365: labels of new rows unlike ridge", 5, 2, share, note, unit="%"
    )


def landmark_line() -> Line:
    """Kernel ICLS on 20,000 rows, with landmarks, beside ridge regression on Nystroem features."""
    X, y = make_moons(20_000, noise=0.3, random_state=0)
    marked, n = _marked(y, 100), 500
    model = KernelICLSClassifier(gamma=2.0, alpha=0.1, n_landmarks=n)
    peer = make_pipeline(Nystroem(gamma=2.0, n_components=n, random_state=0), Ridge())
    name = "kernel, N = 20,000, 500 landmarks: over Nystroem and Ridge"
    return _against(name, (10, 5), lambda: model.fit(X, marked), lambda: peer.fit(X, y), model)


def column_lines() -> Iterator[Line]:
    """All of them."""
    yield from sparse_lines()
    yield from matrix_free_lines()
    yield from dense_lines()
    yield wide_line()
    yield landmark_line()
    yield from class_lines()


if __name__ == "__main__":
    for line in column_lines():
        print(line.markdown(), flush=True)
