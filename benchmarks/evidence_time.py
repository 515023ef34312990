"""`python -m benchmarks.evidence_time [rows ...]`: a fit of TacitClassifier beside plain parts."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.semi_supervised import LabelSpreading

from benchmarks.measure import PeakMemory
from benchmarks.speed import HEADER, Line
from tacit import TacitClassifier
from tacit._typing import AnyArray, Matrix
from tacit.views._graph import NeighborIndex

N_LABELS = 50
N_NEIGHBORS = 15
# By rows: the promised and the hoped-for ratio, and the same of the peak memory in GB.
PROMISES = {
    10_000: (25, 10, None, None),
    100_000: (12, 5, 3, 1.5),
    1_000_000: (10, 4, 6, 3),
}


def clusters(n_rows: int, n_features: int) -> tuple[Matrix, AnyArray]:
    """Two classes of several clusters each."""
    random = np.random.default_rng(0)
    centres = 3.0 * random.standard_normal((10, n_features))
    which = random.integers(10, size=n_rows)
    X = random.standard_normal((n_rows, n_features))
    X += centres[which]
    return X, which % 2


def timed(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def small_line() -> Line:
    """A table of the size of the benchmark's, over a forest and one label spreading."""
    X, y = clusters(1_500, 240)
    partly = np.where(np.arange(len(y)) < N_LABELS, y, -1)

    def peers() -> None:
        LabelSpreading(kernel="knn").fit(X, partly)
        RandomForestClassifier(200).fit(X[:N_LABELS], y[:N_LABELS])

    pairs = [(timed(lambda: TacitClassifier().fit(X, partly)), timed(peers)) for _ in range(3)]
    ours, theirs = (min(pair[k] for pair in pairs) for k in (0, 1))
    what = "TacitClassifier, N = 1,500, d = 240: time over LabelSpreading and a forest"
    return Line(what, 6, 3, ours / theirs, f"{ours:.3g} s over {theirs:.3g} s")


def large_lines(n_rows: int) -> list[Line]:
    """A fit over building one graph of the same rows; a million rows are read from Parquet."""
    X, y = clusters(n_rows, 50)
    graph = timed(lambda: NeighborIndex(X).search(X, N_NEIGHBORS + 1))
    labeled, labels = X[:N_LABELS].copy(), y[:N_LABELS]
    with tempfile.TemporaryDirectory() as folder:
        unlabeled: Any = X[N_LABELS:]
        if n_rows >= 1_000_000:
            unlabeled = _written(unlabeled, Path(folder) / "rows.parquet")
            del X
        with PeakMemory() as memory:
            ours = timed(lambda: TacitClassifier().fit(labeled, labels, unlabeled))
    must, aim, most, hoped = PROMISES[n_rows]
    what, peak = f"TacitClassifier, N = {n_rows:,}, d = 50", memory.growth / 1e9
    times = f"{ours:.3g} s over {graph:.3g} s"
    lines = [Line(f"{what}: time over one 15-neighbour graph", must, aim, ours / graph, times)]
    if most is not None and hoped is not None:
        lines.append(Line(f"{what}: memory above the rows", most, hoped, peak, "peak", unit=" GB"))
    return lines


def _written(X: Matrix, path: Path) -> str:
    import pyarrow
    import pyarrow.parquet

    names = [f"x{j}" for j in range(X.shape[1])]
    pyarrow.parquet.write_table(pyarrow.table(dict(zip(names, X.T, strict=True))), path)
    return str(path)


def evidence_lines(sizes: Iterable[int] = PROMISES) -> list[Line]:
    """All lines, the smallest table first."""
    return [small_line(), *(line for n_rows in sizes for line in large_lines(n_rows))]


def main() -> int:
    """Print the lines; 0 where all hold."""
    sizes = [int(size) for size in sys.argv[1:]] or list(PROMISES)
    lines = evidence_lines(sizes)
    print(HEADER)
    for line in lines:
        print(line.markdown())
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
