"""`python -m benchmarks`: the solvers side by side, in one run, with fixed BLAS threads."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from tacit import ICLSClassifier
from tacit._typing import AnyArray, Matrix

THREADS = 2
SIZES = ((20, 100, 8), (55, 1000, 50), (55, 10_000, 50), (245, 1000, 240))


def table(n_labeled: int, n_unlabeled: int, d: int) -> tuple[Matrix, AnyArray, Matrix]:
    """Two Gaussian classes that overlap."""
    random = np.random.default_rng(n_unlabeled)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    y = (X @ random.normal(size=d) + 2.0 * random.normal(size=len(X)) > 0).astype(int)
    return X[:n_labeled], y[:n_labeled], X[n_labeled:]


def median_seconds(run: Callable[[], object], repeats: int) -> float:
    """The median over `repeats` runs, after one to warm up."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print the table."""
    print(f"ICLSClassifier, relative gap <= 1e-8, {THREADS} BLAS threads; medians of one run\n")
    print("|  L |  U |  d | interior point: ms, iterations, gap | L-BFGS-B over it, gap |")
    print("|---:|---:|---:|---:|---:|")
    for n_labeled, n_unlabeled, d in SIZES:
        X, y, X_u = table(n_labeled, n_unlabeled, d)
        ours = ICLSClassifier(solver="interior-point")
        theirs = ICLSClassifier(solver="lbfgsb", max_iter=100_000)
        seconds = median_seconds(lambda m=ours: m.fit(X, y, X_unlabeled=X_u), 5)  # type: ignore[misc]  # noqa: B023
        other = median_seconds(lambda m=theirs: m.fit(X, y, X_unlabeled=X_u), 1)  # type: ignore[misc]  # noqa: B023
        print(
            f"| {n_labeled} | {n_unlabeled} | {d} | {1e3 * seconds:.1f} ms, {ours.n_iter_}, "
            f"{ours.solution_.relative_gap():.0e} | {other / seconds:.1f}, "
            f"{theirs.solution_.relative_gap():.0e} |"
        )


if __name__ == "__main__":
    with threadpool_limits(limits=THREADS):
        main()
